// I5.1 Point-to-point KV cache transfer throughput (inference draft, section 5.1).
//
// One prefill NIC (the first host) sends to one decode NIC (the last host): RDMA writes of one
// size, enough of them in flight that the wire is never idle, on each of the queue pairs in turn.
// Swept: message size × queue pairs. Measured: payload that arrives per second, from the first post
// to the last acknowledgement. Closed form: the wire is the limit. M messages of n packets take M
// (n slots + 16 B) and one way through the fabric and back; more queue pairs on one path add
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/trials.h"
#include "suite/inference/inference.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

// Minimum in flight: what the wire carries in a round trip, with a margin (80 us at 400 Gb/s), and
// two messages of each queue pair.
constexpr Bytes kUnderWay{4 * kMebibyte};
// Of a trial in the profile `quick`.
constexpr Bytes kQuickBytes{64 * kMebibyte};
// Simulated time after which the rate of a trial is stationary: the assumption of plans.
constexpr Picoseconds kExpectedThroughputTime = milliseconds(2);

struct ThroughputCell {
  Bytes message;
  std::uint32_t qps = 1;

  [[nodiscard]] std::uint32_t outstanding() const {
    const std::int64_t by_bytes = (kUnderWay.count() + message.count() - 1) / message.count();
    return std::max(2 * qps, static_cast<std::uint32_t>(std::max<std::int64_t>(by_bytes, 4)));
  }
  // Enough for several turns of every queue pair.
  [[nodiscard]] std::uint64_t messages() const {
    const std::int64_t by_bytes = kQuickBytes.count() / message.count();
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(by_bytes),
                                   std::uint64_t{2} * outstanding());
  }
};

class KvThroughputProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I5.1"; }
  [[nodiscard]] std::string title() const override { return "KV cache transfer throughput"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"kv_gigabytes_per_s", "goodput_percent", "host_link_percent", "flow_jfi", "drop_ppm"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 5.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ThroughputCell> cellsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<ThroughputCell> KvThroughputProcedure::cellsOf(const TestConfig& config,
                                                           Numbers& numbers) {
  const scenario::Parameters& own = config.scenario.parameters;
  const auto sizes = numbers.sweep<Bytes>(
      "Message sizes",
      {Bytes(64 * kKibibyte), Bytes(256 * kKibibyte), Bytes(kMebibyte), Bytes(4 * kMebibyte),
       Bytes(16 * kMebibyte), Bytes(64 * kMebibyte), Bytes(256 * kMebibyte), Bytes(kGibibyte)},
      {Bytes(64 * kKibibyte), Bytes(256 * kKibibyte), Bytes(kMebibyte), Bytes(4 * kMebibyte)},
      own.sizes);
  const auto qps = numbers.sweep<std::uint32_t>("Queue pairs", {1, 4, 8, 16, 32, 64, 128},
                                                {1, 4, 16}, own.flows);
  std::vector<ThroughputCell> cells;
  for (const Bytes size : sizes) {
    for (const std::uint32_t count : qps) cells.push_back({size, count});
  }
  return cells;
}

Design KvThroughputProcedure::design(const TestConfig& config) const {
  const scenario::Parameters& own = config.scenario.parameters;
  Design design(config);
  design.axes = {{"Message", ""}, {"Queue pairs", ""}};
  labelDut(DutLabel::kFabric, design.numbers);
  if (auto why = unacknowledgedRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  const std::vector<ThroughputCell> cells = cellsOf(config, design.numbers);
  const bool by_time = design.numbers.isStandard() || own.duration;
  const Picoseconds duration = own.duration.value_or(seconds(60));
  if (by_time) {
    design.numbers.atLeast<Picoseconds>("Duration", seconds(60), seconds(60), own.duration);
  } else {
    lengthOfTrial(fmt::format("{} of payload, with at least two outstanding messages each",
                              valueText(kQuickBytes)),
                  seconds(60), design.numbers);
  }
  design.repetitions = design.numbers.repetitions(20, 3);
  const BitRate line = config.scenario.topology.link_rate;
  for (const ThroughputCell& cell : cells) {
    bench::TrialSpec spec = emptyTrial(config);
    spec.transport = transportOr(config, transport::RoceSpec{});
    workload::JobSpec job =
        transferJob("kv", {{0, config.scenario.topology.hostCount() - 1}}, cell.message);
    job.flows = cell.qps;
    workload::MessageProgram& program = programOf(job);
    program.arrival_times = false;
    program.load = workload::ClosedLoop{cell.outstanding()};
    double bytes = static_cast<double>(cell.message.count()) * static_cast<double>(cell.messages());
    if (by_time) {
      program.until = duration;
      const Picoseconds expected = mayEndEarly(config) ? kExpectedThroughputTime : duration;
      bytes = payloadCeiling(*spec.transport, line) * 1e9 * expected.toSeconds();
      if (mayEndEarly(config)) spec.early_end = earlyEnd(bench::WatchedFigure::kGoodput, 0);
    } else {
      program.messages = cell.messages();
    }
    spec.workload->jobs.push_back(std::move(job));
    design.add({valueText(cell.message), qpsText(cell.qps)}, std::move(spec),
               payloadHops(config, bytes));
  }
  return design;
}

void KvThroughputProcedure::report(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ThroughputCell> cells = cellsOf(config, unused);
  Figure bandwidth{.column = "KV bandwidth",
                   .unit = "GB/s",
                   .kpi = "kv_gigabytes_per_s",
                   .of = [](std::size_t, const bench::TrialResult& trial) {
                     return kvGigabytesPerSecond(trial);
                   }};
  bandwidth.primary = true;
  const BitRate line = config.scenario.topology.link_rate;
  const Figure share{.column = "Of line rate",
                     .unit = "%",
                     .kpi = "goodput_percent",
                     .of = [&config](std::size_t, const bench::TrialResult& trial) {
                       return shareOfLinks(config, trial, 1);
                     }};
  const Figure fairness{
      .column = "JFI of queue pairs",
      .unit = "",
      .kpi = "flow_jfi",
      .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
        return trial.fabric->flows.jfi;
      }};
  addTable(design, measured,
           {bandwidth, share, figure("NIC link", "%", "host_link_percent", hostLinkPercent),
            fairness, figure("Lost end to end", "ppm", "drop_ppm", dropPpm)},
           {"kv_throughput",
            "KV cache transfer throughput",
            fmt::format("Payload that arrived per second (GB are 10^9 B), from the first post to "
                        "the last acknowledgement. Full packets without pause carry {:.2f} GB/s. "
                        "NIC link is the busier one of both hosts' links, headers, preambles and "
                        "gaps counted.",
                        payloadCeiling(transportOr(config, transport::RoceSpec{}), line)),
            {},
            {}},
           builder);
  results::Chart chart;
  chart.id = "kv_throughput_vs_size";
  chart.title = "KV cache transfer throughput over message size";
  chart.x_label = "Message [B]";
  chart.y_label = "KV bandwidth [GB/s]";
  chart.log_x = true;
  results::Series rate{"NIC line rate", {}, {}, true};
  for (const ThroughputCell& cell : cells) {
    const auto x = static_cast<double>(cell.message.count());
    if (!rate.x.empty() && rate.x.back() == x) continue;
    rate.x.push_back(x);
    rate.y.push_back(line.toGigabitsPerSecond() / 8);
  }
  chart.series.push_back(std::move(rate));
  addChart(design, measured, bandwidth,
           {[&](std::size_t i) { return static_cast<double>(cells[i].message.count()); },
            [&](std::size_t i) { return qpsText(cells[i].qps); }},
           std::move(chart), builder);
  builder.deviation(
      "processor load of the endpoints, offload use and the copy from GPU memory to the NIC: not "
      "observed, the hosts are simulated from NIC to NIC",
      "kv_throughput");
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  const results::Quantity last = *meanOf(design, measured.back(), bandwidth);
  builder.primary("KV bandwidth, " + measured.back().point.label, last);
  builder.result().summary =
      fmt::format("{}: {:.4g} GB/s.", measured.back().point.label, last.value);
}

}  // namespace

const Procedure& kvThroughputProcedure() {
  static const KvThroughputProcedure test;
  return test;
}

}  // namespace plumbline::suite
