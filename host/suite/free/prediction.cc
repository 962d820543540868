#include "suite/free/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "results/quantity_text.h"
#include "suite/framework/data_priority.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/reading.h"
#include "suite/free/jobs.h"

namespace plumbline::suite {
namespace {

// Mean over the repetitions, with the error of the prediction.
template <typename Of>
results::Quantity predicted(const Repetitions& trials, const char* unit, const Of& of) {
  results::Quantity quantity = *meanOf(trials, unit, [&](const bench::TrialResult& trial) {
    return std::optional<Reading>(of(*trial.fabric));
  });
  addPrediction(trials.all(), quantity);
  return quantity;
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
  const auto bandwidths = [&](std::size_t i, const bench::FabricResult& fabric) {
    return collectiveBandwidths(jobs[i], meanIteration(fabric.jobs[i]));
  };
  const bench::FabricResult& any = *trials.front().fabric;
  bool collective = false;
  for (std::size_t i = 0; i < outcomes.size(); ++i) collective = collective || bandwidths(i, any);
  if (collective) {
    table.columns.insert(table.columns.end(), {"Algorithm bandwidth", "Bus bandwidth"});
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto iteration = [i](const bench::FabricResult& fabric) {
      return meanIteration(fabric.jobs[i]).toMicroseconds();
    };
    const auto completion = [i](const bench::FabricResult& fabric) {
      return fabric.jobs[i].completion.toMicroseconds();
    };
    results::Quantity time = predicted(trials, "us", iteration);
    const std::vector<Reading> times = valuesOf(trials, [&](const bench::TrialResult& trial) {
      return std::optional<Reading>(iteration(*trial.fabric));
    });
    builder.repeated(labels[i], "Time per iteration", times, time);
    time = builder.kpi("job_time_us", labels[i], std::move(time));
    std::vector<results::Cell> row{labels[i], std::to_string(outcomes[i].iterations.size()), time,
                                   predicted(trials, "us", completion)};
    if (bandwidths(i, any)) {
      const auto algorithm = [&](const bench::FabricResult& fabric) {
        return bandwidths(i, fabric)->algorithm;
      };
      const auto bus = [&](const bench::FabricResult& fabric) {
        return bandwidths(i, fabric)->bus;
      };
      row.emplace_back(builder.kpi("algbw_gbps", labels[i], predicted(trials, "Gb/s", algorithm)));
      row.emplace_back(builder.kpi("busbw_gbps", labels[i], predicted(trials, "Gb/s", bus)));
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
                       "First iteration of the first repetition. Calibrated on the two smallest "
                       "runs at packet level, the "
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

void addPrediction(const bench::TrialSpec& spec, const Repetitions& trials,
                   ResultBuilder& builder) {
  const std::vector<workload::JobSpec>& jobs = spec.workload->jobs;
  const bench::FastForwardOutcome& outcome = *trials.front().fabric->fast_forward;
  double calibrated_error = 0;  // largest of the repetitions
  double calibration_spread = 0;
  for (const bench::TrialResult& trial : trials) {
    const bench::FastForwardOutcome& one = *trial.fabric->fast_forward;
    calibrated_error = std::max(calibrated_error, one.calibrated_error);
    calibration_spread = std::max(calibration_spread, one.calibration_spread);
  }
  const double longer = static_cast<double>(outcome.message_bytes) /
                        static_cast<double>(outcome.points.back().message_bytes);
  const std::string error = fmt::format(
      "calibrated error {:.2g} %, calibrations {:.2g} % apart; messages {:.3g} times as long as "
      "the longest simulated ones",
      100 * calibrated_error, 100 * calibration_spread, longer);
  const results::Quantity whole = predicted(trials, "us", [](const bench::FabricResult& fabric) {
    return fabric.sim_end.toMicroseconds();
  });
  builder.result().summary =
      fmt::format("{} of fabric time, fast-forwarded: {}.", results::quantityText(whole), error);
  builder.anomaly(
      fmt::format("times are fast-forwarded, not simulated packet by packet: {}", error),
      kWholeWorkload);
  const unsigned priority = dataPriority(spec.transport.value_or(transport::RoceSpec()));
  if (longer > 1 && !holdsSendersBack(spec.dut.switches, priority)) {
    builder.anomaly(
        "losses are not predicted: neither PFC nor CBFC protects the data, and messages longer "
        "than the simulated ones may fill buffers that those did not. The time may then be several "
        "times the predicted one",
        kWholeWorkload);
  }
  const auto* roce = spec.transport ? std::get_if<transport::RoceSpec>(&*spec.transport) : nullptr;
  if (roce != nullptr && roce->dcqcn.enabled) {
    builder.anomaly(
        "DCQCN adapts over times longer than the calibration runs: the error may be several times "
        "the calibrated one",
        kWholeWorkload);
  }
  builder.primary("fast-forwarded time", whole);
  builder.result().tables.push_back(predictedJobs(jobs, trials, builder));
  builder.kpi("calibrated_error_percent", kWholeWorkload, modelled(100 * calibrated_error, "%"));
  builder.kpi("calibration_spread_percent", kWholeWorkload,
              modelled(100 * calibration_spread, "%"));
  builder.result().tables.push_back(calibration(outcome));
}

}  // namespace plumbline::suite
