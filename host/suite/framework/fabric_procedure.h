// What the tests on simulated hosts have in common: points of a sweep, a trial of each for every
// repetition, tables and charts of what the trials saw.
#pragma once

#include <any>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/numbers.h"
#include "suite/framework/result_builder.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Something that is swept.
struct SweepAxis {
  std::string column;  // of the tables: "Ranks"
  std::string unit;    // behind a value in labels: "ranks"; empty where a value speaks for itself
};

// One point of a sweep.
struct SweepPoint {
  // Its values, in the order of the design's axes: "64 MiB", "32", "ECMP".
  std::vector<std::string> values;
  // What the trial of repetition 0 is. Other repetitions have other seeds (see repetitionOf()): of
  // the switches' hashes and of everything that the workload draws.
  bench::TrialSpec spec;
  // Packets crossing a link that the trial takes, roughly, and what one of them costs (see Plan):
  // what plan() tells the duration by.
  double packet_hops = 0;
  double hop_cost = 1;

  // "64 MiB, 32 ranks, ECMP": the values with the units of the axes.
  std::string label;
};

// What a test will do.
struct Design {
  explicit Design(const TestConfig& config) : numbers(config) {}

  // Adds a point; `values` in the order of `axes`. Its packet-hops cost what the design's do, or
  // `cost`. RC's recovery is what its switches need (rc_recovery.h).
  void add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops);
  void add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops, double cost);

  Numbers numbers;
  std::uint32_t repetitions = 1;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;
  double hop_cost = 1;  // of points added after it; tests/benchmarks/plan_bench measures it

  // What design() worked out and report() needs again, the points as the procedure sees them among
  // it: a value of a type of the procedure's choice.
  template <typename Setup>
  void carry(Setup setup) {
    carried_ = std::move(setup);
  }
  // Throws std::bad_any_cast for any other type.
  template <typename Setup>
  [[nodiscard]] const Setup& carried() const {
    return std::any_cast<const Setup&>(carried_);
  }
  std::vector<std::string> refusals;  // why it cannot run like this

 private:
  std::any carried_;
};

// A point with its trials, one for every repetition.
struct Measured {
  const SweepPoint& point;
  std::vector<bench::TrialResult> trials;
  bool valid = true;  // all of them
  // Of two or more on a simulated DUT, whose seeds differ: they saw the same in everything.
  bool deterministic = false;
};

// A test is its design and what it makes of the measured points; the rest is the same for all. It
// needs simulated hosts unless it says otherwise.
class FabricProcedure : public Procedure {
 public:
  [[nodiscard]] bool onHosts() const override { return true; }
  [[nodiscard]] Plan plan(const TestConfig& config) const override;
  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override;

 protected:
  [[nodiscard]] virtual std::string section() const = 0;  // "section 9.1"
  [[nodiscard]] virtual Design design(const TestConfig& config) const = 0;
  // What plan() says of a design.
  [[nodiscard]] Plan planOf(const TestConfig& config, const Design& design) const;
  // The trial of another repetition of a point: the same with other seeds. A test whose trials
  // depend on where the seeds lead flows makes its own.
  [[nodiscard]] virtual bench::TrialSpec repetitionOf(const SweepPoint& point,
                                                      std::uint32_t repetition) const;
  // Card time that a simulated DUT needs after the last frame of a trial is sent, until it holds
  // none of them any more. One that is not simulated is given the trial's whole drain.
  [[nodiscard]] virtual Picoseconds settlingTime(const bench::TrialSpec& /*spec*/) const {
    return {};
  }
  // Whether report() is also given points with trials that are not valid (Measured::valid is false
  // then): a job that does not survive what the test does to it is a finding.
  [[nodiscard]] virtual bool reportsInvalid() const { return false; }
  // Tables, charts, KPIs and summary of points that have valid trials.
  virtual void report(const TestConfig& config, const Design& design,
                      const std::vector<Measured>& measured, ResultBuilder& builder) const = 0;
};

// The DUT of a scenario, and a trial on it that has no jobs yet.
bench::TrialSpec emptyTrial(const TestConfig& config);

// The scenario's transport, or else `usual`.
bench::TransportSpec transportOr(const TestConfig& config, const bench::TransportSpec& usual);
// RC, path MTU 4096, DCQCN with the parameters of its paper.
transport::RoceSpec usualRoce();

// Links that a packet crosses from a host to one of another leaf.
double linksOfPath(const TestConfig& config);

// Packets crossing a link when so many bytes of payload cross the fabric from leaf to leaf,
// acknowledgements included, roughly.
double payloadHops(const TestConfig& config, double payload_bytes);
// The same of so many messages: each takes a packet at least, and is acknowledged by itself.
double messageHops(const TestConfig& config, Bytes message, double messages);

}  // namespace plumbline::suite
