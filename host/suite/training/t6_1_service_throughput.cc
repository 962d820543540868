// T6.1 Throughput by service (training draft, section 6.1).
//
// Every host of the lower half sends messages to its counterpart in the upper half, over UET ROD,
// RUD, RUDI, UUD and RoCEv2 RC, UC in turn. Swept: service × PDCs (QPs) per pair × message size ×
// direction. Searched as in RFC 2544, section 26.1: the highest share of line rate (L1) at which
// every message that a host posts on a fixed grid arrives in time, so that the offered rate was
// also carried: all payload is at its receiver, no message failed, and the last one is done no
// later than one step of the search, or the path's allowance, after the end of the grid's last
// slot. Zero loss is that of the application: drops, trims and retransmissions are separate
// columns. A message goes in equal parts over all PDCs or QPs of its pair.
//
// Besides, for every service: setup time of PDCs or QPs, one after the other between two hosts; and
// how many of them per pair sustain the rate that was found with the most of the sweep.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/counted.h"
#include "bench/sim/base_rtt.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/trial_configuration.h"
#include "suite/framework/trials.h"
#include "suite/framework/wire_bytes.h"
#include "suite/search/search.h"
#include "suite/training/services.h"
#include "suite/training/throughput_search.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

// Path and acknowledgement of the last message, which no grid of messages has in it: at least this,
// and on long or slow paths two idle round trips, of which the second is room for receivers that
// acknowledge late.
constexpr Picoseconds kLeastAllowance = microseconds(10);
// Of a pair. A step that is not carried may leave them all open.
constexpr std::uint64_t kDraftSteps = 256;  // of the search
constexpr std::uint64_t kMaxMessages = 4096;
constexpr std::uint32_t kSetupsOfPair = 64;  // measured set-ups
constexpr std::size_t kService = 3;          // place of that axis
constexpr std::array<const char*, 6> kServices{"ROD", "RUD", "RUDI", "UUD", "RC", "UC"};

bool isConnected(const std::string& service) { return service != "RUDI" && service != "UUD"; }

// QPs or PDCs that a pair of hosts may have; those of the model where the service has none.
ConnectionLimit limitOfPair(const TestConfig& config, const std::string& service) {
  ConnectionLimit limit{kMaxFlowsPerPair, ""};
  if (!isConnected(service)) return limit;
  const ConnectionLimit of_host = connectionLimit(
      withSetup(config, serviceVariant(config, service, balancingOf("ecmp")).transport));
  return of_host.connections < limit.connections ? of_host : limit;
}

// A number of flows and the next one to try when it carried the rate, up to `limit`.
std::uint32_t nextFlows(std::uint32_t flows, std::uint32_t limit) {
  return std::min(flows * 2, limit);
}

struct Sweep {
  Picoseconds allowance;  // for the last message of a trial
  std::vector<ServicePairs> points;
};

// A point of the sweep with its search result.
struct Found {
  Measured measured;             // the trials at the rates found
  std::vector<Reading> percent;  // of line rate, one for each repetition
  bool nothing_passed = false;   // at the lowest step, in some repetition
  double late_share = 0;         // largest lateShare() of `measured`
};

class ServiceThroughputProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.1"; }
  [[nodiscard]] std::string title() const override { return "Throughput by service"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"payload_gbps",
            "throughput_percent_of_line",
            "drop_ppm",
            "fabric_drops_ppm",
            "trimmed_ppm",
            "retransmission_percent",
            "ecn_percent",
            "pfc_per_s",
            "trimmed_packets",
            "setup_us",
            "sustained_connections"};
  }
  [[nodiscard]] Plan plan(const TestConfig& config) const override;
  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override;

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig&, const Design&, const std::vector<Measured>&,
              ResultBuilder&) const override {}  // run() does it

 private:
  static Sweep sweepOf(const TestConfig& config, Numbers& numbers);
  // Steps of the search: line rate over the resolution.
  static std::uint64_t stepsOf(const TestConfig& config) {
    if (const auto& own = config.scenario.parameters.resolution) return rateSteps(*own);
    return config.scenario.profile == scenario::Profile::kStandard ? kDraftSteps : 16;
  }
  // Enough that the allowance is no longer than a step of the search.
  static std::uint64_t messagesFor(const TestConfig& config, Picoseconds allowance, Bytes size) {
    const double bits = allowance.toSeconds() * static_cast<double>(stepsOf(config)) *
                        static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond());
    const double messages = std::ceil(bits / (8.0 * static_cast<double>(size.count())));
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(messages), 2, kMaxMessages);
  }
  // The longest wait for messages after a trial.
  static Picoseconds drainOf(const TestConfig& config, Picoseconds duration,
                             Picoseconds allowance) {
    return std::max(duration / static_cast<std::int64_t>(stepsOf(config)), allowance);
  }
  // Of one point of `design`.
  static Found search(const TestConfig& config, const Design& design, std::size_t place,
                      TrialRunner& runner, ResultBuilder& builder);
  static void reportThroughput(const TestConfig& config, const Design& design,
                               const std::vector<ServicePairs>& points,
                               const std::vector<Found>& found, ResultBuilder& builder);
  static void reportServices(const TestConfig& config, const Design& design,
                             const std::vector<Found>& found, TrialRunner& runner,
                             ResultBuilder& builder);
};

// On a link, one message in equal parts over all flows [B].
std::int64_t gridBytes(const bench::TransportSpec& transport, const ServicePairs& pairs) {
  const std::int64_t parts = std::min<std::int64_t>(pairs.flows, pairs.message.count());
  const std::int64_t longer = pairs.message.count() % parts;
  const std::int64_t part = pairs.message.count() / parts;
  return longer * wireBytesOf(transport, Bytes(part + 1)) +
         (parts - longer) * wireBytesOf(transport, Bytes(part));
}

// Messages at `percent` of the hosts' line rate. The trial ends when they must all be done.
bench::TrialSpec rateTrial(const TestConfig& config, ServicePairs pairs, double percent) {
  const double bits =
      8.0 * static_cast<double>(gridBytes(*serviceTrial(config, pairs).transport, pairs));
  const auto rate = static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond());
  pairs.interval =
      Picoseconds(static_cast<std::int64_t>(std::llround(bits / (rate * percent / 100) * 1e12)));
  bench::TrialSpec spec = serviceTrial(config, pairs);
  spec.duration = pairs.interval * static_cast<std::int64_t>(pairs.messages);
  return spec;
}

// Everything arrived, and in time.
bool passes(const bench::TrialResult& trial, const ServicePairs& pairs) {
  const bench::JobOutcome& job = trial.fabric->jobs.at(0);
  const std::uint64_t directions = pairs.bidirectional ? 2 : 1;
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(pairs.message.count()) * pairs.messages * pairs.pairs * directions;
  return job.finished && job.messages_failed == 0 && job.bytes_arrived == bytes;
}

// By how much the carried rate may be lower than the offered one: the time from the end of the
// grid's last slot to the last message done, as a share of all.
double lateShare(const bench::TrialSpec& spec, const bench::TrialResult& trial) {
  const Picoseconds all = trial.fabric->jobs.at(0).completion;
  return all > spec.duration ? 1 - spec.duration.toSeconds() / all.toSeconds() : 0;
}

Picoseconds allowanceOf(const TestConfig& config) {
  const Picoseconds round_trip =
      bench::idleRoundTrip(config.scenario.fabricSpec(), std::nullopt, transport::UetSpec());
  return std::max(kLeastAllowance, round_trip * 2);
}

