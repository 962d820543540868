#include "suite/framework/early_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "stats/quantile.h"

namespace plumbline::suite {
namespace {

const char* nameOf(bench::WatchedFigure figure) {
  switch (figure) {
    case bench::WatchedFigure::kGoodput:
      return "goodput";
    case bench::WatchedFigure::kMessageTime:
      return "mean message time";
    case bench::WatchedFigure::kIterationTime:
      break;
  }
  return "mean iteration time";
}

// "21 to 37 iterations"; "1.5 ms to 4 ms".
std::string reached(const std::vector<const bench::TrialResult*>& trials) {
  const auto iterations = [](const bench::TrialResult* trial) {
    return trial->early_end->iterations;
  };
  const auto end = [](const bench::TrialResult* trial) { return trial->early_end->end; };
  const auto [min, max] = std::minmax_element(
      trials.begin(), trials.end(),
      [&](const auto* a, const auto* b) { return iterations(a) < iterations(b); });
  if (iterations(*max) > 0) {
    return fmt::format("{} to {} iterations", iterations(*min), iterations(*max));
  }
  const auto [shortest, longest] = std::minmax_element(
      trials.begin(), trials.end(), [&](const auto* a, const auto* b) { return end(a) < end(b); });
  return fmt::format("{} to {}", roundedTimeText(end(*shortest)), roundedTimeText(end(*longest)));
}

}  // namespace

bool mayEndEarly(const TestConfig& config) {
  const scenario::Parameters& own = config.scenario.parameters;
  return config.scenario.profile == scenario::Profile::kStandard &&
         config.bench.wall_ns_per_packet_hop > 0 && !own.duration && !own.iterations;
}

bench::EarlyEndSpec earlyEnd(bench::WatchedFigure figure, double largest_quantile) {
  bench::EarlyEndSpec spec;
  spec.figure = figure;
  if (largest_quantile > 0) spec.rule.min_samples = stats::samplesForQuantile(largest_quantile);
  return spec;
}

std::uint32_t expectedIterations(const bench::TrialSpec& spec, bool steady) {
  const auto& job = spec.workload->jobs.front();
  const std::uint32_t max = std::get<workload::TrainingProgram>(job.program).iterations;
  if (!spec.early_end) return max;
  // The rule needs 20 iterations after the warm-up: it is met at 24, while one more is running.
  // Where flows share links by chance, times scatter by some per cent.
  constexpr std::uint32_t kSteady = 25;
  constexpr std::uint32_t kUnsteady = 80;
  return std::min(max, steady ? kSteady : kUnsteady);
}

std::uint32_t minIterationsToEnd(const std::vector<Measured>& measured) {
  std::size_t min = std::numeric_limits<std::uint32_t>::max();
  for (const Measured& one : measured) {
    for (const bench::TrialResult& trial : one.trials) {
      min = std::min(min, trial.fabric->jobs.at(0).iterations.size());
    }
  }
  return static_cast<std::uint32_t>(min);
}

Reading withBatches(const bench::TrialResult& trial, double value) {
  Reading reading(value);
  if (!trial.early_end || std::isnan(value)) return reading;
  const bench::EarlyEndOutcome& end = *trial.early_end;
  if (end.batches < 2 || end.half_width <= 0 || end.mean == 0) return reading;
  reading.batches = stats::BatchMean{value, std::abs(value) * end.half_width / std::abs(end.mean),
                                     static_cast<std::size_t>(end.batches)};
  return reading;
}

void noteEarlyEnds(const std::vector<Measured>& measured, ResultBuilder& builder) {
  std::vector<const bench::TrialResult*> trials;
  std::optional<bench::EarlyEndSpec> spec;
  std::size_t not_met = 0;
  for (const Measured& one : measured) {
    if (one.point.spec.early_end) spec = one.point.spec.early_end;
    for (const bench::TrialResult& trial : one.trials) {
      if (!trial.early_end) continue;
      trials.push_back(&trial);
      if (!trial.early_end->stationary) ++not_met;
    }
  }
  if (trials.empty()) return;
  const std::string duration = reached(trials);
  std::string rule = fmt::format(
      "when the {} is known within {:.3g} % ({:.3g} % confidence, at least {} batch means without "
      "warm-up)",
      nameOf(spec->figure), 100 * spec->rule.half_width, 100 * spec->rule.confidence,
      spec->rule.min_batches);
  if (spec->rule.min_samples > 0) rule += fmt::format(", {} samples", spec->rule.min_samples);
  if (spec->not_before > Picoseconds(0)) {
    rule += fmt::format(", not before {}", valueText(spec->not_before));
  }
  builder.result().configuration.emplace_back("A trial ends", rule + ": " + duration);
  builder.deviation(fmt::format("trials end {}, instead of after the draft's time: {}; {} of {} "
                                "ran to the end of their time",
                                rule, duration, not_met, trials.size()),
                    "duration");
}

}  // namespace plumbline::suite
