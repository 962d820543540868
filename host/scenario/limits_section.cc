#include <algorithm>

#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

// The KPIs that a limit can be set on, see results::Kpi, and the tests that measure them.
struct KnownKpi {
  std::string name;
  LimitSense sense;
  double min;
  double max;
  std::string range;
  std::vector<std::string> tests;
};

const std::vector<KnownKpi>& knownKpis() {
  static const std::vector<KnownKpi> known = [] {
    std::vector<KnownKpi> kpis;
    for (const char* what : {"min", "mean", "p50", "p95", "p99", "p999", "max"}) {
      kpis.push_back({std::string("latency_") + what + "_ns",
                      LimitSense::kAtMost,
                      0,
                      1e12,
                      "0 to 1000000000000 (ns)",
                      {"T5.2"}});
    }
    kpis.push_back({"loss_ppm", LimitSense::kAtMost, 0, 1e6, "0 to 1000000 (ppm)", {"T5.2"}});
    kpis.push_back(
        {"throughput_percent", LimitSense::kAtLeast, 0, 100, "0 to 100 (%, no sign)", {"T5.1"}});
    kpis.push_back(
        {"burst_frames", LimitSense::kAtLeast, 1, 16'777'216, "1 to 16777216 (frames)", {"T5.3"}});
    return kpis;
  }();
  return known;
}

bool measured(const KnownKpi& kpi, const std::vector<std::string>& tests) {
  return tests.empty() ||
         std::any_of(kpi.tests.begin(), kpi.tests.end(), [&](const std::string& test) {
           return std::find(tests.begin(), tests.end(), test) != tests.end();
         });
}

}  // namespace

void readLimits(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "limits", problems);
  if (!map) return;
  for (const KnownKpi& kpi : knownKpis()) {
    const YamlNode* value = map->optional(kpi.name);
    if (value == nullptr) continue;
    const auto bound = readDecimal(*value, kpi.min, kpi.max, kpi.range, problems);
    if (!bound) continue;
    if (!measured(kpi, scenario.tests)) {
      problems.add(*value, "no test of this scenario measures " + kpi.name,
                   kpi.name + " is measured by " + joined(kpi.tests));
      continue;
    }
    scenario.limits.push_back({kpi.name, kpi.sense, *bound});
  }
  map->finish();
}

}  // namespace plumbline::scenario
