#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/number_text.h"

namespace plumbline::session {

using scenario::LimitSense;

namespace {

// The first point at which a figure that should be there was not measured: a limit applies to it as
// well. Nor does a result that is not valid show that a limit is met.
std::optional<std::string> notMeasuredAt(const std::string& kpi,
                                         const std::vector<results::TestResult>& tests) {
  for (const results::TestResult& test : tests) {
    for (const results::UnmeasuredKpi& one : test.unmeasured) {
      if (one.name == kpi) return test.id + ", " + one.point;
    }
    const bool measures = std::any_of(test.kpis.begin(), test.kpis.end(),
                                      [&](const results::Kpi& one) { return one.name == kpi; });
    if (measures && !test.valid) return test.id + " is not valid";
  }
  return std::nullopt;
}

}  // namespace

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
    if (verdict.met) {
      if (auto where = notMeasuredAt(limit.kpi, tests)) {
        verdict = {limit, false, false, 0, {}, *std::move(where)};
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
  // With every digit where six would show no difference.
  const std::string rounded = fmt::format("{:.6g}", verdict.worst);
  const bool same = rounded == fmt::format("{:.6g}", verdict.limit.bound);
  return fmt::format("{}: {}, worst {} ({})", limit, verdict.met ? "met" : "MISSED",
                     same ? results::exactNumber(verdict.worst) : rounded, verdict.where);
}

}  // namespace plumbline::session
