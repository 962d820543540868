// KV cache transfer between two endpoints (inference draft, sections 5.1 and 5.2, as far as hosts
// without accelerators go): the same messages on every bench.
//
// Swept: message size, one message at a time, on the card also beside background that comes from
// all other ports to the same receiver (Poisson and constant gaps; sections 5.2 and 10.4); then
// message size × queue pairs at line rate.
// Measured, as far as the bench can see it:
//   endpoints   a message's time from its post to its completion; bytes completed in time
//   the card    one-way latency of every frame. The time of a message of one frame follows from it:
//               latency + serialization. Of several frames, sent back to back, least and most are
//               bounds: (frames - 1) slots + serialization of the last frame + least or most
//               latency
//   simulation  a message's time from its post to its completion, acknowledged by the peer
// Computed: KV bandwidth = payload of the messages that arrived / duration of the trial.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/card/stream_frame.h"
#include "bench/trial/message_refusals.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/framework/trials.h"
#include "suite/inference/inference.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;

// Path MTU: payload of a full frame.
constexpr Bytes kMtu{4096};
// Frames of a message that the card can send (docs/card.md).
constexpr std::int64_t kMaxFrames = 65'535;
// Interval of messages sent one at a time: a multiple of the wire time of their frames, plus the
// software's time.
constexpr std::int64_t kEndpointSpacing = 16;
constexpr std::int64_t kCardSpacing = 2;
constexpr Picoseconds kEndpointPause = microseconds(500);
constexpr Picoseconds kCardPause = microseconds(5);
// Messages at line rate that a trial is long enough for.
constexpr std::int64_t kMinMessages = 16;
constexpr std::uint32_t kOutstanding = 16;  // of simulated hosts, at line rate
constexpr double kMaxBackground = 0.95;     // of a link that messages are to cross

constexpr std::uint32_t kKvMessages = 0;    // group of the messages' streams
constexpr std::uint32_t kKvBackground = 1;  // and of the background's

constexpr const char* kOneAtATime = "one at a time";
constexpr const char* kLineRate = "line rate";

// What sends and observes the messages.
enum class Platform { kEndpoints, kCard, kSimulation };

Platform platformOf(const bench::Capabilities& bench) {
  if (bench.messages) return Platform::kEndpoints;
  return bench.queue_pairs ? Platform::kCard : Platform::kSimulation;
}

// Frames of the card's other ports to the receiver of the messages.
struct CardBackground {
  Fraction load;  // of the receiver's link, preambles and gaps included
  bool poisson = false;
};

struct KvPoint {
  Bytes message;
  std::uint32_t qps = 1;
  bool one_at_a_time = false;
  CardBackground background{};
};

std::string trafficOf(const KvPoint& point) {
  if (!point.one_at_a_time) return kLineRate;
  if (point.background.load == Fraction()) return kOneAtATime;
  return fmt::format("{} beside {}, {}", kOneAtATime, valueText(point.background.load),
                     point.background.poisson ? "Poisson" : "constant");
}

std::int64_t framesOf(Bytes message) {
  return std::max<std::int64_t>((message.count() + kMtu.count() - 1) / kMtu.count(), 1);
}

Bytes frameOf(Bytes message, const bench::FrameFormat& format) {
  return messagePoint(std::min(message, kMtu), format).frame;
}

// The frames of a message back to back.
Picoseconds wireTime(const TestConfig& config, Bytes message) {
  return frameSlot(frameOf(message, config.scenario.traffic.format), config.bench.line_rate) *
         framesOf(message);
}

// Hosts other than those of the messages.
std::vector<std::uint32_t> backgroundHosts(const TestConfig& config) {
  const scenario::HostPair pair = config.scenario.hostPairs().front();
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t host = 0; host < config.scenario.topology.hostCount(); ++host) {
    if (host != pair.from && host != pair.to) hosts.push_back(host);
  }
  return hosts;
}

// Each host sends the same share, at a phase of its own. Its latencies are counted separately from
// those of the messages.
void addBackground(const TestConfig& config, const CardBackground& background,
                   bench::TrialSpec& spec) {
  if (background.load == Fraction()) return;
  const std::vector<std::uint32_t> hosts = backgroundHosts(config);
  const auto share = Fraction::partsPerTrillion(background.load.partsPerTrillion() /
                                                static_cast<std::int64_t>(hosts.size()));
  for (const std::uint32_t host : hosts) {
    bench::StreamSpec stream;
    stream.name = fmt::format("background of host{}", host);
    stream.from = host;
    stream.to = spec.streams.front().to;
    stream.format = config.scenario.traffic.format;
    stream.frame = frameOf(kMtu, stream.format);
    stream.load = bench::ConstantLoad{share};
    stream.group = kKvBackground;
    if (background.poisson)
      stream.gaps = bench::DrawnGaps{config.scenario.seed + std::uint64_t{1'000'003} * host};
    spec.streams.push_back(std::move(stream));
  }
}

