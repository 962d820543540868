#include "session/stored_trial_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "base/error.h"
#include "base/work.h"
#include "bench/trial/trial_beginning.h"
#include "session/dut_source.h"
#include "stats/quantile.h"

namespace plumbline::session {
namespace {

// A trial in words: "T5.2, 64 B, repetition 0". Labels of tests on simulated hosts end with the
// repetition already, those of searches do not.
std::string trialName(const std::string& test, const std::string& label, std::uint32_t repetition) {
  const std::string which = fmt::format("repetition {}", repetition);
  return label.ends_with(which) ? fmt::format("{}, {}", test, label)
                                : fmt::format("{}, {}, {}", test, label, which);
}

// Returns whether the current trial must end now.
std::function<bool()> stopOf(RunWatcher& watcher) {
  using Clock = std::chrono::steady_clock;
  const auto timeout = watcher.stopTimeout();
  return [&watcher, timeout, until = std::optional<Clock::time_point>()]() mutable {
    if (!until) {
      if (!watcher.stopRequested()) return false;
      if (bench::TrialBeginning::lasts()) return true;
      if (!timeout) return false;
      until = Clock::now() + *timeout;
    }
    return Clock::now() >= *until || bench::TrialBeginning::lasts();
  };
}

}  // namespace

double FrameLosses::ppm() const {
  return sent == 0 ? 0 : static_cast<double>(lost) * 1e6 / static_cast<double>(sent);
}

std::optional<FrameLosses> lossesOf(const bench::TrialResult& result) {
  if (result.fabric && !result.fabric->jobs.empty()) {
    const auto& endpoints = result.fabric->endpoints;
    const auto& lost = result.fabric->data_lost;
    if (!lost || result.fabric->fast_forward) return std::nullopt;
    return FrameLosses{endpoints.data_sent - endpoints.retransmitted, *lost};
  }
  if (result.streams.empty()) return std::nullopt;
  FrameLosses losses{0, result.lost()};
  for (const auto& stream : result.streams) losses.sent += stream.sent_frames;
  return losses;
}

stats::Histogram latencyOf(const bench::TrialResult& result) {
  stats::Histogram all;
  for (const auto& group : result.latency) all.merge(group.histogram);
  if (all.count() == 0 && result.fabric) return result.fabric->endpoints.latency;
  return all;
}

std::string trialInWords(const bench::TrialResult& result) {
  const auto losses = lossesOf(result);
  std::string words =
      losses ? fmt::format("loss {:.6g} ppm", losses->ppm()) : std::string("loss not observed");
  const stats::Histogram latency = latencyOf(result);
  if (latency.count() > 0) {
    constexpr double kShown = 0.99;
    words += fmt::format(", P99 {:.4g} µs", static_cast<double>(latency.quantile(kShown)) / 1e6);
    if (stats::restsOnFewSamples(kShown, latency.count())) {
      words += fmt::format(" (of {})", latency.count());
    }
  }
  if (!result.valid()) words += ", NOT VALID";
  return words;
}

StoredTrialRunner::StoredTrialRunner(const Parts& parts, std::optional<std::uint32_t> capture_port)
    : parts_(parts), capture_port_(capture_port) {}

void StoredTrialRunner::beginTest(const std::string& test, std::uint64_t expected_trials) {
  test_ = test;
  parts_.watcher.beginTest(test, expected_trials);
}

void StoredTrialRunner::endTest() { parts_.watcher.endTest(); }

bench::TrialResult StoredTrialRunner::run(const bench::TrialSpec& spec, std::uint32_t repetition,
                                          const std::string& label) {
  if (parts_.watcher.stopRequested()) throw Aborted();
  parts_.watcher.beginTrial(label, repetition);
  const std::string key = parts_.bench_in_key
                              ? fmt::format(R"({{"bench":"{}","trial":{}}})",
                                            parts_.bench.capabilities().name, spec.toJson())
                              : spec.toJson();
  const auto stored = parts_.store.findTrial(parts_.run, key, repetition);
  bench::TrialResult result = stored ? bench::TrialResult::fromJson(*stored)
                                     : measure(spec, trialName(test_, label, repetition));
  if (!stored) parts_.store.saveTrial(parts_.run, key, repetition, label, result.toJson());
  parts_.watcher.endTrial({test_, label, repetition, stored.has_value(), spec, result});
  return result;
}

std::string StoredTrialRunner::dutReport(const std::string& key, std::optional<Picoseconds> time) {
  if (parts_.dut_metrics == nullptr || !parts_.dut_metrics->dut_metrics) return {};
  if (auto stored = parts_.store.findObservation(parts_.run, key)) return *std::move(stored);
  std::string text = queryDutMetrics(*parts_.dut_metrics, time);
  parts_.store.saveObservation(parts_.run, key, text);
  return text;
}

bench::TrialResult StoredTrialRunner::measure(const bench::TrialSpec& spec,
                                              const std::string& trial) {
  parts_.watcher.beginMeasurement();
  const WorkScope scope({stopOf(parts_.watcher), {}, {}});
  try {
    return runOnBench(spec, trial);
  } catch (const WorkStopped&) {
    throw Aborted();
  }
}

bench::TrialResult StoredTrialRunner::runOnBench(const bench::TrialSpec& spec,
                                                 const std::string& trial) {
  bench::TrialHooks hooks;
  hooks.progress = [this](const bench::TrialProgress& progress) {
    parts_.watcher.progress(progress);
  };
  hooks.observer = parts_.watcher.trialObserver();
  if (!capture_port_) return parts_.bench.run(spec, hooks);
  bench::TrialSpec captured = spec;
  captured.capture_port = capture_port_;
  hooks.captured = [&](const card::CapturedFrame& frame) { parts_.watcher.captured(frame, trial); };
  return parts_.bench.run(captured, hooks);
}

}  // namespace plumbline::session
