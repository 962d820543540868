// T6.2 Latency by service (training draft, section 6.2).
//
// UET ROD and RUD, compared with RoCEv2 RC. Swept: service × message size × load. At zero load one
// pair sends one message after the other; under load every host does, with four messages
// outstanding. In both all messages of a pair use one PDC or QP that exists before the trial.
// "First" are messages that each open a PDC or QP of their own, one after the other, between some
// pairs that share no link to a host. Measured: one-way latency of data packets, first bit to first
// bit; time of a message from post to acknowledgement (round trip); setup time of the PDCs and QPs.
// CDFs of the services side by side.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
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

// First messages: number of pairs, and PDCs or QPs of each, of which the model has 256 at most. In
// the standard profile as many as P99.9 needs, if there are enough hosts.
constexpr std::uint32_t kFirstOfPair = 250;
constexpr std::uint32_t kFirstPairs = 4;
constexpr std::uint32_t kFirstPairsStandard = 40;
constexpr std::size_t kServiceAxis = 2;
constexpr double kLargestQuantile = 0.999;

struct ServiceLatencyPoint {
  LatencyCase kind = LatencyCase::kZeroLoad;
  ServicePairs pairs;
};

class ServiceLatencyProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.2"; }
  [[nodiscard]] std::string title() const override { return "Latency by service"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(with(kpi::statistics("one_way", "ns"), kpi::statistics("message", "ns")),
                {"setup_mean_ns", "setup_p50_ns", "setup_max_ns"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  using HistogramOf = const stats::Histogram& (*)(const bench::TrialResult&);

  static std::vector<ServiceLatencyPoint> pointsOf(const TestConfig& config, Numbers& numbers);
  static void reportSetup(const Design& design, const std::vector<ServiceLatencyPoint>& points,
                          const std::vector<Measured>& measured, ResultBuilder& builder);
};

std::vector<ServiceLatencyPoint> ServiceLatencyProcedure::pointsOf(const TestConfig& config,
                                                                   Numbers& numbers) {
  const auto sizes = numbers.sweep<Bytes>(
      "Message sizes", {Bytes(64), Bytes(1 << 10), Bytes(4 << 10), Bytes(64 << 10), Bytes(1 << 20)},
      {Bytes(64), Bytes(4 << 10), Bytes(64 << 10)}, config.scenario.parameters.sizes);
  const auto messages = numbers.atLeast<std::uint32_t>("Messages of every pair", 100'000, 100,
                                                       config.scenario.parameters.iterations);
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  const std::uint32_t first_pairs =
      std::min(half, numbers.isStandard() ? kFirstPairsStandard : kFirstPairs);
  const std::uint32_t first_messages =
      std::min(config.scenario.parameters.iterations.value_or(kFirstOfPair), kFirstOfPair);
  numbers.configure("First messages", fmt::format("{} of each of {}, each on a PDC or QP of "
                                                  "its own",
                                                  first_messages, counted(first_pairs, "pair")));
  noteHostWithoutPartner(config, numbers);
  std::vector<ServiceLatencyPoint> points;
  for (const Bytes size : sizes) {
    for (const auto kind : {LatencyCase::kFirst, LatencyCase::kZeroLoad, LatencyCase::kLoaded}) {
      for (const char* service : {"ROD", "RUD", "RC"}) {
        ServicePairs pairs{.service = service, .message = size, .messages = messages};
        if (kind == LatencyCase::kFirst) {
          pairs.pairs = first_pairs;
          pairs.messages = pairs.flows = first_messages;
          pairs.sets_up = true;
        } else if (kind == LatencyCase::kLoaded) {
          pairs.pairs = half;
          pairs.outstanding = 4;
        }
        points.push_back({kind, std::move(pairs)});
      }
    }
  }
  return points;
}

Design ServiceLatencyProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Message", ""}, {"Load", ""}, {"Service", ""}};
  if (config.scenario.topology.hostCount() < 2) {
    design.refusals.emplace_back("pairs need two hosts");
    return design;
  }
  const Balancing any = balancingOf("ecmp");
  design.numbers.configure(
      "Set-up of a PDC",
      setupText(withSetup(config, serviceVariant(config, "RUD", any).transport)));
  design.numbers.configure(
      "Set-up of a QP", setupText(withSetup(config, serviceVariant(config, "RC", any).transport)));
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.1;
  const std::vector<ServiceLatencyPoint> points = pointsOf(config, design.numbers);
  for (const ServiceLatencyPoint& point : points) {
    bench::TrialSpec spec = serviceTrial(config, point.pairs);
    ServicePairs expected = point.pairs;
    if (point.kind != LatencyCase::kFirst && mayEndEarly(config)) {
      spec.early_end = earlyEnd(bench::WatchedFigure::kMessageTime, kLargestQuantile);
      // Of each pair; the trial is evaluated when their number has grown by an eighth.
      expected.messages = std::min<std::uint64_t>(
          expected.messages, spec.early_end->rule.min_samples * 9 / 8 / expected.pairs);
    }
    design.add({valueText(point.pairs.message), caseName(point.kind), point.pairs.service},
               std::move(spec), serviceHops(config, expected));
  }
  design.carry(points);
  return design;
}

// A table's value from a histogram [ns].
using ReadingOf = std::function<Reading(const stats::Histogram&)>;

ReadingOf quantileNanoseconds(double quantile) {
  return [quantile](const stats::Histogram& times) { return quantileOf(times, quantile, 1e3); };
}

Reading meanNanoseconds(const stats::Histogram& times) {
  return times.count() == 0 ? kNotMeasured : times.mean() / 1e3;
}

// Set-up of the first messages' PDCs and QPs.
void ServiceLatencyProcedure::reportSetup(const Design& design,
                                          const std::vector<ServiceLatencyPoint>& points,
                                          const std::vector<Measured>& measured,
                                          ResultBuilder& builder) {
  std::vector<Measured> first;
  for (const Measured& one : measured) {
    if (points[placeOf(design, one)].kind == LatencyCase::kFirst) first.push_back(one);
  }
  const auto of = [](const char* column, const char* kpi, ReadingOf value) {
    return Figure{
        .column = column,
        .unit = "ns",
        .kpi = kpi,
        .of = [value](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
          const auto& connections = trial.fabric->connections;
          if (!connections || connections->established == 0) return std::nullopt;
          return value(connections->setup);
        }};
  };
  addTable(design, first,
           {of("Mean", "setup_mean_ns", meanNanoseconds),
            of("P50", "setup_p50_ns", quantileNanoseconds(0.5)),
            of("Max", "setup_max_ns", quantileNanoseconds(1))},
           {"setup",
            "Set-up of PDCs and QPs",
            "Set-up of a QP: from its first message until it may send; data waits for it. Set-up "
            "of a PDC: from its first message to the target's first answer; data waits only for "
            "the context, whose time is included.",
            {},
            {}},
           builder);
}

void ServiceLatencyProcedure::report(const TestConfig& config, const Design& design,
                                     const std::vector<Measured>& measured,
                                     ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<ServiceLatencyPoint>>();
  const HistogramOf oneWay = [](const bench::TrialResult& trial) -> const stats::Histogram& {
    return trial.fabric->endpoints.latency;
  };
  const HistogramOf roundTrip = [](const bench::TrialResult& trial) -> const stats::Histogram& {
    return trial.fabric->jobs.at(0).message_time;
  };
  const auto statistics = [](HistogramOf histogram, const std::string& prefix) {
    std::vector<Figure> figures;
    const auto add = [&](const char* column, const char* name, ReadingOf value) {
      figures.push_back({.column = column,
                         .unit = "ns",
                         .kpi = fmt::format("{}_{}_ns", prefix, name),
                         .of = [histogram, value](std::size_t, const bench::TrialResult& trial) {
                           return std::optional(value(histogram(trial)));
                         }});
    };
    add("Min", "min", quantileNanoseconds(0));
    add("Mean", "mean", meanNanoseconds);
    add("P50", "p50", quantileNanoseconds(0.5));
    add("P95", "p95", quantileNanoseconds(0.95));
    add("P99", "p99", quantileNanoseconds(0.99));
    add("P99.9", "p999", quantileNanoseconds(0.999));
    add("Max", "max", quantileNanoseconds(1));
    return figures;
  };
  std::vector<Figure> packets = statistics(oneWay, "one_way");
  packets[1].primary = true;
  addTable(design, measured, packets,
           {"one_way",
            "One-way latency of data packets",
            config.scenario.topology.hostCount() < 4
                ? "First bit to first bit, between one pair of hosts."
                : "First bit to first bit: at zero load between one pair of hosts, otherwise "
                  "between several, whose ways may differ.",
            {},
            {}},
           builder);
  addTable(design, measured, statistics(roundTrip, "message"),
           {"message",
            "Time of a message",
            "From being posted to being acknowledged; of first messages with the set-up of their "
            "PDC or QP.",
            {},
            {}},
           builder);
  addWideTable(design, measured, statistics(roundTrip, "message")[1], kServiceAxis, {},
               {"message_by_service", "Mean time of a message by service", "", {}, {}}, builder);
  reportSetup(design, points, measured, builder);
  for (const Measured& one : measured) {
    stats::Histogram all;
    for (const bench::TrialResult& trial : one.trials) all.merge(roundTrip(trial));
    if (all.count() == 0) continue;
    builder.result().distributions.push_back({fmt::format("message_{}", placeOf(design, one)),
                                              one.point.label + ": time of a message", "ps",
                                              ObservationPoint::kModelled, std::move(all)});
  }
  if (measured.empty()) return;
  const Measured& first = measured.front();
  const results::Quantity mean = *meanOf(design, first, packets[1]);
  builder.primary("one-way mean, " + first.point.label, mean);
  builder.result().summary =
      fmt::format("{}: {} one way on average.", first.point.label, builder.text(mean));
}

}  // namespace

const Procedure& serviceLatencyProcedure() {
  static const ServiceLatencyProcedure test;
  return test;
}

}  // namespace plumbline::suite
