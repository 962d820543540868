#include "endpoint/endpoint_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/work.h"
#include "bench/card/stream_frame.h"
#include "bench/trial/message_refusals.h"
#include "bench/trial/trial_beginning.h"
#include "endpoint/channel.h"
#include "endpoint/clock.h"
#include "endpoint/device_counters.h"
#include "endpoint/host_configuration.h"
#include "endpoint/message_stream.h"
#include "endpoint/peer.h"
#include "endpoint/running_stream.h"

namespace plumbline::endpoint {
namespace {

// From the last thread's readiness to the common start.
constexpr std::int64_t kLeadTime_ns = 2'000'000;
constexpr std::uint64_t kCalibrationMessages = 1000;
constexpr Picoseconds kCalibrationTime = milliseconds(500);
constexpr Bytes kLongestHeaders{128};
constexpr std::uint32_t kMaxHosts = 64;

std::string microsecondsText(double ps) { return fmt::format("{:.3g} us", ps / 1e6); }

// Memory that a trial's messages take: a buffer at either end of every stream.
Bytes memoryOf(const bench::TrialSpec& spec) {
  Bytes memory{0};
  for (const bench::StreamSpec& stream : spec.streams) memory += 2 * bench::messageBytes(stream);
  return memory;
}

// A burst is one message (bench::messageRefusals()), due when its first frame would be.
MessageSchedule scheduleOf(const bench::StreamSpec& stream, const bench::TrialSpec& spec,
                           BitRate line_rate) {
  if (const auto* burst = std::get_if<bench::BurstLoad>(&stream.load)) {
    const Picoseconds interval = std::max(burst->interval, Picoseconds(1));
    const Picoseconds end = stream.start + interval * std::int64_t{burst->bursts};
    return {interval, Fraction::one(), stream.start, end,
            spec.drain + std::max(spec.duration - end, Picoseconds())};
  }
  return {frameSlot(stream.frame, line_rate) * std::int64_t{bench::messageFrames(stream)},
          std::get<bench::ConstantLoad>(stream.load).rate, stream.start, spec.duration, spec.drain};
}

void addStream(const bench::StreamSpec& stream, const MessageOutcome& outcome, bool intact,
               bench::TrialResult& result) {
  const std::uint64_t bytes = bench::bytesSent(stream, bench::messageFrames(stream));
  bench::StreamResult one;
  one.name = stream.name;
  one.sent_frames = outcome.due;
  one.sent_bytes = outcome.due * bytes;
  one.received_frames = outcome.delivered;
  one.received_bytes = outcome.delivered * bytes;
  one.lost = outcome.due - outcome.delivered;
  result.streams.push_back(std::move(one));
  if (outcome.delivered > 0 && !intact) {
    result.faults.push_back(
        fmt::format("stream '{}': the receiver's memory does not hold what was sent", stream.name));
  }
}

}  // namespace

std::string operationName(bench::Operation operation) {
  switch (operation) {
    case bench::Operation::kWrite:
      return "write";
    case bench::Operation::kWriteImmediate:
      return "write with immediate";
    case bench::Operation::kSend:
      return "send";
    case bench::Operation::kRead:
      break;
  }
  return "read";
}

EndpointBench::EndpointBench(std::string name, std::string description, BitRate line_rate) {
  capabilities_.name = std::move(name);
  capabilities_.description = std::move(description);
  capabilities_.max_ports = kMaxHosts;
  capabilities_.line_rate = line_rate;
  capabilities_.max_frame = kLongestMessage + kLongestHeaders;
  capabilities_.flows_per_port = kMaxHosts;
  capabilities_.groups = 1U << 16;
  capabilities_.max_qps = kMaxQueuePairs;
  capabilities_.timestamp_resolution = nanoseconds(1);
  capabilities_.observed = ObservationPoint::kEndpointSoftware;
  capabilities_.simulated_dut = false;
  capabilities_.messages = true;
  capabilities_.trial_overhead = milliseconds(10);
  capabilities_.wall_seconds_per_second = 1.0;
  capabilities_.unobserved = {
      {"one-way latency",
       "the latencies are from a message's post to its completion, software of both ends included"},
      {"utilisation of ports",
       "endpoint software sees messages, not frames; rates count each message as one frame"},
      {"order, duplicates, ECN marks and ICRC errors",
       "the transport deals with them below the endpoint software"},
  };
}

void EndpointBench::open(bench::EndpointSpec spec, std::unique_ptr<Carrier> carrier) {
  spec_ = std::move(spec);
  carrier_ = std::move(carrier);
  capabilities_.configuration = carrier_->configuration();
  for (auto& entry : hostConfiguration()) capabilities_.configuration.push_back(std::move(entry));
  if (const Peer* peer = carrier_->peer()) {
    for (const auto& [name, value] : peer->configuration()) {
      capabilities_.configuration.emplace_back("Target: " + name, value);
    }
  }
  capabilities_.configuration.emplace_back("Messages under way",
                                           fmt::format("{} per queue pair", spec_.window));
  for (auto& missing : carrier_->uncounted()) {
    capabilities_.unobserved.push_back(std::move(missing));
  }
  calibrate();
}

void EndpointBench::calibrate() {
  const auto add = [&](std::string name, std::string value) {
    capabilities_.configuration.emplace_back(std::move(name), std::move(value));
  };
  const ClockCost clock = measureClock();
  capabilities_.timestamp_resolution = nanoseconds(clock.resolution_ns);
  capabilities_.clock_reading = nanoseconds(clock.median_ns);
  capabilities_.clock_rate = bench::kOscillatorTolerance;
  add("Clock", fmt::format("monotonic clock of the host, resolution {} ns; a reading takes {} ns "
                           "(median; at least {} ns), which is in every latency",
                           clock.resolution_ns, clock.median_ns, clock.minimum_ns));
  ChannelSpec empty;
  empty.operation = spec_.operation.value_or(bench::Operation::kWrite);
  empty.message = carrier_->minMessage();
  const stats::Histogram overhead =
      sendOneByOne(*carrier_->connectHere(empty), kCalibrationMessages, kCalibrationTime);
  add("Non-fabric overhead",
      fmt::format("{} of {} B between two endpoints of this host: least {}, P50 {}, P99 {} ({} "
                  "messages); not subtracted",
                  operationName(empty.operation), empty.message.count(),
                  microsecondsText(static_cast<double>(overhead.minimum())),
                  microsecondsText(static_cast<double>(overhead.quantile(0.5))),
                  microsecondsText(static_cast<double>(overhead.quantile(0.99))),
                  overhead.count()));
  add("Where the endpoints are",
      carrier_->peer() != nullptr
          ? fmt::format("initiators on this host, {}, targets on the one at {}",
                        carrier_->peer()->ownAddress(), spec_.peer)
          : "initiators and targets on this host: all of every latency is non-fabric time unless "
            "the NIC itself sends through the fabric");
}

bench::Operation EndpointBench::operationOf(const bench::StreamSpec& stream) const {
  if (spec_.operation) return *spec_.operation;
  return stream.format.transport == bench::Transport::kRoceSend ? bench::Operation::kSend
                                                                : bench::Operation::kWrite;
}

std::vector<std::string> EndpointBench::refusals(const bench::TrialSpec& spec) const {
  std::vector<std::string> refusals = bench::messageRefusals(spec, capabilities_);
  if (refusals.empty()) {
    const auto bytes = static_cast<double>(memoryOf(spec).count());
    if (auto why = memoryRefusal("the memory of all messages", bytes)) {
      refusals.push_back(*std::move(why));
    }
  }
  return refusals;
}

std::vector<std::unique_ptr<RunningStream>> EndpointBench::connect(const bench::TrialSpec& spec) {
  const bench::TrialBeginning beginning;
  std::vector<std::unique_ptr<RunningStream>> streams;
  for (const bench::StreamSpec& stream : spec.streams) {
    const ChannelSpec channel{operationOf(stream), bench::messageBytes(stream), stream.format.qps,
                              spec_.window};
    streams.push_back(std::make_unique<RunningStream>(
        carrier_->connect(channel), channel, scheduleOf(stream, spec, capabilities_.line_rate)));
  }
  return streams;
}

bench::TrialResult EndpointBench::run(const bench::TrialSpec& spec,
                                      const bench::TrialHooks& hooks) {
  if (!carrier_) {
    throw Error(ErrorKind::kUnsupported, "the bench has no endpoints to send with",
                capabilities_.name + " bench", "a scenario with the section \"endpoint\"");
  }
  if (const auto why = refusals(spec); !why.empty()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}", fmt::join(why, "; ")),
                capabilities_.name + " bench");
  }
  const auto wall_start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<RunningStream>> running = connect(spec);
  const std::vector<bench::HostCounter> before = carrier_->counters();
  const std::int64_t start_ns = monotonicNow() + kLeadTime_ns;
  for (const auto& stream : running) stream->start(start_ns);
  watchStreams(running, spec, capabilities_.name, start_ns, hooks);

  bench::TrialResult result;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.dut_observed = ObservationPoint::kEndpointSoftware;
  std::map<std::uint32_t, stats::Histogram> groups;
  for (std::size_t i = 0; i < running.size(); ++i) {
    const MessageOutcome outcome = running[i]->finish();
    addStream(spec.streams[i], outcome, running[i]->intact(), result);
    groups[spec.streams[i].group].merge(outcome.latency);
  }
  for (auto& [group, histogram] : groups) {
    if (histogram.count() > 0) result.latency.push_back({group, std::move(histogram)});
  }
  result.host_counters = counterDifference(before, carrier_->counters());
  result.card_time = nanoseconds(monotonicNow() - start_ns);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
  result.wall_seconds = wall.count();
  return result;
}

}  // namespace plumbline::endpoint
