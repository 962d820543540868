// T7.2 PFC under incast (training draft, section 7.2).
//
// N senders at line rate to one receiver over RoCEv2 without congestion control, so that only PFC
// holds them back. Measured: PAUSE frames per second by hop (hosts into leaves, leaves into spines,
// …) and by port, and how long each port was paused; headroom: no frame is lost; storm onset: the
// fewest senders at which a link between switches is paused (the pause has spread beyond the
// sender's own link); watchdog events; goodput of the receiver's link and of a victim flow beside
// the incast.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "fabric/topology/topology.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/fabric_pictures.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

class PfcIncastProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T7.2"; }
  [[nodiscard]] std::string title() const override { return "PFC under incast"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"goodput_percent",  "drop_ppm",       "fabric_drops_ppm", "trimmed_ppm",
            "queue_max_bytes",  "victim_us",      "pfc_per_s",        "paused_hosts_us",
            "paused_fabric_us", "watchdog_events"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 7.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<Incast> pointsOf(const TestConfig& config, Numbers& numbers);
};

std::vector<Incast> PfcIncastProcedure::pointsOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  const Bytes message =
      numbers.sweep<Bytes>("Message of every sender", {Bytes(64 * kMiB)}, {Bytes(2 * kMiB)},
                           config.scenario.parameters.sizes)[0];
  Variant variant = serviceVariant(config, "RC", balancingOf("ecmp"));
  std::get<transport::RoceSpec>(variant.transport).dcqcn.enabled = false;
  std::vector<Incast> points;
  for (const std::uint32_t n : senderSweep(config, numbers, {2, 4, 8, 16, 32, 64}, {2, 8, 32})) {
    Incast incast{variant, n, message};
    incast.victim = true;
    points.push_back(std::move(incast));
  }
  return points;
}

Design PfcIncastProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Senders", "senders"}};
  if (auto why = pfcRefusal(config, serviceVariant(config, "RC", balancingOf("ecmp")))) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  design.numbers.configure("Congestion control", "none: only PFC holds the senders back");
  design.numbers.configure("Headroom", fmt::format("{} B above xoff at {} B, per port and priority",
                                                   config.scenario.switches.pfc->headroom.count(),
                                                   config.scenario.switches.pfc->xoff.count()));
  design.numbers.configure("Watchdog", config.scenario.switches.pfc->watchdog ? "on" : "off");
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 1.5;
  const std::vector<Incast> points = pointsOf(config, design.numbers);
  for (const Incast& incast : points) {
    if (auto why = incastRefusal(config, incast)) {
      design.refusals.push_back(*std::move(why));
      return design;
    }
    bench::TrialSpec spec = incastTrial(config, incast);
    spec.sampling.emplace();  // for the timeline of pauses
    design.add({std::to_string(incast.senders)}, std::move(spec), incastHops(config, incast));
  }
  design.carry(points);
  return design;
}

// Time that the links of one kind were paused, summed [us].
double pausedBetweenSwitches(const bench::TrialResult& trial) {
  Picoseconds sum;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) sum += link.paused;
  }
  return sum.toMicroseconds();
}

// Of links from hosts; those to hosts are paused by storms of the scenario.
double pausedAtHosts(const fabric::Topology& topology, const bench::TrialResult& trial) {
  Picoseconds sum;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    const auto id = topology.findLink(link.name);
    if (!id) continue;
    const fabric::NodeId from = topology.links()[*id].from;
    if (topology.nodes()[from].kind == fabric::NodeKind::kHost) sum += link.paused;
  }
  return sum.toMicroseconds();
}

// "host > leaf" of host3 and leaf0: which kind of node sends into which.
std::string hopOf(const fabric::Topology& topology, const std::string& link) {
  const fabric::Link& ends = topology.links()[*topology.findLink(link)];
  const auto kindOf = [&](fabric::NodeId node) {
    return fabric::nodeKind(topology.nodes()[node].name);
  };
  return kindOf(ends.from) + " > " + kindOf(ends.to);
}

// By repetition.
struct PausedPort {
  std::vector<double> per_second;  // PAUSE frames that took effect on the port
  std::vector<double> paused;      // time [us]
  bool counted = true;             // results of older programs have no number of PAUSE frames
};

