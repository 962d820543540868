#include "cli/stored_trial_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plumbline::cli {

double lossPpm(const bench::TrialResult& result) {
  std::uint64_t sent = 0;
  for (const auto& stream : result.streams) sent += stream.sent_frames;
  if (sent == 0) return 0;
  return static_cast<double>(result.lost()) * 1e6 / static_cast<double>(sent);
}

stats::Histogram latencyOf(const bench::TrialResult& result) {
  stats::Histogram all;
  for (const auto& group : result.latency) all.merge(group.histogram);
  return all;
}

std::string trialInWords(const bench::TrialResult& result) {
  std::string words = fmt::format("loss {:.6g} ppm", lossPpm(result));
  const stats::Histogram latency = latencyOf(result);
  if (latency.count() > 0) {
    words += fmt::format(", P99 {:.4g} µs", static_cast<double>(latency.quantile(0.99)) / 1e6);
  }
  if (!result.valid()) words += ", NOT VALID";
  return words;
}

StoredTrialRunner::StoredTrialRunner(const Parts& parts, Options options)
    : parts_(parts), options_(std::move(options)) {}

void StoredTrialRunner::beginTest(const std::string& test, std::uint64_t expected_trials) {
  test_ = test;
  parts_.progress.beginTest(test, expected_trials);
}

void StoredTrialRunner::endTest() { parts_.progress.endTest(); }

bench::TrialResult StoredTrialRunner::run(const bench::TrialSpec& spec, std::uint32_t repetition,
                                          const std::string& label) {
  if (parts_.interrupt.requested()) throw Aborted();
  parts_.progress.beginTrial(label);
  const std::string key = spec.toJson();
  const auto stored = parts_.store.findTrial(parts_.run, key, repetition);
  bench::TrialResult result =
      stored ? bench::TrialResult::fromJson(*stored)
             : measure(spec, fmt::format("{}, {}, repetition {}", test_, label, repetition));
  if (!stored) parts_.store.saveTrial(parts_.run, key, repetition, label, result.toJson());
  parts_.progress.endTrial(trialInWords(result), stored.has_value());
  if (options_.answered) {
    options_.answered({test_, label, repetition, stored.has_value(), result});
  }
  return result;
}

bench::TrialResult StoredTrialRunner::measure(const bench::TrialSpec& spec,
                                              const std::string& trial) {
  bench::TrialHooks hooks;
  hooks.progress = [this](const bench::TrialProgress& progress) {
    const auto total = static_cast<double>(std::max<std::int64_t>(1, progress.total.count()));
    parts_.progress.update(
        std::clamp(static_cast<double>(progress.done.count()) / total, 0.0, 1.0));
  };
  if (!options_.capture_port) return parts_.bench.run(spec, hooks);
  bench::TrialSpec captured = spec;
  captured.capture_port = options_.capture_port;
  hooks.captured = [&](const card::CapturedFrame& frame) { options_.captured(frame, trial); };
  return parts_.bench.run(captured, hooks);
}

}  // namespace plumbline::cli
