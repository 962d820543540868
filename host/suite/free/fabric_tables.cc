#include "suite/free/fabric_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "results/number_text.h"
#include "results/quantity_text.h"
#include "results/test_result.h"
#include "stats/summary.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/free/jobs.h"

namespace plumbline::suite {
namespace {

using bench::FabricResult;
using bench::TrialResult;

constexpr std::array<const char*, fabric::kDropReasons> kReasonNames{
    "buffer full",    "PFC headroom full", "queue of trimmed packets full",
    "scripted",       "link down",         "no path",
    "bit error",      "PFC watchdog",      "replays used up",
    "too old for LLR"};

// A table of names and values, each row the mean over the repetitions.
class CounterTable {
 public:
  CounterTable(results::Table heading, const Repetitions& trials, ResultBuilder& builder)
      : table_(std::move(heading)), trials_(trials), builder_(builder) {}

  template <typename Of>  // of the fabric's result: a number, or std::optional of one
  void add(const std::string& name, const std::string& unit, Of of, const std::string& kpi = {}) {
    const FabricFigure figure = figureOf(of);
    auto mean = meanOf(trials_, unit, figure);
    if (!mean) return;
    if (kpi.empty()) {
      results::cutIntervals(0, std::numeric_limits<double>::infinity(), *mean);
    } else {
      mean = builder_.kpi(kpi, kWholeWorkload, *mean);
    }
    table_.rows.push_back({name, *mean});
  }

  // Only where a repetition counted any.
  template <typename Of>
  void addIfAny(const std::string& name, const std::string& unit, Of of) {
    const std::vector<Reading> values = valuesOf(trials_, figureOf(of));
    if (std::any_of(values.begin(), values.end(),
                    [](const Reading& reading) { return reading.value > 0; })) {
      add(name, unit, of);
    }
  }

  void finish() { builder_.result().tables.push_back(std::move(table_)); }

 private:
  template <typename Of>
  static FabricFigure figureOf(Of of) {
    return [of](const TrialResult& trial) -> std::optional<double> {
      const auto value = of(*trial.fabric);
      if constexpr (requires { value.has_value(); }) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
      } else {
        return static_cast<double>(value);
      }
    };
  }

  results::Table table_;
  const Repetitions& trials_;
  ResultBuilder& builder_;
};

double pausedMicrosecondsOf(const FabricResult& fabric) {
  Picoseconds sum;
  for (const Picoseconds time : fabric.total.paused) sum += time;
  return sum.toMicroseconds();
}

void addRetries(CounterTable& table) {
  table.addIfAny("transmissions damaged by bit errors, copies as well", "",
                 [](const FabricResult& f) { return f.total.damaged; });
  table.addIfAny("frames repaired by LLR", "",
                 [](const FabricResult& f) { return f.total.retries; });
  table.addIfAny("LLR retry latency, mean", "ns", [](const FabricResult& f) {
    return f.total.retries > 0 ? std::optional(f.total.retry_total.toNanoseconds() /
                                               static_cast<double>(f.total.retries))
                               : std::nullopt;
  });
  table.addIfAny("LLR retry latency, most", "ns",
                 [](const FabricResult& f) { return f.total.retry_max.toNanoseconds(); });
  table.addIfAny("LLR INITs sent, after frames were given up", "",
                 [](const FabricResult& f) { return f.total.inits; });
}

}  // namespace

