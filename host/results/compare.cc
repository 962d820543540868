#include "results/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.h"
#include "kpi/kpi.h"
#include "stats/uncertainty.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::tuple<std::string, std::string, std::string, std::string>;

Key keyOf(const TestResult& test, const Kpi& kpi) {
  return {test.id, kpi.name, kpi.point, kpi.quantity.unit};
}

std::map<Key, const Quantity*> quantitiesOf(const StoredRun& run) {
  std::map<Key, const Quantity*> quantities;
  for (const TestResult& test : run.tests) {
    for (const Kpi& kpi : test.kpis) quantities[keyOf(test, kpi)] = &kpi.quantity;
  }
  return quantities;
}

// Figures of `run` that are not in `other`.
std::vector<UnpairedKpi> unpaired(const StoredRun& run,
                                  const std::map<Key, const Quantity*>& other) {
  std::vector<UnpairedKpi> list;
  for (const TestResult& test : run.tests) {
    for (const Kpi& kpi : test.kpis) {
      if (!other.contains(keyOf(test, kpi))) {
        list.push_back({test.id, kpi.name, kpi.point, kpi.quantity});
      }
    }
  }
  return list;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

// Lines that differ; those that only `second` has come last.
void addDifferences(const std::string& test, const Lines& first, const Lines& second,
                    std::vector<DifferingCondition>& differences) {
  const auto valueOf = [](const Lines& lines, const std::string& name) {
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& one) { return one.first == name; });
    return line == lines.end() ? std::string() : line->second;
  };
  for (const auto& [name, value] : first) {
    const std::string other = valueOf(second, name);
    if (value != other) differences.push_back({test, name, value, other});
  }
  for (const auto& [name, value] : second) {
    if (valueOf(first, name).empty() && !value.empty()) {
      differences.push_back({test, name, {}, value});
    }
  }
}

// Anomalies that `only` has and `other` does not.
std::vector<std::string> anomaliesOnlyIn(const TestResult& only, const TestResult& other) {
  std::vector<std::string> texts;
  for (const Anomaly& one : only.anomalies) {
    if (std::any_of(other.anomalies.begin(), other.anomalies.end(), [&](const Anomaly& same) {
          return same.what == one.what && same.where == one.where;
        })) {
      continue;
    }
    texts.push_back(one.where.empty() ? one.what : one.what + " (" + one.where + ")");
  }
  return texts;
}

// A line for each file that the scenario names, with its contents: "1234 bytes, 0123456789abcdef".
void addFiles(const RunIdentity& identity, Lines& lines) {
  std::istringstream files(identity.files);
  for (std::string line; std::getline(files, line);) {
    const std::size_t hash = line.rfind(", ");
    if (hash == std::string::npos || hash == 0) continue;
    const std::size_t bytes = line.rfind(", ", hash - 1);
    if (bytes == std::string::npos) continue;
    lines.emplace_back("File " + line.substr(0, bytes), line.substr(bytes + 2));
  }
}

Lines identityOf(const RunInfo& info) {
  Lines lines{{"Scenario", info.identity.scenario_name},
              {"Bench", info.identity.bench},
              {"Profile", info.identity.profile},
              {"Seed", std::to_string(info.identity.seed)},
              {"Software", info.software},
              {"Status", std::string(runStatusName(info.status))}};
  addFiles(info.identity, lines);
  return lines;
}

Json comparedToJson(const Quantity& quantity) {
  Json json{{"value", quantity.value},
            {"unit", quantity.unit},
            {"observed", observationPointName(quantity.observed)},
            {"repetitions", quantity.repetitions}};
  if (quantity.cv) json["cv"] = *quantity.cv;
  return json;
}

Json toJson(const RunInfo& info) {
  return {{"run", info.id},
          {"created", info.created},
          {"scenario", info.identity.scenario_name},
          {"bench", info.identity.bench},
          {"profile", info.identity.profile},
          {"seed", info.identity.seed},
          {"software", info.software},
          {"status", runStatusName(info.status)}};
}

