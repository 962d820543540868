#include "suite/free_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "fabric/describe.h"
#include "stats/summary.h"
#include "suite/lossless_losses.h"
#include "suite/result_builder.h"
#include "suite/switch_configuration.h"
#include "suite/trials.h"

namespace plumbline::suite {
namespace {

using bench::FabricResult;
using bench::ObservationPoint;
using results::Cell;
using results::Quantity;

constexpr std::size_t kBusiestLinks = 16;

constexpr std::array<const char*, fabric::kDropReasons> kReasonNames{
    "buffer full",    "PFC headroom full", "queue of trimmed packets full",
    "scripted",       "link down",         "no path",
    "bit error",      "PFC watchdog",      "replays used up",
    "too old for LLR"};

Quantity modelled(double value, std::string unit) {
  Quantity quantity;
  quantity.value = value;
  quantity.unit = std::move(unit);
  quantity.observed = ObservationPoint::kModelled;
  return quantity;
}

Quantity count(std::uint64_t value, std::string unit = "") {
  return modelled(static_cast<double>(value), std::move(unit));
}

std::string transportText(const bench::TransportSpec& spec) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&spec)) {
    return fmt::format("RoCEv2 {}, path MTU {} B, {}{}",
                       roce->service == transport::RoceService::kRc ? "RC" : "UC", roce->path_mtu,
                       roce->dcqcn.enabled ? "DCQCN" : "no congestion control",
                       roce->spray ? ", entropy per packet" : "");
  }
  const auto& uet = std::get<transport::UetSpec>(spec);
  constexpr std::array<const char*, 4> kServices{"ROD", "RUD", "RUDI", "UUD"};
  constexpr std::array<const char*, 4> kControls{"fixed window", "NSCC", "receiver credit",
                                                 "NSCC and receiver credit"};
  return fmt::format("UET {}, MTU {} B, {}, base RTT {:.6g} us",
                     kServices[static_cast<std::size_t>(uet.service)], uet.mtu_payload,
                     kControls[static_cast<std::size_t>(uet.congestion_control)],
                     uet.base_rtt.toMicroseconds());
}

std::uint32_t repetitionsOf(const TestConfig& config) {
  return config.scenario.parameters.repetitions.value_or(1);
}

bench::TrialSpec trialOf(const TestConfig& config) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.transport = config.scenario.transport;
  spec.workload = config.scenario.workloadSpec();
  spec.fast_forward = config.scenario.fast_forward;
  spec.duration = config.scenario.parameters.duration.value_or(Picoseconds(0));
  if (config.scenario.parameters.drain) spec.drain = *config.scenario.parameters.drain;
  return spec;
}

class FreeRun {
 public:
  FreeRun(const TestConfig& config, TrialRunner& runner) : config_(config), runner_(runner) {
    result_.id = freeTest().id();
    result_.title = freeTest().title();
    result_.section = "no draft: a workload of the user's own";
    result_.profile = scenario::profileName(config.scenario.profile);
    result_.repeatability = {
        "repeatability", "Repeatability", "", {"Metric", "Repetitions", "CV"}, {}};
    configure();
  }

