// The cables between simulated cards and the simulated DUT. Frames of the card become packets of
// the fabric; delivered packets become frames again, as the switches changed them (transit.h), with
// times exact to the picosecond. Pauses cross the cable as PFC frames, both ways.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/card/card_group.h"
#include "bench/sim/sim_hosts.h"
#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "wire/ethernet.h"
#include "wire/flow_control.h"

namespace plumbline::bench {

// Frames of the link itself never enter the fabric as packets: the switch consumes MAC control,
// obeys PFC, and ignores 802.3x PAUSE and CC_Update. CBFC credits go to the fabric's model only;
// the card neither sends nor receives CC_Update frames.
class FabricLink final : public sim::PortPeer {
 public:
  // Port p of the cards is host hosts[p] of the DUT; the other hosts are simulated as the trial
  // says. `cards` must outlive the link, which connects itself and disconnects in its destructor.
  FabricLink(CardGroup& cards, const TrialSpec& spec, std::vector<std::uint32_t> hosts);
  ~FabricLink() override;
  FabricLink(const FabricLink&) = delete;
  FabricLink& operator=(const FabricLink&) = delete;

  // Sets the fabric's time zero to the card's time `start`. Before this call the fabric stands
  // still, and nothing may be sent.
  void startAt(Picoseconds start);

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override;
  // On a bare link preambles reach the other end unchanged, and ordered sets bypass the fabric.
  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                       sim::Preamble preamble) override;
  void onSetFromCard(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) override;
  void advanceTo(Picoseconds now) override;

  // For observers, before startAt(). `stamp` of a card's frame is the time of its first bit.
  [[nodiscard]] fabric::Fabric& fabric() { return fabric_; }
  [[nodiscard]] const fabric::Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const SimHosts& simHosts() const { return sim_hosts_; }
  // True when no frame of the card is inside the DUT.
  [[nodiscard]] bool empty() const { return in_flight_ == 0; }
  [[nodiscard]] std::uint64_t inFlight() const { return in_flight_; }
  [[nodiscard]] std::uint64_t framesFromCard() const { return frames_from_card_; }
  [[nodiscard]] std::uint64_t framesToCard() const;
  // Frames put on the wire towards one port of the card, PFC frames included.
  [[nodiscard]] std::uint64_t framesToPort(std::uint32_t port) const { return to_port_.at(port); }
  // Frames that were damaged at card port `port` and that the DUT discarded: a switch discards a
  // bad FCS, a bare link passes everything.
  [[nodiscard]] std::uint64_t discarded(std::uint32_t port) const { return discarded_.at(port); }
  // Frames of the card that a switch cannot forward (bad FCS, unknown address, TTL too small) or
  // that left at a host without a tester port: each is a fault of the tester. Only the first few
  // are described.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  // A frame inside the fabric; its packet's cookie is its index. A duplicated packet ends twice.
  struct Pending {
    sim::FrameBytes bytes;
    std::uint32_t copies = 0;
    sim::Preamble preamble = sim::kOrdinaryPreamble;
  };

  [[nodiscard]] bool ofCard(const fabric::Packet& packet) const;
  void reject(std::uint32_t port, const std::string& why);
  void endCopy(std::uint64_t cookie);
  void onDamagedFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit);
  void enter(std::uint32_t port, sim::FrameBytes frame, fabric::Packet packet,
             Picoseconds first_bit);
  void onPfcFromCard(std::uint32_t port, const wire::PfcHeader& pfc, Picoseconds first_bit);
  void onDelivery(fabric::HostId host, const fabric::Packet& packet, Picoseconds first_bit);
  void onPause(fabric::HostId host, fabric::PriorityMask enabled, fabric::PriorityMask xoff,
               std::uint16_t quanta, Picoseconds first_bit);
  void deliver(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
               sim::Preamble preamble = sim::kOrdinaryPreamble);

  CardGroup& cards_;
  fabric::Fabric fabric_;
  std::vector<std::uint32_t> hosts_;  // by port
  SimHosts sim_hosts_;
  transport::RoceSpec roce_;  // of simulated hosts, for their frames to the card
  bool pfc_;                  // the fabric's pauses are PFC, not credits
  bool without_switch_;       // no switch: frames are not inspected on their way
  Picoseconds link_delay_;    // of a bare link
  sim::Preamble preamble_ = sim::kOrdinaryPreamble;     // of the frame that arrives from the card
  Picoseconds origin_ = fabric::kNever;                 // card time of the fabric's time zero
  std::vector<std::uint32_t> port_of_host_;             // kNoPort where no tester port is
  std::map<wire::MacAddress, fabric::HostId> host_of_;  // by its address
  std::vector<std::map<std::uint64_t, std::uint32_t>>
      duplicates_;  // by port: copies of its frame n
  std::vector<std::uint64_t> sent_by_port_;
  std::vector<std::uint64_t> to_port_;
  std::vector<bool> damages_;             // by port: what it sends is damaged on purpose
  std::vector<std::uint64_t> discarded_;  // by port
  std::vector<Pending> pending_;
  std::vector<std::uint64_t> free_;  // cookies not in use
  std::uint64_t in_flight_ = 0;
  std::uint64_t frames_from_card_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace plumbline::bench
