// Common parts of the tests on simulated hosts: points of a sweep, a trial of each for every
// repetition, tables and charts of the results.
#pragma once

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/numbers.h"
#include "suite/framework/result_builder.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// A swept parameter.
struct SweepAxis {
  std::string column;  // of the tables: "Ranks"
  std::string unit;    // follows a value in labels: "ranks"; empty where a value needs none
};

// One point of a sweep.
struct SweepPoint {
  // Its values, in the order of the design's axes: "64 MiB", "32", "ECMP".
  std::vector<std::string> values;
  // The trial of repetition 0. Other repetitions have other seeds (see repetitionOf()): of the
  // switches' hashes and of all random choices of the workload.
  bench::TrialSpec spec;
  // Approximate number of packets that cross a link in the trial, and the cost of one (see Plan):
  // plan() computes the duration from them.
  double packet_hops = 0;
  double hop_cost = 1;

  // "64 MiB, 32 ranks, ECMP": the values with the units of the axes.
  std::string label;
};

// The plan of a test.
struct Design {
  explicit Design(const TestConfig& config) : numbers(config) {}

  // Adds a point; `values` in the order of `axes`. Its packet-hops cost as much as the design's, or
  // `cost`. RC's loss recovery follows from its switches (rc_recovery.h).
  void add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops);
  void add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops, double cost);

  Numbers numbers;
  std::uint32_t repetitions = 1;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;
  double hop_cost = 1;  // of points added after it; tests/benchmarks/plan_bench measures it
  std::vector<std::string> refusals;  // reasons why the design cannot run

  // Values that design() computed and report() needs again, such as the points as the procedure
  // sees them. The type is the procedure's choice.
  template <typename Setup>
  void carry(Setup setup) {
    carried_ = std::move(setup);
  }
  // Throws std::bad_any_cast for any other type.
  template <typename Setup>
  [[nodiscard]] const Setup& carried() const {
    return std::any_cast<const Setup&>(carried_);
  }

 private:
  std::any carried_;
};

// A point with its trials, one for every repetition.
struct Measured {
  const SweepPoint& point;
  std::vector<bench::TrialResult> trials;
  bool valid = true;  // all of them
  // For two or more repetitions on a simulated DUT with different seeds: all observations were
  // identical.
  bool deterministic = false;
};

// A test provides its design and its report of the measured points; the rest is common. It needs
// simulated hosts unless it declares otherwise.
class FabricProcedure : public Procedure {
 public:
  [[nodiscard]] bool onHosts() const override { return true; }
  [[nodiscard]] Plan plan(const TestConfig& config) const override;
  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override;

 protected:
  [[nodiscard]] virtual std::string section() const = 0;  // "section 9.1"
  [[nodiscard]] virtual Design design(const TestConfig& config) const = 0;
  // The plan of a design.
  [[nodiscard]] Plan planOf(const TestConfig& config, const Design& design) const;
  // The trial of another repetition of a point: the same with other seeds. Overridden by tests
  // whose trials depend on the paths that the seeds select.
  [[nodiscard]] virtual bench::TrialSpec repetitionOf(const SweepPoint& point,
                                                      std::uint32_t repetition) const;
  // Card time from the last frame of a trial until a simulated DUT is empty. A real DUT gets the
  // trial's whole drain time.
  [[nodiscard]] virtual Picoseconds settlingTime(const bench::TrialSpec& /*spec*/) const {
    return {};
  }
  // Whether report() also gets points with invalid trials (Measured::valid is false then): for
  // tests in which a job's failure is a result.
  [[nodiscard]] virtual bool reportsInvalid() const { return false; }
  // Tables, charts, KPIs and summary of points that have valid trials.
  virtual void report(const TestConfig& config, const Design& design,
                      const std::vector<Measured>& measured, ResultBuilder& builder) const = 0;
};

// The DUT of a scenario, and a trial on it that has no jobs yet.
bench::TrialSpec emptyTrial(const TestConfig& config);

// The scenario's transport with QPs and PDCs that exist before the trial, for every test but
// `free`: what the scenario says of setting them up is only for trials that measure it
// (training/services.h).
std::optional<bench::TransportSpec> scenarioTransport(const TestConfig& config);
// The same, or else `defaults`, whose timeouts fit the topology (bench::fitToPath()).
bench::TransportSpec transportOr(const TestConfig& config, const bench::TransportSpec& defaults);
// RC, path MTU 4096, DCQCN with the parameters of its paper.
transport::RoceSpec defaultRoce();

// Links that a packet crosses from a host to one of another leaf.
double linksOfPath(const TestConfig& config);

// Approximate number of packets that cross a link for this payload from leaf to leaf,
// acknowledgements included.
double payloadHops(const TestConfig& config, double payload_bytes);
// The same for messages: each takes at least a packet, and has an acknowledgement of its own.
double messageHops(const TestConfig& config, Bytes message, double messages);

}  // namespace plumbline::suite
