// The cable between the simulated card and the simulated DUT: frames of the card become packets of
// the fabric, and packets that the fabric delivers become the card's frames again, byte for byte
// and to the picosecond.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/fabric.h"
#include "sim/card_sim.h"
#include "wire/ethernet.h"

namespace plumbline::bench {

class FabricLink final : public sim::PortPeer {
 public:
  // Port p of the card is host hosts[p] of the DUT. `card` must outlive the link; the link connects
  // itself to it and disconnects at its end.
  FabricLink(sim::CardSim& card, const fabric::FabricSpec& spec, std::vector<std::uint32_t> hosts);
  ~FabricLink() override;
  FabricLink(const FabricLink&) = delete;
  FabricLink& operator=(const FabricLink&) = delete;

  void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) override;
  void advanceTo(Picoseconds now) override;

  [[nodiscard]] const fabric::Fabric& fabric() const { return fabric_; }
  // True when no frame is inside the DUT.
  [[nodiscard]] bool empty() const { return in_flight_ == 0; }
  [[nodiscard]] std::uint64_t inFlight() const { return in_flight_; }
  [[nodiscard]] std::uint64_t framesFromCard() const { return frames_from_card_; }
  [[nodiscard]] std::uint64_t framesToCard() const;
  // Frames put on the wire towards one port of the card.
  [[nodiscard]] std::uint64_t framesToPort(std::uint32_t port) const { return to_port_.at(port); }
  // Frames of the card that no switch would forward (bad FCS, unknown address) or that came out
  // where no tester port is: each a fault of the tester. Only the first few are described.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  // A frame inside the fabric; its packet's cookie is its index. A duplicated packet ends twice.
  struct Pending {
    sim::FrameBytes bytes;
    std::uint32_t copies = 0;
  };

  void reject(std::uint32_t port, const std::string& why);
  void endCopy(std::uint64_t cookie);
  void onDelivery(fabric::HostId host, const fabric::Packet& packet, Picoseconds first_bit);

  sim::CardSim& card_;
  fabric::Fabric fabric_;
  std::vector<std::uint32_t> hosts_;                    // by port
  std::vector<std::uint32_t> port_of_host_;             // kNoPort where no tester port is
  std::map<wire::MacAddress, fabric::HostId> host_of_;  // by its address
  std::vector<std::map<std::uint64_t, std::uint32_t>>
      duplicates_;  // by port: copies of its frame n
  std::vector<std::uint64_t> sent_by_port_;
  std::vector<std::uint64_t> to_port_;
  std::vector<Pending> pending_;
  std::vector<std::uint64_t> free_;  // cookies not in use
  std::uint64_t in_flight_ = 0;
  std::uint64_t frames_from_card_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace plumbline::bench
