#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "bench/card/flow_plan.h"
#include "cli/nic_map.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "session/capture_file.h"
#include "session/first_frame.h"
#include "session/run.h"
#include "suite/framework/profile.h"
#include "sweep/point.h"
#include "wire/frame.h"

namespace plumbline::cli {
namespace {

struct PlanOptions {
  ScenarioOptions scenario;
  std::string pcapng;
  bool all_frames = false;
};

constexpr std::size_t kBytesPerLine = 16;

std::string hexDump(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    const auto end = std::min(at + kBytesPerLine, bytes.size());
    text += fmt::format("    {:04x}  {:02x}\n", at,
                        fmt::join(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(end), " "));
  }
  return text;
}

// Shows the first frame of every stream of one trial, and writes them to the capture file if one is
// requested.
void showFrames(const suite::PlannedTrial& trial, const bench::Capabilities& bench, bool show,
                session::CaptureFile* capture) {
  const bench::FlowPlan plan = bench::planFlows(trial.spec, bench);
  for (std::size_t i = 0; i < trial.spec.streams.size(); ++i) {
    const bench::StreamSpec& stream = trial.spec.streams[i];
    const card::FlowConfig& flow = plan.flows.at(stream.from).at(plan.streams[i].flow);
    const auto frame = session::firstFrame(flow);
    if (show) {
      fmt::print("  first frame of stream \"{}\", {} bytes, host {} to host {}:\n{}", stream.name,
                 frame.size(), stream.from, stream.to, hexDump(frame));
      fmt::print("{}", wire::describe(wire::decodeFrame(frame)));
    }
    if (capture != nullptr) {
      capture->write(stream.from, flow.first_due, frame, trial.label + ", " + stream.name);
    }
  }
}

// The NICs of serving systems: for the first point, and for those with another parallelism.
void showNicMaps(const std::vector<suite::PlannedTrial>& samples) {
  std::set<std::string> shown;
  for (const suite::PlannedTrial& sample : samples) {
    for (const serving::ServingProgram* program : sample.spec.servingSystems()) {
      serving::ServingProgram alike = *program;
      alike.workload = {};  // longer prompts take the same NICs
      if (!shown.insert(nicMapText(alike)).second) continue;
      fmt::print("  {}:\n{}", sample.label, nicMapText(*program));
    }
  }
}

void showTest(const PlannedTest& test, const scenario::Scenario& scenario,
              const bench::Capabilities& bench, const PlanOptions& options,
              session::CaptureFile* capture) {
  const suite::Plan& plan = test.plan;
  const std::string size = plan.packet_hops > 0
                               ? fmt::format("{:.3g} packet-hops", plan.packet_hops)
                               : suite::roundedTimeText(plan.simulated_time) + " of card time";
  fmt::print("{} {}: {} points, {} trials, {}, about {} here\n", test.procedure->id(),
             test.procedure->title(), plan.points.size(), plan.trials_expected, size,
             durationText(session::expectedTime(plan, scenario, bench)));
  for (const std::string& point : plan.points) fmt::print("  - {}\n", point);
  showNicMaps(plan.samples);
  for (std::size_t i = 0; i < plan.samples.size(); ++i) {
    showFrames(plan.samples[i], bench, i == 0 || options.all_frames, capture);
  }
}

// The base RTT of a UET transport: given or derived.
std::optional<Picoseconds> baseRtt(const scenario::Scenario& scenario) {
  if (!scenario.transport) return std::nullopt;
  const auto* uet = std::get_if<transport::UetSpec>(&*scenario.transport);
  return uet != nullptr ? std::optional(uet->base_rtt) : std::nullopt;
}

void showTests(const scenario::Scenario& scenario, const bench::Bench& bench,
               const std::vector<PlannedTest>& tests, const PlanOptions& options,
               session::CaptureFile* capture) {
  fmt::print("{} on the bench {} ({}), profile {}\n", scenario.name, bench.capabilities().name,
             bench.capabilities().description, scenario::profileName(scenario.profile));
  if (const auto rtt = baseRtt(scenario)) {
    fmt::print("base RTT of the transport {:.6g} us\n", rtt->toMicroseconds());
  }
  for (const PlannedTest& test : tests) {
    showTest(test, scenario, bench.capabilities(), options, capture);
  }
}

// Trials and duration of a run on all its benches.
std::pair<std::uint64_t, std::chrono::seconds> sizeOf(const session::PreparedRun& prepared) {
  std::uint64_t trials = 0;
  std::chrono::seconds time{0};
  const auto add = [&](const bench::Bench& bench, const std::vector<PlannedTest>& tests) {
    for (const PlannedTest& test : tests) {
      trials += test.plan.trials_expected;
      time += session::expectedTime(test.plan, prepared.scenario, bench.capabilities());
    }
  };
  add(*prepared.bench, prepared.tests);
  if (prepared.second_bench) add(*prepared.second_bench, prepared.second_tests);
  return {trials, time};
}

ExitCode planSweep(const scenario::Scenario& scenario, const PlanOptions& options) {
  if (!options.pcapng.empty() || options.all_frames) {
    throw Error(ErrorKind::kUsage, "the points of a sweep have frames of their own",
                options.pcapng.empty() ? "--all-frames" : "--pcapng", "plan one without \"sweep\"");
  }
  const scenario::Sweep sweep(scenario.text, scenario.file);
  sweep::checkPoints(sweep, options.scenario);
  std::chrono::seconds all{0};
  for (std::size_t point = 0; point < sweep.size(); ++point) {
    const auto [trials, time] =
        sizeOf(session::prepareRun(sweep::pointScenario(sweep, options.scenario, point), {}));
    fmt::print("  - {}: {} trials, about {} here\n", sweep.label(point), trials,
               durationText(time));
    all += time;
  }
  fmt::print("{}: {} points, about {} here one after the other\n", scenario.name, sweep.size(),
             durationText(all));
  return ExitCode::kDone;
}

ExitCode plan(const PlanOptions& options) {
  scenario::Scenario scenario = loadScenario(options.scenario);
  if (!scenario.sweep.empty()) return planSweep(scenario, options);
  if (!options.pcapng.empty()) {
    CommandFiles files;
    files.addScenario(scenario);
    files.outputs.push_back({"--pcapng", options.pcapng});
    checkOutputFiles(files);
  }
  const session::PreparedRun prepared = session::prepareRun(std::move(scenario), {});
  std::optional<session::CaptureFile> capture;
  if (!options.pcapng.empty()) capture.emplace(options.pcapng);
  showTests(prepared.scenario, *prepared.bench, prepared.tests, options,
            capture ? &*capture : nullptr);
  if (prepared.second_bench) {
    // The frames are the same.
    showTests(prepared.scenario, *prepared.second_bench, prepared.second_tests, options, nullptr);
  }
  if (capture) capture->endTrial();
  if (capture) fmt::print("{} frames in {}\n", capture->packets(), options.pcapng);
  return ExitCode::kDone;
}

}  // namespace

void addPlanVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* verb = app.add_subcommand(
      "plan", "Show what a run would do: points, trials, duration, first frames");
  addScenarioOptions(*verb, options->scenario);
  addMemoryOption(*verb);
  verb->add_flag("--all-frames", options->all_frames,
                 "Show the first frames of every point, not only of the first");
  verb->add_option("--pcapng", options->pcapng,
                   "Write the first frame of every stream of every point to this file");
  verb->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace plumbline::cli
