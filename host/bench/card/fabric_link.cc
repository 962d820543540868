#include "bench/card/fabric_link.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "bench/card/packet.h"
#include "bench/card/transit.h"
#include "bench/sim/sim_frame.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

constexpr std::uint32_t kNoPort = ~std::uint32_t{0};
constexpr std::size_t kMaxFaults = 8;
// Source address of the PFC frames of switch ports.
constexpr wire::MacAddress kSwitchMac{{0x02, 0x00, 0x00, 0xFF, 0x00, 0x00}};

// Transport of simulated hosts when it can come to the card (see RtlBench::refusals()).
transport::RoceSpec roceOf(const TrialSpec& spec) {
  if (!spec.transport) return {};
  const auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport);
  return roce != nullptr ? *roce : transport::RoceSpec{};
}

wire::Buffer pfcFrame(fabric::PriorityMask enabled, fabric::PriorityMask xoff,
                      std::uint16_t quanta) {
  wire::PfcHeader pfc;
  pfc.enabled = enabled;
  for (unsigned p = 0; p < pfc.quanta.size(); ++p) {
    if ((enabled & xoff & 1U << p) != 0) pfc.quanta[p] = quanta;
  }
  wire::FrameSpec frame;
  frame.destination = wire::kMacControlAddress;
  frame.source = kSwitchMac;
  frame.network = pfc;
  return wire::encodeFrame(frame);
}

}  // namespace

FabricLink::FabricLink(CardGroup& cards, const TrialSpec& spec, std::vector<std::uint32_t> hosts)
    : cards_(cards),
      fabric_(spec.dut),
      hosts_(std::move(hosts)),
      sim_hosts_(spec, fabric_, std::set<fabric::HostId>(hosts_.begin(), hosts_.end())),
      roce_(roceOf(spec)),
      pfc_(!spec.dut.switches.cbfc),
      without_switch_(spec.dut.topology.kind == fabric::TopologyKind::kLink),
      link_delay_(spec.dut.topology.host_link_delay),
      port_of_host_(fabric_.hostCount(), kNoPort),
      duplicates_(hosts_.size()),
      sent_by_port_(hosts_.size()),
      to_port_(hosts_.size()),
      damages_(hosts_.size()),
      discarded_(hosts_.size()) {
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) port_of_host_[hosts_[port]] = port;
  for (std::uint32_t host = 0; host < fabric_.hostCount(); ++host) {
    host_of_[wire::hostMac(host)] = host;
  }
  for (const auto& impairment : spec.dut.impairments) {
    const std::uint32_t port = port_of_host_.at(impairment.host);
    if (impairment.kind == fabric::ImpairmentKind::kDuplicate && port != kNoPort) {
      ++duplicates_[port][impairment.frame];
    }
  }
  for (const DamageSpec& damage : spec.damage) {
    const std::uint32_t port = port_of_host_.at(damage.host);
    if (damage.direction == card::DamageDirection::kSent) damages_.at(port) = true;
  }
  fabric_.onDeliver([this](fabric::HostId host, const fabric::Packet& packet,
                           Picoseconds first_bit) { onDelivery(host, packet, first_bit); });
  fabric_.onPause([this](fabric::HostId host, fabric::PriorityMask enabled,
                         fabric::PriorityMask xoff, std::uint16_t quanta, Picoseconds first_bit) {
    onPause(host, enabled, xoff, quanta, first_bit);
  });
  fabric_.onDrop([this](const fabric::Packet& packet, Picoseconds, fabric::DropReason) {
    if (ofCard(packet)) endCopy(packet.extra);
  });
  cards_.connect(this);
}

FabricLink::~FabricLink() { cards_.connect(nullptr); }

void FabricLink::startAt(Picoseconds start) { origin_ = start; }

std::uint64_t FabricLink::framesToCard() const {
  return std::accumulate(to_port_.begin(), to_port_.end(), std::uint64_t{0});
}

bool FabricLink::ofCard(const fabric::Packet& packet) const {
  return port_of_host_[packet.source] != kNoPort;
}

void FabricLink::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                                 sim::Preamble preamble) {
  // A switch generates the preamble of a frame that it forwards.
  preamble_ = without_switch_ ? preamble : sim::kOrdinaryPreamble;
  onFrameFromCard(port, std::move(frame), first_bit);
}

void FabricLink::onSetFromCard(std::uint32_t port, sim::OrderedSet set, Picoseconds begin) {
  if (!without_switch_ || port >= hosts_.size()) return;
  const std::uint32_t other = port_of_host_.at(1 - hosts_[port]);
  if (other != kNoPort) cards_.deliverSet(other, set, begin + link_delay_);
}