bench::TrialSpec streamTrial(const TestConfig& config, const KvPoint& point, std::uint32_t messages,
                             Picoseconds duration) {
  const scenario::Parameters& own = config.scenario.parameters;
  const bool endpoints = platformOf(config.bench) == Platform::kEndpoints;
  const Picoseconds wire = wireTime(config, point.message);
  Load load = fullLoad(config, scenario::Direction::kUnidirectional,
                       messagePoint(std::min(point.message, kMtu), config.scenario.traffic.format),
                       point.qps, Fraction::one());
  bench::TrialSpec spec;
  if (point.one_at_a_time) {
    load.pairs.resize(1);
    // Beside background a message takes longer, by about the inverse of the remaining share of the
    // link.
    const auto spaced =
        Picoseconds(static_cast<std::int64_t>(static_cast<double>((wire * kCardSpacing).count()) /
                                              (1 - point.background.load.toDouble())));
    const Picoseconds interval =
        endpoints ? wire * kEndpointSpacing + kEndpointPause : spaced + kCardPause;
    spec = loadTrial(config, load, interval * std::int64_t{messages},
                     own.drain.value_or(endpoints ? seconds(2) : milliseconds(1)), 0);
    spec.streams.front().start = {};
    spec.streams.front().load = bench::BurstLoad{
        static_cast<std::uint32_t>(framesOf(point.message)), Bytes(0), messages, interval};
  } else {
    // A whole number of messages. Messages that software has not completed by their end were too
    // slow.
    const std::int64_t whole = std::max((duration + wire - Picoseconds(1)) / wire, kMinMessages);
    spec = loadTrial(config, load, wire * whole,
                     endpoints ? Picoseconds() : own.drain.value_or(milliseconds(1)), 0);
    if (spec.streams.size() == 1) spec.streams.front().start = {};
  }
  for (bench::StreamSpec& stream : spec.streams) stream.group = kKvMessages;
  if (point.message > kMtu) {
    for (bench::StreamSpec& stream : spec.streams) {
      stream.queue_pairs = bench::QueuePairSpec{
          {}, static_cast<std::uint32_t>(framesOf(point.message)), false, point.message};
    }
  }
  addBackground(config, point.background, spec);
  return spec;
}

// Simulated hosts send the messages over the scenario's transport.
bench::TrialSpec workloadTrial(const TestConfig& config, const KvPoint& point,
                               std::uint32_t messages) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.transport = transportOr(config, transport::RoceSpec{});
  workload::JobSpec job;
  job.name = "kv";
  job.flows = point.qps;
  job.placement.rule = workload::PlacementRule::kExplicit;
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kPairs;
  program.bytes = static_cast<std::uint64_t>(point.message.count());
  program.load = workload::ClosedLoop{point.one_at_a_time ? 1 : kOutstanding};
  program.messages = messages;
  for (const scenario::HostPair& pair : config.scenario.hostPairs()) {
    job.placement.hosts.push_back(pair.from);
    job.placement.hosts.push_back(pair.to);
    if (point.one_at_a_time) break;
  }
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

// Times of messages in a trial [us], as far as the bench observes them.
struct TransferTimes {
  std::optional<Reading> min, mean, p50, p95, p99, p999, max;
};

TransferTimes timesOf(const stats::Histogram& histogram, Picoseconds added) {
  if (histogram.count() == 0) return {};
  const auto later = [&](Reading reading) {
    reading.value += added.toMicroseconds();
    return reading;
  };
  const auto quantile = [&](double q) { return later(quantileMicroseconds(histogram, q)); };
  return {quantile(0),    later(histogram.mean() / 1e6),
          quantile(0.5),  quantile(0.95),
          quantile(0.99), quantile(0.999),
          quantile(1)};
}

// Frames of the message before its last one, and the last one's own bits.
Picoseconds behindFirstBit(const bench::StreamSpec& stream, BitRate line) {
  const std::uint32_t frames = bench::messageFrames(stream);
  const std::uint64_t last =
      bench::bytesSent(stream, frames) - bench::bytesSent(stream, frames - 1);
  return frameSlot(stream.frame, line) * (std::int64_t{frames} - 1) +
         serializationTime(Bytes(static_cast<std::int64_t>(last)), line);
}

