#include "control/agent_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "control/json_fields.h"
#include "suite/framework/sweep_result.h"

namespace plumbline::control {
namespace {

using results::TestResult;

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

const TestResult* find(const AgentResults& agent, const std::string& id) {
  const auto found = std::find_if(agent.tests.begin(), agent.tests.end(),
                                  [&](const TestResult& test) { return test.id == id; });
  return found == agent.tests.end() ? nullptr : &*found;
}

// Everything of `from` under the agent's name; ids stay unique by its number.
template <typename T>
void append(std::vector<T> from, const std::string& agent, std::size_t number, std::vector<T>& to) {
  for (T& one : from) {
    one.id = fmt::format("agent{}_{}", number, one.id);
    one.title = agent + ": " + one.title;
    to.push_back(std::move(one));
  }
}

// Anomalies that apply to every test of the run.
std::vector<results::Anomaly> anomaliesOf(const std::vector<AgentResults>& agents) {
  std::vector<results::Anomaly> anomalies;
  std::set<std::string> versions;
  for (const AgentResults& one : agents) versions.insert(one.agent.software);
  if (versions.size() > 1) {
    anomalies.push_back(
        {fmt::format("agents run different software: {}", fmt::join(versions, ", ")), "agents"});
  }
  for (const AgentResults& one : agents) {
    const std::string where = "agent " + one.agent.name;
    if (one.agent.late) {
      anomalies.push_back({fmt::format("began a trial {:.1f} us after the common start",
                                       microseconds(one.agent.late_ns.value_or(0))),
                           where});
    }
    if (one.agent.outcome == "lost") anomalies.push_back({"was lost before its end", where});
    if (one.clock_strayed_ns > 0) {
      anomalies.push_back({fmt::format("its clock was set or ran unevenly: {:.1f} us off, beyond "
                                       "what the estimates allow",
                                       microseconds(one.clock_strayed_ns)),
                           where});
    }
  }
  return anomalies;
}

// A trial in the order of the run; two agents that search differently may have different ones.
using Row = std::tuple<std::uint64_t, std::string, std::uint32_t>;

Row rowOf(const WaitingTrial& trial) { return {trial.trial, trial.label, trial.repetition}; }

// How late each trial of `test` began on each agent; no rows when none began.
results::Table startsTable(const std::vector<AgentResults>& agents, const std::string& test) {
  results::Table table{
      "starts",
      "Start of each trial",
      "When the trial began after its common instant, by the agent's own clock; how well that is "
      "known is under \"Agents\". A missing value: the agent had the trial stored already, or does "
      "not have it.",
      {"Trial", "Point", "Repetition"},
      {}};
  std::map<Row, std::vector<results::Cell>> rows;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    table.columns.push_back(agents[i].agent.name);
    for (const AgentStart& start : agents[i].starts) {
      // A comparison of benches calls its tests "T5.1 on rtl".
      const std::string& of = start.trial.test;
      if (of != test && !of.starts_with(test + " on ")) continue;
      auto& row = rows[rowOf(start.trial)];
      if (row.empty()) {
        row.resize(3 + agents.size(), std::string("–"));
        row[0] = std::to_string(start.trial.trial);
        row[1] = start.trial.label;
        row[2] = std::to_string(start.trial.repetition);
      }
      results::Quantity late;
      late.value = microseconds(start.started_ns - start.at_ns);
      late.unit = "us";
      late.observed = ObservationPoint::kEndpointSoftware;
      row[3 + i] = late;
    }
  }
  for (auto& [trial, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

// The words of a sweep, as those of agents.
void rename(const std::vector<std::string>& names, TestResult& test) {
  test.summary = fmt::format("{} agents measured at the same time.", names.size());
  test.configuration.back() = {"Agents", fmt::format("{}", fmt::join(names, ", "))};
  test.tables.front().id = "agents";
  test.tables.front().title = "Figures by agent";
  for (results::Chart& chart : test.charts) {
    const std::size_t end = chart.id.rfind("_over_sweep");
    const std::string kpi = chart.id.substr(0, end);
    chart.id = kpi + "_by_agent";
    chart.title = kpi + " by agent";
  }
}

// An agent's configuration, where it differs between agents.
void appendConfiguration(const TestResult& own, const std::string& agent, TestResult& test) {
  auto& all = test.configuration;
  for (const auto& entry : own.configuration) {
    if (std::find(all.begin(), all.end(), entry) != all.end()) continue;
    all.emplace_back(agent + ": " + entry.first, entry.second);
  }
}

}  // namespace

results::StoredTrial mergedTrial(const std::string& agent, const TrialDocument& trial) {
  return {agent + ": " + trial.label, trial.repetition, trial.finished,
          R"({"agent":)" + dump(Json(agent)) + R"(,"trial":)" + trial.spec + "}", trial.result};
}

std::vector<TestResult> mergeAgents(const std::vector<AgentResults>& agents) {
  std::vector<std::string> names;
  std::vector<suite::SweepPointResult> points;
  for (const AgentResults& one : agents) {
    names.push_back(one.agent.name);
    points.push_back({one.agent.name, {one.agent.name}, one.tests});
  }
  std::vector<TestResult> merged = suite::foldSweep({{"agent", names}}, points);
  const std::vector<results::Anomaly> anomalies = anomaliesOf(agents);
  for (TestResult& test : merged) {
    rename(names, test);
    results::Table starts = startsTable(agents, test.id);
    if (!starts.rows.empty()) test.tables.push_back(std::move(starts));
    for (std::size_t i = 0; i < agents.size(); ++i) {
      test.valid = test.valid && !agents[i].agent.late;
      const TestResult* own = find(agents[i], test.id);
      if (own == nullptr) {
        test.valid = false;
        test.anomalies.push_back({"did not finish this test", "agent " + names[i]});
        continue;
      }
      appendConfiguration(*own, names[i], test);
      append(own->tables, names[i], i + 1, test.tables);
      append(own->charts, names[i], i + 1, test.charts);
      append(own->distributions, names[i], i + 1, test.distributions);
      append(own->heat_maps, names[i], i + 1, test.heat_maps);
      append(own->timelines, names[i], i + 1, test.timelines);
      for (const std::string& element : own->failed_elements) {
        auto& failed = test.failed_elements;
        if (std::find(failed.begin(), failed.end(), element) == failed.end()) {
          failed.push_back(element);
        }
      }
    }
    test.anomalies.insert(test.anomalies.end(), anomalies.begin(), anomalies.end());
  }
  return merged;
}

}  // namespace plumbline::control
