#include "suite/free/prediction.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "results/quantity_text.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/reading.h"
#include "suite/free/jobs.h"

namespace plumbline::suite {
namespace {

// With the error of the prediction.
results::Quantity predicted(const Repetitions& trials, double value, std::string unit) {
  results::Quantity quantity = modelled(value, std::move(unit));
  addPrediction(trials.all(), quantity);
  return quantity;
}
results::Quantity predictedTime(const Repetitions& trials, Picoseconds time) {
  return predicted(trials, time.toMicroseconds(), "us");
}

results::Table predictedJobs(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                             ResultBuilder& builder) {
  results::Table table{"jobs",
                       "Jobs",
                       "Fast-forwarded. Time is from the first rank's start to the last one's "
                       "finish, mean over iterations.",
                       {"Job", "Iterations", "Time per iteration", "Completion"},
                       {}};
  const std::vector<std::string> labels = jobLabels(jobs);
  const std::vector<bench::JobOutcome>& outcomes = trials.front().fabric->jobs;
  const auto bandwidths = [&](std::size_t i) {
    return collectiveBandwidths(jobs[i], meanIteration(outcomes[i]));
  };
  bool collective = false;
  for (std::size_t i = 0; i < outcomes.size(); ++i) collective = collective || bandwidths(i);
  if (collective) {
    table.columns.insert(table.columns.end(), {"Algorithm bandwidth", "Bus bandwidth"});
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const results::Quantity time =
        builder.kpi("job_time_us", labels[i], predictedTime(trials, meanIteration(outcomes[i])));
    std::vector<results::Cell> row{labels[i], std::to_string(outcomes[i].iterations.size()), time,
                                   predictedTime(trials, outcomes[i].completion)};
    if (const auto own = bandwidths(i)) {
      row.emplace_back(
          builder.kpi("algbw_gbps", labels[i], predicted(trials, own->algorithm, "Gb/s")));
      row.emplace_back(builder.kpi("busbw_gbps", labels[i], predicted(trials, own->bus, "Gb/s")));
    } else if (collective) {
      row.insert(row.end(), 2, std::string("-"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

results::Table calibration(const bench::FastForwardOutcome& outcome) {
  results::Table table{"fast_forward",
                       "Fast-forward",
                       "First iteration. Calibrated on the two smallest runs at packet level, the "
                       "largest is predicted with the calibrated error; the workload itself is "
                       "calibrated on the two largest.",
                       {"Largest message", "Flow level", "Packet level"},
                       {}};
  for (const bench::FastForwardPoint& point : outcome.points) {
    table.rows.push_back({modelled(static_cast<double>(point.message_bytes), "B"),
                          modelled(point.flow_level.toMicroseconds(), "us"),
                          modelled(point.packet_level.toMicroseconds(), "us")});
  }
  table.rows.push_back({modelled(static_cast<double>(outcome.message_bytes), "B"),
                        modelled(outcome.flow_level.toMicroseconds(), "us"), std::string("-")});
  return table;
}

}  // namespace

void addPrediction(const std::vector<workload::JobSpec>& jobs,
                   const std::optional<bench::TransportSpec>& transport, const Repetitions& trials,
                   ResultBuilder& builder) {
  const bench::FabricResult& fabric = *trials.front().fabric;
  const bench::FastForwardOutcome& outcome = *fabric.fast_forward;
  const std::string error = fmt::format(
      "calibrated error {:.2g} %, calibrations {:.2g} % apart; messages {:.3g} times as long as "
      "the longest simulated ones",
      100 * outcome.calibrated_error, 100 * outcome.calibration_spread,
      static_cast<double>(outcome.message_bytes) /
          static_cast<double>(outcome.points.back().message_bytes));
  const results::Quantity whole = predictedTime(trials, fabric.sim_end);
  builder.result().summary =
      fmt::format("{} of fabric time, fast-forwarded: {}.", results::quantityText(whole), error);
  builder.anomaly(
      fmt::format("times are fast-forwarded, not simulated packet by packet: {}", error),
      "workload");
  const auto* roce = transport ? std::get_if<transport::RoceSpec>(&*transport) : nullptr;
  if (roce != nullptr && roce->dcqcn.enabled) {
    builder.anomaly(
        "DCQCN adapts over times longer than the calibration runs: the error may be several times "
        "the calibrated one",
        "workload");
  }
  builder.primary("fast-forwarded time", whole);
  builder.result().tables.push_back(predictedJobs(jobs, trials, builder));
  builder.kpi("calibrated_error_percent", "workload",
              modelled(100 * outcome.calibrated_error, "%"));
  builder.kpi("calibration_spread_percent", "workload",
              modelled(100 * outcome.calibration_spread, "%"));
  builder.result().tables.push_back(calibration(outcome));
}

}  // namespace plumbline::suite