Json toJson(const ComparedKpi& kpi) {
  Json json{{"test", kpi.test},
            {"name", kpi.name},
            {"point", kpi.point},
            {"first", comparedToJson(kpi.first)},
            {"second", comparedToJson(kpi.second)}};
  if (kpi.change_percent) json["change_percent"] = *kpi.change_percent;
  json["significance"] = significanceName(kpi.significance());
  if (!kpi.welch) return json;
  if (kpi.welch->t) json["t"] = *kpi.welch->t;
  if (kpi.welch->degrees_of_freedom) json["degrees_of_freedom"] = *kpi.welch->degrees_of_freedom;
  json["p"] = kpi.welch->p;
  return json;
}

Json toJson(const std::vector<UnpairedKpi>& kpis) {
  Json list = Json::array();
  for (const UnpairedKpi& kpi : kpis) {
    list.push_back({{"test", kpi.test},
                    {"name", kpi.name},
                    {"point", kpi.point},
                    {"quantity", comparedToJson(kpi.quantity)}});
  }
  return list;
}

}  // namespace

std::string_view significanceName(Significance significance) {
  switch (significance) {
    case Significance::kSignificant:
      return "significant";
    case Significance::kWithinScatter:
      return "not significant";
    case Significance::kNotTestable:
      break;
  }
  return "not testable";
}

bool ComparedKpi::withinResolution() const {
  if (!welch || welch->t) return false;
  const std::vector<stats::StandardUncertainty> parts{{systematicUncertainty(first).value_or(0)},
                                                      {systematicUncertainty(second).value_or(0)}};
  return std::abs(second.value - first.value) <= stats::expanded(parts).half;
}

Significance ComparedKpi::significance() const {
  if (!welch) return Significance::kNotTestable;
  if (welch->p >= kSignificanceLevel || withinResolution()) return Significance::kWithinScatter;
  return Significance::kSignificant;
}

std::size_t Comparison::count(Significance significance) const {
  return static_cast<std::size_t>(
      std::count_if(kpis.begin(), kpis.end(),
                    [&](const ComparedKpi& kpi) { return kpi.significance() == significance; }));
}

ComparedKpi comparedKpi(const std::string& test, const Kpi& first, const Quantity& second) {
  ComparedKpi compared{test, first.name, first.point, first.quantity, second, {}, {}};
  const double before = first.quantity.value;
  if (before != 0) compared.change_percent = 100 * (second.value - before) / std::abs(before);
  compared.welch = welchTest(compared.first, compared.second);
  return compared;
}

Comparison compareRuns(const StoredRun& first, const StoredRun& second) {
  Comparison comparison;
  comparison.first = first.info;
  comparison.second = second.info;
  addDifferences({}, identityOf(first.info), identityOf(second.info), comparison.conditions);
  for (const TestResult& test : first.tests) {
    const auto other = std::find_if(second.tests.begin(), second.tests.end(),
                                    [&](const TestResult& one) { return one.id == test.id; });
    if (other == second.tests.end()) continue;
    addDifferences(test.id, test.configuration, other->configuration, comparison.conditions);
    for (const std::string& text : anomaliesOnlyIn(test, *other)) {
      comparison.conditions.push_back({test.id, "anomaly", text, {}});
    }
    for (const std::string& text : anomaliesOnlyIn(*other, test)) {
      comparison.conditions.push_back({test.id, "anomaly", {}, text});
    }
  }

  const auto first_quantities = quantitiesOf(first);
  const auto seconds = quantitiesOf(second);
  for (const TestResult& test : first.tests) {
    for (const Kpi& kpi : test.kpis) {
      const auto other = seconds.find(keyOf(test, kpi));
      if (other == seconds.end()) continue;
      comparison.kpis.push_back(comparedKpi(test.id, kpi, *other->second));
    }
  }
  comparison.only_first = unpaired(first, seconds);
  comparison.only_second = unpaired(second, first_quantities);
  return comparison;
}