std::string addFabric(const Repetitions& trials, ResultBuilder& builder) {
  CounterTable table({"fabric",
                      "Fabric",
                      "Summed over all links; counters of the model.",
                      {"Counter", "Value"},
                      {}},
                     trials, builder);
  table.add("packets on links", "", [](const FabricResult& f) { return f.total.packets; });
  for (std::size_t i = 0; i < kReasonNames.size(); ++i) {
    table.addIfAny(fmt::format("dropped: {}", kReasonNames[i]), "",
                   [i](const FabricResult& f) { return f.total.drops[i]; });
  }
  table.add(
      "packets dropped", "", [](const FabricResult& f) { return f.total.dropped(); },
      "dropped_packets");
  table.add("packets marked CE", "", [](const FabricResult& f) { return f.total.marked; });
  table.add("packets trimmed", "", [](const FabricResult& f) { return f.total.trimmed; });
  table.add("PAUSE frames on links", "", [](const FabricResult& f) { return f.total.control; });
  table.add(
      "pauses begun", "", [](const FabricResult& f) { return f.total.pauses; }, "pauses");
  table.add("time paused, all ports and priorities", "us", pausedMicrosecondsOf, "paused_us");
  table.addIfAny("PFC watchdog events", "",
                 [](const FabricResult& f) { return f.total.watchdog_events; });
  table.add(
      "longest queue of a port", "B", [](const FabricResult& f) { return f.total.max_queue_bytes; },
      "queue_max_bytes");
  table.add(
      "JFI over links between switches", "", [](const FabricResult& f) { return f.link_jfi; },
      "link_jfi");
  table.add(
      "MMR over links between switches", "", [](const FabricResult& f) { return f.link_mmr; },
      "link_mmr");
  addRetries(table);
  table.finish();
  const auto max = [&](auto of) {
    double value = 0;
    for (const TrialResult& trial : trials) {
      value = std::max(value, static_cast<double>(of(trial.fabric->total)));
    }
    return value;
  };
  const double dropped = max([](const auto& total) { return total.dropped(); });
  const double pauses = max([](const auto& total) { return total.pauses; });
  return fmt::format("{} packet{} dropped, {} pause{}, longest queue {}{}.",
                     results::groupedNumber(dropped, 0), dropped == 1 ? "" : "s",
                     results::groupedNumber(pauses, 0), pauses == 1 ? "" : "s",
                     results::quantityText(modelled(
                         max([](const auto& total) { return total.max_queue_bytes; }), "B")),
                     trials.size() > 1 ? " in the worst repetition" : "");
}