Sweep ServiceThroughputProcedure::sweepOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  const scenario::Parameters& own = config.scenario.parameters;
  const std::uint32_t pairs = config.scenario.topology.hostCount() / 2;
  const auto sizes = numbers.sweep<Bytes>("Message sizes", {Bytes(kMiB), Bytes(4 * kMiB)},
                                          {Bytes(kMiB)}, own.sizes);
  const auto flows =
      numbers.sweep<std::uint32_t>("PDCs or QPs per pair", {1, 4, 16, 32}, {1, 16}, own.flows);
  noteHostWithoutPartner(config, numbers);
  const std::uint64_t asked =  // 0: by time
      own.iterations ? std::min<std::uint64_t>(*own.iterations, kMaxMessages) : 0;
  Sweep sweep{allowanceOf(config), {}};
  for (const char* service : kServices) {
    const ConnectionLimit limit = limitOfPair(config, service);
    std::vector<std::string> beyond;
    for (const std::uint32_t n : flows) {
      if (n > limit.connections) beyond.push_back(std::to_string(n));
    }
    if (beyond.empty()) continue;
    numbers.deviation(
        fmt::format("{} with {} PDCs or QPs per pair not measured: a host may have {} ({})",
                    service, fmt::join(beyond, ", "), limit.connections, limit.key));
  }
  numbers.configure(
      "Messages of every pair",
      asked > 0
          ? std::to_string(asked)
          : fmt::format("as many as last {} for each step of the search at line rate, at most {}",
                        durationText(sweep.allowance), kMaxMessages));
  for (const Bytes size : sizes) {
    for (const std::uint32_t n : flows) {
      for (const bool both : {false, true}) {
        for (const char* service : kServices) {
          if (n > limitOfPair(config, service).connections) continue;
          sweep.points.push_back(
              {.service = service,
               .message = size,
               .messages = asked > 0 ? asked : messagesFor(config, sweep.allowance, size),
               .pairs = pairs,
               .flows = n,
               .flow_use = workload::FlowUse::kSplit,
               .bidirectional = both});
        }
      }
    }
  }
  return sweep;
}

Design ServiceThroughputProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Message", ""}, {"PDCs, QPs", "flows"}, {"Direction", ""}, {"Service", ""}};
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
  design.numbers.configure("PDCs and QPs of the search", "set up before the trial");
  const std::uint64_t steps = stepsOf(config);
  design.numbers.configure("Resolution of the search", fmt::format("1/{} of line rate", steps));
  if (steps < kDraftSteps) {
    design.numbers.deviation(fmt::format(
        "resolution of the search: 1/{} of line rate instead of 1/{}", steps, kDraftSteps));
  }
  const Sweep sweep = sweepOf(config, design.numbers);
  design.numbers.deviation(
      fmt::format("a rate is offered for the time of the messages, not for 60 s; a message of the "
                  "last slot may be done one step of the search, at least {}, after it",
                  roundedTimeText(sweep.allowance)));
  design.repetitions = design.numbers.repetitions(3, 1);
  design.hop_cost = 0.95;
  for (const ServicePairs& point : sweep.points) {
    bench::TrialSpec spec = rateTrial(config, point, 100);
    spec.drain = drainOf(config, spec.duration, sweep.allowance);
    design.add({valueText(point.message), std::to_string(point.flows),
                point.bidirectional ? "bidirectional" : "unidirectional", point.service},
               std::move(spec), serviceHops(config, point));
  }
  design.carry(sweep);
  return design;
}

Plan ServiceThroughputProcedure::plan(const TestConfig& config) const {
  Plan plan = FabricProcedure::plan(config);
  if (!plan.refusals.empty()) return plan;
  // Ordered services share links by chance and search; half of the most that a search needs.
  const double trials = (1 + searchTrials(1, stepsOf(config))) / 2.0;
  plan.trials_expected =
      static_cast<std::uint64_t>(static_cast<double>(plan.trials_expected) * trials);
  plan.packet_hops *= trials;
  // Set-up times, and doublings of the most flows of the sweep, for four services.
  Numbers unused(config);  // plan() does not hand out its design
  std::uint32_t max = 1;
  for (const ServicePairs& point : sweepOf(config, unused).points) {
    max = std::max(max, point.flows);
  }
  std::uint64_t doublings = 0;
  for (std::uint32_t n = max; n < kMaxFlowsPerPair; n = nextFlows(n, kMaxFlowsPerPair)) ++doublings;
  plan.trials_expected += 4 * (1 + doublings);
  plan.packet_hops += 4.0 * static_cast<double>(doublings) * plan.samples.front().packet_hops;
  return plan;
}

