#include "control/scenario_api.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "bench/card/flow_plan.h"
#include "bench/trial/registry.h"
#include "control/refused.h"
#include "control/run_preparation.h"
#include "fabric/spec/describe.h"
#include "fabric/topology/topology.h"
#include "scenario/warnings.h"
#include "session/first_frame.h"
#include "session/planning.h"

namespace plumbline::control {
namespace {

namespace fs = std::filesystem;

// Largest number of trials per test whose frames are shown; the points of a sweep differ little.
constexpr std::size_t kMaxFrames = 64;

std::string textOf(const fs::path& file) { return readFile(file, scenario::kMaxScenarioBytes); }

TopologyPicture pictureOf(const scenario::Scenario& scenario) {
  TopologyPicture picture;
  picture.description = fabric::topologyText(scenario.topology);
  const fabric::Topology topology = fabric::buildTopology(scenario.topology);
  for (const fabric::Node& node : topology.nodes()) {
    picture.nodes.push_back({node.name, node.kind == fabric::NodeKind::kHost ? "host" : "switch"});
  }
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    const fabric::Link& link = topology.links()[id];
    picture.links.push_back({topology.linkName(id), topology.nodes()[link.from].name,
                             topology.nodes()[link.to].name,
                             static_cast<std::uint64_t>(link.rate.bitsPerSecond())});
  }
  for (const fabric::FailureSpec& failure : scenario.failures) {
    picture.failures.push_back({failure.element, failure.down.count(), {}});
    if (failure.up) picture.failures.back().until_ps = failure.up->count();
  }
  return picture;
}

void addFrames(const suite::PlannedTrial& trial, const bench::Capabilities& can,
               std::vector<PlannedFrame>& frames) {
  const bench::FlowPlan flows = bench::planFlows(trial.spec, can);
  for (std::size_t i = 0; i < trial.spec.streams.size() && frames.size() < kMaxFrames; ++i) {
    const bench::StreamSpec& stream = trial.spec.streams[i];
    const auto bytes = session::firstFrame(flows.flows.at(stream.from).at(flows.streams[i].flow));
    frames.push_back({trial.label, stream.name, stream.from, stream.to,
                      fmt::format("{:02x}", fmt::join(bytes, ""))});
  }
}

void addTests(const std::vector<session::PlannedTest>& tests, const scenario::Scenario& scenario,
              const bench::Capabilities& can, std::vector<PlannedTestAnswer>& answers) {
  for (const session::PlannedTest& test : tests) {
    PlannedTestAnswer& one = answers.emplace_back();
    one.id = test.procedure->id();
    one.title = test.procedure->title();
    one.bench = can.name;
    one.points = test.plan.points;
    one.trials = test.plan.trials_expected;
    one.simulated_ps = test.plan.simulated_time.count();
    one.packet_hops = test.plan.packet_hops;
    one.expected_s = static_cast<double>(session::expectedTime(test.plan, scenario, can).count());
    for (const suite::PlannedTrial& sample : test.plan.samples) {
      addFrames(sample, can, one.first_frames);
    }
  }
}

}  // namespace

std::vector<ScenarioListing> listScenarios() {
  std::vector<ScenarioListing> listings;
  for (const fs::path& file : session::shippedScenarios()) {
    const auto parsed = scenario::parseScenario(textOf(file), file.string(), session::vocabulary());
    if (!parsed.ok()) continue;
    listings.push_back(
        {file.stem().string(), file.string(), parsed.scenario.bench, parsed.scenario.tests});
  }
  return listings;
}

ScenarioText showScenario(const std::string& name) {
  const fs::path file = session::shippedScenario(name);
  if (file.empty()) {
    throw Refused(404, "there is no scenario \"" + name + "\"", {},
                  "GET /api/v1/scenarios lists them");
  }
  return {file.stem().string(), file.string(), textOf(file)};
}

ValidationAnswer validate(const ScenarioRequest& request, const scenario::Access& access) {
  ValidationAnswer answer;
  scenario::Scenario scenario;
  try {
    scenario = scenarioOf(request, access);
  } catch (const Refused& refused) {
    if (refused.refusal().problems.empty()) throw;
    answer.problems = refused.refusal().problems;
    return answer;
  }
  for (scenario::Problem& one : scenario::warningsOf(scenario, session::vocabulary())) {
    answer.warnings.push_back({one.line, one.column, std::move(one.what), std::move(one.allowed)});
  }
  for (const std::string& name : session::benchesOf(scenario.bench)) {
    try {
      const auto bench =
          bench::makeBench(name, {.trace_fst = {}, .line_rate = scenario.topology.link_rate});
      for (std::string& why : session::tryPlanTests(scenario, *bench).refusals) {
        answer.refusals.push_back(std::move(why));
      }
    } catch (const Error& error) {
      answer.refusals.emplace_back(error.what());
    }
  }
  answer.valid = answer.refusals.empty();
  return answer;
}

PlanAnswer plan(const ScenarioRequest& request, const scenario::Access& access) {
  const session::PreparedRun prepared = prepare(request, access, 1);
  const scenario::Scenario& scenario = prepared.scenario;
  PlanAnswer answer;
  answer.name = scenario.name;
  answer.bench = scenario.bench;
  answer.profile = scenario::profileName(scenario.profile);
  answer.seed = scenario.seed;
  answer.ports = portsOf(prepared);
  answer.files = session::identityOf(scenario).files;
  addTests(prepared.tests, scenario, prepared.bench->capabilities(), answer.tests);
  if (prepared.second_bench) {
    addTests(prepared.second_tests, scenario, prepared.second_bench->capabilities(), answer.tests);
  }
  answer.topology = pictureOf(scenario);
  return answer;
}

}  // namespace plumbline::control
