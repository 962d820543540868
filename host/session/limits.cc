#include "session/limits.h"

#include <fmt/format.h>

namespace plumbline::session {

using scenario::LimitSense;

std::vector<LimitVerdict> judge(const std::vector<scenario::Limit>& limits,
                                const std::vector<results::TestResult>& tests) {
  std::vector<LimitVerdict> verdicts;
  for (const scenario::Limit& limit : limits) {
    LimitVerdict verdict{limit, false, false, 0, {}, {}};
    const bool at_most = limit.sense == LimitSense::kAtMost;
    for (const results::TestResult& test : tests) {
      for (const results::Kpi& kpi : test.kpis) {
        if (kpi.name != limit.kpi) continue;
        const double value = kpi.quantity.value;
        if (verdict.measured && (at_most ? value <= verdict.worst : value >= verdict.worst)) {
          continue;
        }
        verdict.measured = true;
        verdict.worst = value;
        verdict.unit = kpi.quantity.unit;
        verdict.where = kpi.point.empty() ? test.id : test.id + ", " + kpi.point;
      }
    }
    verdict.met =
        verdict.measured && (at_most ? verdict.worst <= limit.bound : verdict.worst >= limit.bound);
    // The limit also applies to points at which the KPI was not measured.
    if (verdict.met) {
      for (const results::TestResult& test : tests) {
        for (const results::UnmeasuredKpi& kpi : test.unmeasured) {
          if (kpi.name != limit.kpi || !verdict.measured) continue;
          verdict = {limit, false, false, 0, {}, test.id + ", " + kpi.point};
        }
      }
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string verdictText(const LimitVerdict& verdict) {
  const std::string limit = fmt::format(
      "{} {} {}", verdict.limit.kpi,
      verdict.limit.sense == LimitSense::kAtMost ? "at most" : "at least", verdict.limit.bound);
  if (!verdict.measured) {
    return limit + ": NOT MEASURED" + (verdict.where.empty() ? "" : " (" + verdict.where + ")");
  }
  return fmt::format("{}: {}, worst {:.6g} ({})", limit, verdict.met ? "met" : "MISSED",
                     verdict.worst, verdict.where);
}

}  // namespace plumbline::session
