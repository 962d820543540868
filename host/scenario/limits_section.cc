#include <algorithm>

#include "kpi/kpi.h"
#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

using kpi::Better;

// The KPIs are too many for a message.
constexpr const char* kLimitNames =
    "a KPI that is better high or low, of `plumbline list kpis --markdown`";

std::vector<std::string> testsMeasuring(const std::string& name, const Vocabulary& vocabulary) {
  for (const MeasuredKpi& one : vocabulary.kpis) {
    if (one.name == name) return one.tests;
  }
  return {};
}

bool anyOf(const std::vector<std::string>& tests, const std::vector<std::string>& measuring) {
  return std::any_of(tests.begin(), tests.end(), [&](const std::string& test) {
    return std::find(measuring.begin(), measuring.end(), test) != measuring.end();
  });
}

}  // namespace

void readLimits(const YamlNode& node, const Vocabulary& vocabulary, Scenario& scenario,
                Problems& problems) {
  auto map = readMap(node, "limits", problems);
  if (!map) return;
  for (const kpi::Declaration& one : kpi::declarations()) {
    if (one.better == Better::kNeither) continue;  // there is nothing to miss
    const YamlNode* value = map->optional(one.name);
    if (value == nullptr) continue;
    const auto bound = readDecimal(*value, one.min, one.max, one.rangeText(), problems);
    if (!bound) continue;
    const std::vector<std::string> tests = testsMeasuring(one.name, vocabulary);
    // A file without known tests has a mistake already.
    if (!scenario.tests.empty() && !anyOf(scenario.tests, tests)) {
      problems.add(*value, "no test of this scenario measures " + one.name,
                   one.name + " is measured by " + joined(tests));
      continue;
    }
    const LimitSense sense =
        one.better == Better::kMore ? LimitSense::kAtLeast : LimitSense::kAtMost;
    scenario.limits.push_back({one.name, sense, *bound});
  }
  for (const YamlMember& member : node.members) {
    const kpi::Declaration* declared = kpi::find(member.key.text);
    if (declared == nullptr || declared->better != Better::kNeither) continue;
    map->optional(member.key.text);
    problems.add(member.key, member.key.text + " is better neither high nor low", kLimitNames);
  }
  map->finish(kLimitNames);
}

}  // namespace plumbline::scenario
