#include "base/json.h"
#include "report/report.h"

namespace plumbline::report {
namespace {

using Json = nlohmann::ordered_json;

Json pairs(const KeyValues& values) {
  // A list, since names may repeat and their order matters.
  Json list = Json::array();
  for (const auto& [name, value] : values) list.push_back({{"name", name}, {"value", value}});
  return list;
}

Json failures(const std::vector<fabric::FailureSpec>& specs) {
  Json list = Json::array();
  for (const fabric::FailureSpec& one : specs) {
    Json json{{"element", one.element}, {"down_ps", one.down.count()}};
    if (one.up) json["up_ps"] = one.up->count();
    list.push_back(std::move(json));
  }
  return list;
}

Json limits(const std::vector<LimitOutcome>& outcomes) {
  using State = LimitOutcome::State;
  Json list = Json::array();
  for (const LimitOutcome& one : outcomes) {
    Json json{{"figure", one.figure}, {one.at_most ? "at_most" : "at_least", one.bound}};
    if (one.state != State::kNotMeasured) {
      json["met"] = one.state == State::kMet;
      json["worst"] = one.worst.value;
      json["unit"] = one.worst.unit;
      json["where"] = one.where;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json demands(const std::vector<Demand>& all) {
  Json list = Json::array();
  for (const Demand& one : all) {
    Json json;
    if (!one.test.empty()) json["test"] = one.test;
    json["demanded"] = one.what;
    json["sweep"] = one.swept;
    json["section"] = one.section;
    if (!one.level.empty()) json["level"] = one.level;
    switch (one.state) {
      case Demand::State::kHere:
        json["state"] = "here";
        break;
      case Demand::State::kMissing:
        json["state"] = "missing";
        break;
      case Demand::State::kNotMeasured:
        json["state"] = "not measured";
        break;
    }
    json["answer"] = one.answer;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string renderJson(const ReportInput& input) {
  Json tests = Json::array();
  for (const results::TestResult& test : input.tests)
    tests.push_back(parseJson<Json>(test.toJson()));
  Json json{{"format", "plumbline-report"},
            {"version", 1},
            {"title", input.title},
            {"run", input.run_id},
            {"started", input.started},
            {"finished", input.finished},
            {"simulated_dut", input.simulated_dut},
            {"dut_identity", pairs(input.dut_identity)},
            {"dut", pairs(input.dut)},
            {"tester", pairs(input.tester)},
            {"host", pairs(input.host)},
            {"failures", failures(input.failures)},
            {"limits", limits(input.limits)},
            {"tests", std::move(tests)},
            {"scenario", input.scenario}};
  if (!input.warnings.empty()) json["warnings"] = input.warnings;
  if (!input.demands.empty()) json["demands"] = demands(input.demands);
  if (!input.agents.empty()) json["agents"] = parseJson<Json>(results::agentsJson(input.agents));
  // Bytes that are not UTF-8 become U+FFFD instead of spoiling the document.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plumbline::report
