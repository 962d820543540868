// A bench without a card: answers each trial from a function, counting the calls.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/bench.h"

namespace plumbline::session {

class FakeBench final : public bench::Bench {
 public:
  using Answer = std::function<bench::TrialResult(const bench::TrialSpec&)>;

  explicit FakeBench(Answer answer) : answer_(std::move(answer)) {
    capabilities_.name = "fake";
    capabilities_.max_ports = 2;
    capabilities_.line_rate = gigabitsPerSecond(100);
    capabilities_.timestamp_resolution = Picoseconds(3104);
  }

  [[nodiscard]] const bench::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const bench::TrialSpec&) const override {
    if (refused.empty()) return {};
    return {refused};
  }
  bench::TrialResult run(const bench::TrialSpec& spec, const bench::TrialHooks& hooks) override {
    ++runs;
    last_spec = spec;
    if (hooks.progress) hooks.progress({spec.duration / 2, spec.duration, 0, 0});
    if (spec.capture_port && hooks.captured) {
      card::CapturedFrame frame;
      frame.port = *spec.capture_port;
      frame.bytes.assign(64, 0);
      hooks.captured(frame);
    }
    return answer_(spec);
  }

  std::string refused;  // why it refuses every trial; empty: it does not
  int runs = 0;
  bench::TrialSpec last_spec;

 private:
  Answer answer_;
  bench::Capabilities capabilities_;
};

}  // namespace plumbline::session
