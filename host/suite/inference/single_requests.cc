#include "suite/inference/single_requests.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

#include "suite/inference/requests.h"

namespace plumbline::suite {
namespace {

using serving::RequestRecord;
using serving::Stage;

// A part of the TTFT of a request that has a first token: [s], or a share.
using PartOf = double (*)(const RequestRecord& record);

double stageSeconds(const RequestRecord& record, Stage stage) {
  return record.first_stages[static_cast<std::size_t>(stage)].toSeconds();
}
double prefillPart(const RequestRecord& record) { return stageSeconds(record, Stage::kPrefill); }
double transferPart(const RequestRecord& record) { return stageSeconds(record, Stage::kTransfer); }
double decodeInitPart(const RequestRecord& record) {
  return stageSeconds(record, Stage::kDecodeQueue) + stageSeconds(record, Stage::kDecode);
}
double fabricShare(const RequestRecord& record) {
  return transferPart(record) / (record.first_token - record.arrival).toSeconds();
}

struct Part {
  const char* name;
  const char* unit;
  double scale;  // from the result of `of` to `unit`
  PartOf of;
};
constexpr std::array<Part, 4> kParts{{{"Prefill", "ms", 1e3, prefillPart},
                                      {"Transfer", "ms", 1e3, transferPart},
                                      {"Decode init", "ms", 1e3, decodeInitPart},
                                      {"Fabric share", "%", 100, fabricShare}}};

// A percentile of a part over the measured requests; those without a first token are beyond all.
Figure partPercentile(const Part& part, const char* name, double quantile) {
  Figure figure = servingFigure(
      fmt::format("{} {}", part.name, name), part.unit, {}, {},
      [part, quantile](const serving::ServingMetrics&,
                       const serving::ServingResult& result) -> std::optional<Reading> {
        std::vector<double> values;
        std::uint64_t not_reached = 0;
        for (const RequestRecord& record : result.requests) {
          if (!record.measured) continue;
          if (record.first_token == serving::kNever) {
            ++not_reached;
          } else {
            values.push_back(part.of(record));
          }
        }
        const auto found =
            percentileMs(serving::distribution(std::move(values), not_reached), quantile);
        // percentileMs() takes seconds.
        if (!found) return std::nullopt;
        return found->times(part.scale / 1e3);
      });
  return figure;
}

constexpr std::uint32_t kRequests = 10;  // of a trial
constexpr std::uint32_t kOutput = 2;     // tokens of an answer: enough for one gap

}  // namespace

Design singleRequestDesign(const TestConfig& config, const SingleRequests& numbers) {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Prompt", "tokens"}};
  design.repetitions = design.numbers.repetitions(numbers.repetitions, 2);
  const std::vector<std::uint32_t> prompts = design.numbers.sweep(
      "Prompt lengths", numbers.standard, numbers.quick, config.scenario.parameters.prompts);
  design.numbers.configure("Load", fmt::format("{} requests a trial, one at a time", kRequests));
  serving::ServingProgram program = servingSection(config).program;
  if (auto why = servingRefusal(config, program)) design.refusals.push_back(*std::move(why));
  if (!design.refusals.empty()) return design;
  serving::WorkloadSpec& load = program.workload;
  load = {};
  load.arrivals.kind = serving::ArrivalKind::kClosed;
  load.arrivals.concurrency = 1;
  load.requests = kRequests;
  load.output.low = kOutput;
  program.system.window = {};
  for (const std::uint32_t prompt : prompts) {
    load.prompt.low = prompt;
    design.add({std::to_string(prompt)}, servingTrial(config, program),
               servingHops(config, program, kRequests));
  }
  return design;
}

std::vector<results::Series> overPrompt(const Design& design, const std::vector<Measured>& measured,
                                        const std::vector<Figure>& figures) {
  std::vector<results::Series> all;
  for (const Figure& figure : figures) {
    results::Series series{figure.column, {}, {}};
    for (const Measured& one : measured) {
      const auto value = meanOf(design, one, figure);
      if (value) series.add(std::stod(one.point.values.front()), *value);
    }
    all.push_back(std::move(series));
  }
  return all;
}

void reportSingleRequests(const TestConfig& config, const Design& design,
                          const std::vector<Measured>& measured, ResultBuilder& builder) {
  const serving::SloSpec& slo = servingSection(config).slo;
  std::vector<Figure> figures = ttftFigures(slo);
  std::vector<Figure> transfer = transferFigures(slo);
  figures.insert(figures.end(), std::make_move_iterator(transfer.begin()),
                 std::make_move_iterator(transfer.end()));
  figures.push_back(
      Figure{.column = "KV cache",
             .unit = "B",
             .kpi = "kv_request_bytes",
             .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
               if (!trial.serving || trial.serving->requests.empty()) return std::nullopt;
               const serving::RequestRecord& first = trial.serving->requests.front();
               if (first.outcome == serving::Outcome::kRejected) return std::nullopt;
               return Reading(static_cast<double>(first.bytes));
             }});
  addTable(design, measured, figures,
           {"ttft",
            "TTFT of single requests",
            std::string(kServingNote) +
                " Queue, prefill, transfer and decode init are means, and with the router's delay "
                "they add up to the TTFT. Transfer is what prefill does not hide; KV transfer "
                "counts from the first post to the last arrival.",
            {},
            {}},
           builder);
  addMainFigure(design, measured, figures, builder);
  addRequestData(design, measured, builder);
  std::vector<Figure> parts;
  for (const Part& part : kParts) {
    parts.push_back(partPercentile(part, "P50", 0.5));
    parts.push_back(partPercentile(part, "P95", 0.95));
    parts.push_back(partPercentile(part, "P99", 0.99));
  }
  addTable(design, measured, parts,
           {"ttft_parts",
            "Percentiles of the parts",
            "Each by itself over the requests: percentiles of parts do not add up to one of the "
            "whole.",
            {},
            {}},
           builder);
}

}  // namespace plumbline::suite
