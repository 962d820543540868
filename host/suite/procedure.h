// Interface of a test of the methodology: it plans its trials, requests them from a runner and
// folds their results into one TestResult.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/bench.h"
#include "bench/trial/trial.h"
#include "kpi/kpi.h"
#include "results/test_result.h"
#include "scenario/parse.h"
#include "scenario/scenario.h"

namespace plumbline::suite {

// Input of a procedure: the scenario and the bench's capabilities. Both must outlive the call.
struct TestConfig {
  const scenario::Scenario& scenario;
  const bench::Capabilities& bench;
};

// A trial as the plan shows it: its purpose, and its traffic.
struct PlannedTrial {
  std::string label;
  bench::TrialSpec spec;
  // For simulated hosts: approximate number of packets that cross a link in this trial; 0 if
  // unknown.
  double packet_hops = 0;
  // Processor time per packet-hop over that of the bench's usual one (Capabilities).
  double hop_cost = 1;
};

// The planned trials and costs of a run.
struct Plan {
  // Points of the sweep, one line each: "1024 B, 4 QPs, bidirectional".
  std::vector<std::string> points;
  // The first trial of every point: for inspecting the frames and for the bench's refusals.
  std::vector<PlannedTrial> samples;
  // Trials with all repetitions. For a search on a simulated DUT: the number needed to find its
  // expected capacity; on any other DUT the maximum for the first repetition, plus the number for
  // the others if they agree with it.
  std::uint64_t trials_expected = 0;
  // Card time of all these trials, including the bench's time around each of them.
  Picoseconds simulated_time;
  // The same, times the card ports of each trial, where the card is simulated.
  Picoseconds port_time;
  // For simulated hosts instead: approximate number of packets that cross a link in all these
  // trials.
  double packet_hops = 0;
  // Processor time per packet-hop over that of the bench's usual one: mean over all trials.
  double hop_cost = 1;
  // Why the test cannot run, one sentence each; empty when it can.
  std::vector<std::string> refusals;
};

// Runs trials for a procedure. An implementation may return earlier results from a store: a trial
// is identified by the canonical JSON of its spec and its repetition number.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;

  // `label` is for progress display and names the point and step of the trial. Throws Error as
  // Bench::run() does, and any exception that ends a run early (the user's interrupt).
  virtual bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                                 const std::string& label) = 0;

  // Metrics that the DUT reports, as text for parseDutMetrics(): for the time `time` of a soak, or
  // without a time the record of the whole soak. `key` identifies the query within the run. Text
  // without metrics has the reason in a comment. Nothing without a source.
  virtual std::string dutReport(const std::string& /*key*/, std::optional<Picoseconds> /*time*/) {
    return {};
  }
};

// One test. Stateless, and a pure function of its configuration and of the trials' results, which
// makes resuming by lookup possible.
class Procedure {
 public:
  virtual ~Procedure() = default;

  // "T5.1": the number of the section it implements, with T for the training draft.
  [[nodiscard]] virtual std::string id() const = 0;
  // "Throughput"
  [[nodiscard]] virtual std::string title() const = 0;
  // Whether it needs a bench that simulates hosts.
  [[nodiscard]] virtual bool onHosts() const { return false; }
  // The KPIs that the test may report, by their names in kpi/kpi.h: limits and documents rely on
  // this list. A run on one bench need not have all of them.
  [[nodiscard]] virtual std::vector<std::string> kpis() const = 0;
  // Whether it runs the scenario's own workload on simulated hosts.
  [[nodiscard]] virtual bool runsWorkload() const { return false; }
  // Never throws for a scenario that validated; reasons against a run are in `refusals`.
  [[nodiscard]] virtual Plan plan(const TestConfig& config) const = 0;
  // Throws Error(kUnsupported) when plan() has refusals, otherwise only exceptions of the runner.
  virtual results::TestResult run(const TestConfig& config, TrialRunner& runner) const = 0;
};

// Concatenates names of figures: `names`, then `more`.
std::vector<std::string> with(std::vector<std::string> names, const std::vector<std::string>& more);

// All tests, in the order of their numbers.
const std::vector<const Procedure*>& procedures();
// Every KPI with the ids of the tests that declare it.
const std::vector<scenario::MeasuredKpi>& measuredKpis();
// The test with this id. Throws Error(kUsage) listing the known ids.
const Procedure& procedure(const std::string& id);

}  // namespace plumbline::suite
