// T6.7 PDC scalability (training draft, section 6.7).
//
// Connections of one host to its peers in turn: PDCs of UET RUD beside QPs of RoCEv2 RC. (a) M
// opened at once, a message of 64 bytes on each. Measured: connections per second, from the first
// opening to the last establishment, and the maximum that the model's parameters permit; setup
// time; (b) time of a message from post to acknowledgement (first byte, since each is its
// connection's first). (c) M that exist before the trial, with messages of 64 KiB on all of them.
// Measured: the rate of a connection, and of all together as a share of the rate of a single one.
// They share a link, so the draft's "per-PDC throughput below 90 % of a single PDC's" is read as
// that share falling below 90 %. The largest M before that is the maximum count.
//
// The model has no cache of connection state that could overflow: a NIC's limit of M is not
// modelled, and the report states it. Beyond the transport's own limit, `max_pdcs` or `max_qps`,
// fewer than M would be open: such points are left out, but of PDCs opened at once, which show that
// limit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/counted.h"
#include "bench/sim/base_rtt.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/training/services.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr Bytes kOpeningMessage{64};
constexpr Bytes kEstablishedMessage{64 << 10};
constexpr std::uint32_t kMinEstablished = 256;  // of an established point, over all connections
// At least so many round trips of a connection with all its messages: the way of the last message
// is less than 1/20 of the trial.
constexpr std::uint32_t kMinRounds = 20;
constexpr double kLimitPercent = 90;
// More than this of one alone: that one is held back by something else.
constexpr double kNotedPercent = 110;

struct ConnectionPoint {
  std::uint32_t connections = 0;
  bool opens = false;  // in the trial
  std::string service = "RUD";
};

struct ScaleDesign {
  std::vector<ConnectionPoint> points;
  std::map<std::string, std::string> limited;  // services that leave points out, and the key
};

// Of a host, with connections that are set up in the trial.
bench::TransportSpec setUpTransport(const TestConfig& config, const std::string& service) {
  return withSetup(config, serviceVariant(config, service, balancingOf("ecmp")).transport);
}

class PdcScaleProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.7"; }
  [[nodiscard]] std::string title() const override { return "PDC scalability"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"most_connections",     "concurrent_connections", "of_single_connection_percent",
            "setup_p50_us",         "setup_p99_us",           "connections_per_s",
            "first_message_p50_us", "first_message_p99_us",   "goodput_percent"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.7"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static ScaleDesign scaleDesign(const TestConfig& config, Numbers& numbers);
  static void reportOpening(const Design& design, const std::vector<Measured>& opening,
                            ResultBuilder& builder);
  static void reportEstablished(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& established, ResultBuilder& builder);
};

ScaleDesign PdcScaleProcedure::scaleDesign(const TestConfig& config, Numbers& numbers) {
  const std::uint32_t peers = config.scenario.topology.hostCount() - 1;
  const auto counts = numbers.sweep<std::uint32_t>(
      "Connections", {100, 1'000, 10'000, 100'000}, {100, 1'000}, config.scenario.parameters.flows,
      [peers](std::uint32_t n) { return n <= peers * kMaxFlowsPerPair; });
  ScaleDesign scale;
  std::map<std::string, ConnectionLimit> allowed;
  for (const char* service : {"RUD", "RC"}) {
    allowed[service] = connectionLimit(setUpTransport(config, service));
    const auto& [most, key, waits] = allowed[service];
    std::vector<std::string> beyond;
    for (const std::uint32_t m : counts) {
      if (m > most) beyond.push_back(std::to_string(m));
    }
    if (beyond.empty()) continue;
    scale.limited[service] = key;
    numbers.deviation(
        fmt::format("a host may have {} connections of {} ({}): {}", most, service, key,
                    waits ? fmt::format("of {} opened at once no more are open at a time, and that "
                                        "many established ones are not measured",
                                        fmt::join(beyond, " or "))
                          : fmt::format("{} are not measured, of which some would be rejected",
                                        fmt::join(beyond, " or "))));
  }
  const auto add = [&](std::uint32_t m, bool opens) {
    for (const char* service : {"RUD", "RC"}) {
      const auto& [most, key, waits] = allowed[service];
      if (m <= most || (opens && waits)) scale.points.push_back({m, opens, service});
    }
  };
  for (const std::uint32_t m : counts) add(m, true);
  add(1, false);
  for (const std::uint32_t m : counts) {
    if (m > 1) add(m, false);
  }
  return scale;
}