Found ServiceThroughputProcedure::search(const TestConfig& config, const Design& design,
                                         std::size_t place, TrialRunner& runner,
                                         ResultBuilder& builder) {
  const auto& sweep = design.carried<Sweep>();
  const ServicePairs& pairs = sweep.points.at(place);
  const SweepPoint& point = design.points.at(place);
  Found found{{point, {}}, {}};
  const std::uint64_t steps = stepsOf(config);
  for (std::uint32_t repetition = 0; repetition < design.repetitions; ++repetition) {
    std::optional<bench::TrialResult> best;
    double late = 0;  // of `best`
    const auto trial = [&](std::uint64_t step) {
      const double percent = 100.0 * static_cast<double>(step) / static_cast<double>(steps);
      bench::TrialSpec spec = rateTrial(config, pairs, percent);
      spec.drain = drainOf(config, spec.duration, sweep.allowance);
      spec = withSeedsOf(spec, repetition);
      const std::string label =
          fmt::format("{}, {:.4g} % of line rate, repetition {}", point.label, percent, repetition);
      bench::TrialResult result = runner.run(spec, repetition, label);
      // Failed or missing messages are the criterion of the search, not a fault.
      if (!passes(result, pairs)) return Verdict::kFail;
      if (!builder.accept(spec, result, label)) return Verdict::kInvalid;
      late = lateShare(spec, result);
      best = std::move(result);  // passes come in ascending order
      return Verdict::kPass;
    };
    const SearchResult result = searchHighestPassing(1, steps, trial);
    if (!result.valid) {
      found.measured.valid = false;
    } else if (!best) {
      found.nothing_passed = true;
    } else {
      found.percent.push_back(percentOfStep(*result.highest_passing, steps, late, "last message"));
      found.late_share = std::max(found.late_share, late);
      found.measured.trials.push_back(std::move(*best));
    }
  }
  return found;
}

results::TestResult ServiceThroughputProcedure::run(const TestConfig& config,
                                                    TrialRunner& runner) const {
  const Design design = this->design(config);
  requireRunnable(*this, planOf(config, design));
  ResultBuilder builder(*this, section(), design.numbers.deviations(), config);
  for (const auto& [name, value] : design.numbers.configuration()) {
    builder.result().configuration.emplace_back(name, value);
  }
  const std::vector<ServicePairs>& points = design.carried<Sweep>().points;
  addTrialConfiguration(design.points, builder.result().configuration);
  std::vector<Found> found;
  found.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    found.push_back(search(config, design, i, runner, builder));
  }
  reportThroughput(config, design, points, found, builder);
  reportServices(config, design, found, runner, builder);
  return builder.take();
}

// Few or short messages last no longer than the path of the last one: rates that are not carried
// pass as well.
void noteLateMessages(double step_share, const std::vector<Found>& found, ResultBuilder& builder) {
  const Found* worst = nullptr;
  std::size_t points = 0;
  for (const Found& one : found) {
    if (one.late_share <= step_share) continue;
    ++points;
    if (worst == nullptr || one.late_share > worst->late_share) worst = &one;
  }
  if (worst == nullptr) return;
  builder.anomaly(
      fmt::format("at {} of {} messages are too few or too short for the step of the search: "
                  "the time to the end of the last message is up to {:.2g} % of a trial, and the "
                  "carried rate may be lower than the one found by as much. More messages "
                  "(parameters.iterations, at most {}) or longer ones (parameters.sizes) narrow it",
                  points, counted(found.size(), "point"), 100 * worst->late_share, kMaxMessages),
      worst->measured.point.label);
}

