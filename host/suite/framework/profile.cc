#include "suite/framework/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "bench/card/packet.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/residual_time.h"

namespace plumbline::suite {
namespace {

using scenario::Direction;
using scenario::Profile;

// Sections 5.1 to 5.3 of the training draft. A stream of the card, or of a simulated host, sends a
// message as one packet; long messages need several packets, which endpoints' own transports send.
constexpr std::array<std::int64_t, 4> kDraftMessages{64, 256, 1024, 4096};
constexpr std::array<std::int64_t, 8> kAllMessages{64,     256,     1024,      4096,
                                                   65'536, 262'144, 1'048'576, 4'194'304};
constexpr std::array<std::int64_t, 3> kQuickMessages{64, 1024, 4096};
constexpr std::array<std::int64_t, 4> kQuickAllMessages{64, 1024, 4096, 65'536};
// RFC 2544 section 9.1, for plain UDP, where there are no messages.
constexpr std::array<std::int64_t, 7> kRfcFrames{64, 128, 256, 512, 1024, 1280, 1518};
constexpr std::array<std::int64_t, 3> kQuickFrames{64, 512, 1518};

template <std::size_t N>
std::vector<SizePoint> sizePoints(const std::array<std::int64_t, N>& sizes, bool messages,
                                  const bench::FrameFormat& format) {
  std::vector<SizePoint> points;
  points.reserve(N);
  for (const std::int64_t size : sizes) {
    points.push_back(messages ? messagePoint(Bytes(size), format)
                              : framePoint(Bytes(size), format));
  }
  return points;
}

// `many_packets`: the bench sends messages of many packets.
Settings standardSettings(TestId test, const bench::FrameFormat& format, bool many_packets) {
  Settings settings;
  settings.message_sizes = isRoce(format.transport);
  if (!settings.message_sizes) {
    settings.sizes = sizePoints(kRfcFrames, false, format);
  } else {
    settings.sizes = many_packets ? sizePoints(kAllMessages, true, format)
                                  : sizePoints(kDraftMessages, true, format);
  }
  settings.drain = seconds(2);
  // The throughput rate at which latency is measured comes from the same search.
  settings.rate_steps = 1024;
  switch (test) {
    case TestId::kThroughput:
      settings.qps = {1, 4, 16, 32};
      settings.directions = {Direction::kUnidirectional, Direction::kBidirectional};
      settings.repetitions = 3;
      settings.duration = seconds(60);
      break;
    case TestId::kLatency:
      settings.qps = {16};
      settings.directions = {Direction::kBidirectional};
      settings.repetitions = 20;
      settings.duration = seconds(120);
      settings.loads = {Fraction::percent(50)};
      break;
    case TestId::kBurst:
      settings.qps = {1};
      settings.repetitions = 50;
      settings.incast_ratios = {2, 4, 8, 16, 32};
      settings.max_burst = 1U << 24;
      settings.rate_steps = 0;
      break;
  }
  return settings;
}

Settings quickSettings(TestId test, const bench::FrameFormat& format, bool many_packets) {
  Settings settings = standardSettings(test, format, many_packets);
  if (!settings.message_sizes) {
    settings.sizes = sizePoints(kQuickFrames, false, format);
  } else {
    settings.sizes = many_packets ? sizePoints(kQuickAllMessages, true, format)
                                  : sizePoints(kQuickMessages, true, format);
  }
  settings.drain = milliseconds(1);
  switch (test) {
    case TestId::kThroughput:
      settings.qps = {1};
      settings.directions = {Direction::kUnidirectional};
      settings.repetitions = 2;
      settings.duration = microseconds(200);
      settings.rate_steps = 64;
      break;
    case TestId::kLatency:
      settings.qps = {4};
      settings.repetitions = 3;
      settings.duration = microseconds(200);
      settings.rate_steps = 64;
      break;
    case TestId::kBurst:
      settings.incast_ratios = {2, 4};
      settings.repetitions = 3;
      settings.max_burst = 1U << 16;
      break;
  }
  return settings;
}

// Hosts that can have a tester port at the same time.
std::uint32_t usableHosts(const TestConfig& config) {
  return std::min(config.scenario.topology.hostCount(), config.bench.max_ports);
}

// Ratios that `hosts` hosts can make, and the largest they can: hosts - 1 senders.
std::vector<std::uint32_t> possibleRatios(const std::vector<std::uint32_t>& wanted,
                                          std::uint32_t hosts) {
  std::set<std::uint32_t> ratios;
  for (const std::uint32_t ratio : wanted) {
    if (ratio < hosts) ratios.insert(ratio);
  }
  if (hosts > 1) ratios.insert(hosts - 1);
  return {ratios.begin(), ratios.end()};
}

// Values of `wanted` that `got` does not have, as text.
template <typename Value, typename Text>
std::vector<std::string> missing(const std::vector<Value>& wanted, const std::vector<Value>& got,
                                 Text text) {
  std::vector<std::string> names;
  for (const Value& value : wanted) {
    if (std::find(got.begin(), got.end(), value) == got.end()) names.push_back(text(value));
  }
  return names;
}

// Collects deviations with the words they share.
class DeviationList {
 public:
  void add(std::string what) { list_.push_back({std::move(what), ""}); }

  // A number below the draft's requirement.
  void less(bool deviates, std::string_view what, std::string_view actual, std::string_view draft) {
    if (deviates) add(fmt::format("{}: {} instead of {}", what, actual, draft));
  }

  void notSwept(std::string what, std::vector<std::string> values) {
    if (!values.empty()) {
      list_.push_back(results::missingFromSweep(std::move(what), std::move(values)));
    }
  }

  std::vector<results::Deviation> take() { return std::move(list_); }

 private:
  std::vector<results::Deviation> list_;
};

// The wait that `profile` has, or that a simulated DUT may need, in whole microseconds.
Picoseconds drainOf(Picoseconds profile, const std::vector<SizePoint>& sizes,
                    const TestConfig& config) {
  if (!config.bench.simulated_dut) return profile;
  Bytes longest;
  for (const SizePoint& size : sizes) longest = std::max(longest, size.frame);
  const Picoseconds needed = residualTime(config.scenario.fabricSpec(), longest);
  return std::max(profile, microseconds(1 + needed / microseconds(1)));
}

}  // namespace

namespace {

struct TimeUnit {
  std::int64_t ps;
  const char* name;
};
constexpr std::array<TimeUnit, 5> kTimeUnits{
    {{1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}}};

}  // namespace

bool hasQueuePairs(bench::Transport transport) {
  return transport != bench::Transport::kUdp && transport != bench::Transport::kUetRudi &&
         transport != bench::Transport::kUetUud;
}

std::uint32_t rateSteps(Fraction resolution) {
  const std::int64_t step = resolution.partsPerTrillion();
  return static_cast<std::uint32_t>((Fraction::kOne + step - 1) / step);
}

std::string durationText(Picoseconds duration) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (duration.count() != 0 && duration.count() % unit.ps == 0) {
      return fmt::format("{} {}", duration.count() / unit.ps, unit.name);
    }
  }
  return "0 s";
}

