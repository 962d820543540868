#include "cli/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "base/whole_number.h"
#include "cli/note.h"
#include "results/store.h"
#include "scenario/named_paths.h"

namespace plumbline::cli {
namespace {

namespace fs = std::filesystem;

// The place that `file` leads to, also by a link to a file that is not there yet.
fs::path placeOf(const std::string& file) {
  constexpr int kMaxLinks = 40;  // as Linux has it
  std::error_code ignored;
  fs::path path = fs::absolute(file, ignored);
  for (int link = 0; link < kMaxLinks && fs::is_symlink(path, ignored); ++link) {
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  const fs::path place = fs::weakly_canonical(path, ignored);
  return place.empty() ? path.lexically_normal() : place;
}

// Whether writing one would write the other. Of pipes and devices, two of the same may be meant.
bool sameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  return placeOf(a) == placeOf(b) || fs::equivalent(a, b, ignored);
}

// Whether `path` is `directory` or below it.
bool isIn(const std::string& path, const std::string& directory) {
  const fs::path place = placeOf(path);
  const fs::path above = placeOf(directory);
  return std::mismatch(above.begin(), above.end(), place.begin(), place.end()).first == above.end();
}

// Whether `file` is one that a report in `directory` replaces, drafts included.
bool isOfReport(const std::string& file, const std::string& directory) {
  for (const char* name : {"report.html", "report.json", "report.html.new", "report.json.new"}) {
    if (sameFile(file, (fs::path(directory) / name).string())) return true;
  }
  return isIn(file, (fs::path(directory) / "csv").string()) ||
         isIn(file, (fs::path(directory) / "csv.new").string());
}

// RESULTS/run-N where `file` is below it.
std::optional<std::string> runDirectoryOf(const std::string& file, const std::string& results) {
  const fs::path relative = placeOf(file).lexically_relative(placeOf(results));
  if (relative.empty()) return std::nullopt;
  const std::string first = relative.begin()->string();
  constexpr std::string_view kRun = "run-";
  if (!first.starts_with(kRun) || !wholeNumber(first.substr(kRun.size())).value) {
    return std::nullopt;
  }
  return (fs::path(results) / first).string();
}

[[noreturn]] void refuseTwo(const std::string& first, const std::string& second) {
  throw Error(ErrorKind::kUsage, "two outputs in one file", first + ", " + second,
              "a file for each");
}

[[noreturn]] void refuseDirectory(const std::string& file, const std::string& directory) {
  throw Error(ErrorKind::kUsage, "the file of an output is the directory of another",
              file + ", " + directory, "a place for each");
}

std::vector<NamedPath> databaseIn(const std::string& results) {
  std::vector<NamedPath> files;
  if (results.empty()) return files;
  const fs::path database = fs::path(results) / results::ResultStore::kFileName;
  // SQLite's own files beside it hold what is not in it yet.
  for (const char* end : {"", "-wal", "-shm"}) {
    files.push_back({"a file of the results database", database.string() + end});
  }
  return files;
}

std::string textOf(const NamedPath& output) {
  return fmt::format("{} {}", output.name, output.path);
}

void checkAgainstReport(const CommandFiles& files, const std::vector<NamedPath>& inputs) {
  if (!files.report) return;
  const auto& [name, directory] = *files.report;
  const std::string where = name.empty() ? directory : textOf(*files.report);
  for (const NamedPath& input : inputs) {
    if (!isOfReport(input.path, directory)) continue;
    throw Error(ErrorKind::kUsage, fmt::format("the report would replace {}", input.name),
                fmt::format("{}, {}", where, input.path), "another directory for the report");
  }
  for (const NamedPath& output : files.outputs) {
    if (isOfReport(output.path, directory)) refuseTwo(textOf(output), where);
    if (isIn(directory, output.path)) refuseDirectory(textOf(output), where);
  }
}

}  // namespace

void CommandFiles::addScenario(const scenario::Scenario& scenario) {
  inputs.push_back({"the scenario's own file", scenario.file});
  for (std::string& path : scenario::namedPaths(scenario)) {
    inputs.push_back({"a file that the scenario names", std::move(path)});
  }
}

void checkOutputFiles(const CommandFiles& files) {
  std::vector<NamedPath> inputs = files.inputs;
  for (NamedPath& file : databaseIn(files.results)) inputs.push_back(std::move(file));
  for (std::size_t i = 0; i < files.outputs.size(); ++i) {
    const auto& [option, file] = files.outputs[i];
    requireWritable(file, option);
    const std::string where = textOf(files.outputs[i]);
    for (const NamedPath& input : inputs) {
      if (!sameFile(file, input.path)) continue;
      throw Error(ErrorKind::kUsage, fmt::format("this is {}", input.name), where, "another file");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (sameFile(file, files.outputs[j].path)) refuseTwo(textOf(files.outputs[j]), where);
    }
    if (!files.results.empty() && isIn(files.results, file)) {
      refuseDirectory(where, "--results " + files.results);
    }
    if (!files.report_in_results) continue;
    const auto run = runDirectoryOf(file, files.results);
    if (run && isOfReport(file, *run)) refuseTwo(where, "the report in " + *run);
  }
  checkAgainstReport(files, inputs);
}

void checkOutputFiles(const RunOptions& options, const scenario::Scenario* scenario) {
  CommandFiles files;
  if (scenario != nullptr) {
    files.addScenario(*scenario);
  } else {
    files.inputs.push_back({"the scenario's own file", options.scenario.file});
  }
  for (const auto& [what, file] : {std::pair{"the file of --token-file", options.server.token_file},
                                   std::pair{"the file of --ca", options.server.ca_file}}) {
    if (!file.empty()) files.inputs.push_back({what, file});
  }
  for (const auto& [option, file] :
       {std::pair{"--json", options.json}, std::pair{"--jsonl", options.jsonl},
        std::pair{"--capture", options.capture}, std::pair{"--trace", options.trace}}) {
    if (!file.empty()) files.outputs.push_back({option, file});
  }
  if (!options.report.empty()) files.report = {"--report", options.report};
  if (options.server.address.empty()) {
    files.results = options.results;
    files.report_in_results = options.report.empty();
  }
  checkOutputFiles(files);
}

void makeOutputDirectories(const RunOptions& options) {
  if (!options.report.empty()) requireDirectory(options.report, "--report");
  // Runs on a server are stored there.
  if (options.server.address.empty()) requireDirectory(options.results, "--results");
}

void OutputErrors::check() const {
  if (first_) throw Error(*first_);
}

void OutputErrors::noteOutputEnded(const Error& error) {
  note(stderr, "{}\nthis output ends here, the run goes on\n", error.what());
}

}  // namespace plumbline::cli
