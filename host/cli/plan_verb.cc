#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "bench/flow_plan.h"
#include "cli/capture_file.h"
#include "cli/first_frame.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/verbs.h"
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

// Seconds of wall clock that the trials take on this bench, roughly.
std::chrono::seconds wallTime(const suite::Plan& plan, const scenario::Scenario& scenario,
                              const bench::Capabilities& bench) {
  const double seconds = plan.simulated_time.toSeconds() * scenario.topology.hostCount() *
                             bench.wall_seconds_per_second +
                         plan.packet_hops * bench.wall_ns_per_packet_hop / 1e9;
  return std::chrono::seconds(static_cast<std::int64_t>(seconds) + 1);
}

// The first frame of every stream of one trial: shown, and captured if asked for.
void showFrames(const suite::PlannedTrial& trial, const bench::Capabilities& bench, bool show,
                CaptureFile* capture) {
  const bench::FlowPlan plan = bench::planFlows(trial.spec, bench);
  for (std::size_t i = 0; i < trial.spec.streams.size(); ++i) {
    const bench::StreamSpec& stream = trial.spec.streams[i];
    const card::FlowConfig& flow = plan.flows.at(stream.from).at(plan.streams[i].flow);
    const auto frame = firstFrame(flow);
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

void showTest(const PlannedTest& test, const scenario::Scenario& scenario,
              const bench::Capabilities& bench, const PlanOptions& options, CaptureFile* capture) {
  const suite::Plan& plan = test.plan;
  const std::string size =
      plan.packet_hops > 0
          ? fmt::format("{:.3g} packet-hops", plan.packet_hops)
          : fmt::format("{:.6g} ms of card time", plan.simulated_time.toSeconds() * 1e3);
  fmt::print("{} {}: {} points, {} trials, {}, about {} here\n", test.procedure->id(),
             test.procedure->title(), plan.points.size(), plan.trials_expected, size,
             durationText(wallTime(plan, scenario, bench)));
  for (const std::string& point : plan.points) fmt::print("  - {}\n", point);
  for (std::size_t i = 0; i < plan.samples.size(); ++i) {
    showFrames(plan.samples[i], bench, i == 0 || options.all_frames, capture);
  }
}

// What a UET transport is told of the network: given or derived from it.
std::optional<Picoseconds> baseRtt(const scenario::Scenario& scenario) {
  if (!scenario.transport) return std::nullopt;
  const auto* uet = std::get_if<transport::UetSpec>(&*scenario.transport);
  return uet != nullptr ? std::optional(uet->base_rtt) : std::nullopt;
}

ExitCode plan(const PlanOptions& options) {
  const scenario::Scenario scenario = loadScenario(options.scenario);
  const auto bench =
      bench::makeBench(scenario.bench, {.trace_fst = {}, .line_rate = scenario.topology.link_rate});
  const auto tests = planTests(scenario, *bench);
  std::optional<CaptureFile> capture;
  if (!options.pcapng.empty()) capture.emplace(options.pcapng);
  fmt::print("{} on the bench {} ({}), profile {}\n", scenario.name, scenario.bench,
             bench->capabilities().description, scenario::profileName(scenario.profile));
  if (const auto rtt = baseRtt(scenario)) {
    fmt::print("base RTT of the transport {:.6g} us\n", rtt->toMicroseconds());
  }
  for (const PlannedTest& test : tests) {
    showTest(test, scenario, bench->capabilities(), options, capture ? &*capture : nullptr);
  }
  if (capture) fmt::print("{} frames in {}\n", capture->packets(), options.pcapng);
  return ExitCode::kDone;
}

}  // namespace

void addPlanVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* verb = app.add_subcommand(
      "plan", "Show what a run would do: points, trials, duration, first frames");
  addScenarioOptions(*verb, options->scenario);
  verb->add_flag("--all-frames", options->all_frames,
                 "Show the first frames of every point, not only of the first");
  verb->add_option("--pcapng", options->pcapng,
                   "Write the first frame of every stream of every point to this file");
  verb->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace plumbline::cli
