#include "suite/inference/single_requests.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kRequests = 10;  // of a trial
constexpr std::uint32_t kOutput = 2;     // the first token, and one gap

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
               return Reading(static_cast<double>(trial.serving->requests.front().bytes));
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
}

}  // namespace plumbline::suite
