#include "bench/sim/base_rtt.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "bench/trial/longest_frame.h"
#include "fabric/spec/fabric_plan.h"
#include "transport/roce/roce_packet.h"
#include "transport/uet/uet_wire.h"
#include "workload/placement.h"

namespace plumbline::bench {
namespace {

using fabric::HostId;

const fabric::Link& linkOf(const fabric::FabricPlan& fabric, HostId host) {
  const fabric::Topology& topology = fabric.topology();
  return topology.links()[topology.nodes()[topology.hosts()[host]].out_links.front()];
}

// Two hosts of `hosts` per switch and kind of connection: their distances to all other hosts are
// those of the remaining ones.
std::vector<HostId> representatives(const fabric::FabricPlan& fabric,
                                    const std::vector<HostId>& hosts) {
  std::map<std::tuple<fabric::NodeId, std::int64_t, Picoseconds>, int> seen;
  std::vector<HostId> chosen;
  for (const HostId host : hosts) {
    const fabric::Link& link = linkOf(fabric, host);
    if (++seen[{link.to, link.rate.bitsPerSecond(), link.delay}] <= 2) chosen.push_back(host);
  }
  return chosen;
}

// From the first bit sent to the last bit received.
Picoseconds transitTime(const fabric::FabricPlan& fabric, HostId from, HostId to, Bytes frame) {
  return fabric.unloadedLatency(from, to, frame) +
         serializationTime(frame, linkOf(fabric, to).rate);
}

struct Frames {
  Bytes data;
  Bytes ack;
};

// Zero if there are fewer than two hosts.
Picoseconds longestRoundTrip(const fabric::FabricPlan& fabric, const std::vector<HostId>& hosts,
                             const Frames& frames) {
  Picoseconds longest;
  const std::vector<HostId> ends = representatives(fabric, hosts);
  for (const HostId from : ends) {
    for (const HostId to : ends) {
      if (from == to) continue;
      longest = std::max(longest, transitTime(fabric, from, to, frames.data) +
                                      transitTime(fabric, to, from, frames.ack));
    }
  }
  return longest;
}

Frames framesOf(const TransportSpec& transport) {
  const Bytes data = longestFrame(transport);
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    return {data, Bytes(transport::RoceFrames(*roce).bytes(transport::roce_code::kAcknowledge, 0))};
  }
  return {data, Bytes(transport::frameBytes(std::get<transport::UetSpec>(transport),
                                            transport::PdsType::kAckCc, 0, 0))};
}

// The shortest of InfiniBand that is not below `time`, nor below `least`.
Picoseconds localAckTimeout(Picoseconds time, Picoseconds least) {
  constexpr unsigned kLongestCode = 31;
  for (unsigned code = 1; code < kLongestCode; ++code) {
    const Picoseconds timeout = transport::RoceSpec::localAckTimeout(code);
    if (timeout >= time && timeout >= least) return timeout;
  }
  return transport::RoceSpec::localAckTimeout(kLongestCode);
}

}  // namespace

Picoseconds idleRoundTrip(const fabric::FabricSpec& dut,
                          const std::optional<workload::WorkloadSpec>& workload,
                          const TransportSpec& transport) {
  const fabric::FabricPlan fabric(dut);
  const Frames frames = framesOf(transport);
  Picoseconds longest;
  if (workload) {
    for (const auto& hosts : workload::placeJobs(workload->jobs, fabric.hostCount())) {
      longest = std::max(longest, longestRoundTrip(fabric, hosts, frames));
    }
  }
  if (longest > Picoseconds()) return longest;
  std::vector<HostId> all(fabric.hostCount());
  std::iota(all.begin(), all.end(), 0U);
  return longestRoundTrip(fabric, all, frames);
}

void fitToPath(TransportSpec& transport, const fabric::FabricSpec& dut,
               const std::optional<workload::WorkloadSpec>& workload) {
  const Picoseconds round_trip = idleRoundTrip(dut, workload, transport);
  const Picoseconds least = round_trip * 2;
  if (auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    if (roce->ack_timeout < least) roce->ack_timeout = localAckTimeout(least, roce->ack_timeout);
    roce->max_ack_timeout = std::max(roce->max_ack_timeout, roce->ack_timeout);
  } else {
    auto& uet = std::get<transport::UetSpec>(transport);
    uet.base_rtt = round_trip;
    uet.rto = std::clamp(least, uet.rto, transport::UetSpec::kMaxRto);
  }
}

}  // namespace plumbline::bench
