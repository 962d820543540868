// T6.5c CBFC beside PFC (training draft, section 6.5, third part).
//
// The same 32:1 incast of RoCEv2 without congestion control, lossless once by PFC and once by
// credit-based flow control, and a victim whose destination is not congested. In the incast's class
// the victim is a message, in a class of its own (with CBFC a channel of its own) a stream of
// frames at 10 % of its link, for as long as the incast's payload takes at the slowest link's rate.
// Measured: head-of-line blocking, the message's time beside the incast minus its time alone, resp.
// the slowest frame's latency minus that of the slowest alone in the same repetition; the victim's
// throughput; how long ports were paused and how far from the receiver; longest queue, losses, the
// incast's own goodput.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/trial/longest_frame.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/other_class.h"
#include "suite/framework/pause_hops.h"
#include "suite/framework/residual_time.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

struct LosslessPoint {
  bool cbfc = false;
  bool own_class = false;  // of the victim
  bool alone = false;      // the victim without the incast
  Incast incast;
};

constexpr Bytes kVictimFrame{1024};
constexpr std::int64_t kVictimSlots = 10;  // a frame in so many slots of the line: 10 % load

class CbfcPfcProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.5c"; }
  [[nodiscard]] std::string title() const override { return "CBFC beside PFC"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"victim_gbps",      "pause_hops",  "goodput_percent", "drop_ppm",
            "fabric_drops_ppm", "trimmed_ppm", "queue_max_bytes", "victim_us",
            "hol_blocking_us",  "paused_us"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.5, CBFC"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<LosslessPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<LosslessPoint> CbfcPfcProcedure::pointsOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  Variant variant = serviceVariant(config, "RC", balancingOf("ecmp"));
  std::get<transport::RoceSpec>(variant.transport).dcqcn.enabled = false;
  const Bytes message =
      numbers.sweep<Bytes>("Message of every sender", {Bytes(16 * kMiB)}, {Bytes(2 * kMiB)},
                           config.scenario.parameters.sizes)[0];
  const auto senders = senderSweep(config, numbers, {32}, {32});
  const std::uint8_t data = std::get<transport::RoceSpec>(variant.transport).data_priority;
  std::vector<bool> classes{false};
  if (classServedBefore(config.scenario.switches, data)) {
    classes.push_back(true);
  } else {
    numbers.deviation(fmt::format(
        "a victim in a class of its own not measured: the DUT serves no class before priority {} "
        "of the incast, and a later one would wait for it without pauses (dut.switch.weights)",
        data));
  }
  std::vector<LosslessPoint> points;
  for (const std::uint32_t n : senders) {
    for (const bool cbfc : {false, true}) {
      for (const bool own_class : classes) {
        for (const bool alone : {true, false}) {
          Incast incast{variant, n, message};
          incast.victim = !own_class;
          points.push_back({cbfc, own_class, alone, std::move(incast)});
        }
      }
    }
  }
  return points;
}

// The victim in a class of its own: between the hosts of incastTrial()'s victim.
bench::StreamSpec victimStream(const TestConfig& config, std::uint8_t own_class) {
  bench::StreamSpec stream;
  stream.name = "victim";
  stream.from = config.scenario.topology.hostCount() - 1;
  stream.to = 1;
  stream.frame = kVictimFrame;
  stream.format.dscp = static_cast<std::uint8_t>(own_class << 3);
  stream.format.qps = 16;  // over all paths
  stream.load = bench::ConstantLoad{Fraction::percent(100 / kVictimSlots)};
  return stream;
}

// Of a point that has one.
std::uint8_t ownClass(const TestConfig& config, const LosslessPoint& point) {
  const auto& roce = std::get<transport::RoceSpec>(point.incast.variant.transport);
  return *classServedBefore(config.scenario.switches, roce.data_priority);
}

bench::TrialSpec losslessTrial(const TestConfig& config, const LosslessPoint& point) {
  bench::TrialSpec spec = incastTrial(config, point.incast);
  if (!point.own_class) {
    if (point.alone) spec.workload->jobs = {spec.workload->jobs.back()};
    return spec;
  }
  spec.streams.push_back(victimStream(config, ownClass(config, point)));
  const double bits =
      8.0 * static_cast<double>(point.incast.message.count()) * point.incast.senders;
  // The incast's slowest link: of several from spines, the busiest may have all of it.
  const BitRate rate =
      std::min(config.scenario.topology.link_rate, config.scenario.topology.fabricRate());
  spec.duration = Picoseconds(
      static_cast<std::int64_t>(bits / static_cast<double>(rate.bitsPerSecond()) * 1e12));
  // The incast takes longer than its payload at that rate; its acknowledgements and those of what
  // is sent again cross the DUT besides.
  spec.drain = spec.duration + 4 * pathTime(spec.dut, bench::longestFrame(spec));
  if (point.alone) spec.workload.reset();
  return spec;
}

// Time of the victim's slots that its frames took: whole slots, the last of which may end behind
// the duration. That duration if it sent fewer.
Picoseconds sendingTime(const bench::TrialSpec& spec, const bench::StreamResult& stream) {
  const Picoseconds slot = frameSlot(kVictimFrame, spec.dut.topology.link_rate) * kVictimSlots;
  return std::max(spec.duration, slot * static_cast<std::int64_t>(stream.sent_frames));
}

double hopsOf(const TestConfig& config, const LosslessPoint& point) {
  const double payload = static_cast<double>(point.incast.message.count());
  if (!point.own_class) {
    return point.alone ? payloadHops(config, payload) : incastHops(config, point.incast);
  }
  // A tenth of the bytes, in frames of a quarter of the size and without acknowledgements.
  const double victim = payloadHops(config, 0.33 * payload * point.incast.senders);
  return point.alone ? victim : victim + incastHops(config, point.incast);
}

Design CbfcPfcProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {
      {"Senders", "senders"}, {"Lossless by", ""}, {"Victim's class", ""}, {"Running", ""}};
  if (auto why = pfcRefusal(config, serviceVariant(config, "RC", balancingOf("ecmp")))) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const fabric::PfcSpec& pfc = *config.scenario.switches.pfc;
  fabric::CbfcSpec cbfc = config.scenario.switches.cbfc.value_or(fabric::CbfcSpec());
  if (!config.scenario.switches.cbfc) {
    // As much room for a channel as PFC has for an input below and above xoff.
    cbfc.credits =
        static_cast<std::uint32_t>((pfc.xoff + pfc.headroom).count() / cbfc.credit_size.count());
  }
  // It takes PFC's place, whatever else the scenario has it for.
  cbfc.channels |= pfc.priorities;
  design.numbers.configure(
      "PFC", fmt::format("xoff at {} B, headroom {} B", pfc.xoff.count(), pfc.headroom.count()));
  design.numbers.configure("CBFC per", "virtual channel of a link, not per destination");
  design.numbers.configure("PFC and CBFC run in", "link hardware (modelled)");
  design.numbers.configure("CBFC", fmt::format("{} credits of {} B per channel", cbfc.credits,
                                               cbfc.credit_size.count()));
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.8;
  const std::vector<LosslessPoint> points = pointsOf(config, design.numbers);
  for (const LosslessPoint& point : points) {
    if (auto why = incastRefusal(config, point.incast)) {
      design.refusals.push_back(*std::move(why));
      return design;
    }
    bench::TrialSpec spec = losslessTrial(config, point);
    spec.dut.switches.cbfc.reset();
    if (point.cbfc) {
      spec.dut.switches.cbfc = cbfc;
      if (point.own_class) {
        spec.dut.switches.cbfc->channels |= std::uint8_t{1} << ownClass(config, point);
      }
      spec.dut.switches.pfc.reset();
    }
    design.add({std::to_string(point.incast.senders), point.cbfc ? "CBFC" : "PFC",
                point.own_class ? "its own" : "the incast's",
                point.alone ? "victim alone" : "incast and victim"},
               std::move(spec), hopsOf(config, point));
  }
  design.carry(points);
  return design;
}

// The points, by index in the design, in whose trials the incast was not done, so that it has no
// goodput. They are anomalies.
std::vector<bool> noteCutOff(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) {
  const auto& points = design.carried<std::vector<LosslessPoint>>();
  std::vector<bool> cut_off(points.size());
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (points[place].alone) continue;
    const auto cut =
        std::count_if(one.trials.begin(), one.trials.end(), [&](const bench::TrialResult& trial) {
          return std::isnan(incastGoodputPercent(config, points[place].incast, trial));
        });
    if (cut == 0) continue;
    cut_off[place] = true;
    builder.anomaly(fmt::format("the incast's goodput not observed: in {} of {} repetitions it was "
                                "not done when the trial ended, after {}",
                                cut, one.trials.size(),
                                roundedTimeText(one.point.spec.duration + one.point.spec.drain)),
                    one.point.label);
  }
  return cut_off;
}

void CbfcPfcProcedure::report(const TestConfig& config, const Design& design,
                              const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<LosslessPoint>>();
  // Longest wait of the victim: for its message, or for its slowest frame.
  const auto victim = [&points](std::size_t i, const bench::TrialResult& trial) {
    if (!points[i].own_class) return trial.fabric->jobs.back().completion.toMicroseconds();
    stats::Histogram all;
    for (const bench::GroupLatency& group : trial.latency) all.merge(group.histogram);
    return quantileMicroseconds(all, 1).value;
  };
  // The victim alone, one trial for every repetition.
  std::map<std::tuple<std::uint32_t, bool, bool>, std::pair<std::size_t, const Measured*>> alone;
  const auto key = [&points](std::size_t i) {
    return std::tuple(points[i].incast.senders, points[i].cbfc, points[i].own_class);
  };
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (points[place].alone) alone[key(place)] = {place, &one};
  }
  const Figure time{.column = "Victim's time", .unit = "us", .kpi = "victim_us", .of = victim};
  const Figure blocking{.column = "Head-of-line blocking",
                        .unit = "us",
                        .kpi = "hol_blocking_us",
                        .primary = true,
                        .baseline = [&points](std::size_t i) { return points[i].alone; },
                        .paired = [&](std::size_t i, std::size_t repetition,
                                      const bench::TrialResult& trial) -> std::optional<double> {
                          const auto base = alone.find(key(i));
                          if (base == alone.end()) return std::nullopt;
                          const auto& [place, without] = base->second;
                          return victim(i, trial) - victim(place, without->trials.at(repetition));
                        }};
  const Figure throughput{
      .column = "Victim's throughput",
      .unit = "Gb/s",
      .kpi = "victim_gbps",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (points[i].own_class) {
          const bench::StreamResult& stream = trial.streams.at(0);
          return 8.0 * static_cast<double>(stream.received_bytes) /
                 sendingTime(design.points[i].spec, stream).toSeconds() / 1e9;
        }
        const bench::JobOutcome& job = trial.fabric->jobs.back();
        if (!job.finished) return std::nullopt;
        return 8.0 * static_cast<double>(job.bytes_arrived) / job.completion.toSeconds() / 1e9;
      }};
  const std::vector<bool> cut_off = noteCutOff(config, design, measured, builder);
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const Figure hops{
      .column = "Pauses reach",
      .unit = "hops",
      .kpi = "pause_hops",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (points[i].cbfc) return std::nullopt;
        const auto farthest = pauseHops(topology, *trial.fabric, 0);
        if (!farthest) return std::nullopt;
        return static_cast<double>(*farthest);
      }};
  const Figure goodput{
      .column = "Incast's goodput",
      .unit = "%",
      .kpi = "goodput_percent",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        if (points[i].alone) return std::nullopt;
        return incastGoodputPercent(config, points[i].incast, trial);
      },
      .hidden = [&cut_off](std::size_t i) { return cut_off[i]; }};
  addTable(design, measured,
           {time, blocking, throughput, hops, goodput,
            figure("Paused", "us", "paused_us", pausedMicroseconds),
            figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
            figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
            figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
            figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm)},
           {"lossless",
            "Victim beside an incast",
            "The victim is traffic between a host on a sender's leaf and one on the receiver's "
            "leaf: one message in the incast's class, or frames in a class of their own, of which "
            "the slowest counts. Blocking is the increase against the victim alone in the same "
            "repetition. The victim's throughput is its payload until it is done, or its received "
            "frames. Reach of pauses, in links from the receiver; in a two-tier Clos: 1, its leaf "
            "pauses spines; 2, spines pause leaves; 3, leaves pause hosts. Paused is the sum over "
            "all ports. CBFC "
            "has no pauses: a port without credits stops, and the model does not count that time.",
            {},
            {}},
           builder);
  for (const Measured& one : measured) {
    const auto value = meanOf(design, one, blocking);
    if (!value) continue;
    builder.primary("blocking, " + one.point.label, *value);
    std::string& summary = builder.result().summary;
    summary += fmt::format("{}{} senders, {}: a victim in {} class waits {}.",
                           summary.empty() ? "" : " ", one.point.values[0], one.point.values[1],
                           one.point.values[2], builder.text(*value));
  }
}

}  // namespace

const Procedure& cbfcPfcProcedure() {
  static const CbfcPfcProcedure test;
  return test;
}

}  // namespace plumbline::suite