std::vector<DifferingKey> differingKeys(const Lines& first, const Lines& second) {
  constexpr std::array<std::string_view, 4> kIdentity{"name", "bench", "profile", "seed"};
  const auto valueOf = [](const Lines& lines, const std::string& key) {
    const auto line =
        std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return one.first == key; });
    return line == lines.end() ? std::nullopt : std::optional(line->second);
  };
  // An empty map differs from one with keys by these keys.
  const auto isMapIn = [](const Lines& lines, const std::string& key) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& one) { return one.first.starts_with(key + "."); });
  };
  const auto skipped = [&](const std::string& key, const std::string& value, const Lines& other) {
    return std::find(kIdentity.begin(), kIdentity.end(), key) != kIdentity.end() ||
           (value == "{}" && isMapIn(other, key));
  };
  std::vector<DifferingKey> differing;
  for (const auto& [key, value] : first) {
    const auto other = valueOf(second, key);
    if (other != value && !skipped(key, value, second)) differing.push_back({key, value, other});
  }
  for (const auto& [key, value] : second) {
    if (!valueOf(first, key) && !skipped(key, value, first)) {
      differing.push_back({key, std::nullopt, value});
    }
  }
  return differing;
}

std::string changeText(const ComparedKpi& kpi) {
  if (kpi.first.value == kpi.second.value) return "same";
  if (!kpi.change_percent) return "from zero";
  return fmt::format("{:+.3g} %", *kpi.change_percent);
}

namespace {

// ", better" or ", worse" for the second run's value, if the figure has a direction.
std::string_view judgement(const ComparedKpi& compared) {
  const kpi::Declaration* declared = kpi::find(compared.name);
  if (declared == nullptr || declared->better == kpi::Better::kNeither) return "";
  const bool more = compared.second.value > compared.first.value;
  return more == (declared->better == kpi::Better::kMore) ? ", better" : ", worse";
}

}  // namespace

std::string significanceText(const ComparedKpi& kpi) {
  std::string name(significanceName(kpi.significance()));
  if (kpi.significance() == Significance::kSignificant) name += judgement(kpi);
  if (!kpi.welch) return std::string(name);
  if (!kpi.welch->t) {
    const bool differs = kpi.first.value != kpi.second.value;
    return fmt::format("{} (no scatter{})", name,
                       differs && kpi.withinResolution() ? ", within the resolution" : "");
  }
  if (kpi.welch->p < 0.0001) return fmt::format("{} (p < 0.0001)", name);
  return fmt::format("{} (p = {:.2g})", name, kpi.welch->p);
}

std::string comparisonJson(const Comparison& comparison) {
  Json conditions = Json::array();
  for (const DifferingCondition& one : comparison.conditions) {
    conditions.push_back(
        {{"test", one.test}, {"name", one.name}, {"first", one.first}, {"second", one.second}});
  }
  Json scenario = Json::array();
  for (const DifferingKey& one : comparison.scenario) {
    scenario.push_back({{"key", one.key},
                        {"first", one.first ? Json(*one.first) : Json(nullptr)},
                        {"second", one.second ? Json(*one.second) : Json(nullptr)}});
  }
  Json kpis = Json::array();
  for (const ComparedKpi& kpi : comparison.kpis) kpis.push_back(toJson(kpi));
  const Json json{{"format", "plumbline-comparison"},
                  {"version", 1},
                  {"significance_level", kSignificanceLevel},
                  {"first", toJson(comparison.first)},
                  {"second", toJson(comparison.second)},
                  {"scenario", std::move(scenario)},
                  {"conditions", std::move(conditions)},
                  {"kpis", std::move(kpis)},
                  {"only_first", toJson(comparison.only_first)},
                  {"only_second", toJson(comparison.only_second)}};
  return json.dump(2) + "\n";
}

}  // namespace plumbline::results
