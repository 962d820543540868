// I12.2 Dynamic autoscaling response time (inference draft, section 12.2).
//
// Four decode servers join a system under 80 % of the load that it can sustain with all of its
// servers, and leave it again. The links of a joining server come up; the router uses it when all
// switches route to it. Leaving servers get no more requests and finish those that they have.
// Reported: convergence, first KV transfer to a server that joined, time until the servers that
// joined have their share of the requests, time until those that leave are empty, packets lost,
// latencies before, between and after. The weights that a new server loads are a modelled time in
// addition and no part of the trial.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "fabric/topology/topology.h"
#include "serving/mapping.h"
#include "suite/framework/wire_bytes.h"
#include "suite/inference/inference.h"
#include "suite/inference/requests.h"
#include "suite/inference/steady_load.h"
#include "suite/inference/sustained.h"

namespace plumbline::suite {
namespace {

using serving::RequestRecord;
using serving::ServingResult;

constexpr std::uint32_t kDraftServers = 4;

// When servers are present, from the specification of a trial.
struct ScalingTimes {
  Picoseconds up;     // links of the joining servers come up
  Picoseconds ready;  // all switches route to them, and the router uses them
  Picoseconds leave;
  Picoseconds end;          // of the measuring window
  std::uint32_t first = 0;  // decode worker that joins
};

ScalingTimes timesOf(const bench::TrialSpec& spec) {
  const serving::ServingSpec& system = spec.serving->system;
  const serving::ScalingSpec& scaling = system.scaling;
  return {scaling.join - spec.dut.convergence, scaling.join, scaling.leave,
          system.window.warmup + system.window.measure,
          system.servers.decode.workers - scaling.joining};
}

// Of requests that were decoded by a server that joins.
template <typename Visit>
void eachJoined(const ServingResult& result, const ScalingTimes& times, const Visit& visit) {
  for (const RequestRecord& record : result.requests) {
    if (record.outcome == serving::Outcome::kRejected) continue;
    if (record.decode_worker >= times.first) visit(record);
  }
}

// From `ready` until KV cache had first arrived at a server that joined.
std::optional<Reading> firstTransfer(const ServingResult& result, const ScalingTimes& times) {
  Picoseconds first = serving::kNever;
  eachJoined(result, times,
             [&](const RequestRecord& record) { first = std::min(first, record.last_arrival); });
  if (first == serving::kNever) return std::nullopt;
  return Reading((first - times.ready).toSeconds() * 1e3);
}

// From `ready` until the servers that joined first reach their mean number of requests over the
// second half of their time.
std::optional<Reading> steadyTime(const ServingResult& result, const ScalingTimes& times) {
  const Picoseconds half = times.ready + Picoseconds((times.leave - times.ready).count() / 2);
  std::vector<std::pair<Picoseconds, int>> changes;
  double busy = 0;  // request seconds in the second half
  eachJoined(result, times, [&](const RequestRecord& record) {
    if (record.decode_start == serving::kNever) return;
    const Picoseconds over =
        record.done == serving::kNever ? result.end : std::max(record.done, record.decode_start);
    changes.emplace_back(record.decode_start, 1);
    changes.emplace_back(over, -1);
    const Picoseconds from = std::max(record.decode_start, half);
    const Picoseconds to = std::min(over, times.leave);
    if (from < to) busy += (to - from).toSeconds();
  });
  if (busy <= 0) return std::nullopt;
  const double mean = busy / (times.leave - half).toSeconds();
  std::sort(changes.begin(), changes.end());
  int now = 0;
  for (const auto& [time, change] : changes) {
    now += change;
    if (now >= mean) return Reading((time - times.ready).toSeconds() * 1e3);
  }
  return std::nullopt;
}

// From `leave` until the leaving servers had finished their requests.
std::optional<Reading> drainTime(const ServingResult& result, const ScalingTimes& times) {
  Picoseconds last = times.leave;
  bool open = false;
  eachJoined(result, times, [&](const RequestRecord& record) {
    open = open || !record.finished();
    if (record.finished()) last = std::max(last, record.done);
  });
  if (open) return std::nullopt;
  return Reading((last - times.leave).toSeconds() * 1e3);
}

// Requests that arrived while they were there and went to the servers that joined [%].
std::optional<Reading> joinedShare(const ServingResult& result, const ScalingTimes& times) {
  double all = 0;
  double joined = 0;
  for (const RequestRecord& record : result.requests) {
    if (record.arrival < times.ready || record.arrival >= times.leave) continue;
    ++all;
    if (record.decode_worker >= times.first) ++joined;
  }
  if (all <= 0) return std::nullopt;
  return Reading(100 * joined / all);
}

class ScalingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I12.2"; }
  [[nodiscard]] std::string title() const override { return "Dynamic autoscaling response time"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"first_transfer_ms", "scale_up_steady_ms", "joined_requests_percent",
            "scale_down_drain_ms", "packets_lost"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 12.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

// Bytes of the model's weights over the NICs of a server [s].
double weightSeconds(const TestConfig& config, const serving::ServingProgram& program) {
  const double bytes = serving::weightBytes(program.system.model);
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const double rate = receivingRate(config, program) / mapping.decodeServers();
  return bytes / (rate * payloadShareOf(transportOr(config, defaultRoce())));
}

Design ScalingProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Joining", "servers"}};
  Numbers& numbers = design.numbers;
  design.repetitions = numbers.repetitions(3, 1);
  serving::WindowSpec window = steadyWindow(config, numbers, milliseconds(400), milliseconds(1200));
  window.quiet = true;  // those that leave finish all that they have
  serving::ServingProgram program = sustainedProgram(config, numbers, window);
  const serving::MappingSpec& servers = program.system.servers;
  const serving::Mapping mapping(servers, program.system.model);
  if (mapping.decodeServers() < 2) {
    design.refusals.emplace_back(
        "one decode server can neither be joined nor left: serving.servers.decode needs more");
    return design;
  }
  const std::uint32_t joining = numbers.atLeast<std::uint32_t>(
      "Joining servers", kDraftServers, std::min(kDraftServers, mapping.decodeServers() - 1),
      std::min(kDraftServers, mapping.decodeServers() - 1));
  const Picoseconds quarter(window.measure.count() / 4);
  const Picoseconds up = window.warmup + quarter;
  serving::ScalingSpec& scaling = program.system.scaling;
  // Workers of the servers that stay, which are full; the last server need not be.
  const std::uint32_t per_server = servers.gpus / servers.decode.tp;
  scaling.joining = scaling.leaving =
      servers.decode.workers - (mapping.decodeServers() - joining) * per_server;
  scaling.join = up + config.scenario.convergence;
  scaling.leave = window.warmup + quarter * 3;
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  numbers.configure("Links of joining servers come up", valueText(up));
  numbers.configure("Servers leave", valueText(scaling.leave));
  numbers.configure("Loading of weights, modelled",
                    fmt::format("{:.3g} s over the NICs of a server, no part of the trial",
                                weightSeconds(config, program)));
  if (scaling.leave <= scaling.join) {
    design.refusals.emplace_back(
        "servers would leave before the fabric routes to them: a longer measuring window "
        "(parameters.duration) or a shorter dut.convergence");
    return design;
  }
  addSteadyPoint(config, design, {std::to_string(joining)}, program);
  if (design.points.empty()) return design;
  bench::TrialSpec& spec = design.points.front().spec;
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const std::vector<std::uint32_t> hosts = spec.serving->hosts;
  for (std::uint32_t nic = mapping.nics() - joining * servers.nics; nic < mapping.nics(); ++nic) {
    const fabric::NodeId host = topology.hosts()[hosts.empty() ? nic : hosts[nic]];
    for (const fabric::LinkId link : topology.nodes()[host].out_links) {
      spec.dut.failures.push_back({topology.linkName(link), Picoseconds(), up});
    }
  }
  return design;
}

Figure scalingFigure(const char* column, const char* unit, const char* kpi,
                     std::optional<Reading> (*of)(const ServingResult&, const ScalingTimes&),
                     const Design& design) {
  Figure one{.column = column, .unit = unit, .kpi = kpi};
  one.absent = "not reached";
  one.fails_limits = true;
  one.of = [&design, of](std::size_t point,
                         const bench::TrialResult& trial) -> std::optional<Reading> {
    if (!trial.serving) return std::nullopt;
    return of(*trial.serving, timesOf(design.points[point].spec));
  };
  return one;
}

// Latencies of requests by when they arrived, of the first repetition.
results::Table phases(const Measured& measured) {
  results::Table table{
      "phases",
      "Latency before, between and after",
      "Of the first repetition, by arrival: before the links come up, while the servers that "
      "joined are there, and after they have left. Longest gap: between two tokens of one request.",
      {"Requests that arrived", "Count", "TTFT P99", "TTFT longest", "KV transfer P99",
       "Longest gap"},
      {}};
  const ScalingTimes times = timesOf(measured.point.spec);
  const Picoseconds begin = measured.point.spec.serving->system.window.warmup;
  const ServingResult& all = *measured.trials.front().serving;
  const auto row = [&](const char* name, Picoseconds from, Picoseconds to) {
    ServingResult part;
    Picoseconds gap;
    Picoseconds ttft;
    for (const RequestRecord& record : all.requests) {
      if (record.arrival < from || record.arrival >= to) continue;
      part.requests.push_back(record);
      part.requests.back().measured = true;
      gap = std::max(gap, record.longest_gap);
      if (record.first_token == serving::kNever) {
        ttft = serving::kNever;
      } else if (ttft != serving::kNever) {
        ttft = std::max(ttft, record.first_token - record.arrival);
      }
    }
    const auto ms = [](std::optional<double> seconds) {
      if (!seconds) return results::Cell(std::string("not reached"));
      return results::Cell(modelled(*seconds * 1e3, "ms"));
    };
    const auto p99 = [](const serving::Distribution& times) {
      if (!times.p99.value) return results::Cell(std::string("not reached"));
      return results::Cell(modelledPercentile(*times.p99.value * 1e3, "ms", 0.99, times.count));
    };
    const auto reached = [](Picoseconds time) -> std::optional<double> {
      if (time == serving::kNever) return std::nullopt;
      return time.toSeconds();
    };
    if (part.requests.empty()) {
      std::vector<results::Cell> none{std::string(name), std::string("0")};
      none.resize(table.columns.size(), std::string("not observed"));
      table.rows.push_back(std::move(none));
      return;
    }
    table.rows.push_back({std::string(name), std::to_string(part.requests.size()),
                          p99(serving::metricsOf(part, {}).ttft), ms(reached(ttft)),
                          p99(transferTimes(part)), ms(reached(gap))});
  };
  row("before", begin, times.up);
  row("from the links up to the servers' leaving", times.up, times.leave);
  row("after", times.leave, times.end);
  return table;
}

void ScalingProcedure::report(const TestConfig& config, const Design& design,
                              const std::vector<Measured>& measured, ResultBuilder& builder) const {
  if (measured.empty()) return;
  Figure convergence{.column = "Fabric convergence", .unit = "ms", .kpi = ""};
  convergence.of = [&](std::size_t, const bench::TrialResult&) -> std::optional<Reading> {
    return Reading(config.scenario.convergence.toSeconds() * 1e3);
  };
  Figure lost{.column = "Packets lost", .unit = "", .kpi = "packets_lost"};
  lost.of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
    return Reading(static_cast<double>(trial.fabric->total.dropped()));
  };
  std::vector<Figure> figures{
      convergence,
      scalingFigure("First transfer", "ms", "first_transfer_ms", firstTransfer, design),
      scalingFigure("Steady after joining", "ms", "scale_up_steady_ms", steadyTime, design),
      scalingFigure("Requests to joined servers", "%", "joined_requests_percent", joinedShare,
                    design),
      scalingFigure("Drained after leaving", "ms", "scale_down_drain_ms", drainTime, design),
      lost};
  figures[1].primary = true;
  addTable(design, measured, figures,
           {"scaling",
            "Servers join and leave",
            "First transfer and steady state count from when the fabric routes to the servers and "
            "the router knows them, which is the convergence after their links come up. First "
            "transfer: until KV cache has arrived at one of them. Steady: until they have for the "
            "first time as many requests as in the mean over the second half of their time. "
            "Drained: from when they get no more requests until they have none. Convergence is a "
            "parameter of the model.",
            {},
            {}},
           builder);
  addMainFigure(design, measured, figures, builder);
  builder.result().tables.push_back(phases(measured.front()));
  addRequestData(design, measured, builder);
  const auto first = meanOf(design, measured.front(), figures[1]);
  const auto drained = meanOf(design, measured.front(), figures[4]);
  builder.result().summary =
      fmt::format("First transfer {} after convergence, servers that leave are empty {} later.",
                  first ? builder.text(*first) : std::string("not reached"),
                  drained ? builder.text(*drained) : std::string("not reached"));
}

}  // namespace

const Procedure& servingScalingProcedure() {
  static const ScalingProcedure test;
  return test;
}

}  // namespace plumbline::suite
