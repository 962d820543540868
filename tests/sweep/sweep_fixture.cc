#include "tests/sweep/sweep_fixture.h"

#include <fstream>

#include "base/json.h"
#include "session/run_watcher.h"
#include "sweep/merge.h"
#include "sweep/point.h"

namespace plumbline::sweep {

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const std::string SweepFixture::kScenario = R"(plumbline: 1
name: small
test: T5.2
bench: sim
dut:
  topology: {kind: switch, hosts: 2}
  switch: {forwarding: cut-through}
traffic: {qps: 1, pairs: [[0, 1]], direction: uni}
parameters: {duration: 400us, drain: 5us, repetitions: 3, resolution: 10%, loads: [20%, 60%]}
sweep:
  dut.switch.latency: [300ns, 600ns, 1us]
  traffic.frame_sizes: [256B, 1500B]
)";

SweepDirectory SweepFixture::begin(const std::string& folder, const std::string& scenario) {
  session::ScenarioOptions options;
  options.file = write(folder + ".yaml", scenario);
  return SweepDirectory::begin(path(folder), options);
}

std::string SweepFixture::write(const std::string& name, const std::string& text) {
  std::ofstream(path(name)) << text;
  return path(name).string();
}

void SweepFixture::measure(const SweepDirectory& directory, std::size_t point) {
  session::RunWatcher nobody;
  measurePoint(directory, point, nobody);
}

void SweepFixture::measureAll(const SweepDirectory& directory) {
  for (std::size_t point = 0; point < directory.size(); ++point) measure(directory, point);
}

std::vector<std::string> SweepFixture::mergedOutcome(const SweepDirectory& directory) {
  const Merged merged = mergeSweep(directory, false);
  std::vector<std::string> texts;
  for (const auto& test : merged.run.tests) texts.push_back(test.toJson());
  auto store = results::ResultStore::openExisting(merged.directory);
  for (const auto& trial : store.listTrials(merged.run.info.id)) {
    auto json = nlohmann::json::parse(trial.result_json);
    // The duration of a trial is no measurement.
    json.erase("wall_seconds");
    json["fabric"].erase("peak_rss_bytes");
    texts.push_back(trial.label + trial.spec_json + json.dump());
  }
  return texts;
}

}  // namespace plumbline::sweep
