#include "suite/conformance/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "suite/conformance/check.h"

namespace plumbline::suite {
namespace {

using Kind = Place::Kind;

template <typename List>
std::string titleOf(const List& all, const Place& place) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return place.names(one.id); });
  return found == all.end() ? place.id : found->title;
}

std::string tableTitle(const results::TestResult* result, const Place& place) {
  if (result == nullptr) return place.id;
  if (place.names(result->repeatability.id)) return result->repeatability.title;
  return titleOf(result->tables, place);
}

std::string kindText(const Place& place, const results::TestResult* result) {
  switch (place.kind) {
    case Kind::kTable: {
      const std::string table = fmt::format("table “{}”", tableTitle(result, place));
      return place.column.empty() ? fmt::format("{}, row “{}”", table, place.row)
                                  : fmt::format("{}, column “{}”", table, place.column);
    }
    case Kind::kKpi:
      return "figure " + place.id;
    case Kind::kChart:
      return fmt::format("chart “{}”",
                         result == nullptr ? place.id : titleOf(result->charts, place));
    case Kind::kDistribution:
      return "latency distributions";
    case Kind::kTimeline:
      return "timelines " + place.id;
    case Kind::kHeatMap:
      return "heat maps " + place.id;
    case Kind::kConfiguration:
      return fmt::format("configuration, “{}”", place.id);
    case Kind::kReport:
      return fmt::format("section “{}” of the report", place.id);
    case Kind::kScenario:
      return fmt::format("as the scenario states it in {}", place.id);
    case Kind::kDocs:
      return "docs/" + place.id;
  }
  return {};
}

// Whether two columns belong to one table, so that its name need not be repeated.
bool besides(const Place& one, const Place& next) {
  Place same = one;
  same.column = next.column;
  return !next.column.empty() && one.points.empty() && one.test.empty() && same == next;
}

bool lacksIt(Finding::Kind kind) {
  return kind == Finding::Kind::kAbsent || kind == Finding::Kind::kEmpty;
}

// Names of what a result lacks of a demand, from `findings`.
std::vector<std::string> lackingOf(const Demand& demand, const std::vector<Finding>& findings) {
  std::vector<std::string> lacking;
  for (const Finding& finding : findings) {
    if (finding.demand == &demand && lacksIt(finding.kind)) lacking.push_back(finding.text);
  }
  return lacking;
}

DemandRow rowOf(const Demand& demand, const std::string& test,
                const std::vector<std::string>& lacking, std::string answer) {
  DemandRow row{&demand, test, false, false, std::move(answer)};
  if (demand.state != Demand::State::kMeasured) return row;
  row.missing = !lacking.empty();
  row.here = !row.missing;
  if (row.missing) row.answer = fmt::format("{}", fmt::join(lacking, "; "));
  return row;
}

// Tests that meet a demand on every report and were not run; empty if one of them was run, or if
// the demand does not depend on tests.
std::string testsNotRun(const Demand& demand, const std::set<std::string>& run) {
  std::set<std::string> tests;
  for (const Place& place : demand.places) {
    if (place.test.empty() || run.contains(place.test)) return {};
    tests.insert(place.test);
  }
  return tests.empty() ? "" : fmt::format("{} not run", fmt::join(tests, ", "));
}

void addGeneral(const std::vector<Demand>& general,
                const std::vector<const results::TestResult*>& results,
                const std::set<std::string>& run, std::vector<DemandRow>& rows) {
  std::vector<std::vector<Finding>> findings;
  findings.reserve(results.size());
  for (const results::TestResult* result : results) findings.push_back(check(general, *result));
  for (const Demand& demand : general) {
    std::vector<std::string> lacking;
    if (const std::string tests = testsNotRun(demand, run); !tests.empty()) {
      lacking.push_back(tests);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (const std::string& text : lackingOf(demand, findings[i])) {
        lacking.push_back(fmt::format("{}: {}", results[i]->id, text));
      }
    }
    rows.push_back(rowOf(demand, "", lacking, answerText(demand, nullptr)));
  }
}

}  // namespace

std::string placeText(const Place& place, const results::TestResult* result) {
  std::string text = kindText(place, result);
  if (!place.points.empty()) text += fmt::format(" ({})", place.points);
  if (!place.test.empty()) text += " of " + place.test;
  return text;
}

std::string answerText(const Demand& demand, const results::TestResult* result) {
  switch (demand.state) {
    case Demand::State::kNotMeasured:
      return "not measured: " + demand.reason;
    case Demand::State::kPending:
      return "pending: " + demand.reason;
    case Demand::State::kMeasured:
      break;
  }
  std::string text;
  const Place* before = nullptr;
  for (const Place& place : demand.places) {
    if (before != nullptr && besides(*before, place)) {
      text += fmt::format(", “{}”", place.column);
    } else {
      text += (text.empty() ? "" : "; ") + placeText(place, result);
    }
    before = &place;
  }
  if (!demand.constant.empty()) text += ". The same at every point: " + demand.constant;
  if (!demand.card.empty()) text += ". Not on the tester card: " + demand.card;
  return text;
}

std::vector<DemandRow> demandRows(const std::vector<results::TestResult>& results) {
  std::vector<DemandRow> rows;
  std::set<std::string> run;
  for (const results::TestResult& result : results) {
    const TestDemands* demands = conformance(draftOf(result.id)).test(result.id);
    if (demands == nullptr || !run.insert(result.id).second) continue;
    const std::vector<Finding> findings = check(demands->demands, result);
    for (const Demand& demand : demands->demands) {
      std::string answer = answerText(demand, &result);
      if (const auto left = notRun(demand, result); !left.empty()) {
        answer += fmt::format(". Not run: {}", fmt::join(left, ", "));
      }
      rows.push_back(rowOf(demand, result.id, lackingOf(demand, findings), std::move(answer)));
    }
  }
  for (const Draft draft : {Draft::kTraining, Draft::kInference}) {
    const Conformance& data = conformance(draft);
    std::vector<const results::TestResult*> own;  // of this draft
    for (const results::TestResult& result : results) {
      if (data.test(result.id) != nullptr) own.push_back(&result);
    }
    if (!own.empty()) addGeneral(data.general, own, run, rows);
  }
  return rows;
}

}  // namespace plumbline::suite
