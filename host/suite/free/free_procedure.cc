#include "suite/free/free_procedure.h"

#include <fmt/format.h>

#include <utility>

#include "suite/framework/result_builder.h"
#include "suite/framework/switch_configuration.h"
#include "suite/framework/trial_configuration.h"
#include "suite/framework/trials.h"
#include "suite/free/expert_table.h"
#include "suite/free/fabric_tables.h"
#include "suite/free/jobs.h"
#include "suite/free/links.h"
#include "suite/free/prediction.h"
#include "suite/free/repetitions.h"
#include "suite/free/time_series.h"
#include "suite/free/workload_hops.h"

namespace plumbline::suite {
namespace {

std::uint32_t repetitionsOf(const TestConfig& config) {
  return config.scenario.parameters.repetitions.value_or(1);
}

bench::TrialSpec freeTrial(const TestConfig& config) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.transport = config.scenario.transport;
  spec.workload = config.scenario.workloadSpec();
  spec.fast_forward = config.scenario.fast_forward;
  // Jobs go on for as long as the trial lasts: nothing is waited for.
  spec.duration = config.scenario.parameters.duration.value_or(Picoseconds(0));
  spec.drain = Picoseconds(0);
  if (!spec.fast_forward) spec.series.emplace();
  return spec;
}

void configure(const TestConfig& config, ResultBuilder& builder) {
  auto& configuration = builder.result().configuration;
  if (config.scenario.transport) {
    addNicConfiguration(*config.scenario.transport, configuration);
  }
  if (config.scenario.topology.kind != fabric::TopologyKind::kLink) {
    addSwitchConfiguration(config.scenario.switches, configuration);
  }
  addJobConfiguration(config.scenario.workloadSpec(), configuration);
  configuration.emplace_back("Repetitions", std::to_string(repetitionsOf(config)));
}

class FreeProcedure final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return std::string(scenario::kFreeProcedure); }
  [[nodiscard]] std::string title() const override { return "Workload"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(expertKpis(), {"job_time_us",
                               "busbw_gbps",
                               "algbw_gbps",
                               "goodput_per_rank_gbps",
                               "message_time_p50_us",
                               "message_time_p99_us",
                               "message_time_max_us",
                               "latency_mean_ns",
                               "latency_p50_ns",
                               "latency_p99_ns",
                               "latency_max_ns",
                               "flow_jfi",
                               "link_jfi",
                               "link_mmr",
                               "ecn_percent",
                               "retransmission_percent",
                               "dropped_packets",
                               "drop_ppm",
                               "fabric_drops_ppm",
                               "trimmed_ppm",
                               "failed_messages",
                               "pauses",
                               "paused_us",
                               "queue_max_bytes",
                               "calibrated_error_percent",
                               "calibration_spread_percent"});
  }
  [[nodiscard]] bool onHosts() const override { return true; }
  [[nodiscard]] bool runsWorkload() const override { return true; }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    Plan plan;
    if (!config.scenario.workload) {
      plan.refusals.emplace_back("the scenario has no workload");
      return plan;
    }
    PlannedTrial trial{kWholeWorkload, freeTrial(config)};
    plan.points.push_back(trial.label);
    plan.trials_expected = repetitionsOf(config);
    trial.packet_hops = workloadHops(trial.spec);
    trial.hop_cost = kWorkloadHopCost;
    addHops(trial.packet_hops * repetitionsOf(config), trial.hop_cost, plan);
    plan.samples.push_back(std::move(trial));
    return plan;
  }

  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override {
    requireRunnable(*this, plan(config));
    ResultBuilder builder(*this, "", {}, config);
    builder.result().section = "no draft: a workload of the user's own";
    configure(config, builder);
    const bench::TrialSpec spec = freeTrial(config);
    std::vector<bench::TrialResult> trials;
    for (std::uint32_t repetition = 0; repetition < repetitionsOf(config); ++repetition) {
      const std::string label = fmt::format("repetition {}", repetition);
      bench::TrialSpec one = withSeedsOf(spec, repetition);
      if (repetition > 0) one.series.reset();  // charts show the first repetition
      trials.push_back(runner.run(one, repetition, label));
      builder.accept(one, trials.back(), label);
    }
    report(spec, Repetitions(std::move(trials)), builder);
    return builder.take();
  }

 private:
  static void report(const bench::TrialSpec& spec, const Repetitions& trials,
                     ResultBuilder& builder) {
    const std::vector<workload::JobSpec>& jobs = spec.workload->jobs;
    if (trials.front().fabric->fast_forward) {
      addPrediction(spec, trials, builder);
      return;
    }
    std::string summary = addJobs(jobs, trials, builder);
    addExperts(jobs, trials, builder);
    summary += addFabric(trials, builder);
    builder.result().summary = std::move(summary);
    addEndpoints(jobs, trials, builder);
    addLinks(spec.dut, trials.front(), builder);
    addTimeSeries(trials.front(), builder);
    addCost(trials, builder);
    if (trials.size() > 1) {
      builder.result().repeatability.note +=
          trials.deterministic()
              ? " Deterministic: all repetitions saw the same, so they add nothing."
              : " Each repetition has seeds of its own. Distributions are of all "
                "repetitions together.";
    }
  }
};

}  // namespace

const Procedure& freeProcedure() {
  static const FreeProcedure test;
  return test;
}

}  // namespace plumbline::suite