  results::TestResult run() {
    const std::uint32_t repetitions = repetitionsOf(config_);
    std::vector<double> ends;
    std::optional<bench::TrialResult> first;
    LosslessLosses losses;
    double least_wall_seconds = 0;
    for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
      bench::TrialResult trial =
          runner_.run(trialOf(config_), repetition, fmt::format("repetition {}", repetition));
      losses.add(trialOf(config_), trial, fmt::format("repetition {}", repetition));
      for (const std::string& fault : trial.faults) {
        result_.valid = false;
        result_.anomalies.push_back({fault, fmt::format("repetition {}", repetition)});
      }
      ends.push_back(trial.fabric->sim_end.toNanoseconds());
      // The least disturbed run says what the simulation costs.
      if (!first || trial.wall_seconds < least_wall_seconds) {
        least_wall_seconds = trial.wall_seconds;
      }
      if (!first) first = std::move(trial);
    }
    if (auto lost = losses.anomaly()) result_.anomalies.push_back(*std::move(lost));
    const stats::Summary summary = stats::summarize(ends);
    result_.repeatability.rows.push_back(
        {std::string("simulated end"), std::to_string(ends.size()),
         summary.cv ? fmt::format("{:.3g} %", 100 * *summary.cv) : std::string("-")});
    if (first->fabric->fast_forward) {
      addPrediction(*first->fabric);
      return std::move(result_);
    }
    addFigures(*first->fabric, least_wall_seconds, first->wall_seconds);
    addJobs(*first->fabric);
    addTransport(*first->fabric);
    addFabric(*first->fabric);
    addLinks(*first->fabric);
    addDistributions(*first->fabric);
    return std::move(result_);
  }

 private:
  void configure() {
    const auto add = [this](std::string name, std::string value) {
      result_.configuration.emplace_back(std::move(name), std::move(value));
    };
    const scenario::Scenario& scenario = config_.scenario;
    add("Bench", fmt::format("{}: {}", config_.bench.name, config_.bench.description));
    add("Topology", fabric::topologyText(scenario.topology));
    add("Link rate", fmt::format("{:.6g} Gb/s", scenario.topology.link_rate.toGigabitsPerSecond()));
    if (scenario.transport) add("Transport", transportText(*scenario.transport));
    if (scenario.topology.kind != fabric::TopologyKind::kLink) {
      addSwitchConfiguration(scenario.switches, result_.configuration);
    }
    addJobConfiguration(scenario.workloadSpec(), result_.configuration);
    add("Repetitions", std::to_string(repetitionsOf(config_)));
    add("Seed", std::to_string(scenario.seed));
  }

  void kpi(std::string name, Quantity quantity, std::string point = "workload") {
    result_.kpis.push_back({std::move(name), std::move(point), std::move(quantity)});
  }

  // `wall_seconds` of the fastest repetition, and of the first one, which has neither memory nor
  // caches from another.
  void addFigures(const FabricResult& fabric, double wall_seconds, double first_wall_seconds) {
    const double hops = static_cast<double>(fabric.packet_hops);
    const auto perHop = [hops](double seconds) {
      return modelled(hops > 0 ? seconds * 1e9 / hops : 0, "ns");
    };
    kpi("packet_hops", count(fabric.packet_hops));
    kpi("wall_ns_per_packet_hop", perHop(wall_seconds));
    kpi("wall_ns_per_packet_hop_first", perHop(first_wall_seconds));
    kpi("peak_rss_bytes", count(fabric.peak_rss_bytes, "B"));
    kpi("sim_end_ns", modelled(fabric.sim_end.toNanoseconds(), "ns"));
    result_.primary_names.emplace_back("simulated time");
    result_.primary.push_back(modelled(fabric.sim_end.toMicroseconds(), "us"));
    result_.primary_names.emplace_back("packet-hops");
    result_.primary.push_back(count(fabric.packet_hops));
    result_.summary =
        fmt::format("{:.6g} us of fabric time, {} packet-hops, {} drops.",
                    fabric.sim_end.toMicroseconds(), fabric.packet_hops, fabric.total.dropped());
  }

  // Times and nothing else: no packets of this workload were simulated.
  void addPrediction(const FabricResult& fabric) {
    const bench::FastForwardOutcome& outcome = *fabric.fast_forward;
    const std::string error = fmt::format(
        "calibrated error {:.2g} %, calibrations {:.2g} % apart; messages {:.3g} times as long as "
        "the longest simulated ones",
        100 * outcome.calibrated_error, 100 * outcome.calibration_spread,
        static_cast<double>(outcome.message_bytes) /
            static_cast<double>(outcome.points.back().message_bytes));
    result_.summary = fmt::format("{:.6g} us of fabric time, fast-forwarded: {}.",
                                  fabric.sim_end.toMicroseconds(), error);
    result_.anomalies.push_back(
        {fmt::format("times are fast-forwarded, not simulated packet by packet: {}", error),
         "workload"});
    const auto* roce = config_.scenario.transport
                           ? std::get_if<transport::RoceSpec>(&*config_.scenario.transport)
                           : nullptr;
    if (roce != nullptr && roce->dcqcn.enabled) {
      result_.anomalies.push_back(
          {"DCQCN adapts over times longer than the calibration runs: the error may be several "
           "times the calibrated one",
           "workload"});
    }
    result_.primary_names.emplace_back("fast-forwarded time");
    result_.primary.push_back(modelled(fabric.sim_end.toMicroseconds(), "us"));
    kpi("sim_end_ns", modelled(fabric.sim_end.toNanoseconds(), "ns"));
    kpi("calibrated_error_percent", modelled(100 * outcome.calibrated_error, "%"));
    kpi("calibration_spread_percent", modelled(100 * outcome.calibration_spread, "%"));
    results::Table jobs{"jobs",
                        "Jobs",
                        "Fast-forwarded. Time is from the first rank's start to the last one's "
                        "finish, mean over iterations.",
                        {"Job", "Iterations", "Time per iteration", "Completion"},
                        {}};
    for (const bench::JobOutcome& job : fabric.jobs) {
      const double microseconds = meanIteration(job);
      jobs.rows.push_back({job.name, std::to_string(job.iterations.size()),
                           modelled(microseconds, "us"),
                           modelled(job.completion.toMicroseconds(), "us")});
      kpi("job_time_us", modelled(microseconds, "us"), job.name);
    }
    result_.tables.push_back(std::move(jobs));
    results::Table table{
        "fast_forward",
        "Fast-forward",
        "First iteration. Calibrated on the two smallest runs at packet level, the "
        "largest is predicted with the calibrated error; the workload itself is "
        "calibrated on the two largest.",
        {"Largest message", "Flow level", "Packet level"},
        {}};
    for (const bench::FastForwardPoint& point : outcome.points) {
      table.rows.push_back({count(point.message_bytes, "B"),
                            modelled(point.flow_level.toMicroseconds(), "us"),
                            modelled(point.packet_level.toMicroseconds(), "us")});
    }
    table.rows.push_back({count(outcome.message_bytes, "B"),
                          modelled(outcome.flow_level.toMicroseconds(), "us"), std::string("-")});
    result_.tables.push_back(std::move(table));
  }

  static double meanIteration(const bench::JobOutcome& job) {
    if (job.iterations.empty()) return job.completion.toMicroseconds();
    Picoseconds sum;
    for (const Picoseconds time : job.iterations) sum += time;
    return sum.toMicroseconds() / static_cast<double>(job.iterations.size());
  }

  void addJobs(const FabricResult& fabric) {
    if (fabric.jobs.empty()) return;
    results::Table table{"jobs",
                         "Jobs",
                         "Observed by endpoint software (modelled). Time is from the first rank's "
                         "start to the last one's finish, mean over iterations.",
                         {"Job", "Finished", "Iterations", "Time per iteration", "Messages",
                          "Failed", "Payload per rank", "Message time P50", "P99"},
                         {}};
    for (const bench::JobOutcome& job : fabric.jobs) {
      const double microseconds = meanIteration(job);
      const auto messageTime = [&](double q) {
        return modelled(static_cast<double>(job.message_time.quantile(q)) / 1e6, "us");
      };
      table.rows.push_back({job.name, std::string(job.finished ? "yes" : "no"),
                            std::to_string(job.iterations.size()), modelled(microseconds, "us"),
                            count(job.messages_completed), count(job.messages_failed),
                            count(job.bytes_per_rank, "B"), messageTime(0.5), messageTime(0.99)});
      kpi("job_time_us", modelled(microseconds, "us"), job.name);
      kpi("message_time_p99_us", messageTime(0.99), job.name);
      if (job.messages_failed > 0) {
        result_.anomalies.push_back(
            {fmt::format("{} messages failed", job.messages_failed), job.name});
      }
    }
    result_.tables.push_back(std::move(table));
  }

  void addTransport(const FabricResult& fabric) {
    const transport::EndpointStats& stats = fabric.endpoints;
    results::Table table{"endpoints",
                         "Endpoints",
                         "Counted by endpoint software (modelled).",
                         {"Counter", "Value"},
                         {}};
    const auto add = [&](const char* name, Quantity quantity) {
      table.rows.push_back({std::string(name), std::move(quantity)});
    };
    add("data packets sent", count(stats.data_sent));
    add("of them retransmitted", count(stats.retransmitted));
    add("control packets sent", count(stats.control_sent));
    add("payload received", count(stats.payload_received, "B"));
    add("duplicates", count(stats.duplicates));
    add("out of order", count(stats.out_of_order));
    add("received with CE", count(stats.ce_received));
    add("received trimmed", count(stats.trimmed_received));
    add("CNPs received", count(stats.cnp_received));
    add("NACKs received", count(stats.nack_received));
    add("timeouts", count(stats.timeouts));
    add("flows", count(fabric.flows.flows));
    add("goodput of a flow, least", modelled(fabric.flows.goodput_min_gbps, "Gb/s"));
    add("goodput of a flow, mean", modelled(fabric.flows.goodput_mean_gbps, "Gb/s"));
    add("goodput of a flow, most", modelled(fabric.flows.goodput_max_gbps, "Gb/s"));
    if (fabric.flows.jfi) {
      add("JFI over flows' goodputs", modelled(*fabric.flows.jfi, ""));
      kpi("flow_jfi", modelled(*fabric.flows.jfi, ""));
    }
    if (stats.data_sent > 0) {
      kpi("retransmission_percent", modelled(100 * static_cast<double>(stats.retransmitted) /
                                                 static_cast<double>(stats.data_sent),
                                             "%"));
    }
    result_.tables.push_back(std::move(table));
  }

  void addFabric(const FabricResult& fabric) {
    const auto& total = fabric.total;
    results::Table table{"fabric",
                         "Fabric",
                         "Summed over all links; counters of the model.",
                         {"Counter", "Value"},
                         {}};
    const auto add = [&](std::string name, Quantity quantity) {
      table.rows.push_back({std::move(name), std::move(quantity)});
    };
    add("packets on links", count(total.packets));
    add("PAUSE frames on links", count(total.control));
    add("packets marked CE", count(total.marked));
    add("packets trimmed", count(total.trimmed));
    for (std::size_t i = 0; i < total.drops.size(); ++i) {
      if (total.drops[i] > 0) {
        add(fmt::format("dropped: {}", kReasonNames[i]), count(total.drops[i]));
      }
    }
    add("packets dropped", count(total.dropped()));
    add("longest queue of a port", count(total.max_queue_bytes, "B"));
    Picoseconds paused;
    for (const Picoseconds time : total.paused) paused += time;
    add("pauses begun", count(total.pauses));
    add("time paused, all ports and priorities", modelled(paused.toMicroseconds(), "us"));
    if (total.damaged > 0) {
      add("frames damaged by bit errors", count(total.damaged));
      add("of them repaired by LLR", count(total.retries));
    }
    if (total.retries > 0) {
      add("LLR retry latency, mean",
          modelled(total.retry_total.toNanoseconds() / static_cast<double>(total.retries), "ns"));
      add("LLR retry latency, most", modelled(total.retry_max.toNanoseconds(), "ns"));
    }
    if (total.inits > 0) add("LLR INITs sent, after frames were given up", count(total.inits));
    if (total.watchdog_events > 0) add("PFC watchdog events", count(total.watchdog_events));
    if (fabric.link_jfi) {
      add("JFI over links between switches", modelled(*fabric.link_jfi, ""));
      add("MMR over links between switches", modelled(*fabric.link_mmr, ""));
      kpi("link_jfi", modelled(*fabric.link_jfi, ""));
      kpi("link_mmr", modelled(*fabric.link_mmr, ""));
    }
    kpi("dropped_packets", count(total.dropped()));
    kpi("max_queue_bytes", count(total.max_queue_bytes, "B"));
    result_.tables.push_back(std::move(table));
  }

  void addLinks(const FabricResult& fabric) {
    std::vector<const bench::LinkLoad*> busiest;
    for (const bench::LinkLoad& link : fabric.links) busiest.push_back(&link);
    std::stable_sort(busiest.begin(), busiest.end(),
                     [](const auto* a, const auto* b) { return a->utilisation > b->utilisation; });
    if (busiest.size() > kBusiestLinks) busiest.resize(kBusiestLinks);
    if (busiest.empty()) return;
    results::Table table{
        "links",
        "Busiest links",
        "Utilisation is the share of the whole simulated time, preambles and gaps "
        "included.",
        {"Link", "Utilisation", "Packets", "Marked", "Dropped", "Longest queue", "Paused"},
        {}};
    for (const bench::LinkLoad* link : busiest) {
      table.rows.push_back({link->name, modelled(100 * link->utilisation, "%"),
                            count(link->packets), count(link->marked), count(link->dropped),
                            count(link->max_queue_bytes, "B"),
                            modelled(link->paused.toMicroseconds(), "us")});
    }
    result_.tables.push_back(std::move(table));
  }

  void addDistributions(const FabricResult& fabric) {
    if (fabric.endpoints.latency.count() > 0) {
      const stats::LatencyStats latency = stats::latencyStats(fabric.endpoints.latency);
      kpi("latency_mean_ns", modelled(latency.mean / 1000, "ns"));
      kpi("latency_p50_ns", modelled(static_cast<double>(latency.p50) / 1000, "ns"));
      kpi("latency_p99_ns", modelled(static_cast<double>(latency.p99) / 1000, "ns"));
      kpi("latency_max_ns", modelled(static_cast<double>(latency.maximum) / 1000, "ns"));
      result_.distributions.push_back({"latency", "One-way latency of data packets", "ps",
                                       ObservationPoint::kModelled, fabric.endpoints.latency});
    }
    for (std::size_t i = 0; i < fabric.jobs.size(); ++i) {
      if (fabric.jobs[i].message_time.count() == 0) continue;
      result_.distributions.push_back({fmt::format("message_time_{}", i),
                                       fabric.jobs[i].name + ": message time", "ps",
                                       ObservationPoint::kModelled, fabric.jobs[i].message_time});
    }
  }

  const TestConfig& config_;
  TrialRunner& runner_;
  results::TestResult result_;
};

class FreeTest final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return std::string(scenario::kFreeTest); }
  [[nodiscard]] std::string title() const override { return "Workload"; }
  [[nodiscard]] bool onHosts() const override { return true; }
  [[nodiscard]] bool runsWorkload() const override { return true; }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    Plan plan;
    if (!config.scenario.workload) {
      plan.refusals.emplace_back("the scenario has no workload");
      return plan;
    }
    PlannedTrial trial{"workload", trialOf(config)};
    plan.points.push_back(trial.label);
    plan.samples.push_back(std::move(trial));
    plan.trials_expected = repetitionsOf(config);
    return plan;
  }

  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override {
    requireRunnable(*this, plan(config));
    return FreeRun(config, runner).run();
  }
};

}  // namespace

const Procedure& freeTest() {
  static const FreeTest test;
  return test;
}

}  // namespace plumbline::suite
