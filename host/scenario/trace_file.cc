#include "scenario/trace_file.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "workload/request_trace.h"
#include "workload/trace.h"

namespace plumbline::scenario {
namespace {

using TraceOrError = std::variant<std::vector<workload::TraceEntry>, workload::TraceError>;

enum class TraceFormat { kMessages, kRequests };
constexpr std::pair<const char*, TraceFormat> kFormats[] = {{"messages", TraceFormat::kMessages},
                                                            {"requests", TraceFormat::kRequests}};

// A whole number of bytes above zero.
std::optional<std::uint64_t> readTokenBytes(const YamlNode& node, Problems& problems) {
  const Bytes max((std::int64_t{1} << 40) - 1);
  const auto size = readBytes(node, Bytes(1), max, "1B to 1TiB", problems);
  return size ? std::optional(static_cast<std::uint64_t>(size->count())) : std::nullopt;
}

std::optional<workload::RequestRules> readRules(SpecReader& map, std::uint32_t ranks,
                                                Problems& problems) {
  workload::RequestRules rules;
  rules.ranks = ranks;
  const std::size_t before = problems.count();
  if (const YamlNode* node = map.required("prefill")) {
    rules.prefill = static_cast<std::uint32_t>(
        readInteger(*node, 1, std::max(ranks, 2U) - 1, problems).value_or(1));
    if (ranks < 2) problems.add(*node, "the job has one rank", "one for decoding as well");
  }
  if (map.required("kv_per_token") != nullptr) {
    map.read("kv_per_token", "kv_per_token", rules.bytes_per_token, readTokenBytes);
  }
  if (const YamlNode* node = map.optional("requests")) {
    rules.max = readInteger(*node, 1, std::numeric_limits<std::uint32_t>::max(), problems)
                    .value_or(rules.max);
  }
  return problems.count() == before ? std::optional(rules) : std::nullopt;
}

}  // namespace

std::optional<std::ifstream> openTable(const YamlNode& node, const std::string& name,
                                       const Scenario& scenario, std::uintmax_t max,
                                       Problems& problems) {
  const auto opened = openNamed(node, name, scenario.access, scenario.file, problems);
  if (!opened) return std::nullopt;
  if (opened->size() > max) {
    problems.add(node, shown(name) + " is too long", "at most " + std::to_string(max) + " bytes");
    return std::nullopt;
  }
  std::ifstream stream(opened->path(), std::ios::binary);
  if (!stream) {
    problems.add(node, shown(name) + " cannot be read", "a file that may be read");
    return std::nullopt;
  }
  return stream;
}

std::optional<InputFile> readTraceFile(SpecReader& map, const Scenario& scenario,
                                       std::uint32_t ranks, workload::TraceProgram& trace,
                                       Problems& problems) {
  TraceFormat format = TraceFormat::kMessages;
  map.readWordOf<TraceFormat>("format", "format", kFormats, format);
  std::optional<workload::RequestRules> rules;
  if (format == TraceFormat::kRequests) rules = readRules(map, ranks, problems);
  const YamlNode* node = map.required("file");
  map.finish();
  const auto name = node != nullptr ? readText(*node, kMaxFileName, problems) : std::nullopt;
  if (!name || (format == TraceFormat::kRequests && !rules)) return std::nullopt;
  // The file after the last request in use is ignored.
  const bool part = rules && rules->max != workload::RequestRules().max;
  if (rules) rules->max_bytes = kMaxTraceBytes;
  const std::uintmax_t max = part ? std::numeric_limits<std::uintmax_t>::max() : kMaxTraceBytes;
  auto stream = openTable(*node, *name, scenario, max, problems);
  if (!stream) {
    if (scenario.access.origin == Origin::kStored) trace.entries = {{Picoseconds(), 0, 1, 1, 0}};
    return std::nullopt;
  }
  TextExtent extent;
  TraceOrError parsed = rules ? workload::parseRequestTrace(*stream, *rules, &extent)
                              : workload::parseTrace(*stream, ranks, &extent);
  if (stream->bad()) {
    problems.add(*node, shown(*name) + " cannot be read to its end", "a file that may be read");
    return std::nullopt;
  }
  InputFile file{*name, extent.bytes, extent.hash};
  if (const auto* error = std::get_if<workload::TraceError>(&parsed)) {
    problems.add(*node, *name + ":" + std::to_string(error->line) + ":" +
                            std::to_string(error->column) + ": " + error->what);
    return file;
  }
  trace.entries = std::move(std::get<std::vector<workload::TraceEntry>>(parsed));
  if (trace.entries.empty()) {
    problems.add(*node, *name + " has no message", "a file with one at least");
  }
  return file;
}

std::optional<InputFile> readMatrixFile(const YamlNode& node, const Scenario& scenario,
                                        const workload::MatrixRules& rules,
                                        std::vector<std::uint32_t>& matrix, Problems& problems) {
  // Replacement for a matrix that is not read, or invalid, which is reported once.
  if (rules.ranks <= fabric::kMaxHosts) {
    matrix.assign(std::size_t{rules.ranks} * rules.experts, 0);
  }
  const auto name = readText(node, kMaxFileName, problems);
  if (!name) return std::nullopt;
  auto stream = openTable(node, *name, scenario, kMaxTraceBytes, problems);
  if (!stream) return std::nullopt;
  TextExtent extent;
  auto parsed = workload::parseExpertMatrix(*stream, rules, &extent);
  if (stream->bad()) {
    problems.add(node, shown(*name) + " cannot be read to its end", "a file that may be read");
    return std::nullopt;
  }
  if (const auto* error = std::get_if<workload::TraceError>(&parsed)) {
    problems.add(node, *name + ":" + std::to_string(error->line) + ":" +
                           std::to_string(error->column) + ": " + error->what);
  } else {
    matrix = std::move(std::get<std::vector<std::uint32_t>>(parsed));
  }
  return InputFile{*name, extent.bytes, extent.hash};
}

}  // namespace plumbline::scenario
