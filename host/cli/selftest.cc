#include "cli/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace plumbline::cli {
namespace {

constexpr Picoseconds kLinkDelay = nanoseconds(100);
constexpr Picoseconds kDuration = microseconds(20);
constexpr std::uint32_t kDroppedFrame = 10;
constexpr std::uint32_t kDuplicatedFrame = 20;
constexpr std::uint32_t kDelayedFrame = 30;
constexpr std::uint32_t kScriptedFrames = 100;

Check equal(std::string what, std::uint64_t expected, std::uint64_t found) {
  return {std::move(what), std::to_string(expected), std::to_string(found), expected == found};
}

bench::TrialSpec onTwoHostLink() {
  bench::TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.host_link_delay = kLinkDelay;
  spec.duration = kDuration;
  return spec;
}

bench::StreamSpec stream(std::uint32_t from, std::uint32_t to) {
  bench::StreamSpec stream;
  stream.name = fmt::format("port {} to port {}", from, to);
  stream.from = from;
  stream.to = to;
  stream.format.transport = bench::Transport::kUdp;
  stream.load = bench::ConstantLoad{Fraction::one()};
  return stream;
}

Check noFaults(const bench::TrialResult& result) {
  return {"faults of the card", "none",
          result.valid() ? "none" : fmt::format("{}", fmt::join(result.faults, "; ")),
          result.valid()};
}

void checkStream(const bench::StreamResult& stream, std::vector<Check>& checks) {
  checks.push_back(
      equal(stream.name + ": frames received", stream.sent_frames, stream.received_frames));
  checks.push_back(equal(stream.name + ": lost", 0, stream.lost));
  checks.push_back(equal(stream.name + ": duplicate", 0, stream.duplicate));
  checks.push_back(equal(stream.name + ": out of order", 0, stream.out_of_order + stream.stale));
  checks.push_back(equal(stream.name + ": misdelivered", 0, stream.misdelivered));
}

void checkLatency(const bench::GroupLatency& group, Picoseconds step, std::vector<Check>& checks) {
  for (const auto& [name, value] : {std::pair{"smallest", group.histogram.minimum()},
                                    std::pair{"largest", group.histogram.maximum()}}) {
    const auto error = std::abs(static_cast<std::int64_t>(value) - kLinkDelay.count());
    checks.push_back({fmt::format("{} latency [ps]", name),
                      fmt::format("{} ± {}", kLinkDelay.count(), step.count()),
                      std::to_string(value), error <= step.count()});
  }
}

}  // namespace

std::vector<Check> checkLoopback(bench::Bench& bench) {
  bench::TrialSpec spec = onTwoHostLink();
  spec.streams = {stream(0, 1), stream(1, 0)};
  const bench::TrialResult result = bench.run(spec, {});

  std::vector<Check> checks{noFaults(result)};
  const Picoseconds slot = frameSlot(spec.streams[0].frame, spec.dut.topology.link_rate);
  const auto expected = static_cast<std::uint64_t>((kDuration + slot - Picoseconds(1)) / slot);
  for (const bench::StreamResult& stream : result.streams) {
    checks.push_back(equal(stream.name + ": frames sent", expected, stream.sent_frames));
    checkStream(stream, checks);
  }
  for (const bench::PortResult& port : result.ports) {
    checks.push_back(equal("frames the port sent", expected, port.tx_frames));
    checks.push_back(equal("frames the port received", expected, port.rx_frames));
    checks.push_back(equal("frames the port sent late", 0, port.tx_late));
    checks.push_back(equal("FCS errors", 0, port.fcs_errors));
  }
  checks.push_back(equal("latency groups seen", 1, result.latency.size()));
  for (const bench::GroupLatency& group : result.latency) {
    checks.push_back(equal("latencies counted", 2 * expected, group.histogram.count()));
    checkLatency(group, bench.capabilities().timestamp_resolution, checks);
  }
  return checks;
}

std::vector<Check> checkAccounting(bench::Bench& bench) {
  bench::TrialSpec spec = onTwoHostLink();
  bench::StreamSpec sender = stream(0, 1);
  sender.load = bench::BurstLoad{kScriptedFrames, Bytes(0), 1, Picoseconds(0)};
  spec.streams = {sender};
  using fabric::ImpairmentKind;
  spec.dut.impairments = {
      {ImpairmentKind::kDrop, 0, kDroppedFrame, Picoseconds(0)},
      {ImpairmentKind::kDuplicate, 0, kDuplicatedFrame, Picoseconds(0)},
      {ImpairmentKind::kDelay, 0, kDelayedFrame, nanoseconds(50)},
  };
  const bench::TrialResult result = bench.run(spec, {});

  std::vector<Check> checks{noFaults(result)};
  checks.push_back(equal("streams", 1, result.streams.size()));
  for (const bench::StreamResult& stream : result.streams) {
    checks.push_back(equal("frames sent", kScriptedFrames, stream.sent_frames));
    checks.push_back(equal("frames received", kScriptedFrames, stream.received_frames));
    checks.push_back(equal("lost, of one dropped", 1, stream.lost));
    checks.push_back(equal("duplicate, of one duplicated", 1, stream.duplicate));
    checks.push_back(equal("out of order, of one delayed", 1, stream.out_of_order));
    checks.push_back(equal("stale", 0, stream.stale));
  }
  return checks;
}

bool allPassed(const std::vector<Check>& checks) {
  return !checks.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
}

}  // namespace plumbline::cli
