#include "tests/integration/direct_runner.h"

#include <stdexcept>

namespace plumbline::suite {

bench::TrialResult DirectRunner::run(const bench::TrialSpec& spec, std::uint32_t,
                                     const std::string&) {
  ++trials_;
  return bench_.run(spec, {});
}

results::TestResult runOnCard(const Procedure& procedure, const scenario::Scenario& scenario) {
  bench::RtlBench bench;
  DirectRunner runner(bench);
  return procedure.run({scenario, bench.capabilities()}, runner);
}

const results::Quantity& kpiOf(const results::TestResult& result, const std::string& name,
                               const std::string& point) {
  for (const results::Kpi& kpi : result.kpis) {
    if (kpi.name == name && kpi.point == point) return kpi.quantity;
  }
  throw std::runtime_error("no " + name + " at " + point);
}

}  // namespace plumbline::suite
