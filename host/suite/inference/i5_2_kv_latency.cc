// I5.2 KV cache transfer latency (inference draft, section 5.2).
//
// The first host sends one message at a time to the last one, alone and beside background that
// takes a share of their common links (background.h), with exponential or constant gaps. Swept:
// message size × background load × kind of its gaps. Measured: from the post to the arrival of the
// last byte at the receiver (the draft's completion on the decode side), percentiles, P99 - P50;
// also to the acknowledgement at the sender. Closed form: alone, n slots + 16 B + the path's delay.
// Beside a background load rho through first-in-first-out queues that hold it, about n slots / (1 -
// rho) minus the time between two messages, as the queue of the previous message is not yet empty,
// and n slots * (1 + rho) where it is; for one packet beside Poisson background, the wait of an
// M/D/1 queue.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "stats/quantile.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/inference/background.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

// Between two messages, and an allowance for path delays that a plan does not know exactly.
constexpr Picoseconds kPathAndBack = microseconds(10);
constexpr double kKvLargestQuantile = 0.999;

struct LatencyCell {
  Bytes message;
  BackgroundLoad background;
  Picoseconds until;  // messages are posted before
};

const char* gapsOf(const BackgroundLoad& background) {
  if (background.load == Fraction()) return "none";
  return background.poisson ? "Poisson" : "constant";
}

class KvLatencyProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I5.2"; }
  [[nodiscard]] std::string title() const override { return "KV cache transfer latency"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(transferTimeKpis(), {"background_percent", "ecn_percent", "pfc_per_s", "drop_ppm"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 5.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  [[nodiscard]] bench::TrialSpec repetitionOf(const SweepPoint& point,
                                              std::uint32_t repetition) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<LatencyCell> cellsOf(const TestConfig& config, const SharedPath& path,
                                          Numbers& numbers);
};

std::vector<LatencyCell> KvLatencyProcedure::cellsOf(const TestConfig& config,
                                                     const SharedPath& path, Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const auto sizes = numbers.sweep<Bytes>(
      "Message sizes",
      {Bytes(64 * kKibibyte), Bytes(kMebibyte), Bytes(16 * kMebibyte), Bytes(256 * kMebibyte)},
      {Bytes(64 * kKibibyte), Bytes(kMebibyte)}, own.sizes);
  const std::vector<Fraction> draft{Fraction::percent(25), Fraction::percent(50),
                                    Fraction::percent(75), Fraction::percent(90)};
  const double max = largestLoad(path);
  std::vector<Fraction> loads{Fraction()};
  for (const Fraction load :
       numbers.sweep<Fraction>("Background load", draft, draft, own.loads,
                               [max](Fraction load) { return load.toDouble() <= max; })) {
    loads.push_back(load);
  }
  const auto wanted = static_cast<std::uint32_t>(stats::samplesForQuantile(kKvLargestQuantile));
  const std::uint32_t messages = own.iterations.value_or(numbers.isStandard() ? wanted : 200);
  if (own.duration) {
    numbers.atLeast<Picoseconds>("Duration", seconds(120), seconds(120), own.duration);
  } else {
    // The draft's 120 s have more than P99.9 needs.
    lengthOfTrial(fmt::format("about {} transfers", messages), seconds(120), numbers);
  }
  const BitRate line = config.scenario.topology.link_rate;
  std::vector<LatencyCell> cells;
  for (const Bytes size : sizes) {
    for (const Fraction load : loads) {
      const Picoseconds wire = wireTimeOf(size, line);
      const Picoseconds each = wire +
                               Picoseconds(static_cast<std::int64_t>(
                                   static_cast<double>(wire.count()) * load.toDouble())) +
                               kPathAndBack;
      const Picoseconds until = own.duration.value_or(each * std::int64_t{messages});
      cells.push_back({size, {load, true}, until});
      if (load != Fraction()) cells.push_back({size, {load, false}, until});
    }
  }
  return cells;
}

Design KvLatencyProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Message", ""}, {"Background", ""}, {"Gaps", ""}};
  labelDut(DutLabel::kFabric, design.numbers);
  if (auto why = unacknowledgedRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const SharedPath path = sharedPath(config);
  if (!path.refusal.empty()) {
    design.refusals.push_back(path.refusal);
    return design;
  }
  design.numbers.configure(
      "Background",
      fmt::format("single packets of {} between {} of hosts beside the transfers, all through "
                  "links that the transfers may take; the load is of these links together",
                  valueText(kPacketPayload), counted(path.background.size(), "pair")));
  const std::vector<LatencyCell> cells = cellsOf(config, path, design.numbers);
  design.repetitions = design.numbers.repetitions(20, 3);
  for (const LatencyCell& cell : cells) {
    const double load = cell.background.load.toDouble();
    if (load > largestLoad(path)) {
      design.refusals.push_back(
          fmt::format("a background load of {} needs more than the {} beside the sender can send",
                      valueText(cell.background.load), counted(path.background.size(), "host")));
      return design;
    }
    bench::TrialSpec spec = emptyTrial(config);
    spec.transport = transportOr(config, transport::RoceSpec{});
    workload::JobSpec job =
        transferJob("kv", {{0, config.scenario.topology.hostCount() - 1}}, cell.message);
    programOf(job).until = cell.until;
    spec.workload->jobs.push_back(std::move(job));
    // The last transfer is to have its background as well.
    const Picoseconds until =
        cell.until + wireTimeOf(cell.message, config.scenario.topology.link_rate) * 2;
    for (workload::JobSpec& one : backgroundJobs(config, path, cell.background, until)) {
      spec.workload->jobs.push_back(std::move(one));
    }
    drawBackgroundPhases(0, spec);
    const double busy = payloadCeiling(*spec.transport, config.scenario.topology.link_rate) * 1e9 *
                        cell.until.toSeconds() / (1 + load);
    design.add(
        {valueText(cell.message), valueText(cell.background.load), gapsOf(cell.background)},
        std::move(spec),
        payloadHops(config, busy) + backgroundHops(config, path, cell.background.load, cell.until));
  }
  return design;
}

bench::TrialSpec KvLatencyProcedure::repetitionOf(const SweepPoint& point,
                                                  std::uint32_t repetition) const {
  bench::TrialSpec spec = FabricProcedure::repetitionOf(point, repetition);
  drawBackgroundPhases(repetition, spec);
  return spec;
}

void KvLatencyProcedure::report(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& measured,
                                ResultBuilder& builder) const {
  const SharedPath path = sharedPath(config);
  std::vector<Figure> figures = kvTransferTimes(0);
  const Figure p99 = figures[4];
  for (Figure& one : completionTimes(0)) figures.push_back(std::move(one));
  figures.push_back({.column = "Background delivered",
                     .unit = "%",
                     .kpi = "background_percent",
                     .of = [&](std::size_t i, const bench::TrialResult& trial) {
                       return backgroundPercent(config, path, design.points[i].spec, trial);
                     }});
  figures.push_back(figure("ECN marked", "%", "ecn_percent", ecnPercent));
  figures.push_back(figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond));
  figures.push_back(figure("Lost end to end", "ppm", "drop_ppm", dropPpm));
  addTable(
      design, measured, figures,
      {"kv_latency",
       "KV cache transfer latency",
       "One message at a time, from its post to its last byte at the receiver; acknowledged is "
       "to the acknowledgement at the sender. Background is the load that it puts on the "
       "shared links, as asked for and as delivered.",
       {},
       {}},
      builder);
  addTransferDistributions(design, measured, 0, builder);
  Numbers unused(config);
  const std::vector<LatencyCell> cells = cellsOf(config, path, unused);
  results::Chart chart;
  chart.id = "kv_latency_vs_load";
  chart.title = "P99 of the time of a transfer over background";
  chart.x_label = "Background load [%]";
  chart.y_label = "P99 [us]";
  chart.log_y = true;
  addChart(design, measured, p99,
           {[&](std::size_t i) { return 100 * cells[i].background.load.toDouble(); },
            [&](std::size_t i) {
              const char* gaps = cells[i].background.poisson ? "Poisson" : "constant";
              return fmt::format("{}, {}", valueText(cells[i].message), gaps);
            }},
           std::move(chart), builder);
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const Measured& last = measured.back();
  const auto value = meanOf(design, last, p99);
  if (!value) return;
  builder.primary("P99 of a transfer, " + last.point.label, *value);
  builder.result().summary = fmt::format("{}: P99 {}.", last.point.label, builder.text(*value));
}

}  // namespace

const Procedure& kvLatencyProcedure() {
  static const KvLatencyProcedure test;
  return test;
}

}  // namespace plumbline::suite
