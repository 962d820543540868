// I10.4 Sensitivity to fabric congestion (inference draft, section 10.4).
//
// Background traffic from every prefill NIC to the decode NIC of the same number, 0 to 95 % of the
// links' rate: messages of 1 MiB with Poisson arrivals. Reported: TTFT and ITL P99, their
// factors over the first level, and the knee: the level that is farthest from the straight line
// between the first and the last one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

constexpr std::uint64_t kBackgroundMessage = 1U << 20;
// Queue pairs of a pair of NICs: one would have a single queue pair's turn beside KV cache's.
constexpr std::uint32_t kBackgroundFlows = 16;

std::vector<std::string> congestionKpis() {
  return {
      "ttft_p50_ms",      "ttft_p99_ms", "ttft_fabric_ms", "itl_p99_ms", "request_transfer_p99_ms",
      "requests_not_done"};
}

double levelOf(const Design& design, std::size_t point) {
  return std::stod(design.points[point].values[0]);
}

// The scenario's levels [%], ascending, and first that without background, which the others are
// compared with.
std::optional<std::vector<double>> ownLevels(const TestConfig& config) {
  const auto& loads = config.scenario.parameters.loads;
  if (!loads) return std::nullopt;
  std::set<double> levels{0};
  for (const Fraction load : *loads) {
    levels.insert(static_cast<double>(load.partsPerTrillion()) /
                  static_cast<double>(Fraction::percent(1).partsPerTrillion()));
  }
  return std::vector<double>(levels.begin(), levels.end());
}

// `percent` of the rate of each prefill NIC, until `until`.
workload::WorkloadSpec background(const TestConfig& config, const serving::ServingProgram& program,
                                  double percent, Picoseconds until) {
  workload::WorkloadSpec load;
  load.seed = config.scenario.seed;
  if (percent == 0) return load;
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const std::uint32_t senders = mapping.prefillServers() * program.system.servers.nics;
  const std::uint32_t receivers = mapping.nics() - senders;
  workload::JobSpec job;
  job.name = "background";
  job.flows = kBackgroundFlows;
  job.placement.rule = workload::PlacementRule::kExplicit;
  const std::vector<std::uint32_t> hosts = servingHosts(config, program);
  for (std::uint32_t nic = 0; nic < mapping.nics(); ++nic) {
    job.placement.hosts.push_back(hosts.empty() ? nic : hosts[nic]);
  }
  workload::MessageProgram messages;
  messages.pattern = workload::Pattern::kExplicit;
  for (std::uint32_t nic = 0; nic < std::min(senders, receivers); ++nic) {
    messages.pairs.emplace_back(nic, senders + nic);
  }
  messages.bytes = kBackgroundMessage;
  const double bits_per_s =
      static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) * percent / 100;
  messages.load = workload::Arrivals{
      Picoseconds(std::llround(kBackgroundMessage * 8 / bits_per_s * 1e12)), true};
  messages.until = until;
  job.program = std::move(messages);
  load.jobs.push_back(std::move(job));
  return load;
}

class CongestionProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I10.4"; }
  [[nodiscard]] std::string title() const override { return "Sensitivity to fabric congestion"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(congestionKpis(), {"ttft_factor", "itl_factor"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design CongestionProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Background", "% of the links"}};
  design.repetitions = design.numbers.repetitions(3, 1);
  design.numbers.configure("Background",
                           "prefill NIC i to decode NIC i, messages of 1 MiB, Poisson arrivals");
  serving::ServingProgram program = servingSection(config).program;
  serving::WorkloadSpec defaults = defaultLoad(config);
  defaults.prompt = {};
  defaults.prompt.low = 1024;
  defaults.output.low = 4;
  defaults.arrivals.kind = serving::ArrivalKind::kConstant;
  defaults.arrivals.rate = 100;
  program.workload = loadOr(config, defaults);
  const scenario::ServingSection& section = servingSection(config);
  serving::WindowSpec& window = program.system.window;
  window.warmup =
      design.numbers.atLeast<Picoseconds>("Warm-up", seconds(10), milliseconds(20), section.warmup);
  window.measure = design.numbers.atLeast<Picoseconds>(
      "Measuring window", seconds(60), milliseconds(100), config.scenario.parameters.duration);
  window.drain = section.drain.value_or(milliseconds(500));
  if (auto why = servingRefusal(config, program)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  std::vector<double> standard;
  for (int level = 0; level <= 95; level += 5) standard.push_back(level);
  const auto levels = design.numbers.sweep<double>("Background levels", standard,
                                                   {0, 25, 50, 75, 90}, ownLevels(config));
  // Continues after the last measured arrival, so that no request finds a quiet fabric.
  const Picoseconds until = window.warmup + window.measure + window.drain;
  for (const double level : levels) {
    const workload::WorkloadSpec load = background(config, program, level, until);
    double bytes_per_s = 0;
    if (!load.jobs.empty()) {
      const auto& messages = std::get<workload::MessageProgram>(load.jobs.front().program);
      bytes_per_s = static_cast<double>(messages.pairs.size()) *
                    static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) / 8 *
                    level / 100;
    }
    addSteadyPoint(config, design, {valueText(level)}, program, load,
                   payloadHops(config, bytes_per_s));
  }
  return design;
}

void CongestionProcedure::report(const TestConfig& config, const Design& design,
                                 const std::vector<Measured>& measured,
                                 ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  const std::vector<Figure> all = servingFigures(slo);
  const Figure ttft = chosen(all, {"ttft_p99_ms"}).front();
  const Figure itl = chosen(all, {"itl_p99_ms"}).front();
  // Over the same repetition without background.
  const auto factor = [&](const char* column, const char* kpi, const Figure& of) {
    Figure figure{.column = column, .unit = "", .kpi = kpi, .moot = of.moot};
    figure.absent = "not reached";
    figure.fails_limits = true;
    figure.baseline = [](std::size_t point) { return point == 0; };
    figure.paired = [&design, &measured, of](
                        std::size_t point, std::size_t repetition,
                        const bench::TrialResult& trial) -> std::optional<Reading> {
      if (placeOf(design, measured.front()) != 0) return std::nullopt;  // it was not valid
      if (repetition >= measured.front().trials.size()) return std::nullopt;
      const auto above = of.of(point, trial);
      const auto below = of.of(0, measured.front().trials[repetition]);
      if (!above || !below || below->value <= 0) return std::nullopt;
      return Reading(above->value / below->value);
    };
    return figure;
  };
  std::vector<Figure> figures = chosen(all, congestionKpis());
  figures[1].primary = true;
  figures.push_back(factor("TTFT factor", "ttft_factor", ttft));
  figures.push_back(factor("ITL factor", "itl_factor", itl));
  addSteadyTable(
      design, measured, figures,
      {"congestion",
       "Latency over background traffic",
       std::string(kServingNote) + " Factors are of the P99 over that of the first level.",
       {},
       {}},
      builder);
  results::Chart chart;
  chart.id = "ttft_over_background";
  chart.title = "TTFT P99 over background traffic";
  chart.x_label = "Background [% of the links]";
  chart.y_label = "TTFT P99 [ms]";
  addChart(design, measured, ttft,
           {[&](std::size_t i) { return levelOf(design, i); },
            [](std::size_t) { return std::string("TTFT P99"); }},
           std::move(chart), builder);
  std::vector<std::pair<double, double>> curve;
  for (const Measured& one : measured) {
    const auto value = meanOf(design, one, ttft);
    if (value) curve.emplace_back(levelOf(design, placeOf(design, one)), value->value);
  }
  if (curve.size() < 3) return;
  const auto [x0, y0] = curve.front();
  const auto [x1, y1] = curve.back();
  double farthest = 0;
  double knee = x0;
  for (const auto& [x, y] : curve) {
    const double chord = y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    if (chord - y > farthest) {
      farthest = chord - y;
      knee = x;
    }
  }
  builder.result().summary =
      farthest > 0 ? fmt::format(
                         "TTFT P99 bends at {:g} % of background: the level farthest below "
                         "the line between the first and the last one.",
                         knee)
                   : std::string("TTFT P99 has no bend over the levels.");
}

}  // namespace

const Procedure& congestionProcedure() {
  static const CongestionProcedure test;
  return test;
}

}  // namespace plumbline::suite
