// Simulated tester cards side by side, on one clock and one common time. Their ports are numbered
// consecutively, so that the peer sees the ports of one tester.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/card/card_set.h"
#include "sim/card_sim.h"

namespace plumbline::bench {

// Whatever advances one card's clock (a register access, the passing of time), all cards are at the
// same clock edge afterwards. Not thread-safe.
class CardGroup final : public CardSet {
 public:
  // `cards` cards with `ports` ports each. `trace_fst`: waveform file of the first card; empty =
  // none. Throws Error(kUnsupported) for a number of ports that no model was built for.
  CardGroup(std::uint32_t cards, std::uint32_t ports, const std::string& trace_fst = {});
  ~CardGroup() override;

  // As in sim::CardSim, with ports of the group; std::out_of_range for a port outside it.
  void connect(sim::PortPeer* peer) { peer_ = peer; }
  void deliver(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
               sim::Preamble preamble = sim::kOrdinaryPreamble);
  void deliverSet(std::uint32_t port, sim::OrderedSet set, Picoseconds begin);
  [[nodiscard]] sim::WireStats wireStats(std::uint32_t port) const;

  void runUntil(Picoseconds time) override;
  [[nodiscard]] Picoseconds now() override;
  std::vector<card::CapturedFrame> readCaptured() override;
  [[nodiscard]] Picoseconds readingTime(std::size_t ports) const override;
  [[nodiscard]] bool oneClock(std::uint32_t /*port*/, std::uint32_t /*other*/) const override {
    return true;
  }

 private:
  class Member;

  // Advances the other cards to `time`, the edge that `leader` is about to reach.
  void step(const Member& leader, Picoseconds time);
  [[nodiscard]] Member& memberOf(std::uint32_t port) const;

  std::uint32_t ports_;  // of a card
  std::vector<std::unique_ptr<Member>> members_;
  sim::PortPeer* peer_ = nullptr;
  bool stepping_ = false;
};

}  // namespace plumbline::bench
