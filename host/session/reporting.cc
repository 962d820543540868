#include "session/reporting.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "bench/trial/registry.h"
#include "fabric/spec/describe.h"
#include "report/report.h"
#include "scenario/flat_keys.h"
#include "scenario/sweep.h"
#include "scenario/warnings.h"
#include "session/limits.h"
#include "session/planning.h"
#include "suite/conformance/rows.h"
#include "suite/framework/profile.h"
#include "suite/framework/switch_configuration.h"

namespace plumbline::session {
namespace {

report::KeyValues dutText(const scenario::Scenario& scenario) {
  const fabric::TopologySpec& topology = scenario.topology;
  report::KeyValues dut{{"Topology", fabric::topologyText(topology)}};
  suite::addCableRates(topology, dut);
  suite::addCableDelays(topology, dut);
  if (topology.kind != fabric::TopologyKind::kLink) {
    suite::addSwitchConfiguration(scenario.switches, dut);
  }
  return dut;
}

// The bench's description of itself, and whether its DUT is a model.
void describeBench(const std::string& name, const std::string& behind, BitRate line_rate,
                   report::ReportInput& input) {
  const auto bench = bench::makeBench(name, {.trace_fst = {}, .line_rate = line_rate});
  const bench::Capabilities& can = bench->capabilities();
  input.simulated_dut = can.simulated_dut;
  const auto add = [&](const std::string& what, std::string value) {
    input.tester.emplace_back(what + behind, std::move(value));
  };
  add("Bench", name + ": " + can.description);
  add("Ports", fmt::format("up to {}", can.max_ports));
  add("Line rate", fmt::format("{:.6g} Gb/s", can.line_rate.toGigabitsPerSecond()));
  add("Timestamp resolution", suite::durationText(can.timestamp_resolution));
  add("Flows per port", std::to_string(can.flows_per_port));
}

// The bench of a run; both of a comparison, all of a sweep's points or of several agents.
void describeTester(const results::RunIdentity& identity, BitRate line_rate,
                    report::ReportInput& input) {
  std::vector<std::string> benches;
  std::string_view rest = identity.bench;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    // "sim at 10.0.0.2:8470": of an agent.
    const std::string_view name = rest.substr(0, std::min(rest.find(" at "), end));
    for (std::string& bench : benchesOf(std::string(name))) {
      if (std::find(benches.begin(), benches.end(), bench) == benches.end()) {
        benches.push_back(std::move(bench));
      }
    }
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  for (const std::string& bench : benches) {
    if (benchExists(bench)) {
      describeBench(bench, benches.size() > 1 ? " (" + bench + ")" : "", line_rate, input);
    } else {
      input.bench_known = false;
      input.tester.emplace_back("Bench", bench + " (this build does not have it)");
    }
  }
  input.tester.emplace_back("Profile", identity.profile);
  input.tester.emplace_back("Seed", std::to_string(identity.seed));
}

// The DUT's settings that all points of a sweep share.
report::KeyValues commonDutText(const scenario::Sweep& sweep) {
  report::KeyValues common;
  for (std::size_t point = 0; point < sweep.size(); ++point) {
    const report::KeyValues one = dutText(sweep.scenario(point, vocabulary()));
    if (point == 0) common = one;
    std::erase_if(common, [&](const auto& line) {
      return std::find(one.begin(), one.end(), line) == one.end();
    });
  }
  return common;
}

// The DUT settings that the points of a sweep share, and the scenario keys that were swept.
void describeSweptDut(const scenario::Scenario& scenario, report::ReportInput& input) {
  const auto swept = [&](std::string_view key) {
    return std::any_of(scenario.sweep.begin(), scenario.sweep.end(), [&](const auto& axis) {
      return axis.key == key || axis.key.starts_with(std::string(key) + ".") ||
             key.starts_with(axis.key + ".");
    });
  };
  if (!swept("dut.topology")) input.topology = scenario.topology;
  if (!swept("dut.failures")) input.failures = scenario.failures;
  try {
    input.dut = commonDutText(scenario::Sweep(scenario.text, scenario.file));
  } catch (const Error&) {
    // A file that a point names is missing: the report omits the DUT.
    input.dut.clear();
  }
  for (const scenario::SweepAxis& axis : scenario.sweep) {
    input.dut.emplace_back("Swept: " + axis.key, fmt::format("{}", fmt::join(axis.values, ", ")));
  }
}

// The limits of `scenario` with their outcomes in `tests`.
std::vector<report::LimitOutcome> limitOutcomes(const scenario::Scenario& scenario,
                                                const std::vector<results::TestResult>& tests) {
  using State = report::LimitOutcome::State;
  std::vector<report::LimitOutcome> outcomes;
  for (const LimitVerdict& verdict : judge(scenario.limits, tests)) {
    report::LimitOutcome outcome;
    outcome.figure = verdict.limit.kpi;
    outcome.at_most = verdict.limit.sense == scenario::LimitSense::kAtMost;
    outcome.bound = verdict.limit.bound;
    if (verdict.measured) {
      outcome.state = verdict.met ? State::kMet : State::kMissed;
      outcome.worst.value = verdict.worst;
      outcome.worst.unit = verdict.unit;
      outcome.where = verdict.where;
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

// The methodology's demands on these tests and on their report.
std::vector<report::Demand> demandsOn(const std::vector<results::TestResult>& tests) {
  using State = report::Demand::State;
  const std::vector<suite::DemandRow> rows = suite::demandRows(tests);
  std::vector<report::Demand> demands;
  demands.reserve(rows.size());
  for (const suite::DemandRow& row : rows) {
    const suite::Demand& one = *row.demand;
    const State state = row.missing ? State::kMissing
                        : row.here  ? State::kHere
                                    : State::kNotMeasured;
    demands.push_back({row.test, one.what, one.swept, one.section, one.level, state, row.answer});
  }
  return demands;
}

}  // namespace

std::string softwareName() { return "plumbline " PLUMBLINE_VERSION; }

std::string machineName() {
  struct utsname names = {};
  uname(&names);
  return fmt::format("{} {} {}, {} processors", names.sysname, names.release, names.machine,
                     std::thread::hardware_concurrency());
}

std::string defaultReportDirectory(const std::string& results, std::int64_t run) {
  return fmt::format("{}/run-{}", results, run);
}

std::string writeRunReport(const results::StoredRun& run, const std::string& directory) {
  const results::RunInfo& info = run.info;
  report::ReportInput input;
  input.title = info.identity.scenario_name;
  input.run_id = std::to_string(info.id);
  input.started = info.created;
  input.finished = info.finished;
  input.scenario = info.identity.scenario_text;
  input.host = {{"Software", info.software}, {"Machine", info.machine}};
  input.tests = run.tests;
  input.agents = run.agents;
  // The text was valid when the run was made; if this version cannot read it, the report still
  // shows it verbatim.
  const auto parsed =
      scenario::parseScenario(info.identity.scenario_text, info.identity.scenario_file,
                              vocabulary(), {.origin = scenario::Origin::kStored});
  describeTester(info.identity, parsed.scenario.topology.link_rate, input);
  if (parsed.ok()) {
    input.dut_identity = parsed.scenario.identification;
    for (const scenario::Problem& one : scenario::warningsOf(parsed.scenario, vocabulary())) {
      input.warnings.push_back(fmt::format("Line {}: {} ({})", one.line, one.what, one.allowed));
    }
    input.limits = limitOutcomes(parsed.scenario, run.tests);
    // A result merged from several runs has tables of its own.
    if (parsed.scenario.sweep.empty() && benchesOf(info.identity.bench).size() == 1) {
      input.demands = demandsOn(run.tests);
    }
  }
  if (parsed.ok() && !parsed.scenario.sweep.empty()) {
    describeSweptDut(parsed.scenario, input);
  } else if (parsed.ok()) {
    input.topology = parsed.scenario.topology;
    input.failures = parsed.scenario.failures;
    input.dut = dutText(parsed.scenario);
  }
  return report::writeReport(directory, input).string();
}

results::Comparison compareStoredRuns(const results::StoredRun& first,
                                      const results::StoredRun& second) {
  results::Comparison comparison = results::compareRuns(first, second);
  comparison.scenario =
      results::differingKeys(scenario::flatKeys(first.info.identity.scenario_text),
                             scenario::flatKeys(second.info.identity.scenario_text));
  return comparison;
}

results::StoredRun loadRunOrLatest(results::ResultStore& store, std::optional<std::int64_t> run) {
  if (run) return store.loadRun(*run);
  const auto runs = store.listRuns();
  if (runs.empty()) {
    throw Error(ErrorKind::kUsage, "there are no runs yet", store.directory().string(),
                "`plumbline run` makes one");
  }
  return store.loadRun(runs.back().id);
}

}  // namespace plumbline::session
