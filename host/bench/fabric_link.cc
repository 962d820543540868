#include "bench/fabric_link.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "bench/packet.h"
#include "wire/addresses.h"
#include "wire/frame.h"

namespace plumbline::bench {
namespace {

constexpr std::uint32_t kNoPort = ~std::uint32_t{0};
constexpr std::size_t kMaxFaults = 8;

}  // namespace

FabricLink::FabricLink(sim::CardSim& card, const fabric::FabricSpec& spec,
                       std::vector<std::uint32_t> hosts)
    : card_(card),
      fabric_(spec),
      hosts_(std::move(hosts)),
      port_of_host_(fabric_.hostCount(), kNoPort),
      duplicates_(hosts_.size()),
      sent_by_port_(hosts_.size()),
      to_port_(hosts_.size()) {
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) port_of_host_[hosts_[port]] = port;
  for (std::uint32_t host = 0; host < fabric_.hostCount(); ++host) {
    host_of_[wire::hostMac(host)] = host;
  }
  for (const auto& impairment : spec.impairments) {
    const std::uint32_t port = port_of_host_.at(impairment.host);
    if (impairment.kind == fabric::ImpairmentKind::kDuplicate && port != kNoPort) {
      ++duplicates_[port][impairment.frame];
    }
  }
  fabric_.onDeliver([this](fabric::HostId host, const fabric::Packet& packet,
                           Picoseconds first_bit) { onDelivery(host, packet, first_bit); });
  fabric_.onDrop([this](const fabric::Packet& packet, Picoseconds, fabric::DropReason) {
    endCopy(packet.cookie);
  });
  // The card's time goes on from trial to trial; the fabric's begins here.
  fabric_.runUntil(card_.now());
  card_.connect(this);
}

FabricLink::~FabricLink() { card_.connect(nullptr); }

std::uint64_t FabricLink::framesToCard() const {
  return std::accumulate(to_port_.begin(), to_port_.end(), std::uint64_t{0});
}

void FabricLink::onFrameFromCard(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) {
  ++frames_from_card_;
  if (port >= hosts_.size()) {
    reject(port, "a port that has nothing to send sent a frame");
    return;
  }
  const wire::DecodedFrame decoded = wire::decodeFrame(*frame);
  if (!decoded.fcs || !decoded.fcs->ok()) {
    reject(port, "a frame has a bad FCS");
    return;
  }
  const auto destination = host_of_.find(decoded.ethernet.destination);
  if (destination == host_of_.end()) {
    reject(port,
           fmt::format("no host has the address {}", decoded.ethernet.destination.toString()));
    return;
  }
  fabric::Packet packet = packetOf(decoded, destination->second);
  if (free_.empty()) {
    free_.push_back(pending_.size());
    pending_.emplace_back();
  }
  packet.cookie = free_.back();
  free_.pop_back();
  const auto& duplicates = duplicates_[port];
  const auto extra = duplicates.find(sent_by_port_[port]);
  const std::uint32_t copies = 1 + (extra == duplicates.end() ? 0 : extra->second);
  pending_[packet.cookie] = {std::move(frame), copies};
  in_flight_ += copies;
  ++sent_by_port_[port];
  fabric_.send(hosts_[port], packet, first_bit);
}

void FabricLink::advanceTo(Picoseconds now) { fabric_.runUntil(now); }

void FabricLink::onDelivery(fabric::HostId host, const fabric::Packet& packet,
                            Picoseconds first_bit) {
  const std::uint32_t port = port_of_host_.at(host);
  if (port == kNoPort) {
    reject(port, fmt::format("a frame came out at host {}, where no tester port is", host));
  } else {
    ++to_port_[port];
    card_.deliver(port, pending_[packet.cookie].bytes, first_bit);
  }
  endCopy(packet.cookie);
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