TransferTimes transferTimes(Platform platform, const SweepPoint& point, const TrialResult& trial,
                            BitRate line) {
  if (platform == Platform::kSimulation) {
    return timesOf(trial.fabric->jobs.front().message_time, {});
  }
  stats::Histogram all;
  for (const bench::GroupLatency& group : trial.latency) {
    if (group.group == kKvMessages) all.merge(group.histogram);
  }
  if (platform == Platform::kEndpoints) return timesOf(all, {});
  const bench::StreamSpec& stream = point.spec.streams.front();
  TransferTimes times = timesOf(all, behindFirstBit(stream, line));
  if (bench::messageFrames(stream) > 1) return {times.min, {}, {}, {}, {}, {}, times.max};
  return times;
}

// Payload that arrived [B], and the time it took [s].
std::pair<double, double> arrived(Platform platform, const SweepPoint& point,
                                  const TrialResult& trial) {
  if (platform == Platform::kSimulation) {
    const bench::JobOutcome& job = trial.fabric->jobs.front();
    return {static_cast<double>(job.bytes_arrived), job.completion.toSeconds()};
  }
  double bytes = 0;
  for (std::size_t i = 0; i < trial.streams.size(); ++i) {
    const bench::StreamSpec& stream = point.spec.streams[i];
    if (stream.group != kKvMessages) continue;
    // The card counts frames of a message, endpoints messages.
    const double of_one = static_cast<double>(bench::messageBytes(stream).count()) /
                          (platform == Platform::kCard ? bench::messageFrames(stream) : 1);
    const bench::StreamResult& seen = trial.streams[i];
    bytes += static_cast<double>(seen.received_frames - seen.duplicate) * of_one;
  }
  return {bytes, point.spec.duration.toSeconds()};
}

// Share of the receiver's link taken by background frames that arrived [%]; nothing without any.
std::optional<double> backgroundDelivered(const bench::TrialSpec& spec, const TrialResult& trial,
                                          BitRate line) {
  double busy = 0;
  bool any = false;
  for (std::size_t i = 0; i < spec.streams.size(); ++i) {
    if (spec.streams[i].group != kKvBackground) continue;
    any = true;
    busy += static_cast<double>(trial.streams[i].received_frames) *
            frameSlot(spec.streams[i].frame, line).toSeconds();
  }
  if (!any) return std::nullopt;
  return 100 * busy / spec.duration.toSeconds();
}

class KvTransferProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "kv-transfer"; }
  [[nodiscard]] std::string title() const override { return "KV cache transfer"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(kpi::statistics("transfer", "us"),
                {"transfer_p99_less_p50_us", "kv_gigabytes_per_s", "arrived_percent",
                 "discrepancy_percent", "background_percent", "nic_retransmissions",
                 "nic_cnps_sent", "nic_cnps_handled", "nic_out_of_sequence"});
  }
  [[nodiscard]] bool onHosts() const override { return false; }

 protected:
  [[nodiscard]] std::string section() const override { return {}; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  [[nodiscard]] bench::TrialSpec repetitionOf(const SweepPoint& point,
                                              std::uint32_t repetition) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design KvTransferProcedure::design(const TestConfig& config) const {
  constexpr std::int64_t kKiB = 1 << 10;
  constexpr std::int64_t kMiB = 1 << 20;
  const scenario::Parameters& own = config.scenario.parameters;
  const Platform platform = platformOf(config.bench);
  Design design(config);
  design.axes = {{"Message", ""}, {"Queue pairs", ""}, {"Traffic", ""}};
  const auto possible = [&](Bytes size) {
    return platform != Platform::kCard || framesOf(size) <= kMaxFrames;
  };
  const auto sizes = design.numbers.sweep<Bytes>(
      "Message sizes",
      {Bytes(64 * kKiB), Bytes(256 * kKiB), Bytes(kMiB), Bytes(4 * kMiB), Bytes(16 * kMiB),
       Bytes(64 * kMiB), Bytes(256 * kMiB), Bytes(1024 * kMiB)},
      {Bytes(64), Bytes(4 * kKiB), Bytes(64 * kKiB), Bytes(kMiB)}, own.sizes, possible);
  const auto qps =
      design.numbers.sweep<std::uint32_t>("Queue pairs at line rate", {1, 2, 4, 8, 16, 32, 64, 128},
                                          {1, 4}, config.scenario.traffic.qps);
  const auto messages =
      design.numbers.atLeast<std::uint32_t>("Messages one at a time", 1000, 20, own.iterations);
  const Picoseconds quick =
      platform == Platform::kEndpoints ? milliseconds(100) : microseconds(100);
  const auto duration = design.numbers.atLeast<Picoseconds>("Duration at line rate", seconds(60),
                                                            quick, own.duration);
  design.repetitions = design.numbers.repetitions(20, 3);
  design.numbers.configure("Path MTU", valueText(kMtu));
  const std::vector<Fraction> draft{Fraction::percent(25), Fraction::percent(50),
                                    Fraction::percent(75), Fraction::percent(90)};
  const bool others = platform == Platform::kCard && !backgroundHosts(config).empty();
  const std::vector<Fraction> loads = design.numbers.sweep<Fraction>(
      "Background load", draft, {}, others ? own.loads : std::nullopt,
      [others](Fraction) { return others; });
  // If other tests run as well, the loads belong to them. This test then runs without loads, which
  // is a deviation.
  if (!others && own.loads && config.scenario.tests.size() == 1) {
    design.refusals.emplace_back(
        "background (parameters.loads) comes from further ports of a card: this scenario has none");
  }
  for (const Fraction load : loads) {
    if (load.toDouble() > kMaxBackground) {
      design.refusals.push_back(
          fmt::format("a background load of {} leaves no room for messages", valueText(load)));
    }
  }
  design.numbers.deviation(
      "KV cache in memory of the endpoints, not of accelerators; no KV library in between");
  for (const Bytes size : sizes) {
    if (size.count() % 4 != 0) {
      design.refusals.push_back(fmt::format("messages of {} B would need padding", size.count()));
    }
  }
  if (!isRoce(config.scenario.traffic.format.transport)) {
    design.refusals.emplace_back("RDMA messages need a rocev2 transport");
  }
  if (!design.refusals.empty()) return design;
  const auto add = [&](const KvPoint& point) {
    const bool simulation = platform == Platform::kSimulation;
    const std::uint32_t count =
        point.one_at_a_time ? messages : std::max(messages, std::uint32_t{2 * kOutstanding});
    design.add({valueText(point.message), qpsText(point.qps), trafficOf(point)},
               simulation ? workloadTrial(config, point, count)
                          : streamTrial(config, point, messages, duration),
               simulation ? messageHops(config, point.message, count) : 0);
  };
  for (const Bytes size : sizes) {
    add({size, 1, true});
    for (const Fraction load : loads) {
      for (const bool poisson : {true, false}) add({size, 1, true, {load, poisson}});
    }
  }
  for (const Bytes size : sizes) {
    for (const std::uint32_t count : qps) add({size, count, false});
  }
  return design;
}

bench::TrialSpec KvTransferProcedure::repetitionOf(const SweepPoint& point,
                                                   std::uint32_t repetition) const {
  bench::TrialSpec spec = FabricProcedure::repetitionOf(point, repetition);
  // Each of several pairs begins at its own phase, which changes with the repetition.
  for (std::uint32_t i = 0; i < spec.streams.size() && spec.streams.size() > 1; ++i) {
    const Picoseconds slot = frameSlot(spec.streams[i].frame, spec.dut.topology.link_rate);
    spec.streams[i].start = drawPhase(spec.dut.seed, repetition, i, slot);
  }
  return spec;
}

std::string absences(Platform platform) {
  switch (platform) {
    case Platform::kEndpoints:
      break;
    case Platform::kCard:
      return "mean and percentiles of the time of messages of several frames: not observed, the "
             "card counts latencies of frames, not of messages; least and most are bounds from the "
             "frames' own";
    case Platform::kSimulation:
      return "share of the offered messages that arrived in time: not observed, simulated hosts "
             "post the next message when one is done, so that none is due";
  }
  return "what of a message's time is the network's: not observed, software sees its post and its "
         "completion";
}

void KvTransferProcedure::report(const TestConfig& config, const Design& design,
                                 const std::vector<Measured>& measured,
                                 ResultBuilder& builder) const {
  builder.result().section = "inference draft, sections 5.1 and 5.2, between two endpoints";
  const Platform platform = platformOf(config.bench);
  const auto time = [&, platform](const char* column, const char* kpi,
                                  std::optional<Reading> TransferTimes::*member) {
    return Figure{.column = column,
                  .unit = "us",
                  .kpi = fmt::format("transfer_{}_us", kpi),
                  .of =
                      [&design, platform, member, line = config.bench.line_rate](
                          std::size_t i, const TrialResult& trial) {
                        return transferTimes(platform, design.points[i], trial, line).*member;
                      },
                  .observed = config.bench.observed};
  };
  Figure p99 = time("P99", "p99", &TransferTimes::p99);
  p99.primary = platform != Platform::kCard;
  Figure max = time("Max", "max", &TransferTimes::max);
  max.primary = platform == Platform::kCard;
  const Figure tail{.column = "P99 − P50",
                    .unit = "us",
                    .kpi = "transfer_p99_less_p50_us",
                    .of = [&design, platform, line = config.bench.line_rate](
                              std::size_t i, const TrialResult& trial) -> std::optional<Reading> {
                      const auto times = transferTimes(platform, design.points[i], trial, line);
                      if (!times.p99 || !times.p50) return std::nullopt;
                      Reading difference = *times.p99;
                      difference.value -= times.p50->value;
                      // Both are in the middle of a bucket.
                      difference.width = std::hypot(times.p99->width, times.p50->width);
                      return difference;
                    },
                    .observed = config.bench.observed};
  const Figure bandwidth{
      .column = "KV bandwidth",
      .unit = "GB/s",
      .kpi = "kv_gigabytes_per_s",
      .of = [&design, platform](std::size_t i, const TrialResult& trial) -> std::optional<double> {
        const auto [bytes, took] = arrived(platform, design.points[i], trial);
        return took > 0 ? std::optional(bytes / took / 1e9) : std::nullopt;
      },
      .observed = config.bench.observed,
      .primary = true};
  const Figure delivered{
      .column = "Background delivered",
      .unit = "%",
      .kpi = "background_percent",
      .of = [&design, line = config.bench.line_rate](
                std::size_t i, const TrialResult& trial) -> std::optional<double> {
        return backgroundDelivered(design.points[i].spec, trial, line);
      },
      .observed = config.bench.observed,
      .absent = "-"};
  const Figure in_time{
      .column = "Arrived in time",
      .unit = "%",
      .kpi = "arrived_percent",
      .of = [platform](std::size_t, const TrialResult& trial) -> std::optional<double> {
        if (platform == Platform::kSimulation) return std::nullopt;
        std::uint64_t sent = 0;
        for (const bench::StreamResult& stream : trial.streams) sent += stream.sent_frames;
        if (sent == 0) return std::nullopt;
        return 100 - 100 * static_cast<double>(trial.lost()) / static_cast<double>(sent);
      },
      .observed = config.bench.observed};

  std::vector<Measured> single;
  std::vector<Measured> loaded;
  for (const Measured& one : measured) {
    (one.point.values.back() == kLineRate ? loaded : single).push_back(one);
  }
  addTable(design, single,
           {time("Min", "min", &TransferTimes::min), time("Mean", "mean", &TransferTimes::mean),
            time("P50", "p50", &TransferTimes::p50), time("P95", "p95", &TransferTimes::p95), p99,
            time("P99.9", "p999", &TransferTimes::p999), max, tail, delivered},
           {"transfer_time",
            "Time of a transfer",
            platform == Platform::kCard
                ? "From the first bit of a message at the sending port to its last bit at the "
                  "receiving one, one message at a time; averages over the repetitions. "
                  "Background: frames of the other ports to the same receiver, as share of its "
                  "link."
                : "From a message's post to its completion at the sender, one message at a time; "
                  "averages over the repetitions.",
            {},
            {}},
           builder);
  addTable(design, loaded, {bandwidth, in_time},
           {"kv_bandwidth",
            "KV bandwidth",
            "Payload of messages offered at line rate that arrived within the trial.",
            {},
            {}},
           builder);
  const auto size = [&design](std::size_t i) {
    const bench::TrialSpec& spec = design.points[i].spec;
    if (spec.streams.empty()) {
      return static_cast<double>(
          std::get<workload::MessageProgram>(spec.workload->jobs.front().program).bytes);
    }
    return static_cast<double>(bench::messageBytes(spec.streams.front()).count());
  };
  results::Chart chart;
  chart.id = "kv_bandwidth_over_size";
  chart.title = "KV bandwidth over message size";
  chart.x_label = "Message [B]";
  chart.y_label = "KV bandwidth [GB/s]";
  chart.log_x = true;
  addChart(design, loaded, bandwidth,
           {size, [&design](std::size_t i) { return design.points[i].values[1]; }}, chart, builder);
  builder.deviation(absences(platform), "transfer");
  builder.deviation("processor load and offload use of the endpoints: not observed", "transfer");
  if (loaded.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const results::Quantity last = *meanOf(design, loaded.back(), bandwidth);
  builder.primary("KV bandwidth, " + loaded.back().point.label, last);
  builder.result().summary = fmt::format("{}: {}.", loaded.back().point.label, builder.text(last));
}

}  // namespace

const Procedure& kvTransferProcedure() {
  static const KvTransferProcedure test;
  return test;
}

}  // namespace plumbline::suite
