// T6.5a Link-level retry (training draft, section 6.5, first part).
//
// Bit errors of a given rate on the links between switches, 80 % background load between the hosts,
// RoCEv2 RC messages of 64 KiB beside it, with LLR and without. Measured with LLR: retry latency
// per hop, from the end of the damaged frame's first transmission to its good copy's arrival;
// compared with the value computed from delays and configuration for a frame that is followed by
// frames of its own size:
//   2 * link delay + receiver and sender processing + one frame, up to one more frame on the wire
//   when the NACK is ready
// Measured without: the cost of a loss for the transport, as the slowest message's time over the
// median's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "fabric/link/link_retry.h"
#include "fabric/topology/several_paths.h"
#include "fabric/topology/topology.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/framework/hop_table.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/retry_model.h"
#include "suite/training/balancing.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kBackgroundFrame{4178};
constexpr std::uint8_t kBackgroundPriority = 0;
// Longest frame on a link: 4 KiB of payload over IPv6 with a VLAN tag and the headers of a write.
constexpr Bytes kLongestFrame{4198};
constexpr std::size_t kMaxHopRows = 12;
// Duration of a trial in the profile `standard`: at the lowest bit error rate, 1e-8, a link with 80
// % load then has 160 damaged frames.
constexpr Picoseconds kEnoughForRetries = milliseconds(50);
// Behind a trial, for retransmissions by the transport, which gives a message up soon after.
constexpr Picoseconds kWait = milliseconds(100);

struct LlrPoint {
  double bit_error_rate = 0;
  bool retries = false;
};

// Frames lost to bit errors: damaged ones without retry, and those that the retry gave up.
std::uint64_t bitErrorLosses(const bench::TrialResult& trial) {
  const fabric::LinkCounters& total = trial.fabric->total;
  return total.dropsBy(fabric::DropReason::kCorrupt) + total.dropsBy(fabric::DropReason::kReplays) +
         total.dropsBy(fabric::DropReason::kAge);
}

// Frames dropped because a queue was full.
std::uint64_t queueFullDrops(const bench::TrialResult& trial) {
  const fabric::LinkCounters& total = trial.fabric->total;
  return total.dropsBy(fabric::DropReason::kBufferFull) +
         total.dropsBy(fabric::DropReason::kHeadroomFull) +
         total.dropsBy(fabric::DropReason::kTrimmedFull);
}

// Flows that share a link, and replays, may be more than it carries; the messages that cross it
// wait.
void noteCongestion(const TestConfig& config, const std::vector<Measured>& measured,
                    ResultBuilder& builder) {
  const bool several = fabric::hasSeveralPaths(fabric::buildTopology(config.scenario.topology));
  for (const Measured& one : measured) {
    const auto congested = std::ranges::count_if(
        one.trials, [](const bench::TrialResult& trial) { return queueFullDrops(trial) > 0; });
    if (congested == 0) continue;
    builder.anomaly(
        fmt::format(
            "in {} of {} a queue was full: the {}{} were more than a link carries; times of "
            "messages contain the wait there",
            congested, counted(one.trials.size(), "trial"),
            several ? "flows on it" : "frames on it",
            one.point.spec.dut.switches.llr ? " and their replays" : ""),
        one.point.label);
  }
}

constexpr const char* kRetryNote =
    "A retry takes from the end of a damaged frame's first transmission to the end of its good "
    "copy. \"Retry latency of each hop\" has the computed times. Damaged are also copies, and "
    "frames behind a damaged one, which count as one retry.";
constexpr const char* kMeansNote = " Frames and packets are means per repetition.";

// Range of the computed times of one attempt, of all hops that retried at `point`; in brackets.
std::string computedText(const std::vector<PointHops>& points, const SweepPoint& point) {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const PointHops& one) { return &one.point == &point; });
  if (found == points.end() || found->hops.empty()) return {};
  const bench::RetryTime computed = together(found->hops, "").computed;
  return fmt::format(" (computed: {:.0f} to {:.0f} ns, more if the copy is damaged as well)",
                     computed.min.toNanoseconds(), computed.max.toNanoseconds());
}

class LlrProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.5a"; }
  [[nodiscard]] std::string title() const override { return "Link-level retry"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {
        "message_p50_us",    "message_max_us",       "llr_retry_mean_ns", "llr_retry_max_ns",
        "hop_retry_mean_ns", "hop_retry_p99_ns",     "hop_retry_max_ns",  "hop_retry_error_ns",
        "hop_retries_sigma", "hop_repeated_percent", "damaged_frames",    "llr_retries",
        "lost_frames",       "bit_error_losses",     "queue_full_drops",  "retransmitted_packets"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.5, LLR"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<LlrPoint> pointsOf() {
    std::vector<LlrPoint> points;
    for (const double rate : {1e-8, 1e-7, 1e-6}) {
      for (const bool retries : {true, false}) points.push_back({rate, retries});
    }
    return points;
  }
  static fabric::LlrSpec llrOf(const TestConfig& config) {
    return config.scenario.switches.llr.value_or(fabric::LlrSpec());
  }
};

// Packets crossing a link in a trial, roughly.
double llrHops(const TestConfig& config, Picoseconds duration) {
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const BitRate rate = config.scenario.topology.link_rate;
  const double frames = 0.8 * duration.toSeconds() / frameSlot(kBackgroundFrame, rate).toSeconds();
  // One message at a time between two hosts, which takes a quarter of their link.
  constexpr double kShare = 0.25;
  const double payload =
      kShare * duration.toSeconds() * static_cast<double>(rate.bitsPerSecond()) / 8;
  const std::uint32_t background = hosts / 2;
  const std::uint32_t messages = hosts / 4;
  return background * frames * linksOfPath(config) + messages * payloadHops(config, payload);
}

// Time behind a trial in which every link has sent, and repeated, what it holds then: the frames of
// a retry's time and of a queue, at most those of the trial. Each retry waits for the one before
// it. Their number scatters: twice the expected one and five more are not reached by chance.
Picoseconds catchUpTime(const fabric::FabricSpec& dut, Picoseconds duration, double error_rate) {
  const fabric::Topology topology = fabric::buildTopology(dut.topology);
  const double failures = failuresPerFrame(error_rate, static_cast<double>(kLongestFrame.count()));
  const double queue =
      bufferOfPort(dut.switches, dut.topology) / static_cast<double>(kLongestFrame.count());
  Picoseconds longest;
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    if (!topology.joinsSwitches(id)) continue;
    const fabric::Link& link = topology.links()[id];
    const Picoseconds slot = frameSlot(kLongestFrame, link.rate);
    const Picoseconds retry = slot + fabric::retryTime(kLongestFrame, *dut.switches.llr, link,
                                                       topology.links()[fabric::reverse(id)]);
    const double held =
        std::min(static_cast<double>(duration / slot), static_cast<double>(retry / slot) + queue);
    const double seconds = held * slot.toSeconds() + (2 * held * failures + 5) * retry.toSeconds();
    longest = std::max(longest, Picoseconds(std::llround(seconds * 1e12)));
  }
  return longest;
}

Design LlrProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Bit error rate", ""}, {"LLR", ""}};
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  if (hosts < 4 || hosts % 4 != 0) {
    design.refusals.emplace_back(
        "pairs and a background beside them need a multiple of four hosts");
    return design;
  }
  const fabric::LlrSpec llr = llrOf(config);
  design.numbers.configure("Background", "80 % of every other host's link, class 0");
  design.numbers.configure(
      "LLR", fmt::format("processing of receiver {}, of sender {}",
                         valueText(llr.receiver_processing), valueText(llr.sender_processing)));
  design.numbers.configure("LLR retries in", "hardware of the link layer (modelled)");
  design.numbers.configure(
      "RoCEv2 RC retries in",
      "hardware of the NIC (modelled): no time of driver or firmware is in it");
  const Picoseconds duration = design.numbers.atLeast<Picoseconds>(
      "Duration", seconds(60), milliseconds(1),
      mayEndEarly(config) ? kEnoughForRetries : config.scenario.parameters.duration);
  design.repetitions = design.numbers.repetitions(20, 1);
  const std::uint32_t half = hosts / 2;
  std::vector<LlrPoint> points;
  std::vector<std::string> left_out;
  for (const LlrPoint& point : pointsOf()) {
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(serviceVariant(config, "RC", balancingOf("ecmp")), spec);
    // Not on the links of hosts, where a replay would make the tester's own frames late.
    spec.dut.bit_errors = {{"fabric", point.bit_error_rate}};
    spec.dut.switches.llr.reset();
    if (point.retries) {
      spec.dut.switches.llr = llr;
      const Picoseconds time = catchUpTime(spec.dut, duration, point.bit_error_rate);
      if (time > kWait) {
        left_out.push_back(fmt::format(
            "bit error rate {:g} with LLR not measured: links as long as these may need {} behind "
            "a trial to repeat what they hold, more than its wait of {} "
            "(dut.topology.fabric_delay)",
            point.bit_error_rate, roundedTimeText(time), valueText(kWait)));
        continue;
      }
    }
    workload::JobSpec job;
    job.name = "messages";
    job.placement.rule = workload::PlacementRule::kExplicit;
    // Even hosts exchange messages, odd ones load the fabric: no NIC has to serve both.
    for (std::uint32_t i = 0; i < half; i += 2) {
      job.placement.hosts.push_back(i);
      job.placement.hosts.push_back(half + i);
    }
    workload::MessageProgram program;
    program.pattern = workload::Pattern::kPairs;
    program.bytes = 64 << 10;
    program.until = duration;
    job.program = program;
    spec.workload->jobs.push_back(std::move(job));
    for (std::uint32_t from = 1; from < 2 * half; from += 2) {
      bench::StreamSpec stream;
      stream.from = from;
      stream.to = (from + half) % (2 * half);
      stream.name = fmt::format("background of host{}", from);
      stream.frame = kBackgroundFrame;
      stream.format.dscp = kBackgroundPriority << 3;
      stream.format.qps = 16;
      stream.load = bench::ConstantLoad{Fraction::percent(80)};
      spec.streams.push_back(std::move(stream));
    }
    spec.duration = duration;
    spec.drain = kWait;
    design.add({fmt::format("{:g}", point.bit_error_rate), point.retries ? "on" : "off"},
               std::move(spec), llrHops(config, duration));
    points.push_back(point);
  }
  for (const std::string& why : left_out) design.numbers.deviation(why);
  if (std::none_of(points.begin(), points.end(),
                   [](const LlrPoint& point) { return point.retries; })) {
    design.refusals = std::move(left_out);
  }
  design.carry(points);
  return design;
}

