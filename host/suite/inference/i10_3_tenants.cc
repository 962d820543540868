// I10.3 Several tenants on one fabric (inference draft, section 10.3).
//
// Serving systems that are identical except for their seeds, on separate hosts: in a topology of
// pools each has the next hosts of both pools, so that tenants share leaves and the spine layer;
// else the next hosts of the fabric. Each runs alone first, then all together with the same
// requests. Reported: P99 of TTFT, ITL and KV cache transfer of each tenant, and the penalty,
// (together - alone) / alone of the same repetition.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenario/scenario.h"
#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

// Between the seeds of two tenants: more than there can be repetitions, each of which has the next.
constexpr std::uint64_t kTenantSeeds = 10'000;

// Points of a tenant, in their order.
constexpr std::array<const char*, 2> kTenancy{"alone", "shared"};

bool isShared(std::size_t point) { return point % kTenancy.size() == 1; }
std::size_t tenantOf(std::size_t point) { return point / kTenancy.size(); }

std::vector<std::string> tenantKpis() {
  return {"ttft_p99_ms",    "ttft_p50_ms",      "itl_p99_ms", "request_transfer_p99_ms",
          "ttft_fabric_ms", "requests_not_done"};
}

// Hosts of the NICs of tenant `tenant`, after those of the tenants before it.
std::vector<std::uint32_t> tenantHosts(const fabric::TopologySpec& topology,
                                       const serving::ServingProgram& program,
                                       std::uint32_t tenant) {
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const std::uint32_t prefill = mapping.prefillServers() * program.system.servers.nics;
  const std::uint32_t decode = mapping.nics() - prefill;
  const bool pools = topology.kind == fabric::TopologyKind::kPools;
  const std::uint32_t first_decode = topology.prefill_leaves * topology.hosts_per_leaf;
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t nic = 0; nic < mapping.nics(); ++nic) {
    if (!pools) {
      hosts.push_back(tenant * mapping.nics() + nic);
    } else if (nic < prefill) {
      hosts.push_back(tenant * prefill + nic);
    } else {
      hosts.push_back(first_decode + tenant * decode + (nic - prefill));
    }
  }
  return hosts;
}

std::optional<std::string> tenantRefusal(const TestConfig& config,
                                         const serving::ServingProgram& program,
                                         std::uint32_t tenants) {
  if (!program.hosts.empty()) {
    return "serving.hosts places one system; tenants take the next hosts of each pool";
  }
  if (tenants < 2) return "a single tenant shares no link: parameters.tenants needs at least 2";
  const fabric::TopologySpec& topology = config.scenario.topology;
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const std::uint64_t prefill =
      std::uint64_t{tenants} * mapping.prefillServers() * program.system.servers.nics;
  const std::uint64_t all = std::uint64_t{tenants} * mapping.nics();
  const std::uint32_t hosts = topology.hostCount();
  if (topology.kind == fabric::TopologyKind::kPools) {
    const std::uint32_t first_decode = topology.prefill_leaves * topology.hosts_per_leaf;
    if (prefill > first_decode || all - prefill > hosts - first_decode) {
      return fmt::format(
          "{} tenants have {} prefill and {} decode NICs, and the topology's pools {} and {} hosts",
          tenants, prefill, all - prefill, first_decode, hosts - first_decode);
    }
  } else if (all > hosts) {
    return fmt::format("{} tenants have {} NICs, and the topology {} hosts", tenants, all, hosts);
  }
  return std::nullopt;
}

class TenantsProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I10.3"; }
  [[nodiscard]] std::string title() const override { return "Several tenants on one fabric"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(tenantKpis(),
                {"ttft_penalty_percent", "itl_penalty_percent", "transfer_penalty_percent"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.3"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design TenantsProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Tenant", ""}, {"Fabric", ""}};
  design.repetitions = design.numbers.repetitions(3, 1);
  const auto tenants =
      design.numbers.atLeast<std::uint32_t>("Tenants", 2, 2, config.scenario.parameters.tenants);
  design.numbers.configure("Each tenant",
                           "the system of this report, on hosts and with requests "
                           "of its own");
  serving::ServingProgram program = servingSection(config).program;
  if (auto why = tenantRefusal(config, program, tenants)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  std::vector<serving::ServingProgram> systems;
  for (std::uint32_t tenant = 0; tenant < tenants; ++tenant) {
    program.hosts = tenantHosts(config.scenario.topology, program, tenant);
    addSteadyPoint(config, design, {fmt::format("tenant {}", tenant + 1), kTenancy[0]}, program);
    if (!design.refusals.empty()) return design;
    serving::ServingProgram& placed = *design.points.back().spec.serving;
    placed.system.seed += kTenantSeeds * tenant;
    systems.push_back(placed);
  }
  // The common trial, of which every tenant has a row.
  const std::vector<SweepPoint> alone = std::move(design.points);
  design.points.clear();
  bench::TrialSpec together = alone.front().spec;
  together.tenants.assign(systems.begin() + 1, systems.end());
  double hops = 0;
  for (const SweepPoint& point : alone) hops += point.packet_hops;
  for (const SweepPoint& point : alone) {
    design.points.push_back(point);
    design.add({point.values[0], kTenancy[1]}, together, hops);
  }
  return design;
}

void TenantsProcedure::report(const TestConfig& config, const Design& design,
                              const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  // Each row with its own tenant's requests.
  std::vector<Measured> rows = measured;
  for (Measured& row : rows) {
    const std::size_t point = placeOf(design, row);
    if (!isShared(point) || tenantOf(point) == 0) continue;
    for (bench::TrialResult& trial : row.trials) {
      trial.serving = trial.tenants.at(tenantOf(point) - 1);
    }
  }
  const std::vector<Figure> all = servingFigures(slo);
  std::vector<Figure> figures = chosen(all, tenantKpis());
  figures.front().primary = true;
  addSteadyTable(design, rows, figures,
                 {"tenants", "Tenants alone and together", kServingNote, {}, {}}, builder);
  const auto penalty = [&](const char* column, const char* kpi, const char* of) {
    const Figure one = chosen(all, {of}).front();
    Figure figure{.column = column, .unit = "%", .kpi = kpi, .moot = one.moot};
    figure.absent = "not reached";
    figure.fails_limits = true;
    figure.paired = [&design, &rows, one](
                        std::size_t point, std::size_t repetition,
                        const bench::TrialResult& trial) -> std::optional<Reading> {
      const SweepPoint* base = &design.points[point - 1];
      const auto alone = std::find_if(rows.begin(), rows.end(),
                                      [&](const Measured& row) { return &row.point == base; });
      if (alone == rows.end() || repetition >= alone->trials.size()) return std::nullopt;
      const auto before = one.of(point, alone->trials[repetition]);
      const auto after = one.of(point, trial);
      if (!before || !after || before->value <= 0) return std::nullopt;
      return Reading(100 * (after->value - before->value) / before->value);
    };
    return figure;
  };
  std::vector<Measured> shared;
  for (const Measured& row : rows) {
    if (isShared(placeOf(design, row))) shared.push_back(row);
  }
  addTable(
      design, shared,
      {penalty("TTFT P99 penalty", "ttft_penalty_percent", "ttft_p99_ms"),
       penalty("ITL P99 penalty", "itl_penalty_percent", "itl_p99_ms"),
       penalty("KV transfer P99 penalty", "transfer_penalty_percent", "request_transfer_p99_ms")},
      {"penalty",
       "Interference",
       "(together - alone) / alone, with the same requests. A dense model sends nothing in decode: "
       "its ITL changes only because batches fill differently.",
       {},
       {}},
      builder);
  for (const char* kpi : {"ttft_p99_ms", "request_transfer_p99_ms"}) {
    const Figure figure = chosen(all, {kpi}).front();
    results::Chart chart;
    chart.id = std::string(kpi) + "_of_tenants";
    chart.title = figure.column + " alone and together";
    chart.y_label = fmt::format("{} [{}]", figure.column, figure.unit);
    addBars(design, rows, figure,
            {[&](std::size_t i) { return design.points[i].values[0]; },
             [&](std::size_t i) { return design.points[i].values[1]; }},
            std::move(chart), builder);
  }
}

}  // namespace

const Procedure& tenantsProcedure() {
  static const TenantsProcedure test;
  return test;
}

}  // namespace plumbline::suite
