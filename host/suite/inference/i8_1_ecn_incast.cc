// I8.1 ECN marking under inference incast (inference draft, section 8.1).
//
// M prefill hosts on one switch each send one message to the same decode host, all at once. The
// switch marks by a step at a threshold K (kmin = kmax, pmax 1), at enqueue; PFC is off and the
// buffer large, so that packets are only marked. Swept: M × K × without congestion control and with
// DCQCN. Measured: share of data packets marked, time and depth of the queue of the first mark,
// goodput of the receiver's link, longest queue. Closed form: M packets arrive while one leaves, so
// that the queue grows by M - 1 packets a slot: the first packet that finds more than K is marked K
// / ((M - 1) * rate) after the arrival of the first ones, at a depth of floor(K / packet) + 1
// packets. The receiver's link is never idle without congestion control.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "bench/trial/longest_frame.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/framework/wire_bytes.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

struct EcnIncastCell {
  std::uint32_t senders = 2;
  Bytes threshold;
  bool dcqcn = false;
};

class EcnIncastProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I8.1"; }
  [[nodiscard]] std::string title() const override { return "ECN marking under incast"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"ecn_percent",
            "ecn_onset_us",
            "ecn_onset_computed_us",
            "queue_at_onset_bytes",
            "goodput_percent",
            "queue_max_bytes",
            "drop_ppm"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 8.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<EcnIncastCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

// Hosts on the first host's switch, itself included; 0 if unknown.
std::uint32_t hostsOnSwitch(const fabric::TopologySpec& topology) {
  switch (topology.kind) {
    case fabric::TopologyKind::kSingleSwitch:
      return topology.hosts;
    case fabric::TopologyKind::kClos2:
    case fabric::TopologyKind::kClos3:
    case fabric::TopologyKind::kPools:
      return topology.hosts_per_leaf;
    default:
      return 0;
  }
}

std::vector<EcnIncastCell> EcnIncastProcedure::cellsOf(const TestConfig& config, Numbers& numbers) {
  const std::uint32_t hosts = hostsOnSwitch(config.scenario.topology);
  const std::vector<std::uint32_t> senders{2, 4, 8, 16, 32};
  const std::vector<Bytes> thresholds{Bytes(100'000), Bytes(500'000), Bytes(1'000'000),
                                      Bytes(5'000'000)};
  const auto all_senders = numbers.sweep<std::uint32_t>(
      "Senders", senders, senders, config.scenario.parameters.incast_ratios,
      [hosts](std::uint32_t m) { return m + 1 <= hosts; });
  // parameters.sizes are the thresholds: the draft gives one size of message.
  const auto all_thresholds =
      numbers.sweep<Bytes>("Thresholds", thresholds, thresholds, config.scenario.parameters.sizes);
  std::vector<EcnIncastCell> cells;
  for (const bool dcqcn : {false, true}) {
    for (const std::uint32_t m : all_senders) {
      for (const Bytes threshold : all_thresholds) cells.push_back({m, threshold, dcqcn});
    }
  }
  return cells;
}

constexpr Bytes kIncastMessage{16 * kMebibyte};

// The scenario's if it is RoCEv2.
transport::RoceSpec roceOf(const TestConfig& config) {
  transport::RoceSpec roce;
  if (const auto given = scenarioTransport(config)) {
    const auto* own = std::get_if<transport::RoceSpec>(&*given);
    if (own != nullptr) roce = *own;
  }
  roce.service = transport::RoceService::kRc;
  return roce;
}

bench::TrialSpec ecnIncastTrial(const TestConfig& config, const EcnIncastCell& cell) {
  bench::TrialSpec spec = emptyTrial(config);
  transport::RoceSpec roce = roceOf(config);
  if (cell.dcqcn && !roce.dcqcn.enabled) roce.dcqcn = transport::DcqcnSpec::paper();
  roce.dcqcn.enabled = cell.dcqcn;
  fabric::SwitchSpec& switches = spec.dut.switches;
  switches.pfc.reset();
  switches.cbfc.reset();
  switches.trim.reset();
  switches.shared_buffer.reset();
  // All messages fit, frames and all.
  switches.buffer_per_port = Bytes(wireBytesOf(roce, kIncastMessage)) * std::int64_t{cell.senders};
  fabric::EcnSpec step;
  step.kmin = cell.threshold;
  step.kmax = cell.threshold;
  step.pmax = Fraction::one();
  step.priorities = static_cast<std::uint8_t>(1U << roce.data_priority);
  switches.ecn = {step};
  spec.transport = roce;
  spec.first_mark = true;
  std::vector<Transfer> transfers;
  transfers.reserve(cell.senders);
  for (std::uint32_t sender = 1; sender <= cell.senders; ++sender) transfers.push_back({sender, 0});
  workload::JobSpec job = transferJob("kv", transfers, kIncastMessage);
  programOf(job).messages = 1;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

Design EcnIncastProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Senders", "senders"}, {"Threshold", ""}, {"Congestion control", ""}};
  labelDut(DutLabel::kSwitch, design.numbers);
  const std::uint32_t hosts = hostsOnSwitch(config.scenario.topology);
  if (hosts < 3) {
    design.refusals.emplace_back(
        "two senders and a receiver on one switch are needed: kind switch, clos2, clos3 or pools "
        "with three hosts on a switch");
    return design;
  }
  const std::vector<EcnIncastCell> cells = cellsOf(config, design.numbers);
  design.numbers.configure("Message of every sender", valueText(kIncastMessage));
  design.numbers.configure("Marking",
                           "step at the threshold (kmin = kmax, pmax 100 %), at enqueue");
  design.numbers.configure("Buffer", "large enough for all messages; PFC off");
  design.repetitions = design.numbers.repetitions(20, 2);
  for (const EcnIncastCell& cell : cells) {
    if (cell.senders + 1 > hosts) {
      design.refusals.push_back(fmt::format("{} and a receiver on one switch of {}",
                                            counted(cell.senders, "sender"),
                                            counted(hosts, "host")));
      return design;
    }
    const double bytes = static_cast<double>(kIncastMessage.count()) * cell.senders;
    design.add(
        {std::to_string(cell.senders), valueText(cell.threshold), cell.dcqcn ? "DCQCN" : "none"},
        ecnIncastTrial(config, cell), bytes / 4096 * 2.4);
  }
  return design;
}

// From the posts to the first mark: time of the first packets to the queue, plus its growth beyond
// the threshold. Nothing where the queue does not grow.
std::optional<double> computedOnsetUs(const TestConfig& config, const EcnIncastCell& cell) {
  if (cell.senders < 2) return std::nullopt;
  const fabric::TopologySpec& topology = config.scenario.topology;
  const fabric::SwitchSpec& switches = config.scenario.switches;
  Picoseconds way = topology.host_link_delay + switches.latency;
  if (switches.forwarding == fabric::Forwarding::kStoreAndForward) {
    way += serializationTime(bench::longestFrame(roceOf(config)), topology.link_rate);
  }
  const double grown = 8e12 * static_cast<double>(cell.threshold.count()) / (cell.senders - 1) /
                       static_cast<double>(topology.link_rate.bitsPerSecond());
  return (way + Picoseconds(std::llround(grown))).toMicroseconds();
}

void EcnIncastProcedure::report(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& measured,
                                ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<EcnIncastCell> cells = cellsOf(config, unused);
  const auto first = [](const bench::TrialResult& trial) -> std::optional<bench::FirstMark> {
    const auto& mark = trial.fabric->first_mark;
    if (!mark || mark->time == fabric::kNever) return std::nullopt;
    return mark;
  };
  Figure marked = figure("ECN marked", "%", "ecn_percent", ecnPercent);
  marked.primary = true;
  const Figure onset{
      .column = "Onset",
      .unit = "us",
      .kpi = "ecn_onset_us",
      .of = [first](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
        const auto mark = first(trial);
        if (!mark) return std::nullopt;
        return mark->time.toMicroseconds();
      },
      .absent = "nothing marked",
      .fails_limits = true};
  const Figure computed{
      .column = "Onset computed",
      .unit = "us",
      .kpi = "ecn_onset_computed_us",
      .of = [&](std::size_t i,
                const bench::TrialResult&) { return computedOnsetUs(config, cells[i]); },
      .absent = "never"};
  const Figure depth{
      .column = "Queue at onset",
      .unit = "B",
      .kpi = "queue_at_onset_bytes",
      .of = [first](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
        const auto mark = first(trial);
        if (!mark) return std::nullopt;
        return static_cast<double>(mark->queue_bytes);
      },
      .absent = "nothing marked"};
  const Figure goodput{.column = "Goodput",
                       .unit = "%",
                       .kpi = "goodput_percent",
                       .of = [&](std::size_t, const bench::TrialResult& trial) {
                         return shareOfLinks(config, trial, 1);
                       }};
  addTable(design, measured,
           {marked, onset, computed, depth, goodput,
            figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
            figure("Lost end to end", "ppm", "drop_ppm", dropPpm)},
           {"ecn_incast",
            "ECN marking under incast",
            "Onset is the time from the posts to the first mark. Its computed value is the time of "
            "the first packets to the queue plus threshold / ((senders - 1) * line rate), without "
            "the gaps between packets. Queue at onset is the queue length at the first marked "
            "packet. Goodput is the payload over the rate of the receiver's link until the last "
            "message is done.",
            {},
            {}},
           builder);
  const ChartAxes axes{[&](std::size_t i) { return static_cast<double>(cells[i].senders); },
                       [&](std::size_t i) {
                         return fmt::format("{}, {}", valueText(cells[i].threshold),
                                            cells[i].dcqcn ? "DCQCN" : "no congestion control");
                       }};
  const auto add = [&](const Figure& one, const char* id, const char* title, const char* y) {
    results::Chart chart;
    chart.id = id;
    chart.title = title;
    chart.x_label = "Senders";
    chart.y_label = y;
    chart.log_x = true;
    addChart(design, measured, one, axes, std::move(chart), builder);
  };
  add(marked, "marked_vs_senders", "Marked packets over senders", "Marked [%]");
  add(depth, "onset_queue_vs_senders", "Queue at the first mark over senders", "Queue [B]");
  std::size_t within = 0;
  std::size_t seen = 0;
  for (const Measured& one : measured) {
    const auto found = meanOf(design, one, depth);
    if (!found) continue;
    ++seen;
    const auto threshold = static_cast<double>(cells[placeOf(design, one)].threshold.count());
    const auto packet = static_cast<double>(bench::longestFrame(roceOf(config)).count());
    if (found->value > threshold && found->value <= threshold + 2 * packet) ++within;
  }
  builder.result().summary =
      fmt::format("First marks within two packets above the threshold: {} of {}.", within,
                  counted(seen, "point"));
  if (seen < measured.size()) {
    builder.result().summary +=
        fmt::format(" Nothing is marked at {}.", counted(measured.size() - seen, "point"));
  }
  if (!measured.empty()) {
    builder.primary("ECN marked, " + measured.back().point.label,
                    *meanOf(design, measured.back(), marked));
  }
}

}  // namespace

const Procedure& ecnIncastProcedure() {
  static const EcnIncastProcedure test;
  return test;
}

}  // namespace plumbline::suite
