// The tester card as a Verilated model with exact wire times around it.
//
//   driver ──AXI4-Lite──► plumb_card ──AXI4-Stream──► MAC model ──► PortPeer (the DUT)
//                                    ◄──AXI4-Stream── MAC model ◄── deliver()
//
// Edge n of the card clock is at floor(n·102400/33) ps of simulated time (docs/card.md, "Time");
// the card's own time is equal to it until the driver sets it. The MAC model serialises at the line
// rate: first beat across the boundary + kMacTxLatency is the earliest time of a frame's first bit
// (after the SFD) on the wire; starts are aligned to 8-byte columns of the line and the gap
// averages 12 bytes by a deficit idle count of 0 to 7, so that it is never below 5 bytes (FACTS
// I.3). Receiving, a beat is presented at the first clock edge at or after the arrival of its last
// byte + kMacRxLatency: the first one 64 byte times + kMacRxLatency after the frame's first bit.
// Not modelled: PCS lanes, FEC, alignment markers, clock offset between card and DUT.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/register_bus.h"
#include "sim/wire.h"

namespace plumbline::sim {

class CardModel;
class DeviceMemory;

// The peer of the card's ports.
class PortPeer {
 public:
  virtual ~PortPeer() = default;
  // The card has sent a frame; its first bit (after the SFD) is on the wire at `first_bit`. Called
  // when the last beat has crossed the MAC boundary, so `first_bit` may lie up to the frame's AXI
  // time (450 ns for 9216 bytes) in the past, or up to kMacTxLatency in the future.
  virtual void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit) = 0;
  // The same with the frame's preamble, for peers that use it.
  virtual void onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                               Preamble preamble);
  // The card has sent a control ordered set; its column begins on the wire at `begin`, at most
  // kMacTxLatency in the future. The default discards it.
  virtual void onSetFromCard(std::uint32_t port, OrderedSet set, Picoseconds begin);
  // Time has advanced to `now`; the peer may call CardSim::deliver() for frames arriving from now
  // on. Called before every clock edge.
  virtual void advanceTo(Picoseconds now) = 0;
};

struct CardSimOptions {
  std::uint32_t ports = 2;     // 2 or 4; 1 and 8 are options of the build
  std::string trace_fst = {};  // file for a waveform; empty = none
  // Bytes that may wait in a MAC for the wire before it stalls the card. A card that paces its
  // frames to the line rate never fills the default.
  std::int64_t mac_fifo_bytes = 8192;
};

class CardSim final : public card::RegisterBus {
 public:
  // Throws Error(kUnsupported) for a port count no model was built for.
  explicit CardSim(const CardSimOptions& options);
  // A card with access to `memory`, which must outlive it: `model` is of makeHostCardModel(). Its
  // captures end there, and readCaptured() is always empty.
  CardSim(const CardSimOptions& options, std::unique_ptr<CardModel> model,
          const DeviceMemory& memory);
  ~CardSim() override;
  CardSim(const CardSim&) = delete;
  CardSim& operator=(const CardSim&) = delete;

  // Connects the ports; with nullptr nothing is connected. The peer must outlive its use.
  void connect(PortPeer* peer);
  // Puts a frame (with FCS) on the wire towards `port`, its first bit (after the SFD) arriving at
  // `first_bit` >= now(). Per port in time order, not overlapping; throws Error(kTester) otherwise.
  void deliver(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
               Preamble preamble = kOrdinaryPreamble);
  // The same for a control ordered set whose column begins to arrive at `begin`. Per port in time
  // order among themselves.
  void deliverSet(std::uint32_t port, OrderedSet set, Picoseconds begin);
  // Whether the MAC of `port` has a link, from the next clock on. Initially all have.
  void setLink(std::uint32_t port, bool up);
  // The card's input for a pulse per second, from now on: the next clock edge samples it. Low at
  // first.
  void setPps(bool level);
  // The card's output, as it is since the last clock edge.
  [[nodiscard]] bool pps() const;

  // Runs the clock until `time`: to the first edge at or after it.
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const;
  [[nodiscard]] std::uint64_t cycles() const;
  [[nodiscard]] WireStats wireStats(std::uint32_t port) const;

  // RegisterBus: every access is an AXI4-Lite transaction and takes simulated time.
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  void wait(Picoseconds duration) override;
  std::vector<card::CapturedFrame> readCaptured() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::sim
