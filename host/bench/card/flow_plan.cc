#include "bench/card/flow_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "bench/card/stream_frame.h"
#include "bench/trial/message_refusals.h"
#include "card/flow_plan.h"

namespace plumbline::bench {
namespace {

constexpr std::uint32_t kRows = 2048;      // of the card's receive table, with a tag of 11 bits
constexpr std::uint32_t kWideRows = 4096;  // ... of 12 bits
// The card's largest threshold for late frames, for those that are late by design: they wait for
// the end of a pause, or for frames of other flows.
constexpr Picoseconds kAnyLateness{0x7FFF'FFFF};

struct Timing {
  card::FinePeriod period;
  std::uint32_t burst_frames = 1;
  std::uint32_t bursts = 1;
  card::FinePeriod burst_interval;
  std::uint64_t frames = 0;
  card::Gaps gaps;
  // From the first frame's due time to the last one's, where the period does not give it.
  std::optional<Picoseconds> span;
};

Timing oneBurst(std::uint64_t frames) {
  Timing timing;
  timing.frames = frames;
  timing.burst_frames = static_cast<std::uint32_t>(frames);
  if (frames > card::kMaxBurstFrames) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} frames with custom gaps; the card can do at most 2^24", frames));
  }
  return timing;
}

// The number of frames follows from the mean gap. The last due time scatters by the square root of
// that number; a span that is still too short only makes the trial wait.
Timing drawnTiming(const DrawnGaps& drawn, card::FinePeriod period, std::uint64_t frames) {
  constexpr double kSigmas = 6;
  Timing timing = oneBurst(frames);
  timing.period = period;
  timing.gaps = card::ExponentialGaps{period, drawn.seed};
  const double mean = static_cast<double>(period.raw() >> card::FinePeriod::kFractionBits);
  const auto count = static_cast<double>(frames);
  timing.span =
      Picoseconds(static_cast<std::int64_t>(mean * (count + kSigmas * std::sqrt(count) + kSigmas)));
  return timing;
}

Timing listedTiming(const ListedGaps& listed, Picoseconds available) {
  Picoseconds round;
  for (const Picoseconds gap : listed.gaps) round += gap * listed.repeat;
  if (round <= Picoseconds() || available <= Picoseconds()) return {};
  const std::int64_t rounds = (available - Picoseconds(1)) / round;
  std::uint64_t frames = static_cast<std::uint64_t>(rounds) * listed.gaps.size() * listed.repeat;
  Picoseconds due = round * rounds;
  Picoseconds last = due;
  for (std::size_t i = 0; due < available; ++i) {
    ++frames;
    last = due;
    due += listed.gaps[i / listed.repeat % listed.gaps.size()];
  }
  Timing timing = oneBurst(frames);
  card::GapList list{{}, listed.repeat};
  for (const Picoseconds gap : listed.gaps) {
    list.gaps.push_back(card::FinePeriod::fromPicoseconds(gap));
  }
  timing.gaps = std::move(list);
  timing.span = last;
  return timing;
}

Timing constantTiming(const StreamSpec& stream, Fraction rate, const TrialSpec& spec,
                      BitRate line) {
  Timing timing;
  timing.period = card::framePeriod(stream.frame, line, rate);
  timing.frames = card::framesWithin(spec.duration - stream.start, timing.period);
  // With a given message size, whole messages only.
  if (stream.queue_pairs && stream.queue_pairs->message) {
    timing.frames -= timing.frames % std::max(messageFrames(stream), 1U);
  }
  if (stream.gaps) {
    const auto* listed = std::get_if<ListedGaps>(&*stream.gaps);
    return listed != nullptr
               ? listedTiming(*listed, spec.duration - stream.start)
               : drawnTiming(std::get<DrawnGaps>(*stream.gaps), timing.period, timing.frames);
  }
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
  if (timing.span) return stream.start + *timing.span + frameSlot(stream.frame, line);
  const Int128 raw = static_cast<Int128>(timing.burst_interval.raw()) * (timing.bursts - 1) +
                     static_cast<Int128>(timing.period.raw()) * (timing.burst_frames - 1);
  const auto last = static_cast<std::int64_t>((raw >> card::FinePeriod::kFractionBits) + 1);
  return stream.start + Picoseconds(last) + frameSlot(stream.frame, line);
}

// Rows of the receive table that the stream takes.
std::uint32_t rowsOf(const StreamSpec& stream) {
  return stream.queue_pairs && stream.queue_pairs->counted ? stream.format.qps : 1;
}

// A stream takes one row; a stream that counts its queue pairs takes one row for each, which needs
// the wide layout of the tag.
bool wantsWideRows(const TrialSpec& spec) {
  return std::any_of(spec.streams.begin(), spec.streams.end(),
                     [](const StreamSpec& stream) { return rowsOf(stream) > 1; });
}

card::FlowConfig flowConfig(const StreamSpec& stream, std::uint32_t index, const StreamPlan& place,
                            bool wide_rows, const Timing& timing) {
  card::FlowConfig flow = flowOf(stream, index);
  flow.group = stream.group;
  flow.row = place.row;
  flow.wide_row = wide_rows;
  flow.first_due = stream.start;
  flow.period = timing.period;
  flow.burst_frames = timing.burst_frames;
  flow.bursts = timing.bursts;
  flow.burst_interval = timing.burst_interval;
  flow.gaps = timing.gaps;
  return flow;
}

// Longer frames than any receiver accepts count as damage.
Bytes longestFrame(const Capabilities& capabilities) {
  return capabilities.damage ? Bytes(card::kMaxFrameBytes) : capabilities.max_frame;
}

// Faults of streams by themselves. Those of a test are alike: each reason is given for the first
// one that has it.
class StreamRefusals {
 public:
  void add(std::uint32_t stream, std::string why) {
    for (Refusal& one : all_) {
      if (one.why != why) continue;
      ++one.streams;
      return;
    }
    all_.push_back({stream, 1, std::move(why)});
  }
  void appendTo(std::vector<std::string>& refusals, const TrialSpec& spec) const {
    for (const Refusal& one : all_) {
      refusals.push_back(fmt::format(
          "stream {} '{}'{}: {}", one.first, spec.streams[one.first].name,
          one.streams > 1 ? fmt::format(" and {}", counted(one.streams - 1, "other")) : "",
          one.why));
    }
  }