// Messages that an established connection has outstanding: one that is sent, and behind it as many
// as a round trip at line rate takes, so that one connection alone can fill the link. At least 2.
std::uint32_t outstandingOf(const TestConfig& config) {
  const Picoseconds round_trip =
      bench::idleRoundTrip(config.scenario.fabricSpec(), std::nullopt, transport::UetSpec());
  const Picoseconds message =
      serializationTime(kEstablishedMessage, config.scenario.topology.link_rate);
  return static_cast<std::uint32_t>(1 + (round_trip + message - Picoseconds(1)) / message);
}

// Messages of an established point, over all connections.
std::uint32_t establishedMessages(std::uint32_t connections, std::uint32_t outstanding) {
  return std::max({kMinEstablished, kMinRounds * outstanding, connections});
}

// `m` connections of host 0 to the others in turn: jobs of pairs with equally many each.
std::vector<workload::JobSpec> jobsOf(const ConnectionPoint& point, std::uint32_t hosts,
                                      std::uint32_t outstanding) {
  // One alone goes to the last host, over the uplinks that most of many take as well.
  const std::uint32_t first_peer = point.connections == 1 ? hosts - 1 : 1;
  const std::uint32_t peers = std::min(hosts - 1, point.connections);
  const std::uint32_t flows = point.connections / peers;
  const std::uint32_t with_more = point.connections % peers;  // one more than `flows`
  const std::uint32_t messages =
      point.opens ? 1
                  : (establishedMessages(point.connections, outstanding) + point.connections - 1) /
                        point.connections;
  std::vector<workload::JobSpec> jobs;
  const auto add = [&](std::uint32_t first, std::uint32_t last, std::uint32_t of_pair) {
    if (first == last) return;
    workload::JobSpec job;
    job.name = fmt::format("{}, {} per pair", point.service, of_pair);
    job.placement.rule = workload::PlacementRule::kExplicit;
    job.placement.hosts.push_back(0);
    job.flows = of_pair;
    workload::MessageProgram program;
    program.pattern = workload::Pattern::kExplicit;
    for (std::uint32_t peer = first; peer < last; ++peer) {
      job.placement.hosts.push_back(peer);
      program.pairs.emplace_back(0, peer - first + 1);
    }
    program.bytes =
        static_cast<std::uint64_t>((point.opens ? kOpeningMessage : kEstablishedMessage).count());
    program.messages = std::uint64_t{of_pair} * messages;
    program.load = workload::ClosedLoop{point.opens ? of_pair : outstanding * of_pair};
    job.program = program;
    jobs.push_back(std::move(job));
  };
  add(first_peer, first_peer + with_more, flows + 1);
  add(first_peer + with_more, first_peer + peers, flows);
  return jobs;
}

Reading messageQuantileUs(const bench::TrialResult& trial, double q) {
  stats::Histogram all;
  for (const bench::JobOutcome& job : trial.fabric->jobs) all.merge(job.message_time);
  return quantileMicroseconds(all, q);
}

Design PdcScaleProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Connections", "connections"}, {"They are", ""}, {"Service", ""}};
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  if (hosts < 2) {
    design.refusals.emplace_back("a peer is needed");
    return design;
  }
  design.numbers.deviation(
      "no cache of connection state in the NIC is modelled: the rate of all connections together "
      "does not fall with their number for that reason");
  design.numbers.deviation(fmt::format("remote endpoints are PDCs or QPs on {}, up to {} on each",
                                       counted(hosts - 1, "host"), kMaxFlowsPerPair));
  for (const auto& [name, service] : {std::pair{"PDC", "RUD"}, std::pair{"QP", "RC"}}) {
    const bench::TransportSpec transport = setUpTransport(config, service);
    const auto limit = setupLimitPerSecond(transport);
    design.numbers.configure(fmt::format("Set-up of a {}", name), setupText(transport));
    design.numbers.configure(fmt::format("Set-ups per second are limited by, {}", name),
                             limit ? fmt::format("the opening host's one step after the other: "
                                                 "{:.4g} /s",
                                                 *limit)
                                   : std::string("the network alone"));
  }
  design.repetitions = design.numbers.repetitions(20, 1);
  design.hop_cost = 1.8;
  const ScaleDesign scale = scaleDesign(config, design.numbers);
  const std::uint32_t outstanding = outstandingOf(config);
  design.numbers.configure(
      "Messages outstanding per established connection",
      fmt::format("{}: one that is sent, and those that a round trip at line rate takes",
                  outstanding));
  for (const ConnectionPoint& point : scale.points) {
    bench::TrialSpec spec = emptyTrial(config);
    applyVariant(serviceVariant(config, point.service,
                                balancingOf(point.service == "RUD" ? "spray" : "ecmp")),
                 spec);
    if (point.opens) {
      spec.transport = withSetup(config, *spec.transport);
      // All of them stay open, so that the largest simultaneous number is the host's limit.
      if (auto* uet = std::get_if<transport::UetSpec>(&*spec.transport)) {
        uet->close_after = fabric::kNever;
      }
    }
    spec.workload->jobs = jobsOf(point, hosts, outstanding);
    const double messages =
        point.opens ? point.connections : establishedMessages(point.connections, outstanding);
    const Bytes message = point.opens ? kOpeningMessage : kEstablishedMessage;
    design.add({std::to_string(point.connections),
                point.opens ? "opened, 64 B each" : "established, 64 KiB each", point.service},
               std::move(spec),
               std::max(payloadHops(config, static_cast<double>(message.count()) * messages),
                        8.0 * messages));
  }
  design.carry(scale);
  return design;
}

