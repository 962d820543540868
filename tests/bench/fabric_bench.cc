// links: plumbline_fabric
// Cost of the simulated DUT: CPU time per packet-hop (one packet crossing one link) on a
// leaf–spine fabric of 128 hosts (8 leaves, 16 spines, 16 hosts per leaf) at 400 Gb/s with 4 KiB
// frames, from send() to delivery. docs/fabric-model.md states the figures.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "base/random.h"
#include "base/units.h"
#include "fabric/fabric.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own
using fabric::Fabric;
using fabric::FabricSpec;
using fabric::HostId;
using fabric::Packet;

constexpr std::uint32_t kHosts = 128;
constexpr std::uint32_t kFrame = 4096;
constexpr BitRate kRate = gigabitsPerSecond(400);

FabricSpec spec() {
  FabricSpec spec;
  spec.topology.kind = fabric::TopologyKind::kClos2;
  spec.topology.leaves = 8;
  spec.topology.spines = 16;
  spec.topology.hosts_per_leaf = 16;
  spec.topology.link_rate = kRate;
  spec.topology.host_link_delay = microseconds(1);
  spec.topology.fabric_link_delay = microseconds(1);
  spec.switches.buffer_per_port = Bytes(std::int64_t{1} << 30);
  return spec;
}

// Sends `frames` frames from every host in `senders` at line rate, in rounds of a microsecond, as
// a bench would, and runs until all have arrived. `flow` gives the flow hash of a host's frame.
template <typename Destination, typename Flow>
void run(benchmark::State& state, HostId senders, std::uint64_t frames, Destination destination,
         Flow flow) {
  const Picoseconds slot = frameSlot(Bytes(kFrame), kRate);
  std::uint64_t hops = 0;
  for (auto _ : state) {
    Fabric fabric(spec());
    std::uint64_t delivered = 0;
    fabric.onDeliver([&](HostId, const Packet&, Picoseconds) { ++delivered; });
    for (std::uint64_t i = 0; i < frames; ++i) {
      const Picoseconds now = static_cast<std::int64_t>(i) * slot;
      for (HostId from = 0; from < senders; ++from) {
        Packet packet;
        packet.length = kFrame;
        packet.destination = static_cast<std::uint16_t>(destination(from));
        packet.flow_hash = static_cast<std::uint32_t>(flow(from, i));
        fabric.send(from, packet, now);
      }
      fabric.runUntil(now);
    }
    while (const auto next = fabric.nextEvent()) fabric.runUntil(*next + microseconds(1));
    if (delivered != senders * frames) state.SkipWithError("packets were lost");

    // Hops: every switch port's packets crossed its link, and each packet its host's link first.
    hops += senders * frames;
    for (const fabric::PortCounters& port : fabric.counters()) hops += port.packets;
  }
  state.counters["packet-hops"] =
      benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kAvgIterations);
  // Inverted rate: seconds per hop, printed with its SI prefix ("57.1n").
  state.counters["s_per_hop"] = benchmark::Counter(
      static_cast<double>(hops), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// 32 hosts of two leaves send to one: the queues on its path grow to 100,000 frames.
void incast(benchmark::State& state) {
  run(
      state, 32, 4096, [](HostId) { return kHosts - 1; },
      [](HostId from, std::uint64_t) { return mix64(from); });
}

// Every host sends to a host of another leaf, one flow each: paths collide as ECMP has it.
void permutation(benchmark::State& state) {
  run(
      state, kHosts, 4096, [](HostId from) { return (from + 17) % kHosts; },
      [](HostId from, std::uint64_t) { return mix64(from); });
}

// The same with a path chosen per packet, so that all links are busy alike.
void permutationSprayed(benchmark::State& state) {
  run(
      state, kHosts, 4096, [](HostId from) { return (from + 17) % kHosts; },
      [](HostId from, std::uint64_t i) { return mix64((std::uint64_t{from} << 32) | i); });
}

BENCHMARK(incast)->Unit(benchmark::kMillisecond)->Name("fabric/incast_32_to_1");
BENCHMARK(permutation)->Unit(benchmark::kMillisecond)->Name("fabric/permutation_128_ecmp");
BENCHMARK(permutationSprayed)->Unit(benchmark::kMillisecond)->Name("fabric/permutation_128_spray");

}  // namespace