void ServiceThroughputProcedure::reportThroughput(const TestConfig& config, const Design& design,
                                                  const std::vector<ServicePairs>& points,
                                                  const std::vector<Found>& found,
                                                  ResultBuilder& builder) {
  std::vector<Measured> measured;
  std::vector<const Found*> of;  // by place in `design`
  for (const Found& one : found) {
    of.push_back(&one);
    if (one.measured.valid) {
      measured.push_back(one.measured);
      if (one.nothing_passed) measured.back().trials.clear();
    } else {
      for (const char* kpi : {"throughput_percent_of_line", "payload_gbps"}) {
        builder.notMeasured(kpi, one.measured.point.label);
      }
    }
    if (!one.measured.valid || one.nothing_passed) {
      builder.anomaly(one.nothing_passed
                          ? "no rate was carried: at the lowest step messages failed or were late"
                          : "no result: a trial was not valid",
                      one.measured.point.label);
    }
  }
  noteLateMessages(1.0 / static_cast<double>(stepsOf(config)), found, builder);
  const double line = config.scenario.topology.link_rate.toGigabitsPerSecond();
  const auto percentOf = [&](std::size_t i, std::size_t repetition, const bench::TrialResult&) {
    return of[i]->percent.at(repetition);
  };
  const Figure share{.column = "Of line rate (L1)",
                     .unit = "%",
                     .kpi = "throughput_percent_of_line",
                     .primary = true,
                     .absent = "no rate passed",
                     .fails_limits = true,
                     .paired = percentOf};
  // Payload [Gb/s] of 1 % of line rate.
  const auto payloadOfPercent = [&](std::size_t i) {
    const double share =
        static_cast<double>(points[i].message.count()) /
        static_cast<double>(gridBytes(*design.points[i].spec.transport, points[i]));
    return line / 100 * share;
  };
  const Figure rate{
      .column = "Payload per sender",
      .unit = "Gb/s",
      .kpi = "payload_gbps",
      .absent = "no rate passed",
      .fails_limits = true,
      .paired =
          [&](std::size_t i, std::size_t repetition, const bench::TrialResult& trial) {
            return percentOf(i, repetition, trial).times(payloadOfPercent(i));
          },
      .most = [&](std::size_t i) { return 100 * payloadOfPercent(i); }};
  addTable(design, measured,
           {share, rate, figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
            figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
            figure("Trimmed, per packet sent", "ppm", "trimmed_ppm", trimmedPpm),
            figure("Trimmed", "packets", "trimmed_packets",
                   [](const bench::TrialResult& trial) {
                     return static_cast<double>(trial.fabric->total.trimmed);
                   }),
            figure("Retransmitted", "%", "retransmission_percent", retransmissionPercent),
            figure("ECN marked", "%", "ecn_percent", ecnPercent),
            figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)},
           {"throughput",
            "Throughput by service",
            "The highest rate at which every message arrived in time, as every sender's share of "
            "line rate and as payload. The other columns are of the trial at that rate. Services "
            "that deliver in order go by ECMP, the others are sprayed.",
            {},
            {}},
           builder);
  addWideTable(design, measured, rate, kService, {},
               {"services", "Payload per sender by service", "", {}, {}}, builder);
  addWideTable(design, measured, share, kService, {},
               {"services_percent", "Efficiency by service [% of line rate, L1]", "", {}, {}},
               builder);
  const auto first = std::find_if(measured.begin(), measured.end(),
                                  [](const Measured& one) { return !one.trials.empty(); });
  if (first == measured.end()) {
    builder.result().summary =
        measured.empty() ? "No point gave a valid result." : "No rate passed at any point.";
    return;
  }
  const results::Quantity payload = *meanOf(design, *first, rate);
  builder.primary("payload, " + first->point.label, payload);
  builder.result().summary =
      fmt::format("{}: {} of payload per sender.", first->point.label, builder.text(payload));
}

// Set-up times, one PDC or QP after the other between two hosts.
std::optional<results::Quantity> setupTime(const TestConfig& config, const std::string& service,
                                           TrialRunner& runner, ResultBuilder& builder) {
  const std::uint32_t setups = std::min(kSetupsOfPair, limitOfPair(config, service).connections);
  ServicePairs pairs{.service = service, .message = Bytes(64), .messages = setups};
  pairs.flows = setups;
  pairs.sets_up = true;
  const bench::TrialSpec spec = serviceTrial(config, pairs);
  const auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport);
  results::Quantity quantity;
  quantity.unit = "us";
  quantity.observed = ObservationPoint::kModelled;
  if (roce != nullptr && !roce->cm) {
    quantity.value = roce->setup_time.toMicroseconds();
    return quantity;
  }
  const std::string label = service + ", set-up";
  const bench::TrialResult trial = runner.run(spec, 0, label);
  if (!builder.accept(spec, trial, label) || !trial.fabric->connections ||
      trial.fabric->connections->established == 0) {
    return std::nullopt;
  }
  quantity.value = trial.fabric->connections->setup.mean() / 1e6;
  return quantity;
}

