#include "suite/conformance/conformance.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scenario/parse.h"
#include "scenario/reader.h"
#include "suite/conformance/embedded.h"

namespace plumbline::suite {
namespace {

using scenario::MapReader;
using scenario::Problems;
using scenario::YamlNode;
using Kind = Place::Kind;

constexpr std::size_t kMaxText = 600;
constexpr std::size_t kMaxPlaces = 16;
constexpr std::size_t kMaxValues = 32;

constexpr std::array<std::pair<const char*, Kind>, 10> kPlaceKinds{
    {{"table", Kind::kTable},
     {"kpi", Kind::kKpi},
     {"chart", Kind::kChart},
     {"distribution", Kind::kDistribution},
     {"timeline", Kind::kTimeline},
     {"heat_map", Kind::kHeatMap},
     {"configuration", Kind::kConfiguration},
     {"report", Kind::kReport},
     {"scenario", Kind::kScenario},
     {"docs", Kind::kDocs}}};

// The text of an optional key; empty where it is absent or wrong.
std::string textAt(MapReader& map, const std::string& key, Problems& problems) {
  const YamlNode* node = map.optional(key);
  if (node == nullptr) return {};
  return scenario::readText(*node, kMaxText, problems).value_or(std::string());
}

std::optional<Place> readPlace(const YamlNode& node, Problems& problems) {
  auto map = scenario::readMap(node, "in", problems);
  if (!map) return std::nullopt;
  Place place;
  std::size_t kinds = 0;
  for (const auto& [key, kind] : kPlaceKinds) {
    const YamlNode* id = map->optional(key);
    if (id == nullptr) continue;
    ++kinds;
    place.kind = kind;
    place.id = scenario::readText(*id, kMaxText, problems).value_or(std::string());
  }
  place.column = textAt(*map, "column", problems);
  place.row = textAt(*map, "row", problems);
  place.points = textAt(*map, "points", problems);
  place.test = textAt(*map, "test", problems);
  map->finish();
  if (kinds != 1) {
    problems.add(node, "a place is one thing",
                 "one of table, kpi, chart, distribution, timeline, heat_map, configuration, "
                 "report, scenario, docs");
    return std::nullopt;
  }
  if ((place.kind == Kind::kTable) != (place.column.empty() == !place.row.empty())) {
    problems.add(node, "a table needs a column or a row, anything else has neither",
                 "{table: busbw, column: P95}");
    return std::nullopt;
  }
  return place;
}

// Reads a demand, its places, or the reason for having none.
void readAnswer(MapReader& map, Demand& demand, Problems& problems) {
  const YamlNode* places = map.optional("in");
  demand.reason = textAt(map, "not_measured", problems);
  const std::string pending = textAt(map, "pending", problems);
  if (places != nullptr && !demand.reason.empty()) {
    problems.add(map.node(), "this is said to be measured and not to be", "in or not_measured");
    return;
  }
  if (places == nullptr && demand.reason.empty() && pending.empty()) {
    problems.add(map.node(), "it is not said where this is, or why it is nowhere",
                 "in or not_measured");
    return;
  }
  if (places != nullptr) {
    demand.places = scenario::readList(*places, kMaxPlaces, problems, [&](const YamlNode& one) {
                      return readPlace(one, problems);
                    }).value_or(std::vector<Place>());
  } else {
    demand.state = Demand::State::kNotMeasured;
  }
  if (!pending.empty()) {
    demand.state = Demand::State::kPending;
    demand.reason = pending;
  }
}

Demand readDemand(const YamlNode& node, const std::string& section, Problems& problems) {
  static const std::vector<std::string> levels{"MUST",     "MUST NOT",    "SHOULD", "SHOULD NOT",
                                               "REQUIRED", "RECOMMENDED", "MAY"};
  Demand demand;
  demand.line = node.line;
  auto map = scenario::readMap(node, "a demand", problems);
  if (!map) return demand;
  const YamlNode* swept = map->optional("sweep");
  const YamlNode* reported = map->optional("report");
  if ((swept == nullptr) == (reported == nullptr)) {
    problems.add(node, "a demand is a sweep or something to report", "one of sweep, report");
    return demand;
  }
  demand.swept = swept != nullptr;
  demand.what = scenario::readText(demand.swept ? *swept : *reported, kMaxText, problems)
                    .value_or(std::string());
  if (const YamlNode* level = map->optional("level")) {
    if (const auto word = scenario::readWord(*level, levels, problems))
      demand.level = levels[*word];
  }
  demand.section = textAt(*map, "section", problems);
  if (demand.section.empty()) demand.section = section;
  readAnswer(*map, demand, problems);
  demand.unit = textAt(*map, "unit", problems);
  demand.called = textAt(*map, "called", problems);
  demand.constant = textAt(*map, "constant", problems);
  demand.card = textAt(*map, "card", problems);
  if (const YamlNode* values = map->optional("values")) {
    demand.values = scenario::readList(*values, kMaxValues, problems, [&](const YamlNode& one) {
                      return scenario::readText(one, kMaxText, problems);
                    }).value_or(std::vector<std::string>());
    if (!demand.swept) problems.add(*values, "only a sweep has values", "leave the key out");
  }
  map->finish();
  return demand;
}

std::vector<Demand> readDemands(const YamlNode* list, const std::string& section,
                                Problems& problems) {
  std::vector<Demand> demands;
  if (list == nullptr) return demands;
  if (list->kind != YamlNode::Kind::kSequence || list->items.empty()) {
    problems.add(*list, "demands are a list", "- {report: …, in: {…}}, each on its own line");
    return demands;
  }
  demands.reserve(list->items.size());
  for (const YamlNode& item : list->items) {
    demands.push_back(readDemand(item, section, problems));
  }
  return demands;
}

void refusePending(const Conformance& data, const YamlNode& root, Problems& problems) {
  if (data.pending_allowed) return;
  const auto refuse = [&](const std::vector<Demand>& demands) {
    for (const Demand& demand : demands) {
      if (demand.state != Demand::State::kPending) continue;
      YamlNode at = root;
      at.line = demand.line;
      problems.add(at, "\"" + demand.what + "\" is pending", "in or not_measured");
    }
  };
  refuse(data.general);
  for (const TestDemands& test : data.tests) refuse(test.demands);
}

// Refuses a place that is never checked in a result: it would hide missing values.
void refuseMisplaced(const Conformance& data, const YamlNode& root, Problems& problems) {
  const auto ofReport = [](Kind kind) {
    return kind == Kind::kReport || kind == Kind::kScenario || kind == Kind::kDocs;
  };
  const auto refuse = [&](const Demand& demand, const std::string& what, const char* allowed) {
    YamlNode at = root;
    at.line = demand.line;
    problems.add(at, what, allowed);
  };
  for (const TestDemands& test : data.tests) {
    for (const Demand& demand : test.demands) {
      for (const Place& place : demand.places) {
        if (place.test.empty() && !ofReport(place.kind)) continue;
        refuse(demand, "a place outside the result of " + test.test, "a demand under general");
      }
    }
  }
  for (const Demand& demand : data.general) {
    for (const Place& place : demand.places) {
      if (place.test.empty() || data.test(place.test) != nullptr) continue;
      refuse(demand, "no test " + place.test, "one of those under tests");
    }
  }
}

Conformance readFile(const YamlNode& root, Problems& problems) {
  Conformance data;
  auto map = scenario::readMap(root, "the conformance file", problems);
  if (!map) return data;
  if (const YamlNode* allowed = map->optional("pending_allowed")) {
    data.pending_allowed = scenario::readBool(*allowed, problems).value_or(false);
  }
  if (const YamlNode* list = map->required("general")) {
    data.general = readDemands(list, "", problems);
    for (const Demand& demand : data.general) {
      if (!demand.section.empty() || demand.what.empty()) continue;
      YamlNode at = *list;
      at.line = demand.line;
      problems.add(at, "a general demand needs its section", "section: \"4.1\"");
    }
  }
  if (const YamlNode* tests = map->required("tests")) {
    if (auto all = scenario::readMap(*tests, "tests", problems)) {
      for (const auto& [key, value] : tests->members) {
        all->optional(key.text);
        auto one = scenario::readMap(value, key.text, problems);
        if (!one) continue;
        const std::string section = textAt(*one, "section", problems);
        if (section.empty()) problems.add(value, "the section is missing", "section: \"9.1\"");
        data.tests.push_back({key.text, readDemands(one->required("demands"), section, problems)});
        one->finish();
      }
      all->finish();
    }
  }
  map->finish();
  refusePending(data, root, problems);
  refuseMisplaced(data, root, problems);
  return data;
}

}  // namespace

Draft draftOf(std::string_view test) {
  return test.starts_with('I') ? Draft::kInference : Draft::kTraining;
}

std::string_view conformanceFile(Draft draft) {
  return draft == Draft::kTraining ? "host/suite/conformance/training.yaml"
                                   : "host/suite/conformance/inference.yaml";
}

bool Place::names(std::string_view other) const {
  if (id.empty() || id.back() != '*') return other == id;
  return other.starts_with(std::string_view(id).substr(0, id.size() - 1));
}

const TestDemands* Conformance::test(std::string_view id) const {
  const auto found = std::find_if(tests.begin(), tests.end(),
                                  [&](const TestDemands& one) { return one.test == id; });
  return found == tests.end() ? nullptr : &*found;
}

Conformance parseConformance(std::string_view text, std::string_view file) {
  const scenario::YamlTree tree = scenario::parseYaml(text);
  Problems problems;
  if (!tree.error.empty()) {
    problems.add(tree.root, tree.error, tree.allowed);
    scenario::refuse(problems.sorted(), file);
  }
  Conformance data = readFile(tree.root, problems);
  scenario::refuse(problems.sorted(), file);
  return data;
}

const Conformance& conformance(Draft draft) {
  static const Conformance training =
      parseConformance(embeddedTraining(), conformanceFile(Draft::kTraining));
  static const Conformance inference =
      parseConformance(embeddedInference(), conformanceFile(Draft::kInference));
  return draft == Draft::kTraining ? training : inference;
}

}  // namespace plumbline::suite