void FabricLink::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) {
  const wire::DecodedFrame decoded = wire::decodeFrame(*frame);
  const bool intact = decoded.fcs && decoded.fcs->ok();
  const bool expected = port < hosts_.size() && origin_ != fabric::kNever;
  const bool control = decoded.ethernet.ether_type == wire::ether_type::kMacControl;
  if (intact && expected && control) {
    if (decoded.pfc() != nullptr) onPfcFromCard(port, *decoded.pfc(), first_bit - origin_);
    return;
  }
  if (!control) ++frames_from_card_;
  if (!expected) {
    reject(port, "a port that has nothing to send sent a frame");
    return;
  }
  if (!intact && damages_[port]) {
    onDamagedFromCard(port, std::move(frame), first_bit);
    return;
  }
  if (!intact) {
    reject(port, "a frame has a bad FCS");
    return;
  }
  const auto destination = host_of_.find(decoded.ethernet.destination);
  if (destination == host_of_.end()) {
    reject(port,
           fmt::format("no host has the address {}", decoded.ethernet.destination.toString()));
    return;
  }
  if (sim_hosts_.simulated(destination->second)) {
    reject(port, fmt::format("a frame is for host {}, which is simulated", destination->second));
    return;
  }
  enter(port, std::move(frame), packetOf(decoded, destination->second), first_bit);
}

// The headers of a damaged frame may be wrong: on a bare link it leaves at the other end.
void FabricLink::onDamagedFromCard(std::uint32_t port, sim::FrameBytes frame,
                                   Picoseconds first_bit) {
  if (!without_switch_) {
    ++discarded_[port];
    return;
  }
  fabric::Packet packet;
  packet.length = static_cast<std::uint16_t>(frame->size());
  packet.destination = static_cast<std::uint16_t>(1 - hosts_[port]);
  packet.opcode = kCardFrameOpcode;
  enter(port, std::move(frame), packet, first_bit);
}

// Sends a card port's frame into the fabric; the packet's receiver gets the frame's bytes.
void FabricLink::enter(std::uint32_t port, sim::FrameBytes frame, fabric::Packet packet,
                       Picoseconds first_bit) {
  packet.stamp = static_cast<std::uint64_t>((first_bit - origin_).count());
  if (free_.empty()) {
    free_.push_back(pending_.size());
    pending_.emplace_back();
  }
  packet.extra = free_.back();
  free_.pop_back();
  const auto& duplicates = duplicates_[port];
  const auto extra = duplicates.find(sent_by_port_[port]);
  const std::uint32_t copies = 1 + (extra == duplicates.end() ? 0 : extra->second);
  pending_[packet.extra] = {std::move(frame), copies, preamble_};
  in_flight_ += copies;
  ++sent_by_port_[port];
  fabric_.send(hosts_[port], packet, first_bit - origin_);
}

// A PFC frame may name a time per priority, a pause of the fabric has one for all.
void FabricLink::onPfcFromCard(std::uint32_t port, const wire::PfcHeader& pfc,
                               Picoseconds first_bit) {
  fabric::PriorityMask xoff = 0;
  std::uint16_t quanta = 0;
  for (unsigned p = 0; p < pfc.quanta.size(); ++p) {
    if ((pfc.enabled & 1U << p) == 0 || pfc.quanta[p] == 0) continue;
    if (xoff != 0 && pfc.quanta[p] != quanta) {
      reject(port, "a PFC frame pauses priorities for different times, which is not modelled");
      return;
    }
    xoff |= static_cast<fabric::PriorityMask>(1U << p);
    quanta = pfc.quanta[p];
  }
  fabric_.sendPause(hosts_[port], pfc.enabled, xoff, quanta, first_bit);
}

void FabricLink::advanceTo(Picoseconds now) {
  if (now >= origin_) fabric_.runUntil(now - origin_);
}

void FabricLink::onDelivery(fabric::HostId host, const fabric::Packet& packet,
                            Picoseconds first_bit) {
  const std::uint32_t port = port_of_host_.at(host);
  if (!ofCard(packet)) {
    deliver(port, std::make_shared<wire::Buffer>(frameOf(packet, roce_)), first_bit);
    return;
  }
  const sim::FrameBytes& sent = pending_[packet.extra].bytes;
  if (port == kNoPort) {
    reject(port, fmt::format("a frame came out at host {}, where no tester port is", host));
  } else if (unmodified(packet)) {
    deliver(port, sent, first_bit, pending_[packet.extra].preamble);
  } else if (std::optional<wire::Buffer> changed = afterTransit(*sent, packet)) {
    deliver(port, std::make_shared<wire::Buffer>(std::move(*changed)), first_bit);
  } else {
    reject(port, fmt::format("the TTL of a frame does not last for {} switches", packet.hops));
  }
  endCopy(packet.extra);
}

void FabricLink::onPause(fabric::HostId host, fabric::PriorityMask enabled,
                         fabric::PriorityMask xoff, std::uint16_t quanta, Picoseconds first_bit) {
  const std::uint32_t port = port_of_host_.at(host);
  if (port == kNoPort || !pfc_) return;
  deliver(port, std::make_shared<wire::Buffer>(pfcFrame(enabled, xoff, quanta)), first_bit);
}

void FabricLink::deliver(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
                         sim::Preamble preamble) {
  ++to_port_[port];
  cards_.deliver(port, std::move(frame), first_bit + origin_, preamble);
}

void FabricLink::endCopy(std::uint64_t cookie) {
  --in_flight_;
  if (--pending_[cookie].copies > 0) return;
  pending_[cookie].bytes.reset();
  free_.push_back(cookie);
}

void FabricLink::reject(std::uint32_t port, const std::string& why) {
  if (faults_.size() >= kMaxFaults) return;
  faults_.push_back(port == kNoPort ? why : fmt::format("card port {}: {}", port, why));
}

}  // namespace plumbline::bench
