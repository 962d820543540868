// A cable between ports of the simulated card: frames of one port arrive at the other, unless a
// script changes or loses them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/card_sim.h"

namespace plumbline::sim {

// Joins two ports of a CardSim back to back, with the same delay in both directions. Scripts can
// change or lose frames, preambles and ordered sets; a link that is down loses everything sent
// meanwhile, and both ports see it as down.
class BareLink final : public PortPeer {
 public:
  // A frame in transit; a script may change bytes and preamble.
  struct Frame {
    std::vector<std::uint8_t> bytes;  // with FCS
    Preamble preamble;
    Picoseconds first_bit;  // leaving the sender
  };

  // Connects itself to `card`, which must outlive it. `delay` is from the first bit leaving one
  // port to its arrival at the other; at least minimumDelay().
  BareLink(CardSim& card, std::uint32_t left, std::uint32_t right, Picoseconds delay);
  ~BareLink() override;
  BareLink(const BareLink&) = delete;
  BareLink& operator=(const BareLink&) = delete;

  // A frame becomes known when its last beat has left the card, and must not have arrived by then.
  [[nodiscard]] static constexpr Picoseconds minimumDelay() { return nanoseconds(500); }

  // Scripts: called with the sending port for every frame and ordered set; returning false loses
  // it. Without a script everything passes.
  std::function<bool(std::uint32_t port, Frame& frame)> on_frame;
  std::function<bool(std::uint32_t port, OrderedSet& set)> on_set;

  // Takes the link down or up, for both ports, from now on.
  void setUp(bool up);

  void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit) override;
  void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                       Preamble preamble) override;
  void onSetFromCard(std::uint32_t port, OrderedSet set, Picoseconds begin) override;
  void advanceTo(Picoseconds /*now*/) override {}

 private:
  [[nodiscard]] std::uint32_t other(std::uint32_t port) const;

  CardSim& card_;
  std::array<std::uint32_t, 2> ports_;
  Picoseconds delay_;
  bool up_ = true;
};

}  // namespace plumbline::sim