void ServiceThroughputProcedure::reportServices(const TestConfig& config, const Design& design,
                                                const std::vector<Found>& found,
                                                TrialRunner& runner, ResultBuilder& builder) {
  const auto& [allowance, points] = design.carried<Sweep>();
  results::Table table{
      "connections",
      "PDCs and QPs by service",
      fmt::format("Set-up time is the mean of {} PDCs or QPs (or of as many as a host may have) "
                  "that are opened one after the other between two hosts. It ends when a QP may "
                  "send, or when the target of a PDC has "
                  "answered; data of a PDC does not wait for that. The sustained number is per "
                  "pair of hosts and unidirectional. It starts at the sweep's maximum and is "
                  "doubled, up to what a host may have, as long as the rate found there, less one "
                  "step, is still carried.",
                  kSetupsOfPair),
      {"Service", "Set-up time", "Sustained PDCs or QPs per pair", "Limit"},
      {}};
  for (const char* service : kServices) {
    if (!isConnected(service)) {
      table.rows.push_back({std::string(service), std::string("none: no PDC"),
                            std::string("none: no PDC"), std::string("-")});
      continue;
    }
    std::vector<results::Cell> row{std::string(service)};
    auto setup = setupTime(config, service, runner, builder);
    if (setup) setup = builder.kpi("setup_us", service, *setup);
    row.push_back(setup ? results::Cell(*setup) : results::Cell(std::string("not valid")));
    // The point with the most flows, of the first size.
    std::optional<std::size_t> from;
    bool nothing_passed = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].service != service || points[i].bidirectional ||
          points[i].message != points.front().message) {
        continue;
      }
      nothing_passed = nothing_passed || found[i].nothing_passed;
      if (found[i].percent.empty()) continue;
      if (!from || points[i].flows > points[*from].flows) from = i;
    }
    if (!from) {
      row.emplace_back(std::string(nothing_passed ? "no rate passed" : "not valid"));
      row.emplace_back(std::string("-"));
      table.rows.push_back(std::move(row));
      continue;
    }
    const auto steps = static_cast<double>(stepsOf(config));
    const double percent = std::max(found[*from].percent.front().value - 100 / steps, 100 / steps);
    const ConnectionLimit limit = limitOfPair(config, service);
    std::uint32_t max = points[*from].flows;
    std::optional<std::uint32_t> failed;
    while (!failed && max < limit.connections) {
      ServicePairs pairs = points[*from];
      pairs.flows = nextFlows(max, limit.connections);
      bench::TrialSpec spec = rateTrial(config, pairs, percent);
      spec.drain = drainOf(config, spec.duration, allowance);
      const std::string label = fmt::format("{}, {} flows", service, pairs.flows);
      if (passes(runner.run(spec, 0, label), pairs)) {
        max = pairs.flows;
      } else {
        failed = pairs.flows;
      }
    }
    results::Quantity count;
    count.value = max;
    count.observed = ObservationPoint::kModelled;
    row.emplace_back(builder.kpi("sustained_connections", service, count));
    if (failed) {
      row.emplace_back(fmt::format("{} did not carry the rate", *failed));
    } else if (!std::string_view(limit.key).empty()) {
      row.emplace_back(fmt::format("none found: a host may have {} ({})", max, limit.key));
    } else {
      row.emplace_back(fmt::format("none found: the model has {} per pair", kMaxFlowsPerPair));
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(table));
}

}  // namespace

const Procedure& serviceThroughputProcedure() {
  static const ServiceThroughputProcedure test;
  return test;
}

}  // namespace plumbline::suite
