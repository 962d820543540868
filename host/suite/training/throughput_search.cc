#include "suite/training/throughput_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "suite/framework/lossless_share.h"
#include "suite/search/search.h"

namespace plumbline::suite {

std::string ThroughputPoint::label() const {
  return fmt::format("{}, {}, {}", size.label, qpsText(qps), directionText(direction));
}

bench::TrialSpec throughputTrial(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint64_t step,
                                 std::uint32_t repetition) {
  return loadTrial(config,
                   fullLoad(config, point.direction, point.size, point.qps,
                            rateOfStep(step, settings.rate_steps)),
                   settings.duration, settings.drain, repetition);
}

ThroughputOutcome findThroughput(const TestConfig& config, const Settings& settings,
                                 const ThroughputPoint& point, std::uint32_t repetitions,
                                 TrialRunner& runner, ResultBuilder& builder) {
  ThroughputOutcome outcome;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    std::map<std::uint64_t, bench::TrialResult> passed;
    std::map<std::uint64_t, std::pair<ThroughputLimit, double>> failed;
    const auto trial = [&](std::uint64_t step) {
      const std::string label = fmt::format("{}, {} of line rate", point.label(),
                                            percentText(rateOfStep(step, settings.rate_steps)));
      const bench::TrialSpec spec = throughputTrial(config, settings, point, step, repetition);
      bench::TrialResult result = runner.run(spec, repetition, label);
      if (!builder.accept(spec, result, fmt::format("{}, repetition {}", label, repetition))) {
        return Verdict::kInvalid;
      }
      const double in_time = sentInTime(spec, result, config.bench.line_rate);
      if (result.lost() > 0) {
        failed[step] = {ThroughputLimit::kLoss, 1};
        return Verdict::kFail;
      }
      if (in_time < 1 - kRateTolerance) {
        failed[step] = {ThroughputLimit::kHeld, in_time};
        return Verdict::kFail;
      }
      passed.emplace(step, std::move(result));
      return Verdict::kPass;
    };
    const SearchResult search =
        outcome.steps.empty() ? searchHighestPassing(1, settings.rate_steps, trial)
                              : searchAround(1, settings.rate_steps, outcome.steps.front(), trial);
    if (!search.valid) {
      outcome.valid = false;
      continue;
    }
    outcome.steps.push_back(search.highest_passing.value_or(0));
    if (const auto above = failed.find(outcome.steps.back() + 1);
        outcome.steps.size() == 1 && above != failed.end()) {
      std::tie(outcome.limit, outcome.sent_in_time) = above->second;
    }
    if (search.highest_passing) {
      outcome.trials.push_back(std::move(passed.at(*search.highest_passing)));
    }
  }
  return outcome;
}

Reading percentOfStep(std::uint64_t step, std::uint32_t steps, double tolerance,
                      const std::string& tolerance_of) {
  const double percent = rateOfStep(step, steps).toDouble() * 100;
  const double next = step >= steps ? 0 : 100.0 / steps;
  // A bound on one side only: as far to both sides is an interval twice as wide.
  return within(percent, 2 * (next + tolerance * percent),
                fmt::format("search step and {}, both ways:", tolerance_of));
}

ThroughputForecast forecastThroughput(const TestConfig& config, const Settings& settings,
                                      const ThroughputPoint& point, std::uint32_t repetitions) {
  const std::uint32_t steps = settings.rate_steps;
  ThroughputForecast forecast;
  if (!config.bench.simulated_dut) {
    forecast.trials = searchTrials(1, steps) + std::uint64_t{2} * (repetitions - 1);
    forecast.at_line_rate = static_cast<double>(forecast.trials);
    return forecast;
  }
  const Load load = fullLoad(config, point.direction, point.size, point.qps, Fraction::one());
  const double carried = losslessShare(config, load, settings.duration);
  const auto trial = [&](std::uint64_t step) {
    const double share = rateOfStep(step, steps).toDouble();
    ++forecast.trials;
    forecast.at_line_rate += share;
    return share <= carried ? Verdict::kPass : Verdict::kFail;
  };
  const std::uint64_t found = searchHighestPassing(1, steps, trial).highest_passing.value_or(1);
  for (std::uint32_t repetition = 1; repetition < repetitions; ++repetition) {
    searchAround(1, steps, found, trial);
  }
  forecast.share = rateOfStep(found, steps).toDouble();
  return forecast;
}

}  // namespace plumbline::suite
