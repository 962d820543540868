// Faults that a scenario gives the simulated DUT: failures of links and switches, bit errors, hosts
// that send PAUSE. No draft has them outside of the tests that are about them, so they are a
// deviation of any test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "scenario/scenario.h"

namespace plumbline::suite {

// Collects over the trials of a test which of the scenario's faults they had.
class ScenarioFaults {
 public:
  explicit ScenarioFaults(const scenario::Scenario& scenario);

  void add(const bench::TrialSpec& spec, const bench::TrialResult& trial);

  // A deviation for each kind of fault of the scenario: which, and in how many trials where it was
  // not in all of them. Faults of a kind that differ in that have one each.
  [[nodiscard]] std::vector<std::string> deviations() const;

 private:
  struct Fault {
    std::string text;          // "spine1 is down from 3 us on"
    std::uint64_t trials = 0;  // that it was in
    std::uint64_t late = 0;    // that ended before it
  };
  struct Kind {
    std::string text;           // "failures of the DUT (dut.failures)"
    std::vector<Fault> faults;  // in the order of the scenario's
  };
  // "in 1 of 2 trials: "; empty: in all of them.
  [[nodiscard]] std::string extentOf(const Fault& fault) const;

  std::vector<fabric::FailureSpec> failures_;
  std::vector<fabric::BitErrorSpec> bit_errors_;
  std::vector<fabric::PauseStormSpec> storms_;
  Kind failing_;
  Kind damaged_;
  Kind pausing_;
  std::uint64_t trials_ = 0;
};

}  // namespace plumbline::suite