std::string roundedTimeText(Picoseconds time) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (time.count() < unit.ps) continue;
    return fmt::format("{:.4g} {}",
                       static_cast<double>(time.count()) / static_cast<double>(unit.ps), unit.name);
  }
  return "0 s";
}

std::string percentText(Fraction fraction) {
  return fmt::format("{:.6g} %", fraction.toDouble() * 100);
}

std::string directionText(Direction direction) {
  return direction == Direction::kUnidirectional ? "unidirectional" : "bidirectional";
}

Settings settingsFor(TestId test, const TestConfig& config) {
  const scenario::Scenario& scenario = config.scenario;
  const scenario::Traffic& traffic = scenario.traffic;
  const scenario::Parameters& parameters = scenario.parameters;
  const bench::FrameFormat& format = traffic.format;
  const bool many_packets = config.bench.messages;
  Settings settings = scenario.profile == Profile::kStandard
                          ? standardSettings(test, format, many_packets)
                          : quickSettings(test, format, many_packets);
  // A message that the bench cannot send is left out, and so listed as not measured.
  const auto too_long = [&config](const SizePoint& size) {
    return size.payload > config.bench.max_frame;
  };
  if (many_packets) {
    settings.sizes.erase(std::remove_if(settings.sizes.begin(), settings.sizes.end(), too_long),
                         settings.sizes.end());
  }
  if (traffic.message_sizes || traffic.frame_sizes) {
    settings.sizes.clear();
    settings.message_sizes = traffic.message_sizes.has_value();
    for (const Bytes size : traffic.message_sizes.value_or(std::vector<Bytes>{})) {
      settings.sizes.push_back(messagePoint(size, format));
    }
    for (const Bytes size : traffic.frame_sizes.value_or(std::vector<Bytes>{})) {
      settings.sizes.push_back(framePoint(size, format));
    }
  }
  settings.qps = traffic.qps.value_or(settings.qps);
  if (!hasQueuePairs(format.transport)) settings.qps = {1};
  settings.repetitions = parameters.repetitions.value_or(settings.repetitions);
  // Without any wait, frames left in the DUT would be no fault of a trial.
  settings.drain = std::max(
      parameters.drain.value_or(drainOf(settings.drain, settings.sizes, config)), nanoseconds(1));
  if (test == TestId::kBurst) {
    settings.incast_ratios = parameters.incast_ratios.value_or(
        possibleRatios(settings.incast_ratios, usableHosts(config)));
    settings.max_burst = parameters.max_burst.value_or(settings.max_burst);
    return settings;
  }
  settings.directions = traffic.directions.value_or(settings.directions);
  settings.duration = parameters.duration.value_or(settings.duration);
  if (parameters.resolution) {
    settings.rate_steps = rateSteps(*parameters.resolution);
  }
  if (test == TestId::kLatency) settings.loads = parameters.loads.value_or(settings.loads);
  return settings;
}