void PdcScaleProcedure::reportOpening(const Design& design, const std::vector<Measured>& opening,
                                      ResultBuilder& builder) {
  const auto quantile = [](const char* column, const char* kpi, double q) {
    return Figure{.column = column,
                  .unit = "us",
                  .kpi = kpi,
                  .of = [q](std::size_t, const bench::TrialResult& trial) {
                    return messageQuantileUs(trial, q);
                  }};
  };
  const auto perSecond = [](const bench::TrialResult& trial) -> std::optional<double> {
    const auto& connections = trial.fabric->connections;
    if (!connections || connections->established == 0) return std::nullopt;
    const Picoseconds time = connections->last_established - connections->first_opened;
    return static_cast<double>(connections->established) / time.toSeconds();
  };
  const Figure rate{
      .column = "Connections per second",
      .unit = "/s",
      .kpi = "connections_per_s",
      .of = [perSecond](std::size_t, const bench::TrialResult& trial) { return perSecond(trial); },
      .observed = ObservationPoint::kModelled,
      .primary = true};
  const Figure of_limit{
      .column = "Of the set-up limit",
      .unit = "%",
      .kpi = "",
      .of = [&design, perSecond](std::size_t i,
                                 const bench::TrialResult& trial) -> std::optional<double> {
        const auto limit = setupLimitPerSecond(*design.points[i].spec.transport);
        const auto reached = perSecond(trial);
        if (!limit || !reached) return std::nullopt;
        return 100 * *reached / *limit;
      },
      .absent = "no limit"};
  const auto setup = [](const char* column, const char* kpi, double q) {
    return Figure{
        .column = column,
        .unit = "us",
        .kpi = kpi,
        .of = [q](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
          const auto& connections = trial.fabric->connections;
          if (!connections || connections->established == 0) return std::nullopt;
          return quantileMicroseconds(connections->setup, q);
        }};
  };
  const Figure max{.column = "Most open at a time",
                   .unit = "",
                   .kpi = "most_connections",
                   .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
                     const auto& connections = trial.fabric->connections;
                     if (!connections) return std::nullopt;
                     return static_cast<double>(connections->max_open_connections);
                   }};
  addTable(
      design, opening,
      {rate, of_limit, setup("Set-up P50", "setup_p50_us", 0.5),
       setup("Set-up P99", "setup_p99_us", 0.99),
       quantile("First message P50", "first_message_p50_us", 0.5),
       quantile("First message P99", "first_message_p99_us", 0.99), max},
      {"connections",
       "Connections opened at once by one host",
       "All connections are requested at time 0, so set-up times and times of first messages "
       "include the time in the queue of the opening host. The time of a first message is "
       "from its post to its acknowledgement. The set-up limit is one connection after the "
       "other at the opening host; the rest up to 100 % is time in which it waits for answers: "
       "for the last one, and before it while as many are pending as the transport allows.",
       {},
       {}},
      builder);
}

