#include "report/transport_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace plumbline::report {
namespace {

enum class Transport { kNone, kUet, kRoce };

Transport transportOf(std::string_view part) {
  constexpr std::array<std::string_view, 5> kUetWords{"ROD", "RUD", "RUDI", "UUD", "UET"};
  constexpr std::array<std::string_view, 3> kRoceWords{"RC", "UC", "RoCEv2"};
  const std::string_view word = part.substr(0, part.find(' '));
  if (std::find(kUetWords.begin(), kUetWords.end(), word) != kUetWords.end()) {
    return Transport::kUet;
  }
  if (std::find(kRoceWords.begin(), kRoceWords.end(), word) != kRoceWords.end()) {
    return Transport::kRoce;
  }
  return Transport::kNone;
}

struct MeasuredAt {
  Transport transport = Transport::kNone;
  std::string point;
  std::string service;
};

MeasuredAt measuredAt(const std::string& label) {
  constexpr std::string_view kComma = ", ";
  for (std::size_t at = 0;;) {
    const std::size_t comma = label.find(kComma, at);
    const Transport transport = transportOf(std::string_view(label).substr(at, comma - at));
    if (transport != Transport::kNone) {
      return {transport, at == 0 ? "" : label.substr(0, at - kComma.size()), label.substr(at)};
    }
    if (comma == std::string::npos) return {};
    at = comma + kComma.size();
  }
}

// The figure of the test's first main value, or else its first figure.
std::string mainFigure(const results::TestResult& test) {
  for (const results::Kpi& kpi : test.kpis) {
    if (!test.primary.empty() && kpi.quantity.value == test.primary.front().value &&
        kpi.quantity.unit == test.primary.front().unit) {
      return kpi.name;
    }
  }
  return test.kpis.empty() ? std::string() : test.kpis.front().name;
}

using RowKey = std::pair<std::string, std::string>;  // point, figure

struct Pivot {
  std::vector<RowKey> rows;
  std::vector<std::string> services;
  std::map<std::pair<RowKey, std::string>, const results::Quantity*> cells;
  bool both = false;  // services of both transports at one point
};

Pivot pivotOf(const results::TestResult& test, const std::string& only) {
  Pivot pivot;
  std::map<std::string, std::set<Transport>> met;  // by point
  for (const results::Kpi& kpi : test.kpis) {
    if (!only.empty() && kpi.name != only) continue;
    MeasuredAt place = measuredAt(kpi.point);
    if (place.transport == Transport::kNone) continue;
    const RowKey row{place.point, kpi.name};
    if (std::find(pivot.rows.begin(), pivot.rows.end(), row) == pivot.rows.end()) {
      pivot.rows.push_back(row);
    }
    if (std::find(pivot.services.begin(), pivot.services.end(), place.service) ==
        pivot.services.end()) {
      pivot.services.push_back(place.service);
    }
    met[place.point].insert(place.transport);
    pivot.cells[{row, place.service}] = &kpi.quantity;
  }
  pivot.both =
      std::any_of(met.begin(), met.end(), [](const auto& one) { return one.second.size() > 1; });
  return pivot;
}

}  // namespace

std::optional<results::Table> transportTable(const results::TestResult& test) {
  constexpr std::size_t kMaxRows = 60;
  Pivot pivot = pivotOf(test, {});
  if (!pivot.both) return std::nullopt;
  results::Table table{"uet_beside_roce", "UET beside RoCEv2", {}, {"Point", "Figure"}, {}};
  if (pivot.rows.size() > kMaxRows) {
    pivot = pivotOf(test, mainFigure(test));
    table.note = "The main figure of the test; the others are in the appendix.";
  }
  table.columns.insert(table.columns.end(), pivot.services.begin(), pivot.services.end());
  for (const RowKey& key : pivot.rows) {
    std::vector<results::Cell> row{key.first.empty() ? std::string("–") : key.first, key.second};
    for (const std::string& service : pivot.services) {
      const auto cell = pivot.cells.find({key, service});
      if (cell == pivot.cells.end()) {
        row.emplace_back(std::string("–"));
      } else {
        row.emplace_back(*cell->second);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace plumbline::report
