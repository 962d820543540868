// T6.2 Latency by service (training draft, section 6.2).
//
// UET ROD and RUD, RoCEv2 RC beside them. Swept: service × message size × load. At zero load one
// pair sends one message after the other; under load every host does, with four messages
// outstanding. In steady state all messages of a pair use one PDC or QP; "first" is one message on
// a new one. Measured: one-way latency of data packets, first bit to first bit; and time of a
// message from being posted to being acknowledged (round trip). CDFs of the services side by side.
#include <fmt/format.h>

#include "stats/summary.h"
#include "suite/fabric_metrics.h"
#include "suite/training/services.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

enum class LatencyCase { kFirst, kZeroLoad, kLoaded };

std::string caseName(LatencyCase kind) {
  switch (kind) {
    case LatencyCase::kFirst:
      return "first message";
    case LatencyCase::kZeroLoad:
      return "zero load";
    case LatencyCase::kLoaded:
      break;
  }
  return "loaded";
}

struct ServiceLatencyPoint {
  LatencyCase kind = LatencyCase::kZeroLoad;
  ServicePairs pairs;
};

class ServiceLatencyTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T6.2"; }
  [[nodiscard]] std::string title() const override { return "Latency by service"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(kpi::statistics("one_way", "ns"), kpi::statistics("message", "ns"));
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ServiceLatencyPoint> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<ServiceLatencyPoint> ServiceLatencyTest::pointsOf(const TestConfig& config,
                                                              Numbers& numbers) {
  const auto sizes = numbers.sweep<Bytes>(
      "Message sizes", {Bytes(64), Bytes(1 << 10), Bytes(4 << 10), Bytes(64 << 10), Bytes(1 << 20)},
      {Bytes(64), Bytes(4 << 10), Bytes(64 << 10)}, config.scenario.parameters.sizes);
  const auto messages = numbers.atLeast<std::uint32_t>("Messages of every pair", 100'000, 100,
                                                       config.scenario.parameters.iterations);
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  std::vector<ServiceLatencyPoint> points;
  for (const Bytes size : sizes) {
    for (const auto kind : {LatencyCase::kFirst, LatencyCase::kZeroLoad, LatencyCase::kLoaded}) {
      for (const char* service : {"ROD", "RUD", "RC"}) {
        const bool loaded = kind == LatencyCase::kLoaded;
        points.push_back({kind,
                          {.service = service,
                           .message = size,
                           .messages = kind == LatencyCase::kFirst ? 1 : messages,
                           .pairs = loaded ? half : 1,
                           .outstanding = loaded ? 4U : 1U}});
      }
    }
  }
  return points;
}

Design ServiceLatencyTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Message", ""}, {"Load", ""}, {"Service", ""}};
  if (config.scenario.topology.hostCount() < 2) {
    design.refusals.emplace_back("pairs need two hosts");
    return design;
  }
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 0.9;
  for (const ServiceLatencyPoint& point : pointsOf(config, design.numbers)) {
    design.add({valueText(point.pairs.message), caseName(point.kind), point.pairs.service},
               serviceTrial(config, point.pairs), serviceHops(config, point.pairs));
  }
  return design;
}

void ServiceLatencyTest::report(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& measured,
                                ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ServiceLatencyPoint> points = pointsOf(config, unused);
  using HistogramOf = const stats::Histogram& (*)(const bench::TrialResult&);
  const HistogramOf oneWay = [](const bench::TrialResult& trial) -> const stats::Histogram& {
    return trial.fabric->endpoints.latency;
  };
  const HistogramOf roundTrip = [](const bench::TrialResult& trial) -> const stats::Histogram& {
    return trial.fabric->jobs.at(0).message_time;
  };
  const auto statistics = [](HistogramOf histogram, const std::string& prefix) {
    std::vector<Figure> figures;
    const auto add = [&](const char* column, const char* name, auto value) {
      figures.push_back({.column = column,
                         .unit = "ns",
                         .kpi = fmt::format("{}_{}_ns", prefix, name),
                         .of = [histogram, value](std::size_t, const bench::TrialResult& trial) {
                           const stats::Histogram& seen = histogram(trial);
                           if (seen.count() == 0) return kNotMeasured;
                           return static_cast<double>(value(stats::latencyStats(seen))) / 1e3;
                         }});
    };
    using Stats = stats::LatencyStats;
    add("Min", "min", [](const Stats& s) { return s.minimum; });
    add("Mean", "mean", [](const Stats& s) { return s.mean; });
    add("P50", "p50", [](const Stats& s) { return s.p50; });
    add("P95", "p95", [](const Stats& s) { return s.p95; });
    add("P99", "p99", [](const Stats& s) { return s.p99; });
    add("P99.9", "p999", [](const Stats& s) { return s.p999; });
    add("Max", "max", [](const Stats& s) { return s.maximum; });
    return figures;
  };
  std::vector<Figure> packets = statistics(oneWay, "one_way");
  packets[1].primary = true;
  addTable(design, measured, packets,
           {"one_way", "One-way latency of data packets", "First bit to first bit.", {}, {}},
           builder);
  addTable(design, measured, statistics(roundTrip, "message"),
           {"message", "Time of a message", "From being posted to being acknowledged.", {}, {}},
           builder);
  for (const Measured& one : measured) {
    const ServiceLatencyPoint& point = points[placeOf(design, one)];
    if (point.kind == LatencyCase::kFirst) continue;
    stats::Histogram all;
    for (const bench::TrialResult& trial : one.trials) all.merge(roundTrip(trial));
    if (all.count() == 0) continue;
    builder.result().distributions.push_back({fmt::format("message_{}", placeOf(design, one)),
                                              one.point.label + ": time of a message", "ps",
                                              bench::ObservationPoint::kModelled, std::move(all)});
  }
  if (measured.empty()) return;
  const Measured& first = measured.front();
  builder.primary("one-way mean, " + first.point.label, *meanOf(design, first, packets[1]));
  builder.result().summary = fmt::format("{}: {:.0f} ns one way.", first.point.label,
                                         meanOf(design, first, packets[1])->value);
}

}  // namespace

const Procedure& serviceLatencyTest() {
  static const ServiceLatencyTest test;
  return test;
}

}  // namespace plumbline::suite
