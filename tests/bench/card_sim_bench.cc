// links: plumbline_card_sim plumbline_card plumbline_wire
// How fast the simulated card runs: card clocks and frames per second of wall time, for all ports
// sending and receiving at line rate and for an idle card. Reported in docs/simulation-speed.md.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "card/driver.h"
#include "sim/card_sim.h"
#include "wire/template.h"

namespace plumbline {
namespace {

// Joins ports 0 and 1, 2 and 3 by a wire, at next to no cost.
class Loop final : public sim::PortPeer {
 public:
  explicit Loop(sim::CardSim& sim) : sim_(sim) { sim_.connect(this); }

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override {
    ++frames_;
    sim_.deliver(port ^ 1U, std::move(frame), first_bit + microseconds(1));
  }
  void advanceTo(Picoseconds) override {}

  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  sim::CardSim& sim_;
  std::uint64_t frames_ = 0;
};

// Frames of `length` bytes without end (for the purpose) at line rate.
card::FlowConfig flowOf(std::uint32_t length) {
  wire::StreamTemplateSpec stream;
  stream.source_mac = {{0x02, 0, 0, 0, 0, 1}};
  stream.destination_mac = {{0x02, 0, 0, 0, 0, 2}};
  stream.source_ipv4 = {{198, 18, 0, 1}};
  stream.destination_ipv4 = {{198, 18, 0, 2}};
  stream.length = length;
  const wire::StreamTemplate frame = makeStreamTemplate(stream);
  card::FlowConfig flow;
  flow.head.assign(frame.bytes.begin(), frame.bytes.end());
  flow.length = length;
  flow.tag_offset = frame.tag_off;
  flow.payload_offset = frame.pay_off;
  flow.period = card::framePeriod(Bytes(length), sim::kLineRate, Fraction::one());
  flow.burst_frames = card::kMaxBurstFrames;
  flow.bursts = 1000;
  flow.burst_interval = card::FinePeriod::fromPicoseconds(frameSlot(Bytes(length), sim::kLineRate) *
                                                          card::kMaxBurstFrames);
  return flow;
}

// Arguments: ports, frame length (0 = idle).
void cardSim(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  const auto length = static_cast<std::uint32_t>(state.range(1));
  sim::CardSim sim({.ports = ports});
  Loop loop(sim);
  card::Driver driver(sim);
  driver.reset();
  if (length != 0) {
    for (std::uint32_t port = 0; port < ports; ++port) {
      driver.loadFlows(port, std::vector{flowOf(length)});
    }
    driver.arm(driver.earliestStart());
    sim.wait(microseconds(30));
  }
  const std::uint64_t cycles = sim.cycles();
  const std::uint64_t frames = loop.frames();
  while (state.KeepRunning()) {
    sim.wait(microseconds(10));
  }
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(sim.cycles() - cycles), benchmark::Counter::kIsRate);
  state.counters["frames/s"] =
      benchmark::Counter(static_cast<double>(loop.frames() - frames), benchmark::Counter::kIsRate);
}

BENCHMARK(cardSim)
    ->ArgNames({"ports", "length"})
    ->ArgsProduct({{2, 4}, {0, 64, 1518, 9216}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumbline
