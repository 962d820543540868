// I8.2 PFC behaviour under bursty KV cache transfers (inference draft, section 8.2).
//
// N messages of 16 MiB from N hosts to one, the i-th posted i/N of an arrival window T after the
// first, over RoCEv2 without congestion control, so that only PFC holds senders back. In addition
// two thin streams, between hosts of the same leaves, one in the lossless class and one in the
// highest class that is not paused. Swept: N × T × xoff. Measured: PAUSE frames, time paused, how
// far pauses spread, latency added to the two streams (largest minus smallest), times of the
// transfers. Closed form: there are no pauses while each message is through before the next one, N
// 16 MiB / T below the payload ceiling; all are done after N times the wire time of one, at the
// earliest.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "fabric/topology/topology.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/fabric_pictures.h"
#include "suite/framework/figures.h"
#include "suite/framework/other_class.h"
#include "suite/framework/pause_hops.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kBurstMessage{16 * kMebibyte};
// A probe's frame, one each 20 us at 400 Gb/s. More would by themselves fill a queue behind a
// transfer.
constexpr Bytes kProbeFrame{128};
constexpr Fraction kProbeLoad = Fraction::partsPerTrillion(150'000'000);
constexpr std::uint32_t kSameClass = 0;  // latency groups
constexpr std::uint32_t kOtherClass = 1;
constexpr std::size_t kKvJob = 0;

struct BurstCell {
  std::uint32_t bursts = 4;
  Picoseconds window;
  Bytes xoff;
};

class PfcBurstProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I8.2"; }
  [[nodiscard]] std::string title() const override { return "PFC under bursty transfers"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_transfer_p50_us", "kv_transfer_p99_us",
            "kv_transfer_max_us", "pause_frames",
            "paused_us",          "pause_hops",
            "hol_same_class_us",  "hol_other_class_us",
            "completion_us",      "drop_ppm"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<BurstCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<BurstCell> PfcBurstProcedure::cellsOf(const TestConfig& config, Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto bursts =
      numbers.sweep<std::uint32_t>("Bursts", {4, 8, 16, 32}, {4, 16}, own.incast_ratios,
                                   [hosts](std::uint32_t n) { return n + 3 <= hosts; });
  const std::vector<Picoseconds> draft{microseconds(100), milliseconds(1), milliseconds(10)};
  std::optional<std::vector<Picoseconds>> own_windows;
  if (own.duration) own_windows = {{*own.duration}};
  const auto windows = numbers.sweep<Picoseconds>(
      "Arrival window", draft, {microseconds(100), milliseconds(10)}, own_windows);
  const auto xoffs = numbers.sweep<Bytes>(
      "PFC threshold",
      {Bytes(10'000), Bytes(50'000), Bytes(100'000), Bytes(500'000), Bytes(1'000'000)},
      {Bytes(10'000), Bytes(100'000), Bytes(1'000'000)}, own.sizes);
  std::vector<BurstCell> cells;
  for (const std::uint32_t n : bursts) {
    for (const Picoseconds window : windows) {
      for (const Bytes xoff : xoffs) cells.push_back({n, window, xoff});
    }
  }
  return cells;
}

// The bursts' priority.
std::uint8_t lowestLossless(const fabric::PfcSpec& pfc) {
  return static_cast<std::uint8_t>(std::countr_zero(std::uint32_t{pfc.priorities}));
}

bench::TrialSpec kvBurstTrial(const TestConfig& config, const BurstCell& cell) {
  bench::TrialSpec spec = emptyTrial(config);
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  transport::RoceSpec roce;
  if (const auto given = scenarioTransport(config)) {
    const auto* own = std::get_if<transport::RoceSpec>(&*given);
    if (own != nullptr) roce = *own;
  }
  roce.dcqcn.enabled = false;
  fabric::PfcSpec& pfc = *spec.dut.switches.pfc;
  roce.data_priority = lowestLossless(pfc);
  // The same relative distance from xoff.
  pfc.xon = Bytes(static_cast<std::int64_t>(static_cast<double>(cell.xoff.count()) *
                                            static_cast<double>(pfc.xon.count()) /
                                            static_cast<double>(pfc.xoff.count())));
  pfc.xoff = cell.xoff;
  pfc.dynamic_alpha.reset();
  spec.transport = roce;
  std::vector<Transfer> transfers;
  transfers.reserve(cell.bursts);
  for (std::uint32_t i = 0; i < cell.bursts; ++i) transfers.push_back({hosts - 2 - i, 0});
  workload::JobSpec job = transferJob("kv", transfers, kBurstMessage);
  programOf(job).messages = 1;
  programOf(job).phase = cell.window / std::int64_t{cell.bursts};
  spec.workload->jobs.push_back(std::move(job));
  // The streams send until all messages are through.
  const Picoseconds wire = wireTimeOf(kBurstMessage, config.scenario.topology.link_rate);
  spec.duration = cell.window + wire * std::int64_t{cell.bursts};
  spec.drain = milliseconds(10);
  const std::uint8_t other = *otherClass(spec.dut.switches, roce.data_priority);
  for (const std::uint8_t priority : {roce.data_priority, other}) {
    bench::StreamSpec stream;
    stream.from = hosts - 1;
    stream.to = 1;
    stream.name = fmt::format("probe, priority {}", priority);
    stream.format.priority = priority;
    stream.format.dscp = static_cast<std::uint8_t>(priority << 3);
    stream.frame = kProbeFrame;
    stream.load = bench::ConstantLoad{kProbeLoad};
    stream.group = priority == other ? kOtherClass : kSameClass;
    spec.streams.push_back(std::move(stream));
  }
  spec.sampling.emplace().interval = std::max(microseconds(10), spec.duration / 500);
  return spec;
}

Design PfcBurstProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Bursts", "bursts"}, {"Window", ""}, {"xoff", ""}};
  labelDut(DutLabel::kSwitch, design.numbers);
  const fabric::SwitchSpec& switches = config.scenario.switches;
  if (!switches.pfc || switches.pfc->priorities == 0) {
    design.refusals.emplace_back("the DUT needs PFC (dut.switch.pfc)");
    return design;
  }
  const std::uint8_t data = lowestLossless(*switches.pfc);
  if (!otherClass(switches, data)) {
    design.refusals.push_back(fmt::format(
        "the DUT needs a priority without PFC that it serves before the bursts' priority {}: "
        "another one would wait for them without pauses (dut.switch.pfc.priorities, "
        "dut.switch.weights)",
        data));
    return design;
  }
  const std::vector<BurstCell> cells = cellsOf(config, design.numbers);
  design.numbers.configure("Message of every burst", valueText(kBurstMessage));
  design.numbers.configure("Arrivals", "evenly spaced within the window, from a host each");
  design.numbers.configure("Congestion control", "none: only PFC holds the senders back");
  design.numbers.configure("Headroom", fmt::format("{} B above xoff, per port and priority",
                                                   config.scenario.switches.pfc->headroom.count()));
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.5;
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  for (const BurstCell& cell : cells) {
    if (cell.bursts + 3 > hosts) {
      design.refusals.push_back(
          fmt::format("{} from a host each: {} hosts with the receiver and the probes'; the fabric "
                      "has {}",
                      counted(cell.bursts, "burst"), cell.bursts + 3, hosts));
      return design;
    }
    if (const auto& shared = config.scenario.switches.shared_buffer;
        shared && cell.xoff > shared->total) {
      design.refusals.push_back(fmt::format("xoff of {} is above the shared buffer of {}",
                                            valueText(cell.xoff), valueText(shared->total)));
      return design;
    }
    design.add({std::to_string(cell.bursts), valueText(cell.window), valueText(cell.xoff)},
               kvBurstTrial(config, cell),
               payloadHops(config, static_cast<double>(kBurstMessage.count()) * cell.bursts));
  }
  return design;
}

// Largest less smallest one-way latency of a probe [us].
std::optional<double> addedLatency(const bench::TrialResult& trial, std::uint32_t group) {
  for (const bench::GroupLatency& one : trial.latency) {
    if (one.group != group || one.histogram.count() == 0) continue;
    return static_cast<double>(one.histogram.maximum() - one.histogram.minimum()) / 1e6;
  }
  return std::nullopt;
}