// The ports that were paused in some repetition, by link.
std::map<std::string, PausedPort> pausedPorts(const Measured& one) {
  std::map<std::string, PausedPort> ports;
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    const double seconds = busyTime(one.trials[i]).toSeconds();
    for (const bench::LinkLoad& link : one.trials[i].fabric->links) {
      if (link.pauses == 0) continue;
      PausedPort& port = ports[link.name];
      port.per_second.resize(one.trials.size());
      port.paused.resize(one.trials.size());
      port.counted = port.counted && link.pause_frames;
      const auto frames = static_cast<double>(link.pause_frames.value_or(0));
      port.per_second[i] = seconds > 0 ? frames / seconds : 0;
      port.paused[i] = link.paused.toMicroseconds();
    }
  }
  return ports;
}

// Pauses by hop and by port.
void addPauseTables(const std::vector<Measured>& measured, ResultBuilder& builder) {
  results::Table hops{
      "pauses_by_hop",
      "Pauses by hop",
      "PAUSE frames that took effect on the ports that send on the hop, refreshes included, and "
      "the time that they paused them; each the mean over the repetitions.",
      {"Senders", "Hop", "Ports paused", "PAUSE, all ports", "PAUSE, busiest port",
       "Paused, mean of the ports", "Paused, longest"},
      {}};
  results::Table all{"pauses_by_port",
                     "Pauses by port",
                     "The ports that were paused, by the link that they send into.",
                     {"Senders", "Link", "PAUSE", "Paused"},
                     {}};
  const auto plain = [](double value, const char* unit) {
    results::Quantity quantity;
    quantity.value = value;
    quantity.unit = unit;
    quantity.observed = ObservationPoint::kModelled;
    return quantity;
  };
  const auto cell = [](bool counted, results::Quantity quantity) {
    return counted ? results::Cell(std::move(quantity)) : results::Cell("not observed");
  };
  bool all_counted = true;
  if (measured.empty()) return;
  const fabric::Topology topology = fabric::buildTopology(measured.front().point.spec.dut.topology);
  for (const Measured& one : measured) {
    struct Hop {
      std::size_t ports = 0;
      double per_second = 0;
      double busiest = 0;
      double paused = 0;
      double longest = 0;
      bool counted = true;
    };
    std::map<std::string, Hop> by_hop;
    for (const auto& entry : pausedPorts(one)) {
      const PausedPort& port = entry.second;
      const results::Quantity per_second =
          quantityOf(port.per_second, "/s", ObservationPoint::kModelled);
      const results::Quantity paused = quantityOf(port.paused, "us", ObservationPoint::kModelled);
      all.rows.push_back(
          {one.point.values.front(), entry.first, cell(port.counted, per_second), paused});
      Hop& hop = by_hop[hopOf(topology, entry.first)];
      ++hop.ports;
      hop.counted = hop.counted && port.counted;
      all_counted = all_counted && port.counted;
      hop.per_second += per_second.value;
      hop.busiest = std::max(hop.busiest, per_second.value);
      hop.paused += paused.value;
      hop.longest = std::max(hop.longest, paused.value);
    }
    for (const auto& entry : by_hop) {
      const Hop& hop = entry.second;
      hops.rows.push_back({one.point.values.front(), entry.first, std::to_string(hop.ports),
                           cell(hop.counted, plain(hop.per_second, "/s")),
                           cell(hop.counted, plain(hop.busiest, "/s")),
                           plain(hop.paused / static_cast<double>(hop.ports), "us"),
                           plain(hop.longest, "us")});
    }
  }
  if (!all_counted) {
    builder.anomaly(
        "PAUSE frames by hop and by port not observed: the trials of an older program "
        "counted only the pauses that began",
        "T7.2");
  }
  builder.result().tables.push_back(std::move(hops));
  builder.result().tables.push_back(std::move(all));
}

// Headroom and watchdog, in words.
void addPfcVerdicts(const TestConfig& config, const std::vector<Measured>& measured,
                    ResultBuilder& builder) {
  results::Table table{"verdicts",
                       "Headroom and watchdog",
                       "",
                       {"Senders", "Headroom", "Watchdog", "Pauses between switches"},
                       {}};
  for (const Measured& one : measured) {
    std::uint64_t lost = 0;
    std::uint64_t events = 0;
    std::uint64_t pauses = 0;
    double spread = 0;
    for (const bench::TrialResult& trial : one.trials) {
      const auto& total = trial.fabric->total;
      lost += total.dropsBy(fabric::DropReason::kHeadroomFull);
      events += total.watchdog_events;
      pauses += total.pauses;
      spread = std::max(spread, pausedBetweenSwitches(trial));
    }
    std::string watchdog = "not tested: the DUT has none (dut.switch.pfc.watchdog)";
    if (config.scenario.switches.pfc->watchdog) {
      watchdog =
          events == 0
              ? std::string("did not act: no port of a switch was stopped for its detection time")
              : fmt::format("acted {}{}, on pauses of plain incast{}", counted(events, "time"),
                            sumText(one.trials.size()),
                            config.scenario.storms.empty() ? "" : " or of the scenario's storms");
    }
    table.rows.push_back(
        {one.point.values.front(),
         pauses == 0 ? std::string("not tested: no input was paused")
         : lost == 0 ? std::string("sufficient: no frame found the headroom full")
                     : fmt::format("{}: {} lost{}",
                                   events == 0 ? "too small" : "full where the watchdog acted",
                                   counted(lost, "frame"), sumText(one.trials.size())),
         std::move(watchdog),
         spread > 0 ? std::string("yes: the storm has set in") : std::string("none")});
  }
  builder.result().tables.push_back(std::move(table));
}

