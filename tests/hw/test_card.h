// What the card-level tests share: the simulated card with its real driver, calibrated, and a wire
// of the test's choice between its ports. Every frame that the card sends is decoded and must be
// whole.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "card/driver.h"
#include "card/flow.h"
#include "sim/card_sim.h"
#include "tests/benchmarks/stream_flows.h"
#include "wire/frame.h"

namespace plumbline::hw_test {

constexpr std::int64_t kClockPs = sim::kClockPeriodMax.count();
constexpr auto kSent = card::DamageDirection::kSent;
constexpr auto kReceived = card::DamageDirection::kReceived;

// A frame on a wire with the true time of its first bit after the SFD.
struct WireFrame {
  std::uint32_t port = 0;
  sim::FrameBytes bytes;
  Picoseconds first_bit;
};

// Between the ports of the card. Joins ports 0 and 1, 2 and 3, … by wires with a delay, unless the
// test says otherwise.
class TestWire final : public sim::PortPeer {
 public:
  TestWire(sim::CardSim& sim, std::uint32_t ports, Picoseconds delay);

  // Sees every frame that the card sends and how it decodes.
  std::function<void(const WireFrame&, const wire::DecodedFrame&)> observe;
  // What happens to a frame that the card has sent; by default it goes to the other end.
  std::function<void(const WireFrame&)> forward;
  // Called with the time before every clock edge.
  std::function<void(Picoseconds)> tick;
  // Every frame that the card sends must be whole: right headers and check sequences.
  bool expect_whole = true;
  // Keep what arrives at the card in arrivals().
  bool keep_arrivals = false;

  // Puts a frame on the wire towards `port`, at `earliest` or as soon as the wire is free.
  void put(std::uint32_t port, sim::FrameBytes frame, Picoseconds earliest);
  // The other end of the port's wire.
  [[nodiscard]] static std::uint32_t otherEnd(std::uint32_t port) { return neighbour(port); }
  // Where the plain wire takes a frame: to the other end, after the delay.
  void pass(const WireFrame& frame);

  [[nodiscard]] Picoseconds delay() const { return delay_; }
  [[nodiscard]] std::uint64_t sentFrames(std::uint32_t port) const { return sent_[port]; }
  // Frames that reached `port`, in order; emptied by the test as it likes.
  [[nodiscard]] std::vector<WireFrame>& arrivals(std::uint32_t port) { return arrivals_[port]; }

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override;
  void advanceTo(Picoseconds now) override;

 private:
  sim::CardSim& sim_;
  Picoseconds delay_;
  std::vector<std::uint64_t> sent_;
  std::vector<Picoseconds> free_;  // per port: when the next frame towards it may begin
  std::vector<std::vector<WireFrame>> arrivals_;
};

// Long enough for the longest frame to have left the card before its first bit arrives.
inline constexpr Picoseconds kWireDelay = nanoseconds(800);

// A card that has been reset and calibrated.
struct TestCard {
  explicit TestCard(std::uint32_t ports, const sim::CardSimOptions& options = {});

  // Arms all loaded ports for the earliest possible start, or `later` than that; returns it.
  Picoseconds start(Picoseconds later = {});
  // Runs until the card has sent everything and `drain` more. Calls `every` about each `step`.
  void finish(Picoseconds drain = microseconds(5), Picoseconds step = microseconds(20),
              const std::function<void()>& every = {});
  // Fails the test if a port reports a fault or the start was late.
  void expectNoFaults();

  std::uint32_t ports;
  sim::CardSim sim;
  TestWire wire;
  card::Driver driver;
};

}  // namespace plumbline::hw_test