void PfcBurstProcedure::report(const TestConfig& config, const Design& design,
                               const std::vector<Measured>& measured,
                               ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<BurstCell> cells = cellsOf(config, unused);
  Figure pauses{.column = "PAUSE frames",
                .unit = "frames",
                .kpi = "pause_frames",
                .of = [](std::size_t, const bench::TrialResult& trial) {
                  return static_cast<double>(trial.fabric->total.xoff_received);
                }};
  pauses.primary = true;
  const auto added = [](const char* column, const char* kpi, std::uint32_t group) {
    return Figure{.column = column,
                  .unit = "us",
                  .kpi = kpi,
                  .of = [group](std::size_t, const bench::TrialResult& trial) {
                    const auto value = addedLatency(trial, group);
                    return value ? std::optional<Reading>(*value) : std::nullopt;
                  }};
  };
  const Figure same = added("HOL, same class", "hol_same_class_us", kSameClass);
  const Figure other = added("HOL, other class", "hol_other_class_us", kOtherClass);
  const Figure hops{
      .column = "Pauses reach",
      .unit = "hops",
      .kpi = "pause_hops",
      .of = [&](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
        const fabric::Topology topology = fabric::buildTopology(design.points[i].spec.dut.topology);
        const auto reached = pauseHops(topology, *trial.fabric, 0);
        return reached ? std::optional<double>(*reached) : std::nullopt;
      }};
  const Figure completion{
      .column = "All done",
      .unit = "us",
      .kpi = "completion_us",
      .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
        const bench::JobOutcome& job = trial.fabric->jobs.at(kKvJob);
        if (!job.finished) return std::nullopt;
        return job.completion.toMicroseconds();
      },
      .absent = "not done"};
  std::vector<Figure> times = kvTransferTimes(kKvJob);
  times[4].primary = false;
  addTable(
      design, measured,
      {pauses, figure("Paused", "us", "paused_us", pausedMicroseconds), hops, same, other, times[2],
       times[4], times[6], completion, figure("Lost end to end", "ppm", "drop_ppm", dropPpm)},
      {"pfc_bursts",
       "PFC under bursty transfers",
       "PAUSE frames that took effect, refreshes included, and the time that ports were paused, "
       "over all ports and priorities. Hops from the receiver, in a two-tier Clos: 1 its leaf "
       "paused spines or hosts, 2 spines paused leaves, 3 leaves paused hosts. HOL is the largest "
       "less the smallest one-way latency of a thin stream beside the bursts. Times of transfers "
       "are from the post to the last byte at the receiver.",
       {},
       {}},
      builder);
  const ChartAxes axes{[&](std::size_t i) { return static_cast<double>(cells[i].xoff.count()); },
                       [&](std::size_t i) {
                         return fmt::format("{} bursts in {}", cells[i].bursts,
                                            valueText(cells[i].window));
                       }};
  const auto add = [&](const Figure& one, const char* id, const char* title, const char* y) {
    results::Chart chart;
    chart.id = id;
    chart.title = title;
    chart.x_label = "xoff [B]";
    chart.y_label = y;
    chart.log_x = true;
    addChart(design, measured, one, axes, std::move(chart), builder);
  };
  add(pauses, "pause_frames_vs_xoff", "PAUSE frames over the PFC threshold", "PAUSE frames");
  add(same, "hol_vs_xoff", "Latency added to the same class over the PFC threshold", "HOL [us]");
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const Measured& last = measured.back();
  const bench::FabricResult& first = *last.trials.front().fabric;
  builder.result().timelines.push_back(
      pauseTimeline(*first.samples, first.sim_end, fmt::format("pauses_{}", placeOf(design, last)),
                    last.point.label + ": pauses"));
  std::size_t without_pauses = 0;
  for (const Measured& one : measured) {
    if (meanOf(design, one, pauses)->value == 0) ++without_pauses;
  }
  builder.result().summary =
      fmt::format("{} of {} without any PAUSE.", without_pauses, counted(measured.size(), "point"));
  builder.primary("PAUSE frames, " + last.point.label, *meanOf(design, last, pauses));
}

}  // namespace

const Procedure& pfcBurstProcedure() {
  static const PfcBurstProcedure test;
  return test;
}

}  // namespace plumbline::suite