void PfcIncastProcedure::report(const TestConfig& config, const Design& design,
                                const std::vector<Measured>& measured,
                                ResultBuilder& builder) const {
  const auto& points = design.carried<std::vector<Incast>>();
  const Figure goodput{.column = "Goodput",
                       .unit = "%",
                       .kpi = "goodput_percent",
                       .of = [&](std::size_t i, const bench::TrialResult& trial) {
                         return incastGoodputPercent(config, points[i], trial);
                       }};
  const Figure victim{.column = "Victim's time",
                      .unit = "us",
                      .kpi = "victim_us",
                      .of = [](std::size_t, const bench::TrialResult& trial) {
                        return trial.fabric->jobs.back().completion.toMicroseconds();
                      }};
  const Figure spread =
      figure("Paused between switches", "us", "paused_fabric_us",
             [](const bench::TrialResult& trial) { return pausedBetweenSwitches(trial); });
  Figure pauses = figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond);
  pauses.primary = true;
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const Figure at_hosts{.column = "Paused at hosts",
                        .unit = "us",
                        .kpi = "paused_hosts_us",
                        .of = [&topology](std::size_t, const bench::TrialResult& trial) {
                          return pausedAtHosts(topology, trial);
                        }};
  const bool has_watchdog = config.scenario.switches.pfc->watchdog.has_value();
  const Figure watchdog{
      .column = "Watchdog",
      .unit = "events",
      .kpi = "watchdog_events",
      .of = [has_watchdog](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
        if (!has_watchdog) return std::nullopt;
        return static_cast<double>(trial.fabric->total.watchdog_events);
      },
      .absent = "none in the DUT"};
  addTable(
      design, measured,
      {pauses, at_hosts, spread, figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes),
       figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
       figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
       figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm), watchdog, goodput, victim},
      {"pfc",
       "PFC under incast",
       std::string("Paused times are summed over the links from hosts, resp. between "
                   "switches. The victim sends one message beside the incast, between hosts "
                   "on the same leaves; where ECMP puts it onto an uplink of the incast, both are "
                   "slower in that repetition.") +
           (design.repetitions > 1 ? " Every figure is the mean per repetition." : ""),
       {},
       {}},
      builder);
  addPfcVerdicts(config, measured, builder);
  addPauseTables(measured, builder);
  results::Chart chart;
  chart.id = "pfc_vs_senders";
  chart.title = "PAUSE frames over senders";
  chart.x_label = "Senders";
  chart.y_label = "PAUSE frames [1/s]";
  chart.log_x = true;
  addChart(design, measured, pauses,
           {[&](std::size_t i) { return static_cast<double>(points[i].senders); },
            [](std::size_t) { return std::string("all ports"); }},
           std::move(chart), builder);
  for (const Measured& one : measured) {
    const bench::FabricResult& first = *one.trials.front().fabric;
    builder.result().timelines.push_back(
        pauseTimeline(*first.samples, first.sim_end, fmt::format("pauses_{}", placeOf(design, one)),
                      one.point.label + ": pauses"));
  }
  for (const Measured& one : measured) {
    if (meanOf(design, one, spread)->value <= 0) continue;
    builder.result().summary = fmt::format("With {} the pauses reach links between switches.",
                                           counted(points[placeOf(design, one)].senders, "sender"));
    builder.primary("PAUSE, " + one.point.label, *meanOf(design, one, pauses));
    return;
  }
  if (measured.empty()) return;
  builder.result().summary = "The pauses never spread beyond the senders' own links.";
}

}  // namespace

const Procedure& pfcIncastProcedure() {
  static const PfcIncastProcedure test;
  return test;
}

}  // namespace plumbline::suite
