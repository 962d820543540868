// Procedures on the Verilated card without the program around them.
#pragma once

#include <cstdint>
#include <string>

#include "bench/card/rtl_bench.h"
#include "scenario/scenario.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Runs every trial on one bench.
class DirectRunner final : public TrialRunner {
 public:
  explicit DirectRunner(bench::Bench& bench) : bench_(bench) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override;

  [[nodiscard]] std::uint64_t trials() const { return trials_; }

 private:
  bench::Bench& bench_;
  std::uint64_t trials_ = 0;
};

// Runs the test on a bench of its own.
results::TestResult runOnCard(const Procedure& procedure, const scenario::Scenario& scenario);

// The figure of a KPI; throws if it does not exist.
const results::Quantity& kpiOf(const results::TestResult& result, const std::string& name,
                               const std::string& point);

}  // namespace plumbline::suite
