#include "results/export.h"

#include <fmt/format.h>

#include "base/csv_field.h"
#include "base/json.h"
#include "base/work.h"
#include "results/uncertainty_text.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

// The columns from `value` on.
std::string csvQuantity(const Quantity& q) {
  std::string csv = fmt::format("{},{},{},{},{},{},{}", q.value, csvField(q.unit),
                                observationPointName(q.observed), q.repetitions, number(q.cv),
                                number(q.confidence_low), number(q.confidence_high));
  for (const std::string& field : uncertaintyFields(q)) csv += "," + field;
  return csv;
}

std::string csvCell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csvField(*text) + ",,,,,,,,,,,,";
  return csvQuantity(std::get<Quantity>(cell));
}

void appendTable(std::string& csv, const std::string& test, const Table& table) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
      const std::string column = i < table.columns.size() ? table.columns[i] : std::string();
      csv += fmt::format("{},{},{},{},{}\n", csvField(test), csvField(table.id), row + 1,
                         csvField(column), csvCell(table.rows[row][i]));
    }
  }
}

}  // namespace

std::string exportJson(const StoredRun& run) {
  const RunInfo& info = run.info;
  Json tests = Json::array();
  for (const TestResult& test : run.tests) {
    checkWork();
    tests.push_back(parseJson<Json>(test.toJson()));
  }
  Json json{{"run", info.id},
            {"created", info.created},
            {"finished", info.finished},
            {"software", info.software},
            {"machine", info.machine},
            {"status", runStatusName(info.status)},
            {"scenario_name", info.identity.scenario_name},
            {"scenario", info.identity.scenario_text},
            {"bench", info.identity.bench},
            {"profile", info.identity.profile},
            {"seed", info.identity.seed},
            {"trials", info.trials},
            {"tests", std::move(tests)}};
  if (!run.agents.empty()) json["agents"] = parseJson<Json>(agentsJson(run.agents));
  return json.dump(2) + "\n";
}

std::string exportCsv(const StoredRun& run) {
  std::string csv = std::string(kCsvHeader) + "\n";
  for (const TestResult& test : run.tests) {
    for (const Table& table : test.tables) appendTable(csv, test.id, table);
    if (test.cost) appendTable(csv, test.id, *test.cost);
    for (const Kpi& kpi : test.kpis) {
      csv += fmt::format("{},kpi,{},{},{}\n", csvField(test.id), csvField(kpi.point),
                         csvField(kpi.name), csvQuantity(kpi.quantity));
    }
  }
  return csv;
}

}  // namespace plumbline::results
