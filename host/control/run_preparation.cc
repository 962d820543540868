#include "control/run_preparation.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "bench/card/flow_plan.h"
#include "bench/trial/registry.h"
#include "control/refused.h"
#include "control/run_archive.h"

namespace plumbline::control {
namespace {

namespace fs = std::filesystem;

}  // namespace

void refuse(const Error& error) {
  const bool asked = error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kUnsupported;
  throw Refused(asked ? 422 : 500, error.what(), error.where(), error.remedy());
}

std::vector<PortState> allPorts() {
  std::vector<PortState> ports;
  for (const bench::BenchInfo& info : bench::benches()) {
    const auto bench = bench::makeBench(info.name, {});
    const bench::Capabilities& can = bench->capabilities();
    PortState port;
    port.bench = info.name;
    port.line_rate_bps = static_cast<std::uint64_t>(can.line_rate.bitsPerSecond());
    if (info.name != scenario::kSimulatedCard) {
      port.name = info.name;
      ports.push_back(port);
      continue;
    }
    for (port.number = 0; port.number < can.max_ports; ++port.number) {
      port.name = fmt::format("{}/{}", info.name, port.number);
      ports.push_back(port);
    }
  }
  return ports;
}

std::vector<std::string> portsOf(const session::PreparedRun& prepared) {
  std::set<std::uint32_t> hosts;
  for (const session::PlannedTest& test : prepared.tests) {
    for (const suite::PlannedTrial& sample : test.plan.samples) {
      const std::vector<std::uint32_t> used = bench::usedHosts(sample.spec);
      hosts.insert(used.begin(), used.end());
    }
  }
  std::vector<std::string> ports;
  for (const std::string& bench : session::benchesOf(prepared.scenario.bench)) {
    if (bench != scenario::kSimulatedCard) {
      ports.push_back(bench);
      continue;
    }
    // Hosts of the DUT go to the card's ports in ascending order.
    for (std::size_t i = 0; i < hosts.size(); ++i) ports.push_back(fmt::format("{}/{}", bench, i));
  }
  return ports;
}

scenario::Scenario scenarioOf(const ScenarioRequest& request, const scenario::Access& access) {
  std::string text = request.scenario;
  scenario::Access allowed = access;
  // Only a file's name: the sender's folders are not disclosed.
  std::string file = fs::path(request.name).filename().string();
  const fs::path shipped = session::shippedScenario(text.empty() ? request.name : file);
  if (text.empty()) {
    if (request.name.empty() || shipped.empty()) {
      throw Refused(404, "there is no scenario \"" + request.name + "\"", "name",
                    request.name.empty() ? "a name, or the text as \"scenario\""
                                         : session::scenarioMeant(request.name));
    }
    text = fileText(shipped);
  }
  if (!shipped.empty() && text == fileText(shipped)) {
    file = shipped.string();
    allowed.files = shipped.parent_path().string();
  }
  if (file.empty()) file = "scenario.yaml";
  scenario::ParseResult parsed;
  parsed.problems = scenario::problemsOfLength(text);
  if (parsed.ok()) parsed = scenario::parseScenario(text, file, session::vocabulary(), allowed);
  if (!parsed.ok()) {
    Refusal refusal{422, "the scenario has mistakes", file, "", {}};
    for (const scenario::Problem& problem : parsed.problems) {
      refusal.problems.push_back({problem.line, problem.column, problem.what, problem.allowed});
    }
    throw Refused(std::move(refusal));
  }
  try {
    session::applyOverrides({file, request.bench, request.profile, request.seed}, parsed.scenario);
  } catch (const Error& error) {
    refuse(error);
  }
  return std::move(parsed.scenario);
}

session::PreparedRun prepare(const ScenarioRequest& request, const scenario::Access& access,
                             unsigned threads) {
  try {
    return session::prepareRun(scenarioOf(request, access),
                               {.trace_fst = {}, .line_rate = {}, .threads = threads});
  } catch (const Error& error) {
    refuse(error);
  }
}

}  // namespace plumbline::control