void PdcScaleProcedure::reportEstablished(const TestConfig& config, const Design& design,
                                          const std::vector<Measured>& established,
                                          ResultBuilder& builder) {
  const auto& scale = design.carried<ScaleDesign>();
  const std::vector<ConnectionPoint>& points = scale.points;
  const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
  const auto is_single = [&points](std::size_t i) { return points[i].connections == 1; };
  std::map<std::string, const Measured*> single;  // by service
  for (const Measured& one : established) {
    const ConnectionPoint& point = points[placeOf(design, one)];
    if (is_single(placeOf(design, one))) single[point.service] = &one;
  }
  const Figure per{.column = "Per connection",
                   .unit = "Gb/s",
                   .kpi = "",
                   .of = [&points](std::size_t i, const bench::TrialResult& trial) {
                     return goodputGbps(trial) / points[i].connections;
                   }};
  const Figure share{.column = "All together",
                     .unit = "% of line rate",
                     .kpi = "goodput_percent",
                     .of = [line](std::size_t, const bench::TrialResult& trial) {
                       return 100 * goodputGbps(trial) / line;
                     }};
  const Figure of_one{.column = "Of one alone",
                      .unit = "%",
                      .kpi = "of_single_connection_percent",
                      .baseline = is_single,
                      .paired = [&](std::size_t i, std::size_t repetition,
                                    const bench::TrialResult& trial) -> std::optional<double> {
                        const auto one = single.find(points[i].service);
                        if (one == single.end()) return std::nullopt;
                        return 100 * goodputGbps(trial) /
                               goodputGbps(one->second->trials.at(repetition));
                      }};
  addTable(
      design, established, {per, share, of_one},
      {"concurrent",
       "Connections in use at once by one host",
       "They share the host's link, so the draft's limit, a PDC's rate below 90 % of a single "
       "one's, is applied to the rate of all together. Each has as many messages outstanding "
       "as a round trip at line rate takes; one alone may still be held back by its window, or "
       "by its path, which ends at the last host.",
       {},
       {}},
      builder);
  results::Table limits{"maximum",
                        "Concurrent connections within 90 % of the rate of one",
                        "",
                        {"Service", "Connections", "Limit"},
                        {}};
  for (const char* service : {"RUD", "RC"}) {
    std::optional<std::uint32_t> max;
    bool fell = false;
    bool unknown = false;
    for (std::size_t i = 0; i < points.size() && !fell && !unknown; ++i) {
      if (points[i].service != service || points[i].opens) continue;
      const auto one =
          std::find_if(established.begin(), established.end(),
                       [&](const Measured& other) { return placeOf(design, other) == i; });
      unknown = one == established.end();
      if (unknown) continue;
      if (is_single(i)) {
        max = 1;
        continue;
      }
      const auto value = meanOf(design, *one, of_one);
      if (value && value->value > kNotedPercent) {
        builder.anomaly(
            fmt::format("all together carry {:.3g} % of what one alone does, whose path or window "
                        "holds it back: 90 % of that is less than the link carries",
                        value->value),
            one->point.label);
      }
      unknown = !value;
      fell = value && value->value < kLimitPercent;
      if (value && !fell) max = points[i].connections;
    }
    if (unknown) {
      builder.notMeasured("concurrent_connections", service);
      limits.rows.push_back({std::string(service), std::string("not observed"),
                             std::string("a number of the sweep has no result")});
      continue;
    }
    if (!max) continue;
    results::Quantity count;
    count.value = *max;
    count.observed = ObservationPoint::kModelled;
    builder.kpi("concurrent_connections", service, count);
    const auto left_out = scale.limited.find(service);
    std::string limit = "none found: the largest number of the sweep";
    if (fell) {
      limit = "the next number of the sweep fell below 90 %";
    } else if (left_out != scale.limited.end()) {
      limit = "none found: " + left_out->second + " allows no larger number of the sweep";
    }
    limits.rows.push_back({std::string(service), count, std::move(limit)});
  }
  builder.result().tables.push_back(std::move(limits));
}

void PdcScaleProcedure::report(const TestConfig& config, const Design& design,
                               const std::vector<Measured>& measured,
                               ResultBuilder& builder) const {
  const std::vector<ConnectionPoint>& points = design.carried<ScaleDesign>().points;
  std::vector<Measured> opening;
  std::vector<Measured> established;
  for (const Measured& one : measured) {
    (points[placeOf(design, one)].opens ? opening : established).push_back(one);
  }
  reportOpening(design, opening, builder);
  reportEstablished(config, design, established, builder);
  for (const results::Kpi& kpi : builder.result().kpis) {
    if (kpi.name != "connections_per_s") continue;
    builder.result().summary +=
        fmt::format("{}{}: {}.", builder.result().summary.empty() ? "" : " ", kpi.point,
                    builder.text(kpi.quantity));
  }
  if (opening.empty()) return;
  const results::Kpi first =
      *std::find_if(builder.result().kpis.begin(), builder.result().kpis.end(),
                    [](const results::Kpi& kpi) { return kpi.name == "connections_per_s"; });
  builder.primary("connections per second, " + first.point, first.quantity);
}

}  // namespace

const Procedure& pdcScaleProcedure() {
  static const PdcScaleProcedure test;
  return test;
}

}  // namespace plumbline::suite
