#include "bench/sim/route_probe.h"

#include <algorithm>

namespace plumbline::bench {
namespace {

// The smallest MTU is 256 bytes of payload; acknowledgements are far smaller.
constexpr std::uint16_t kMinData = 256;

}  // namespace

void RouteProbe::onRecord(const fabric::Record& record) {
  const fabric::Packet& packet = record.packet;
  if (packet.length < kMinData) return;
  bytes_[{packet.source, packet.destination}][record.link] += packet.length;
}

std::map<std::pair<fabric::HostId, fabric::HostId>, std::vector<LinkUse>> RouteProbe::routes()
    const {
  std::map<std::pair<fabric::HostId, fabric::HostId>, std::vector<LinkUse>> routes;
  for (const auto& [pair, links] : bytes_) {
    // All bytes crossed the sender's own link.
    std::uint64_t all = 0;
    for (const auto& [link, bytes] : links) all = std::max(all, bytes);
    for (const auto& [link, bytes] : links) {
      routes[pair].push_back({link, static_cast<double>(bytes) / static_cast<double>(all)});
    }
  }
  return routes;
}

}  // namespace plumbline::bench