std::vector<results::Deviation> deviations(TestId test, const Settings& settings,
                                           const TestConfig& config) {
  const Settings standard =
      standardSettings(test, config.scenario.traffic.format, config.bench.messages);
  DeviationList list;
  list.less(settings.repetitions < standard.repetitions, "repetitions",
            std::to_string(settings.repetitions), std::to_string(standard.repetitions));
  list.less(settings.duration < standard.duration, "duration of a trial",
            durationText(settings.duration), durationText(standard.duration));
  list.less(settings.rate_steps < standard.rate_steps, "resolution of the throughput search",
            fmt::format("1/{} of line rate", settings.rate_steps),
            fmt::format("1/{}", standard.rate_steps));
  list.less(settings.max_burst < standard.max_burst, "longest burst tried",
            counted(settings.max_burst, "frame"), fmt::format("{}", standard.max_burst));
  list.less(settings.drain < standard.drain, "wait for residual frames",
            durationText(settings.drain), durationText(standard.drain));
  if (settings.message_sizes == standard.message_sizes) {
    list.notSwept(
        settings.message_sizes ? "message sizes of the draft" : "frame sizes of RFC 2544",
        missing(standard.sizes, settings.sizes, [](const SizePoint& size) { return size.label; }));
  } else {
    list.add("frame sizes are swept instead of message sizes");
  }
  if (!standard.message_sizes) {
    list.add("plain UDP frames instead of RDMA Write");
  } else if (!config.bench.messages) {
    list.add(
        "messages of 64 KB, 256 KB, 1 MB and 4 MB not measured: a stream of the tester sends a "
        "message as one packet, at most one MTU long (T6.1 has messages of 1 and 4 MB)");
  }
  if (config.scenario.traffic.format.transport == bench::Transport::kRoceSend) {
    list.add("RDMA Send instead of RDMA Write");
  }
  if (test == TestId::kThroughput) {
    list.notSwept(
        "queue pairs per pair",
        missing(standard.qps, settings.qps, [](std::uint32_t qps) { return std::to_string(qps); }));
    list.notSwept("direction", missing(standard.directions, settings.directions, directionText));
  }
  if (test == TestId::kLatency) {
    list.notSwept(
        "queue pairs per pair under load",
        missing(standard.qps, settings.qps, [](std::uint32_t qps) { return std::to_string(qps); }));
  }
  if (test == TestId::kBurst) {
    list.notSwept("incast ratios",
                  missing(standard.incast_ratios, settings.incast_ratios,
                          [](std::uint32_t ratio) { return fmt::format("{}:1", ratio); }));
    return list.take();
  }
  list.add("no warm-up before a trial (terminology draft: 10 s or more)");
  if (test == TestId::kLatency) {
    list.add(
        "every frame of the stream is a tagged frame; the draft samples from the middle of the "
        "stream");
  }
  return list.take();
}

std::optional<HiddenOverload> hiddenOverload(TestId test, const Settings& settings,
                                             const TestConfig& config) {
  const scenario::Scenario& scenario = config.scenario;
  if (test == TestId::kBurst || !config.bench.simulated_dut ||
      scenario.topology.kind == fabric::TopologyKind::kLink) {
    return std::nullopt;
  }
  const auto line = static_cast<double>(config.bench.line_rate.bitsPerSecond());
  const auto shareOf = [&](double bytes) {
    return 8 * bytes / line / settings.duration.toSeconds();
  };
  const fabric::SwitchSpec& switches = scenario.switches;
  if (const auto input = controlledInput(switches, scenario.topology,
                                         bench::priorityOf(scenario.traffic.format))) {
    // A sender's excess waits at the inputs of the switches on its way until it is held back.
    const auto inputs = static_cast<double>(switchesOnPath(scenario.topology));
    const double share = std::min(shareOf(inputs * input->bytes), 1.0);
    if (share * settings.rate_steps < 1) return std::nullopt;
    return HiddenOverload{
        share,
        fmt::format(
            "before {} holds a sender back, each of {} switches on its way takes up to {:.0f} B "
            "of it ({}), which hides {:.3g} % of line rate in trials of {}: throughput may be too "
            "high by as much",
            input->control, inputs, input->bytes, input->what, 100 * share,
            durationText(settings.duration))};
  }
  // Each switch on the way may have a link that is slower, or has more flows, than the one before.
  const auto buffers = static_cast<double>(switchesOnPath(scenario.topology));
  const bench::FrameFormat& format = scenario.traffic.format;
  const double share =
      std::min(buffers * shareOf(queueOfPort(switches, scenario.topology, format)), 1.0);
  if (share * settings.rate_steps < 1) return std::nullopt;
  return HiddenOverload{
      share, fmt::format(
                 "trials of {} cannot fill the DUT's buffer ({}{}{}) with an overload below {:.3g} "
                 "% of line rate: zero-loss rates may be too high by as much",
                 durationText(settings.duration), bufferText(switches, scenario.topology),
                 isTrimmed(switches, format) ? fmt::format(", frames are trimmed above {} B",
                                                           switches.trim->threshold.count())
                                             : "",
                 buffers > 1 ? fmt::format(", in each of {} switches on a path", buffers) : "",
                 100 * share)};
}

}  // namespace plumbline::suite
