// Fills the parts that all tests' results share: identification, configuration, deviations, figures
// over repetitions and their repeatability.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/observation_point.h"
#include "bench/trial/trial.h"
#include "results/test_result.h"
#include "suite/framework/bench_clock.h"
#include "suite/framework/link_health.h"
#include "suite/framework/lossless_losses.h"
#include "suite/framework/nscc_marking.h"
#include "suite/framework/profile.h"
#include "suite/framework/reading.h"
#include "suite/framework/scenario_faults.h"
#include "suite/framework/unprotected_data.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// The same for plain numbers.
results::Quantity quantityOf(std::span<const double> values, std::string unit,
                             ObservationPoint observed = ObservationPoint::kTester);

// Ratio of the sums of paired repetitions with CV of the single ratios and 95 % confidence interval
// (stats/paired_ratio.h). At least one pair, denominators above zero.
results::Quantity ratioOf(std::span<const double> numerators, std::span<const double> denominators,
                          ObservationPoint observed);
// Of repetitions; larger values are noted (terminology draft: "CV < 5 % recommended").
inline constexpr double kMaxCv = 0.05;

class ResultBuilder {
 public:
  // `section`: of the draft, "section 5.1"; empty: of none. Fills id, title, profile, the
  // configuration of bench and DUT, and `deviations` from the draft. `topologies`: of the trials,
  // where they are not only the scenario's.
  ResultBuilder(const Procedure& procedure, std::string section,
                std::vector<results::Deviation> deviations, const TestConfig& config,
                std::vector<fabric::TopologySpec> topologies = {});
  // The same with the configuration and the deviations of `settings`.
  ResultBuilder(const Procedure& procedure, std::string section, TestId test,
                const Settings& settings, const TestConfig& config);

  results::TestResult& result() { return result_; }

  void deviation(std::string what, std::string where);
  void anomaly(std::string what, std::string where);
  // Checks the trial of `spec`: false when it is invalid, which makes the result invalid and is an
  // anomaly. Losses of lossless priorities are an anomaly as well.
  bool accept(const bench::TrialSpec& spec, const bench::TrialResult& trial,
              const std::string& where);
  // Notes only losses of lossless priorities, for a trial that the test judges itself.
  void noteLosses(const bench::TrialSpec& spec, const bench::TrialResult& trial,
                  const std::string& where);
  // A row of the repeatability table; CV above 5 % is an anomaly. Returns the figure.
  results::Quantity repeated(const std::string& point, const std::string& metric,
                             std::span<const double> values, const std::string& unit);
  // The same of readings, whose mean is `mean`.
  void repeated(const std::string& point, const std::string& metric,
                std::span<const Reading> readings, const results::Quantity& mean);
  // Adds a figure with its uncertainty: the readings' own, and that of the bench's clock. Its
  // intervals end where the declared range does. Returns the figure with it, for tables that also
  // show it.
  results::Quantity kpi(std::string name, std::string point, results::Quantity quantity);
  // `point` should have the figure `kpi`, and has none: limits on it are not met.
  void notMeasured(std::string kpi, std::string point) {
    result_.unmeasured.push_back({std::move(kpi), std::move(point)});
  }
  // A primary figure that is a KPI as well has the KPI's uncertainty.
  void primary(std::string name, results::Quantity quantity);
  // A figure for a sentence, with its unit and the places that its uncertainty allows: "90 Gb/s". A
  // figure that is a KPI as well has the KPI's uncertainty.
  [[nodiscard]] std::string text(results::Quantity quantity) const;

  // The finished result. Figures labelled as the tester's own get the observation point of the
  // actual bench.
  results::TestResult take();

 private:
  void configure(const TestConfig& config, const std::vector<fabric::TopologySpec>& topologies);
  void configure(const Settings& settings, const TestConfig& config);

  // Label and systematic uncertainty of a figure.
  void state(kpi::Basis basis, results::Quantity& quantity) const;
  // What the receivers of a trial could not see: latencies above the histogram's end, and frames
  // further behind than sequence numbers are followed (one anomaly over all trials).
  void noteSaturation(const bench::TrialResult& trial, const std::string& where);
  void noteStale(const bench::TrialResult& trial, const std::string& where);
  void statePrimary();
  // Gives a figure the uncertainty of the KPI that it is; false if it is none.
  bool adoptKpi(results::Quantity& quantity) const;
  // The same, or states the uncertainty of its unit.
  void stateAsKpi(results::Quantity& quantity) const;
  // Reports the percentiles among the KPIs that rest on too few samples as one anomaly.
  void noteFewSamples();

  // Reports points with one repetition as a deviation, and figures that scatter as one anomaly.
  void noteScatter();

  results::TestResult result_;
  // The KPIs of `result_` without the clock's uncertainty, in the same order.
  std::vector<results::Quantity> as_measured_;
  std::map<std::string, std::uint64_t> host_counters_;  // over all trials
  LinkHealthSums links_;                                // of all trials
  LosslessLosses losses_;                               // of all trials
  NsccMarking marking_;                                 // of all trials
  UnprotectedData unprotected_;                         // of all trials
  ScenarioFaults faults_;
  bool has_draft_;  // there are deviations from it
  struct {
    std::uint64_t frames = 0;
    std::uint64_t trials = 0;  // with any
    std::uint64_t most = 0;    // of one trial
    std::string where;         // that trial
  } stale_;                    // StreamResult::stale of all trials
  ObservationPoint observed_ = ObservationPoint::kTester;
  BenchClock clock_;
  std::optional<Picoseconds> shortest_;  // shortest trial or job: no rate is over less time
};

}  // namespace plumbline::suite
