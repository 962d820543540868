#include "tests/fabric/traffic.h"

#include <algorithm>
#include <tuple>

#include "base/random.h"

namespace plumbline::fabric::testing {

FabricSpec linkSpec() {
  FabricSpec spec;
  spec.topology.kind = TopologyKind::kLink;
  return spec;
}

FabricSpec switchSpec(std::uint32_t hosts) {
  FabricSpec spec;
  spec.topology.kind = TopologyKind::kSingleSwitch;
  spec.topology.hosts = hosts;
  return spec;
}

FabricSpec closSpec(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf) {
  FabricSpec spec;
  spec.topology.kind = TopologyKind::kClos2;
  spec.topology.leaves = leaves;
  spec.topology.spines = spines;
  spec.topology.hosts_per_leaf = hosts_per_leaf;
  return spec;
}

Packet packetTo(HostId from, HostId to, std::uint32_t length, std::uint64_t cookie) {
  Packet packet;
  packet.extra = cookie;
  packet.flow_hash = static_cast<std::uint32_t>(mix64((std::uint64_t{from} << 32) | to));
  packet.length = static_cast<std::uint16_t>(length);
  packet.destination = static_cast<std::uint16_t>(to);
  return packet;
}

std::vector<Sending> randomTraffic(std::uint32_t hosts, std::uint32_t frames_per_host,
                                   std::uint32_t load_percent, std::uint64_t seed) {
  std::vector<Sending> all;
  for (HostId from = 0; from < hosts; ++from) {
    RandomStream random(seed, "traffic/" + std::to_string(from));
    Picoseconds time;
    for (std::uint32_t i = 0; i < frames_per_host; ++i) {
      // Mostly small frames, so that many meet; the rest up to the largest.
      const auto length = static_cast<std::uint32_t>(random.below(4) == 0 ? 64 + random.below(9153)
                                                                          : 64 + random.below(200));
      HostId to = static_cast<HostId>(random.below(hosts - 1));
      if (to >= from) ++to;
      // Idle time is uniform with the mean that gives the load.
      const std::uint64_t slot = length + 20;
      const std::uint64_t mean_idle = slot * (100 - load_percent) / load_percent;
      time += bytesTime(static_cast<std::int64_t>(random.below(2 * mean_idle + 1)));
      all.push_back({from, packetTo(from, to, length), time});
      time += bytesTime(static_cast<std::int64_t>(slot));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Sending& a, const Sending& b) {
    return std::tie(a.first_bit, a.from) < std::tie(b.first_bit, b.from);
  });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].packet.extra = i;
  return all;
}

void Log::watch(Fabric& fabric) {
  fabric.onDeliver([this](HostId to, const Packet& packet, Picoseconds time) {
    deliveries.push_back({to, packet.extra, packet.length, time});
  });
  fabric.onDrop([this](const Packet& packet, Picoseconds time, DropReason reason) {
    losses.push_back({packet.extra, packet.length, time, reason});
  });
}

void drain(Fabric& fabric) {
  while (const auto next = fabric.nextEvent()) fabric.runUntil(*next);
}

Log runAll(Fabric& fabric, const std::vector<Sending>& traffic) {
  Log log;
  log.watch(fabric);
  for (const Sending& one : traffic) fabric.send(one.from, one.packet, one.first_bit);
  drain(fabric);
  fabric.onDeliver({});
  fabric.onDrop({});
  return log;
}

Log runAll(const FabricSpec& spec, const std::vector<Sending>& traffic) {
  Fabric fabric(spec);
  return runAll(fabric, traffic);
}

}  // namespace plumbline::fabric::testing
