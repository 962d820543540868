// A tester card that is a function, and common parts of the tests of the card.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/suite/fake_dut.h"

namespace plumbline::suite {

// Answers every trial with a function of it.
class Scripted final : public TrialRunner {
 public:
  explicit Scripted(std::function<bench::TrialResult(const bench::TrialSpec&)> answer)
      : answer_(std::move(answer)) {}
  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t, const std::string&) override {
    asked.push_back(spec);
    return answer_(spec);
  }
  std::vector<bench::TrialSpec> asked;

 private:
  std::function<bench::TrialResult(const bench::TrialSpec&)> answer_;
};

// A card with all features that the tests need.
inline bench::Capabilities aCard() {
  bench::Capabilities card = someBench();
  card.max_ports = 4;
  card.damage = card.pfc_send = card.queue_pairs = card.link_retry = true;
  card.patterns = card.departures = true;
  return card;
}

inline scenario::Scenario onALink() {
  scenario::Scenario scenario = someScenario();
  scenario.topology.kind = fabric::TopologyKind::kLink;
  scenario.traffic.message_sizes.reset();
  return scenario;
}

// All frames arrive.
inline bench::TrialResult nothingWrong(const bench::TrialSpec& spec) {
  bench::TrialResult result;
  result.ports.resize(spec.dut.hostCount());
  for (const bench::StreamSpec& stream : spec.streams) {
    bench::StreamResult seen;
    seen.sent_frames = seen.received_frames = 1000;
    result.streams.push_back(seen);
    result.ports[stream.from].tx_bytes += 1000 * static_cast<std::uint64_t>(stream.frame.count());
  }
  return result;
}

}  // namespace plumbline::suite