void LlrProcedure::report(const TestConfig& config, const Design& design,
                          const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<LlrPoint>>();
  const auto retried = [&](std::size_t i, const bench::TrialResult& trial) {
    return points[i].retries && trial.fabric->total.retries > 0;
  };
  const Figure mean{
      .column = "Retry latency, mean",
      .unit = "ns",
      .kpi = "llr_retry_mean_ns",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (!retried(i, trial)) return std::nullopt;
        return trial.fabric->total.retry_total.toNanoseconds() /
               static_cast<double>(trial.fabric->total.retries);
      },
      .observed = ObservationPoint::kModelled,
      .primary = true};
  const Figure max{
      .column = "Most",
      .unit = "ns",
      .kpi = "llr_retry_max_ns",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (!retried(i, trial)) return std::nullopt;
        return trial.fabric->total.retry_max.toNanoseconds();
      }};
  addTable(design, measured,
           {figure("Damaged", "frames", "damaged_frames",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(trial.fabric->total.damaged);
                   }),
            figure("Repaired by LLR", "frames", "llr_retries",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(trial.fabric->total.retries);
                   }),
            mean, max,
            figure("Lost", "frames", "lost_frames",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(trial.fabric->total.dropped());
                   }),
            figure("Of these to bit errors", "frames", "bit_error_losses",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(bitErrorLosses(trial));
                   }),
            figure("In full queues", "frames", "queue_full_drops",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(queueFullDrops(trial));
                   }),
            figure("Retransmitted by RC", "packets", "retransmitted_packets",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(trial.fabric->endpoints.retransmitted);
                   }),
            Figure{.column = "Message P50",
                   .unit = "us",
                   .kpi = "message_p50_us",
                   .of =
                       [](std::size_t, const bench::TrialResult& trial) {
                         return quantileMicroseconds(trial.fabric->jobs.at(0).message_time, 0.5);
                       }},
            Figure{.column = "Message max",
                   .unit = "us",
                   .kpi = "message_max_us",
                   .of =
                       [](std::size_t, const bench::TrialResult& trial) {
                         return quantileMicroseconds(trial.fabric->jobs.at(0).message_time, 1);
                       }}},
           {"llr",
            "Repair of bit errors, by the link and by the transport",
            std::string(kRetryNote) + (design.repetitions > 1 ? kMeansNote : ""),
            {},
            {}},
           builder);
  noteCongestion(config, measured, builder);
  std::vector<PointHops> hops;
  for (const Measured& one : measured) {
    if (points[placeOf(design, one)].retries) hops.push_back(hopsOf(one, kLongestFrame));
  }
  checkRetryCounts(hops, builder);
  addHopTables(design, hops, kMaxHopRows, builder);
  for (const Measured& one : measured) {
    const auto value = meanOf(design, one, mean);
    if (!value) continue;
    builder.primary("retry latency, " + one.point.label, *value);
    builder.result().summary = fmt::format("{}: a retry takes {} on average{}.", one.point.label,
                                           builder.text(*value), computedText(hops, one.point));
  }
}

}  // namespace

const Procedure& llrProcedure() {
  static const LlrProcedure test;
  return test;
}

}  // namespace plumbline::suite
