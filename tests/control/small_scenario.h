// A scenario that takes very little time.
#pragma once

#include <string>

namespace plumbline::control {

// A scenario of simulated hosts. `trials`: of about a millisecond each.
inline std::string smallScenario(int trials = 2, const std::string& more = {}) {
  return R"(plumbline: 1
name: small
test: T9.1
profile: quick
dut:
  topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 4, link: 400G}
  failures: [{element: leaf1-spine0, down: 1s}]
parameters: {sizes: 64KiB, ranks: 8, iterations: 2, balancing: [ecmp], repetitions: )" +
         std::to_string(trials) + "}\n" + more;
}

}  // namespace plumbline::control
