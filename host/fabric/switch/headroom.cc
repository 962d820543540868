#include "fabric/switch/headroom.h"

#include "fabric/engine/counters.h"

namespace plumbline::fabric {

Bytes headroomNeed(const Link& link, const SwitchSpec& switches, Bytes longest) {
  const Picoseconds loop = 2 * link.delay + switches.latency + switches.pfc->response;
  constexpr Int128 kBitPicoseconds = Int128{8} * 1'000'000'000'000;
  const Int128 in_flight = static_cast<Int128>(link.rate.bitsPerSecond()) * loop.count();
  const auto bytes = static_cast<std::int64_t>((in_flight + kBitPicoseconds - 1) / kBitPicoseconds);
  return 2 * (longest + kWireOverheadBytes) + Bytes(kControlFrameBytes) + kWireOverheadBytes +
         Bytes(bytes);
}

std::optional<HeadroomNeed> largestHeadroomNeed(const Topology& topology,
                                                const SwitchSpec& switches, Bytes longest) {
  if (!switches.pfc) return std::nullopt;
  HeadroomNeed need;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& link = topology.links()[id];
    if (topology.nodes()[link.to].kind != NodeKind::kSwitch) continue;
    ++need.links;
    const Bytes bytes = headroomNeed(link, switches, longest);
    if (bytes > switches.pfc->headroom) ++need.short_of_it;
    if (bytes <= need.bytes) continue;
    need.bytes = bytes;
    need.link = id;
  }
  return need.links == 0 ? std::nullopt : std::optional(need);
}

}  // namespace plumbline::fabric