 private:
  struct Refusal {
    std::uint32_t first = 0;
    std::size_t streams = 0;  // that have it
    std::string why;
  };
  std::vector<Refusal> all_;
};

void refuseStream(const TrialSpec& spec, std::uint32_t index, const Capabilities& capabilities,
                  StreamRefusals& refusals) {
  const StreamSpec& stream = spec.streams[index];
  const auto refuse = [&](std::string why) { refusals.add(index, std::move(why)); };
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
  const std::uint32_t min = minimumFrame(stream, index);
  if (stream.frame.count() < min || stream.frame > longestFrame(capabilities)) {
    refuse(fmt::format("frames of {} B, these headers and the test tag need {} to {} B",
                       stream.frame.count(), min, longestFrame(capabilities).count()));
  } else if (const auto why = headerRefusal(stream, index)) {
    refuse(*why);
  }
  if (stream.start < Picoseconds()) refuse("a start time before the common start");
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

// Lists and messages of all streams of a port share its tables, whose sizes the card reports.
void refuseTables(const TrialSpec& spec, const Capabilities& capabilities,
                  std::vector<std::string>& refusals) {
  const FlowPlan plan = planFlows(spec, capabilities);
  for (std::uint32_t host = 0; host < plan.flows.size(); ++host) {
    try {
      card::planFlows(plan.flows[host], capabilities.flows_per_port);
    } catch (const Error& error) {
      refusals.push_back(fmt::format("host {}: {}", host, error.what()));
    }
  }
}

bool usesLists(const StreamSpec& stream) {
  return stream.queue_pairs || stream.gaps || isUet(stream.format.transport);
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
  if (capabilities.messages) return messageRefusals(spec, capabilities);
  std::vector<std::string> refusals;
  if (spec.streams.empty()) refusals.emplace_back("the trial has no streams");
  if (spec.fast_forward) refusals.emplace_back("only simulated hosts can be fast-forwarded");
  if (spec.early_end) refusals.emplace_back("only trials of simulated hosts can end early");
  std::uint64_t rows = 0;
  for (const StreamSpec& stream : spec.streams) rows += rowsOf(stream);
  const bool wide = wantsWideRows(spec);
  if (const std::uint32_t room = wide ? kWideRows : kRows; rows > room) {
    refusals.push_back(fmt::format("the trial has {} streams{}; this bench tracks at most {}", rows,
                                   wide ? " and queue pairs" : "", room));
    return refusals;
  }
  for (std::string& why : cardPartRefusals(spec, capabilities)) refusals.push_back(std::move(why));
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
  StreamRefusals of_streams;
  for (std::uint32_t i = 0; i < spec.streams.size(); ++i) {
    refuseStream(spec, i, capabilities, of_streams);
    PortLoad& load = loads[spec.streams[i].from];
    ++load.streams;
    if (const auto* constant = std::get_if<ConstantLoad>(&spec.streams[i].load)) {
      load.ppt += constant->rate.partsPerTrillion();
    } else {
      load.bursts = true;
    }
  }
  of_streams.appendTo(refusals, spec);
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
  if (refusals.empty() && std::any_of(spec.streams.begin(), spec.streams.end(), usesLists)) {
    refuseTables(spec, capabilities, refusals);
  }
  return refusals;
}

FlowPlan planFlows(const TrialSpec& spec, const Capabilities& capabilities) {
  FlowPlan plan;
  plan.wide_rows = wantsWideRows(spec);
  std::uint32_t next_row = 0;
  const std::uint32_t hosts = spec.dut.hostCount();
  plan.flows.resize(hosts);
  std::vector<Picoseconds> slots(hosts);  // of all flows of a host together
  std::vector<Picoseconds> min_slot(hosts);
  std::vector<bool> drawn(hosts);  // some flow's frames collide by chance
  for (std::uint32_t i = 0; i < spec.streams.size(); ++i) {
    const StreamSpec& stream = spec.streams[i];
    const Timing timing = timingOf(stream, spec, capabilities.line_rate);
    auto& flows = plan.flows[stream.from];
    plan.streams.push_back(
        {static_cast<std::uint32_t>(flows.size()), timing.frames, next_row, rowsOf(stream)});
    next_row += rowsOf(stream);
    flows.push_back(flowConfig(stream, i, plan.streams.back(), plan.wide_rows, timing));
    plan.end = std::max(plan.end, endOf(stream, timing, capabilities.line_rate));
    if (stream.gaps && std::holds_alternative<DrawnGaps>(*stream.gaps)) drawn[stream.from] = true;
    const Picoseconds slot = frameSlot(stream.frame, capabilities.line_rate);
    slots[stream.from] += slot;
    min_slot[stream.from] = flows.size() == 1 ? slot : std::min(min_slot[stream.from], slot);
  }
  // Flows of one port may be due at the same time: at no more than line rate in total, a frame
  // waits for at most one frame of every other flow.
  for (std::uint32_t host = 0; host < hosts; ++host) {
    plan.late_threshold.push_back(spec.paused_frames_wait || drawn[host]
                                      ? kAnyLateness
                                      : kLateThreshold + slots[host] - min_slot[host]);
  }
  for (const PfcStormSpec& storm : spec.storms) {
    plan.end = std::max(plan.end, endOf(storm, capabilities.line_rate));
  }
  return plan;
}

}  // namespace plumbline::bench
