// What a test of the methodology is to the rest of the program: something that plans its trials,
// asks a runner for them and folds what they saw into one TestResult.
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

// What a procedure may look at: the scenario and what the bench can do. Both must outlive the call.
struct TestConfig {
  const scenario::Scenario& scenario;
  const bench::Capabilities& bench;
};

// A trial as the plan shows it: what it is for, and what would be sent.
struct PlannedTrial {
  std::string label;
  bench::TrialSpec spec;
  // For simulated hosts: packets crossing a link in this trial, roughly; 0 where that is not known.
  double packet_hops = 0;
  // Processor time of one of them over that of the bench's usual one (Capabilities).
  double hop_cost = 1;
};

// What a run would do, without doing it.
struct Plan {
  // Points of the sweep, one line each: "1024 B, 4 QPs, bidirectional".
  std::vector<std::string> points;
  // The first trial of every point: for a look at the frames and for the bench's refusals.
  std::vector<PlannedTrial> samples;
  // Trials with all repetitions. Where a search decides: what it needs to find what the simulated
  // DUT is expected to carry; for any other DUT the most that the first repetition can need, and
  // what the others need when they agree with it.
  std::uint64_t trials_expected = 0;
  // Card time of all these trials together, what the bench needs around each of them included.
  Picoseconds simulated_time;
  // The same times the ports of the card that each trial takes, where the card is simulated.
  Picoseconds port_time;
  // For simulated hosts instead: packets crossing a link in all these trials, roughly.
  double packet_hops = 0;
  // Processor time of one of them over that of the bench's usual one: the mean over all trials.
  double hop_cost = 1;
  // Why the test cannot run like this, one sentence each; empty when it can.
  std::vector<std::string> refusals;
};

// Runs trials for a procedure. An implementation may answer from a store of earlier results: a
// trial is known by the canonical JSON of its spec and its repetition number.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;

  // `label` is for progress only and says which point and step the trial belongs to. Throws Error
  // as Bench::run() does, and whatever ends a run early (the user's interrupt).
  virtual bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                                 const std::string& label) = 0;

  // What the DUT says of itself, as text that parseDutMetrics() reads: of `time` of a soak, or with
  // no time what was written down of all of it. `key` tells the question from others of the run.
  // Text without metrics is the reason in a comment. Nothing where nobody is asked.
  virtual std::string dutReport(const std::string& /*key*/, std::optional<Picoseconds> /*time*/) {
    return {};
  }
};

// One test. Stateless, and a pure function of its configuration and of the trials' results: that is
// what makes resuming by lookup possible.
class Procedure {
 public:
  virtual ~Procedure() = default;

  // "T5.1": the number of the section it implements, with T for the training draft.
  [[nodiscard]] virtual std::string id() const = 0;
  // "Throughput"
  [[nodiscard]] virtual std::string title() const = 0;
  // Needs a bench that simulates hosts.
  [[nodiscard]] virtual bool onHosts() const { return false; }
  // The figures that the test may report as KPIs, by their names in kpi/kpi.h: what limits and the
  // documents know of it. A run on one bench need not have all of them.
  [[nodiscard]] virtual std::vector<std::string> kpis() const = 0;
  // Runs the scenario's own workload on them.
  [[nodiscard]] virtual bool runsWorkload() const { return false; }
  // Never throws for a scenario that validated; what cannot run is in `refusals`.
  [[nodiscard]] virtual Plan plan(const TestConfig& config) const = 0;
  // Throws Error(kUnsupported) when plan() has refusals, else only what the runner throws.
  virtual results::TestResult run(const TestConfig& config, TrialRunner& runner) const = 0;
};

// Names of figures together: `more` behind `names`.
std::vector<std::string> with(std::vector<std::string> names, const std::vector<std::string>& more);

// All tests there are, in the order of their numbers.
const std::vector<const Procedure*>& procedures();
// Every KPI with the ids of the tests that declare it.
const std::vector<scenario::MeasuredKpi>& measuredKpis();
// The test with this id. Throws Error(kUsage) naming the ids there are.
const Procedure& procedure(const std::string& id);

}  // namespace plumbline::suite
