// kv-incast: I8.1 and I8.2 of the inference draft within the limits of a tester card. N ports each
// send one KV cache, a message of many frames, to one port, all at once or one after the other.
//
// Swept: senders × message × stagger. Host 0 receives, host 1 is the receiver of two thin streams
// from the last host, one in the class of the messages and one in another; senders are the hosts
// before the last. The DUT marks and pauses as configured; a sender's frames wait for the end of a
// pause. Measured by the tester: frames that arrived with CE, frames without, PAUSE frames and time
// paused at the senders' ports, one-way latency, latency that the messages add to the thin streams
// (largest minus smallest), loss. From the DUT, labelled so: its longest queue. Computed: the queue
// at the first mark. N frames arrive while one leaves, so the n-th frame finds n (N - 1) / N in the
// queue. With a step at kmin = kmax, without an earlier pause and with the threshold exceeded until
// the senders are done, the frames without CE are those before the first mark. Exact to N frames
// where all senders are equally far from the queue; otherwise the frames of nearer senders that
// arrive first count as well. Nothing for staggered messages.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "bench/card/stream_frame.h"
#include "bench/trial/message_refusals.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/framework/other_class.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;

constexpr Bytes kKvPathMtu{4096};
constexpr std::int64_t kMaxKvFrames = 65'535;  // of a message that the card can send
constexpr Picoseconds kKvStart = microseconds(1);
// Limits of a thin stream: frames in a trial, and share of its link. And the number of frames that
// its latency needs.
constexpr Bytes kProbeFrameSize{128};
constexpr std::int64_t kProbeFrames = 256;
constexpr Fraction kMaxProbeLoad = Fraction::percent(1);
constexpr std::uint64_t kMinProbeFrames = 10;
constexpr std::uint32_t kKvGroup = 0;  // of latencies
constexpr std::uint32_t kSameClassGroup = 1;
constexpr std::uint32_t kOtherClassGroup = 2;
// Hosts that send no message: the receiver and both ends of the thin streams.
constexpr std::uint32_t kOtherHosts = 3;

class KvIncastProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "kv-incast"; }
  [[nodiscard]] std::string title() const override { return "Incast of KV caches"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"ecn_percent",        "queue_at_onset_bytes", "pause_frames",
            "paused_us",          "latency_max_ns",       "hol_same_class_us",
            "hol_other_class_us", "lost_frames",          "queue_max_bytes"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

struct KvIncastPoint {
  std::uint32_t senders = 2;
  Bytes message;
  Picoseconds stagger;
};

std::int64_t kvFrames(Bytes message) {
  return std::max<std::int64_t>((message.count() + kKvPathMtu.count() - 1) / kKvPathMtu.count(), 1);
}

Fraction probeLoad(const TestConfig& config, Picoseconds duration) {
  const Picoseconds slot = frameSlot(kProbeFrameSize, config.bench.line_rate);
  const Fraction load = Fraction::partsPerTrillion(static_cast<std::int64_t>(
      Int128{Fraction::kOne} * slot.count() * kProbeFrames / duration.count()));
  return std::min(load, kMaxProbeLoad);
}

bench::TrialSpec kvIncastTrial(const TestConfig& config, const KvIncastPoint& point) {
  const std::uint32_t last = config.scenario.topology.hostCount() - 1;
  const Bytes frame =
      messagePoint(std::min(point.message, kKvPathMtu), config.scenario.traffic.format).frame;
  const auto frames = static_cast<std::uint32_t>(kvFrames(point.message));
  const Picoseconds message = frameSlot(frame, config.bench.line_rate) * std::int64_t{frames};
  // Until the receiver's link has carried all of them.
  bench::TrialSpec spec = cardTrial(
      config, kKvStart + (message + point.stagger) * static_cast<std::int64_t>(point.senders));
  spec.paused_frames_wait = true;
  for (std::uint32_t i = 0; i < point.senders; ++i) {
    bench::StreamSpec stream = streamBetween(config, {last - 1 - i, 0}, frame, Fraction::one());
    stream.load = bench::BurstLoad{.frames = frames, .interval = message};
    stream.start = kKvStart + point.stagger * std::int64_t{i};
    stream.group = kKvGroup;
    if (frames > 1) stream.queue_pairs = bench::QueuePairSpec{{}, frames, false, point.message};
    spec.streams.push_back(std::move(stream));
  }
  const Fraction thin = probeLoad(config, spec.duration);
  const std::uint8_t same = config.scenario.traffic.format.priority;
  for (const std::uint8_t priority : {same, *otherClass(config.scenario.switches, same)}) {
    bench::StreamSpec stream = streamBetween(config, {last, 1}, kProbeFrameSize, thin);
    stream.name = fmt::format("thin stream, priority {}", priority);
    stream.format.priority = priority;
    stream.format.dscp = static_cast<std::uint8_t>(priority << 3);
    stream.group = priority == same ? kSameClassGroup : kOtherClassGroup;
    spec.streams.push_back(std::move(stream));
  }
  return spec;
}

Design KvIncastProcedure::design(const TestConfig& config) const {
  const scenario::Parameters& own = config.scenario.parameters;
  Design design(config);
  design.axes = {{"Senders", "senders"}, {"Message", ""}, {"Stagger", "apart"}};
  const std::uint32_t ports =
      std::min(config.scenario.topology.hostCount(), config.bench.max_ports);
  const std::uint32_t possible = ports > kOtherHosts ? ports - kOtherHosts : 0;
  const auto senders = design.numbers.sweep<std::uint32_t>(
      "Senders", {2, 4, 8, 16, 32}, {2, 3}, own.incast_ratios,
      [possible](std::uint32_t count) { return count <= possible; });
  const auto messages = design.numbers.sweep<Bytes>("Message of every sender", {Bytes(16 << 20)},
                                                    {Bytes(1 << 20)}, own.sizes);
  const auto staggers = design.numbers.sweep<Picoseconds>("Stagger", {Picoseconds(0)},
                                                          {Picoseconds(0)}, own.card.stagger);
  design.repetitions = design.numbers.repetitions(20, 2);
  design.numbers.configure("Receiver", "host0");
  design.numbers.configure("Path MTU", valueText(kKvPathMtu));
  design.numbers.configure(
      "Thin streams",
      fmt::format(
          "{} frames of {} B a trial, at most {} of a link, from the last host to host1: one "
          "in the class of the messages and one in another",
          kProbeFrames, kProbeFrameSize.count(), valueText(kMaxProbeLoad)));
  if (!bench::isRoce(config.scenario.traffic.format.transport)) {
    design.refusals.emplace_back("messages need a rocev2 transport (traffic.transport)");
  }
  if (!otherClass(config.scenario.switches, config.scenario.traffic.format.priority)) {
    design.refusals.emplace_back(
        "the second thin stream needs a priority without PFC that the DUT serves before that of "
        "the messages (dut.switch.pfc.priorities, dut.switch.weights)");
  }
  for (const Bytes message : messages) {
    if (message.count() % 4 == 0 && kvFrames(message) <= kMaxKvFrames) continue;
    design.refusals.push_back(
        fmt::format("a message of {}: a multiple of 4 B, at most {} frames of "
                    "4096 B",
                    valueText(message), kMaxKvFrames));
  }
  for (const std::uint32_t count : senders) {
    if (count == 0 || count > possible) {
      design.refusals.push_back(fmt::format(
          "{}, a receiver and two hosts for the thin streams; DUT and tester have {} ports",
          counted(count, "sender"), ports));
    }
  }
  if (!design.refusals.empty()) return design;
  for (const std::uint32_t count : senders) {
    for (const Bytes message : messages) {
      for (const Picoseconds stagger : staggers) {
        design.add({std::to_string(count), valueText(message), valueText(stagger)},
                   kvIncastTrial(config, {count, message, stagger}), 0);
      }
    }
  }
  return design;
}

// Of the messages' streams: frames that arrived, and of these with CE.
std::pair<std::uint64_t, std::uint64_t> marksOfMessages(const SweepPoint& point,
                                                        const TrialResult& trial) {
  std::uint64_t arrived = 0;
  std::uint64_t marked = 0;
  for (std::size_t i = 0; i < trial.streams.size(); ++i) {
    if (point.spec.streams[i].group != kKvGroup) continue;
    arrived += trial.streams[i].received_frames;
    marked += trial.streams[i].ce;
  }
  return {arrived, marked};
}

std::optional<Reading> markedShare(const SweepPoint& point, const TrialResult& trial) {
  const auto [arrived, marked] = marksOfMessages(point, trial);
  if (arrived == 0) return std::nullopt;
  return Reading(100 * static_cast<double>(marked) / static_cast<double>(arrived));
}

// The queue at the first marked frame [bytes]; nothing without marks, for staggered messages, and
// after a loss, since the lost frame's mark is unknown.
std::optional<Reading> queueAtOnset(const SweepPoint& point, const TrialResult& trial) {
  const auto [arrived, marked] = marksOfMessages(point, trial);
  const std::vector<bench::StreamSpec>& streams = point.spec.streams;
  const auto senders = static_cast<double>(streams.size() - 2);
  const bool together = streams.size() < 4 || streams[0].start == streams[1].start;
  if (marked == 0 || !together || senders < 2 || trial.lost() > 0) return std::nullopt;
  const bench::StreamSpec& stream = streams.front();
  const std::uint32_t frames = bench::messageFrames(stream);
  const double frame = static_cast<double>(bench::bytesSent(stream, frames)) / frames;
  return within(static_cast<double>(arrived - marked) * (senders - 1) / senders * frame,
                senders * frame, "whole frames:");
}

double pausesOf(const TrialResult& trial, double (*of)(const bench::PriorityCounters& counters)) {
  double sum = 0;
  for (const bench::PortResult& port : trial.ports) {
    for (const bench::PriorityCounters& priority : port.priority) sum += of(priority);
  }
  return sum;
}

const stats::Histogram* latencyOf(const TrialResult& trial, std::uint32_t group) {
  for (const bench::GroupLatency& one : trial.latency) {
    if (one.group == group && one.histogram.count() > 0) return &one.histogram;
  }
  return nullptr;
}

// Largest minus smallest [us]; nothing for a few frames, which may have missed the messages.
std::optional<Reading> addedByMessages(const TrialResult& trial, std::uint32_t group) {
  const stats::Histogram* latency = latencyOf(trial, group);
  if (latency == nullptr || latency->count() < kMinProbeFrames) return std::nullopt;
  return Reading(static_cast<double>(latency->maximum() - latency->minimum()) / 1e6);
}

void KvIncastProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  Figure marked = testerFigure("ECN marked", "%", "ecn_percent",
                               [&design](std::size_t place, const TrialResult& trial) {
                                 return markedShare(design.points[place], trial);
                               });
  marked.primary = true;
  Figure onset = testerFigure("Queue at onset", "B", "queue_at_onset_bytes",
                              [&design](std::size_t place, const TrialResult& trial) {
                                return queueAtOnset(design.points[place], trial);
                              });
  onset.absent = "not known";
  const auto tester = [](const char* column, const char* unit, const char* kpi,
                         std::optional<Reading> (*of)(const TrialResult& trial)) {
    return testerFigure(column, unit, kpi,
                        [of](std::size_t, const TrialResult& trial) { return of(trial); });
  };
  addTable(
      design, measured,
      {marked, onset,
       tester("PAUSE frames", "frames", "pause_frames",
              [](const TrialResult& trial) -> std::optional<Reading> {
                return pausesOf(trial, [](const bench::PriorityCounters& counters) {
                  return static_cast<double>(counters.rx_xoff);
                });
              }),
       tester("Paused", "us", "paused_us",
              [](const TrialResult& trial) -> std::optional<Reading> {
                return pausesOf(trial, [](const bench::PriorityCounters& counters) {
                  return counters.paused.toMicroseconds();
                });
              }),
       tester("Latency max", "ns", "latency_max_ns",
              [](const TrialResult& trial) -> std::optional<Reading> {
                const stats::Histogram* latency = latencyOf(trial, kKvGroup);
                if (latency == nullptr) return std::nullopt;
                return quantileOf(*latency, 1, 1000);
              }),
       tester("HOL, same class", "us", "hol_same_class_us",
              [](const TrialResult& trial) { return addedByMessages(trial, kSameClassGroup); }),
       tester("HOL, other class", "us", "hol_other_class_us",
              [](const TrialResult& trial) { return addedByMessages(trial, kOtherClassGroup); }),
       tester("Lost", "frames", "lost_frames",
              [](const TrialResult& trial) -> std::optional<Reading> { return lostFrames(trial); }),
       dutFigure("Longest queue", "B", "queue_max_bytes",
                 [](std::size_t, const TrialResult& trial) {
                   return std::optional<Reading>(longestQueue(trial));
                 })},
      {"kv_incast",
       "Incast of KV caches",
       "PAUSE frames and time paused at the tester's ports. Queue at onset is computed from the "
       "frames without CE; it holds for a step (kmin = kmax) that is not preceded by a pause, and "
       "for senders that are equally far from the queue. "
       "Latency of the messages' frames counts from when a frame left, the end of a pause "
       "included. HOL is the largest less the smallest one-way latency of a thin stream beside "
       "the messages.",
       {},
       {}},
      builder);
  builder.deviation(
      "time of a whole message: not observed, the card counts latencies of frames; congestion "
      "control of the senders: none",
      "kv_incast");
  const Measured& last = measured.back();
  const auto value = meanOf(design, last, marked);
  if (!value) {
    builder.result().summary = "No frame of a message arrived.";
    return;
  }
  builder.primary("ECN marked, " + last.point.label, *value);
  builder.result().summary =
      fmt::format("{}: {} of the frames marked.", last.point.label, builder.text(*value));
}

}  // namespace

const Procedure& kvIncastProcedure() {
  static const KvIncastProcedure test;
  return test;
}

}  // namespace plumbline::suite
