// T6.7 PDC scalability (training draft, section 6.7).
//
// One host opens M connections at once, over its peers in turn, and sends a message of 64 bytes on
// each: M PDCs of UET RUD beside M QPs of RoCEv2 RC. Then the same with messages of 64 KiB, where
// the connections' state costs rate, if any does. Measured: time of a message from being posted to
// being acknowledged (first byte, since each is its connection's first), connections per second,
// and the rate that all together reach of the host's link. The model has no cache of connection
// state that could overflow: what limits a NIC in M is not in it, and the report says so.
#include <fmt/format.h>

#include <algorithm>

#include "suite/fabric_metrics.h"
#include "suite/figures.h"
#include "suite/training/balancing.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kMostPerPair = 256;

struct ConnectionPoint {
  std::uint32_t connections = 0;
  Bytes message;
  const char* service = "RUD";
};

class PdcScaleTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T6.7"; }
  [[nodiscard]] std::string title() const override { return "PDC scalability"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"connections_per_s", "first_message_p50_us", "first_message_p99_us", "goodput_percent"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.7"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ConnectionPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<ConnectionPoint> PdcScaleTest::pointsOf(const TestConfig& config, Numbers& numbers) {
  const std::uint32_t peers = config.scenario.topology.hostCount() - 1;
  std::vector<ConnectionPoint> points;
  for (const std::uint32_t m : numbers.sweep<std::uint32_t>(
           "Connections", {100, 1'000, 10'000, 100'000}, {100, 1'000}, std::nullopt,
           [peers](std::uint32_t n) { return n <= peers * kMostPerPair; })) {
    for (const Bytes message : {Bytes(64), Bytes(64 << 10)}) {
      for (const char* service : {"RUD", "RC"}) points.push_back({m, message, service});
    }
  }
  return points;
}

Design PdcScaleTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Connections", "connections"}, {"Message", ""}, {"Service", ""}};
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  if (hosts < 2) {
    design.refusals.emplace_back("a peer is needed");
    return design;
  }
  design.numbers.deviation(
      "no limit of the NIC in connections is modelled: rates per connection fall only with the "
      "link's share");
  design.repetitions = design.numbers.repetitions(20, 1);
  design.hop_cost = 1.6;
  for (const ConnectionPoint& point : pointsOf(config, design.numbers)) {
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(
        serviceVariant(config, point.service,
                       balancingOf(point.service == std::string("RUD") ? "spray" : "ecmp")),
        spec);
    workload::JobSpec job;
    job.name = point.service;
    job.placement.ranks = hosts;
    const std::uint32_t peers = std::min(hosts - 1, point.connections);
    job.flows = (point.connections + peers - 1) / peers;
    workload::MessageProgram program;
    program.pattern = workload::Pattern::kExplicit;
    for (std::uint32_t peer = 1; peer <= peers; ++peer) program.pairs.emplace_back(0, peer);
    program.bytes = static_cast<std::uint64_t>(point.message.count());
    program.load = workload::ClosedLoop{job.flows};
    program.messages = job.flows;  // one on each
    job.program = program;
    spec.workload->jobs.push_back(std::move(job));
    design.add({std::to_string(point.connections), valueText(point.message), point.service},
               std::move(spec),
               std::max(payloadHops(config,
                                    static_cast<double>(point.message.count()) * point.connections),
                        8.0 * point.connections));
  }
  return design;
}

void PdcScaleTest::report(const TestConfig& config, const Design& design,
                          const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const auto quantile = [](const char* column, const char* kpi, double q) {
    return Figure{.column = column,
                  .unit = "us",
                  .kpi = kpi,
                  .of = [q](std::size_t, const bench::TrialResult& trial) {
                    return quantileMicroseconds(trial.fabric->jobs.at(0).message_time, q);
                  }};
  };
  const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
  Figure rate{.column = "Connections per second",
              .unit = "/s",
              .kpi = "connections_per_s",
              .of = [](std::size_t, const bench::TrialResult& trial) {
                return static_cast<double>(trial.fabric->jobs.at(0).messages_completed) /
                       busyTime(trial).toSeconds();
              }};
  rate.primary = true;
  addTable(design, measured,
           {rate, quantile("Message P50", "first_message_p50_us", 0.5),
            quantile("P99", "first_message_p99_us", 0.99),
            Figure{.column = "Of line rate",
                   .unit = "%",
                   .kpi = "goodput_percent",
                   .of =
                       [line](std::size_t, const bench::TrialResult& trial) {
                         return 100 * goodputGbps(trial) / line;
                       }}},
           {"connections",
            "Connections opened at once by one host",
            "A message on each; its time is from being posted to being acknowledged.",
            {},
            {}},
           builder);
  if (measured.empty()) return;
  const Measured& last = measured.back();
  builder.primary("connections per second, " + last.point.label, *meanOf(design, last, rate));
  builder.result().summary = fmt::format("{}: {:.3g} connections per second.", last.point.label,
                                         meanOf(design, last, rate)->value);
}

}  // namespace

const Procedure& pdcScaleTest() {
  static const PdcScaleTest test;
  return test;
}

}  // namespace plumbline::suite