void addEndpoints(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                  ResultBuilder& builder) {
  CounterTable table(
      {"endpoints",
       "Endpoints",
       "Counted by endpoint software (modelled). Lost end to end: not sent again, or "
       "sent again in vain. Goodput of a flow: payload that arrived at its "
       "receiver, each byte once, over the time from its first data frame sent to "
       "its last payload arrived; to the trial's end if it has open messages; to its last message "
       "given up, or its last frame sent without acknowledgements, if that was later. 0 if nothing "
       "arrived in the time that the quickest flow needed. Flows that began later than that are "
       "not counted.",
       {"Counter", "Value"},
       {}},
      trials, builder);
  using Stats = transport::EndpointStats;
  const auto add = [&table](const char* name, std::uint64_t Stats::*member, const char* unit = "") {
    table.add(name, unit, [member](const FabricResult& f) { return f.endpoints.*member; });
  };
  add("data packets sent", &Stats::data_sent);
  add("of them retransmitted", &Stats::retransmitted);
  add("control packets sent", &Stats::control_sent);
  add("payload received", &Stats::payload_received, "B");
  add("duplicates", &Stats::duplicates);
  add("out of order", &Stats::out_of_order);
  add("received with CE", &Stats::ce_received);
  add("received trimmed", &Stats::trimmed_received);
  add("CNPs received", &Stats::cnp_received);
  add("NACKs received", &Stats::nack_received);
  add("timeouts", &Stats::timeouts);
  table.add("data packets lost end to end", "", [](const FabricResult& f) { return f.data_lost; });
  table.add("flows", "", [](const FabricResult& f) { return f.flows.flows; });
  table.add("goodput of a flow, least", "Gb/s",
            [](const FabricResult& f) { return f.flows.goodput_min_gbps; });
  table.add("goodput of a flow, mean", "Gb/s",
            [](const FabricResult& f) { return f.flows.goodput_mean_gbps; });
  table.add("goodput of a flow, most", "Gb/s",
            [](const FabricResult& f) { return f.flows.goodput_max_gbps; });
  if (std::none_of(jobs.begin(), jobs.end(), hasBarrier)) {
    table.add(
        "JFI over flows' goodputs, all jobs", "", [](const FabricResult& f) { return f.flows.jfi; },
        "flow_jfi");
  }
  table.finish();

  const auto kpi = [&](const char* name, const char* unit, const FabricFigure& of) {
    if (auto mean = meanOf(trials, unit, of)) builder.kpi(name, kWholeWorkload, *std::move(mean));
  };
  kpi("retransmission_percent", "%", retransmissionPercent);
  kpi("ecn_percent", "%", ecnPercent);
  kpi("drop_ppm", "ppm", dropPpm);
  kpi("fabric_drops_ppm", "ppm", fabricDropsPpm);
  kpi("trimmed_ppm", "ppm", trimmedPpm);
  kpi("latency_mean_ns", "ns", [](const TrialResult& trial) -> std::optional<Reading> {
    const stats::Histogram& seen = trial.fabric->endpoints.latency;
    if (seen.count() == 0) return std::nullopt;
    return seen.mean() / 1000;
  });
  const auto latency = [&](const char* name, double quantile) {
    kpi(name, "ns", [quantile](const TrialResult& trial) -> std::optional<Reading> {
      return quantileOf(trial.fabric->endpoints.latency, quantile, 1000);
    });
  };
  latency("latency_p50_ns", 0.5);
  latency("latency_p99_ns", 0.99);
  latency("latency_max_ns", 1);
  stats::Histogram all;
  for (const TrialResult& trial : trials) all.merge(trial.fabric->endpoints.latency);
  if (all.count() == 0) return;
  builder.result().distributions.push_back({"latency", "One-way latency of data packets", "ps",
                                            ObservationPoint::kModelled, std::move(all)});
}

void addCost(const Repetitions& trials, ResultBuilder& builder) {
  const auto perHop = [](const TrialResult& trial) -> std::optional<double> {
    const auto hops = static_cast<double>(trial.fabric->packet_hops);
    return hops > 0 ? std::optional(trial.wall_seconds * 1e9 / hops) : std::nullopt;
  };
  std::optional<double> min = perHop(trials.front());
  std::uint64_t memory = 0;
  for (const TrialResult& trial : trials) {
    const std::optional<double> one = perHop(trial);
    if (one && (!min || *one < *min)) min = one;
    memory = std::max(memory, trial.fabric->peak_rss_bytes);
  }
  results::Table table{"cost",
                       "Cost of the simulation",
                       "About the simulating program, not about the DUT. Wall time of the fastest "
                       "repetition, and of the first one, which has neither memory nor caches from "
                       "another.",
                       {"Figure", "Value"},
                       {}};
  table.rows.push_back({std::string("simulated time"), *meanOf(trials, "us", [](const auto& trial) {
                          return std::optional(trial.fabric->sim_end.toMicroseconds());
                        })});
  table.rows.push_back({std::string("packet-hops"), *meanOf(trials, "", [](const auto& trial) {
                          return std::optional(static_cast<double>(trial.fabric->packet_hops));
                        })});
  const auto cell = [](const std::optional<double>& value) {
    return value ? results::Cell(modelled(*value, "ns")) : results::Cell(std::string("-"));
  };
  table.rows.push_back({std::string("wall time per packet-hop"), cell(min)});
  table.rows.push_back(
      {std::string("wall time per packet-hop, first repetition"), cell(perHop(trials.front()))});
  if (memory > 0) {
    table.rows.push_back({std::string("peak memory"), modelled(static_cast<double>(memory), "B")});
  }
  builder.result().cost = std::move(table);
}

}  // namespace plumbline::suite
