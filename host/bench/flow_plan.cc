#include "bench/flow_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "wire/addresses.h"
#include "wire/roce.h"
#include "wire/template.h"

namespace plumbline::bench {
namespace {

// UDP source ports of RoCE lie in the dynamic range (FACTS C.1).
constexpr std::uint32_t kFirstSourcePort = 0xC000;
constexpr std::uint32_t kSourcePorts = 0x4000;
// Queue pairs of different streams never meet: each has the card's maximum to itself.
constexpr std::uint32_t kFirstQp = 0x100;
constexpr std::uint32_t kQpsPerStream = 4096;
constexpr std::uint32_t kMaxStreams = 2048;  // rows of the card's receive table
// A frame that waits for nothing leaves within two clocks of its due time.
constexpr Picoseconds kLateThreshold = nanoseconds(10);

wire::StreamTemplateSpec templateSpec(const StreamSpec& stream, std::uint32_t index) {
  const FrameFormat& format = stream.format;
  wire::StreamTemplateSpec spec;
  spec.destination_mac = wire::hostMac(stream.to);
  spec.source_mac = wire::hostMac(stream.from);
  spec.vlan_id = format.vlan_id;
  spec.priority = format.priority;
  spec.ipv6 = format.ipv6;
  spec.source_ipv4 = wire::hostIpv4(stream.from);
  spec.destination_ipv4 = wire::hostIpv4(stream.to);
  spec.source_ipv6 = wire::hostIpv6(stream.from);
  spec.destination_ipv6 = wire::hostIpv6(stream.to);
  spec.dscp = format.dscp;
  spec.ecn = format.ect ? wire::Ecn::kEct0 : wire::Ecn::kNotEct;
  // Ports of one stream are consecutive, as a NIC's are for queue pairs opened one after another;
  // those of different streams lie anywhere, always at the same place for the same stream.
  const std::uint32_t span = kSourcePorts - std::min(format.qps, kSourcePorts - 1);
  spec.source_port = static_cast<std::uint16_t>(kFirstSourcePort + mix64(index) % span);
  switch (format.transport) {
    case Transport::kUdp:
      break;
    case Transport::kRoceSend:
      spec.roce_opcode = wire::roce_opcode::kRcSendOnly;
      break;
    case Transport::kRoceWrite:
      spec.roce_opcode = wire::roce_opcode::kRcWriteOnly;
      break;
  }
  spec.dest_qp = kFirstQp + index * kQpsPerStream;
  spec.virtual_address = 0x1000'0000'0000ULL + (static_cast<std::uint64_t>(index) << 32);
  spec.rkey = 0x1000 + index;
  spec.length = static_cast<std::uint32_t>(stream.frame.count());
  return spec;
}

struct Timing {
  card::FinePeriod period;
  std::uint32_t burst_frames = 1;
  std::uint32_t bursts = 1;
  card::FinePeriod burst_interval;
  std::uint64_t frames = 0;
};

Timing constantTiming(const StreamSpec& stream, Fraction rate, const TrialSpec& spec,
                      BitRate line) {
  Timing timing;
  timing.period = card::framePeriod(stream.frame, line, rate);
  timing.frames = card::framesWithin(spec.duration - stream.start, timing.period);
  if (timing.frames <= card::kMaxBurstFrames) {
    timing.burst_frames = static_cast<std::uint32_t>(timing.frames);
  } else {
    // More frames than a burst can have: as many bursts of one frame, on the same grid.
    timing.bursts = static_cast<std::uint32_t>(timing.frames);
    timing.burst_interval = timing.period;
  }
  return timing;
}

Timing burstTiming(const StreamSpec& stream, const BurstLoad& burst, BitRate line) {
  Timing timing;
  timing.period =
      card::FinePeriod::fromPicoseconds(frameSlot(stream.frame + burst.extra_gap, line));
  timing.burst_frames = burst.frames;
  timing.bursts = burst.bursts;
  timing.burst_interval = card::FinePeriod::fromPicoseconds(burst.interval);
  timing.frames = static_cast<std::uint64_t>(burst.frames) * burst.bursts;
  return timing;
}

Timing timingOf(const StreamSpec& stream, const TrialSpec& spec, BitRate line) {
  if (const auto* constant = std::get_if<ConstantLoad>(&stream.load)) {
    return constantTiming(stream, constant->rate, spec, line);
  }
  return burstTiming(stream, std::get<BurstLoad>(stream.load), line);
}

// The time of the last frame's due time plus one slot, rounded up.
Picoseconds endOf(const StreamSpec& stream, const Timing& timing, BitRate line) {
  const Int128 raw = static_cast<Int128>(timing.burst_interval.raw()) * (timing.bursts - 1) +
                     static_cast<Int128>(timing.period.raw()) * (timing.burst_frames - 1);
  const auto last = static_cast<std::int64_t>((raw >> card::FinePeriod::kFractionBits) + 1);
  return stream.start + Picoseconds(last) + frameSlot(stream.frame, line);
}

card::FlowConfig flowConfig(const StreamSpec& stream, std::uint32_t index, const Timing& timing) {
  const wire::StreamTemplateSpec spec = templateSpec(stream, index);
  const wire::StreamTemplate made = wire::makeStreamTemplate(spec);
  card::FlowConfig flow;
  flow.head.assign(made.bytes.begin(), made.bytes.end());
  flow.length = spec.length;
  flow.payload_offset = made.pay_off;
  flow.tag_offset = made.tag_off;
  flow.group = stream.group;
  flow.row = index;
  flow.vlan = spec.vlan_id.has_value();
  flow.ipv6 = spec.ipv6;
  flow.roce = spec.roce_opcode.has_value();
  flow.icrc = made.icrc;
  flow.modify_psn = flow.roce;
  flow.psn_base = spec.psn;
  flow.modify_qp = flow.roce;
  flow.qp_base = spec.dest_qp;
  flow.qp_count = stream.format.qps;
  flow.source_port_mode = card::SourcePortMode::kFollowsQp;
  flow.source_port_base = spec.source_port;
  flow.source_port_count = stream.format.qps;
  flow.priority = stream.format.priority;
  flow.first_due = stream.start;
  flow.period = timing.period;
  flow.burst_frames = timing.burst_frames;
  flow.bursts = timing.bursts;
  flow.burst_interval = timing.burst_interval;
  return flow;
}

// What is wrong with one stream by itself.
void refuseStream(const TrialSpec& spec, std::uint32_t index, const Capabilities& capabilities,
                  std::vector<std::string>& refusals) {
  const StreamSpec& stream = spec.streams[index];
  const auto refuse = [&](const std::string& why) {
    refusals.push_back(fmt::format("stream {} '{}': {}", index, stream.name, why));
  };
  const std::uint32_t hosts = spec.dut.hostCount();
  if (stream.from >= hosts || stream.to >= hosts) {
    refuse(fmt::format("from host {} to host {} of a DUT with {} hosts", stream.from, stream.to,
                       hosts));
    return;
  }
  if (stream.from == stream.to) refuse("from a host to itself");
  if (stream.group >= capabilities.groups) {
    refuse(fmt::format("latency group {}, the bench has {}", stream.group, capabilities.groups));
  }
  if (stream.format.qps == 0 || stream.format.qps > capabilities.max_qps) {
    refuse(fmt::format("{} queue pairs, the bench can do 1 to {}", stream.format.qps,
                       capabilities.max_qps));
  }
  if (stream.format.priority > 7 || stream.format.dscp > 63 ||
      stream.format.vlan_id.value_or(0) > 4095) {
    refuse("a priority above 7, a DSCP above 63 or a VLAN above 4095");
  }
  const std::uint32_t least = wire::minimumTaggedLength(templateSpec(stream, index));
  if (stream.frame.count() < least || stream.frame > capabilities.max_frame) {
    refuse(fmt::format("frames of {} B, these headers and the test tag need {} to {} B",
                       stream.frame.count(), least, capabilities.max_frame.count()));
  }
  if (stream.start < Picoseconds()) refuse("a start before the common start");
  try {
    const Timing timing = timingOf(stream, spec, capabilities.line_rate);
    if (timing.frames == 0) refuse("nothing to send in the trial's duration");
    if (timing.frames >= std::uint64_t{1} << 32) refuse("more than 2^32 frames");
  } catch (const Error& error) {
    refuse(error.what());
  }
  if (const auto* burst = std::get_if<BurstLoad>(&stream.load)) {
    if (burst->frames == 0 || burst->frames > card::kMaxBurstFrames || burst->bursts == 0) {
      refuse(fmt::format("{} bursts of {} frames, the card can do 1 to 2^24 frames in a burst",
                         burst->bursts, burst->frames));
    }
    const Picoseconds length =
        frameSlot(stream.frame + burst->extra_gap, capabilities.line_rate) * burst->frames;
    if (burst->extra_gap < Bytes(0)) refuse("a gap below the minimum");
    if (burst->bursts > 1 && burst->interval < length) {
      refuse("bursts that begin before the one before has ended");
    }
  }
}

}  // namespace

std::vector<std::uint32_t> usedHosts(const TrialSpec& spec) {
  std::set<std::uint32_t> hosts;
  for (const StreamSpec& stream : spec.streams) {
    hosts.insert(stream.from);
    hosts.insert(stream.to);
  }
  if (spec.capture_port) hosts.insert(*spec.capture_port);
  return {hosts.begin(), hosts.end()};
}

std::vector<std::string> planRefusals(const TrialSpec& spec, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  if (spec.streams.empty()) refusals.emplace_back("the trial has no streams");
  if (spec.fast_forward) refusals.emplace_back("only simulated hosts can be fast-forwarded");
  if (spec.streams.size() > kMaxStreams) {
    refusals.push_back(
        fmt::format("{} streams, the bench tells {} apart", spec.streams.size(), kMaxStreams));
    return refusals;
  }
  if (const auto hosts = usedHosts(spec); hosts.size() > capabilities.max_ports) {
    refusals.push_back(fmt::format("the trial uses {} hosts, the bench has {} ports", hosts.size(),
                                   capabilities.max_ports));
  }
  if (spec.dut.topology.link_rate != capabilities.line_rate) {
    refusals.push_back(fmt::format("the DUT's links run at {} Gb/s, the bench's ports at {} Gb/s",
                                   spec.dut.topology.link_rate.toGigabitsPerSecond(),
                                   capabilities.line_rate.toGigabitsPerSecond()));
  }
  if (spec.capture_port && *spec.capture_port >= spec.dut.hostCount()) {
    refusals.push_back(fmt::format("capture at host {} of a DUT with {} hosts", *spec.capture_port,
                                   spec.dut.hostCount()));
  }
  struct PortLoad {
    std::uint32_t streams = 0;
    std::int64_t ppt = 0;
    bool bursts = false;
  };
  std::map<std::uint32_t, PortLoad> loads;
  for (std::uint32_t i = 0; i < spec.streams.size(); ++i) {
    refuseStream(spec, i, capabilities, refusals);
    PortLoad& load = loads[spec.streams[i].from];
    ++load.streams;
    if (const auto* constant = std::get_if<ConstantLoad>(&spec.streams[i].load)) {
      load.ppt += constant->rate.partsPerTrillion();
    } else {
      load.bursts = true;
    }
  }
  for (const auto& [host, load] : loads) {
    if (load.streams > capabilities.flows_per_port) {
      refusals.push_back(fmt::format("host {} sends {} streams, a port has {} flows", host,
                                     load.streams, capabilities.flows_per_port));
    }
    if (load.ppt > Fraction::kOne) {
      refusals.push_back(fmt::format("host {} is to send {} % of line rate", host,
                                     100 * Fraction::partsPerTrillion(load.ppt).toDouble()));
    }
    if (load.bursts && load.streams > 1) {
      refusals.push_back(
          fmt::format("host {} is to send bursts beside other streams, which would not be at line "
                      "rate then",
                      host));
    }
  }
  return refusals;
}

FlowPlan planFlows(const TrialSpec& spec, const Capabilities& capabilities) {
  FlowPlan plan;
  const std::uint32_t hosts = spec.dut.hostCount();
  plan.flows.resize(hosts);
  std::vector<Picoseconds> slots(hosts);  // of all flows of a host together
  std::vector<Picoseconds> least_slot(hosts);
  for (std::uint32_t i = 0; i < spec.streams.size(); ++i) {
    const StreamSpec& stream = spec.streams[i];
    const Timing timing = timingOf(stream, spec, capabilities.line_rate);
    auto& flows = plan.flows[stream.from];
    plan.streams.push_back({static_cast<std::uint32_t>(flows.size()), timing.frames});
    flows.push_back(flowConfig(stream, i, timing));
    plan.end = std::max(plan.end, endOf(stream, timing, capabilities.line_rate));
    const Picoseconds slot = frameSlot(stream.frame, capabilities.line_rate);
    slots[stream.from] += slot;
    least_slot[stream.from] = flows.size() == 1 ? slot : std::min(least_slot[stream.from], slot);
  }
  // Flows on one port meet on the wire: with no more than line rate together a frame waits at most
  // for one frame of every other flow.
  for (std::uint32_t host = 0; host < hosts; ++host) {
    plan.late_threshold.push_back(kLateThreshold + slots[host] - least_slot[host]);
  }
  return plan;
}

}  // namespace plumbline::bench
