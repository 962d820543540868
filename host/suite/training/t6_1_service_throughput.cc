// T6.1 Throughput by service (training draft, section 6.1).
//
// Every host of the lower half sends messages to its counterpart in the upper half, over UET ROD,
// RUD, RUDI, UUD and RoCEv2 RC, UC in turn. Swept: service × PDCs (QPs) per pair × message size ×
// direction. The hosts offer what their links carry; a fabric that loses none of it has no lower
// zero-loss rate to search for, and what it loses is reported. Measured: payload rate of a host
// over all its messages, its share of line rate, packets lost, and set-up time of a PDC or QP as
// modelled.
#include <fmt/format.h>

#include <algorithm>

#include "suite/fabric_metrics.h"
#include "suite/training/services.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class ServiceThroughputTest final : public FabricTest {
 public:
  [[nodiscard]] std::string id() const override { return "T6.1"; }
  [[nodiscard]] std::string title() const override { return "Throughput by service"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"payload_gbps", "throughput_percent_of_line", "drop_ppm",    "fabric_drops_ppm",
            "trimmed_ppm",  "retransmission_percent",     "ecn_percent", "pfc_per_s"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<ServicePairs> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<ServicePairs> ServiceThroughputTest::pointsOf(const TestConfig& config,
                                                          Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  const scenario::Parameters& own = config.scenario.parameters;
  const std::uint32_t pairs = config.scenario.topology.hostCount() / 2;
  const auto sizes = numbers.sweep<Bytes>("Message sizes", {Bytes(kMiB), Bytes(4 * kMiB)},
                                          {Bytes(kMiB)}, own.sizes);
  const auto flows =
      numbers.sweep<std::uint32_t>("PDCs or QPs per pair", {1, 4, 16, 32}, {1, 16}, own.flows);
  const auto messages =
      numbers.atLeast<std::uint32_t>("Messages of every pair", 1000, 16, own.iterations);
  std::vector<ServicePairs> points;
  for (const Bytes size : sizes) {
    for (const std::uint32_t n : flows) {
      for (const bool both : {false, true}) {
        for (const char* service : {"ROD", "RUD", "RUDI", "UUD", "RC", "UC"}) {
          points.push_back({.service = service,
                            .message = size,
                            .messages = messages,
                            .pairs = pairs,
                            .flows = n,
                            .outstanding = std::max(n, 4U),
                            .bidirectional = both});
        }
      }
    }
  }
  return points;
}

Design ServiceThroughputTest::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Message", ""}, {"PDCs, QPs", "flows"}, {"Direction", ""}, {"Service", ""}};
  if (config.scenario.topology.hostCount() < 2) {
    design.refusals.emplace_back("pairs need two hosts");
    return design;
  }
  design.numbers.configure("Set-up of a PDC", "none: data goes before the handshake is done");
  const auto* roce = config.scenario.transport
                         ? std::get_if<transport::RoceSpec>(&*config.scenario.transport)
                         : nullptr;
  design.numbers.configure("Set-up of a QP",
                           valueText((roce != nullptr ? *roce : usualRoce()).setup_time));
  design.numbers.deviation("largest number of PDCs and QPs that can be sustained not searched for");
  design.repetitions = design.numbers.repetitions(3, 1);
  design.hop_cost = 0.8;
  for (const ServicePairs& point : pointsOf(config, design.numbers)) {
    design.add({valueText(point.message), std::to_string(point.flows),
                point.bidirectional ? "bidirectional" : "unidirectional", point.service},
               serviceTrial(config, point), serviceHops(config, point));
  }
  return design;
}

void ServiceThroughputTest::report(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  Numbers unused(config);
  const std::vector<ServicePairs> points = pointsOf(config, unused);
  const auto perHost = [&points](std::size_t i, const bench::TrialResult& trial) {
    return goodputGbps(trial) / (points[i].pairs * (points[i].bidirectional ? 2 : 1));
  };
  const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
  const Figure rate{.column = "Payload per sender",
                    .unit = "Gb/s",
                    .kpi = "payload_gbps",
                    .of = perHost,
                    .observed = bench::ObservationPoint::kModelled,
                    .primary = true};
  const Figure share{.column = "Of line rate",
                     .unit = "%",
                     .kpi = "throughput_percent_of_line",
                     .of = [perHost, line](std::size_t i, const bench::TrialResult& trial) {
                       return 100 * perHost(i, trial) / line;
                     }};
  addTable(
      design, measured,
      {rate, share, figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
       figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
       figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm),
       figure("Retransmitted", "%", "retransmission_percent", retransmissionPercent),
       figure("ECN marked", "%", "ecn_percent", ecnPercent),
       figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)},
      {"throughput",
       "Throughput by service",
       "Payload of a sending host until the last message of all is done. Services that deliver "
       "in order go by ECMP, the others are sprayed.",
       {},
       {}},
      builder);
  // One column a service, as the draft has it.
  results::Table columns{
      "services",
      "Payload per sender by service [Gb/s]",
      "",
      {"Message", "PDCs, QPs", "Direction", "ROD", "RUD", "RUDI", "UUD", "RC", "UC"},
      {}};
  std::vector<std::string> row;  // the last one's own values
  for (const Measured& one : measured) {
    const std::vector<std::string>& values = one.point.values;
    const std::vector<std::string> head(values.begin(), values.end() - 1);
    if (head != row) {
      row = head;
      columns.rows.emplace_back(head.begin(), head.end());
      columns.rows.back().resize(columns.columns.size(), std::string("not valid"));
    }
    const auto place = std::find(columns.columns.begin(), columns.columns.end(), values.back());
    columns.rows.back()[static_cast<std::size_t>(place - columns.columns.begin())] =
        *meanOf(design, one, rate);
  }
  builder.result().tables.push_back(std::move(columns));
  if (measured.empty()) return;
  const results::Quantity first = *meanOf(design, measured.front(), rate);
  builder.primary("payload, " + measured.front().point.label, first);
  builder.result().summary = fmt::format("{}: {:.4g} Gb/s of payload per sender.",
                                         measured.front().point.label, first.value);
}

}  // namespace

const Procedure& serviceThroughputTest() {
  static const ServiceThroughputTest test;
  return test;
}

}  // namespace plumbline::suite
