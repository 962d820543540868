#include "suite/inference/scale_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "bench/flow/flow_routes.h"
#include "fabric/engine/footprint.h"
#include "suite/inference/experts.h"
#include "suite/inference/steady_load.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

constexpr double kLoad = 0.8;  // of the capacity of the pools
constexpr std::uint32_t kScaleTokens = 128;
constexpr std::uint32_t kDispatches = 4;
// Cost of a KV cache message at flow level, in packets that cross a link.
constexpr double kHopsOfFlowMessage = 40;
constexpr double kHopsOfProbe = 10'000;

std::uint32_t nicsOf(const TestConfig& config) {
  return servingSection(config).program.system.servers.nics;
}

// First hosts of the two pools, and the room in each.
struct Halves {
  std::uint32_t decode = 0;
  std::uint32_t hosts = 0;  // of the smaller one
};

Halves halvesOf(const TestConfig& config) {
  const fabric::TopologySpec& topology = config.scenario.topology;
  const std::uint32_t hosts = topology.hostCount();
  if (topology.kind == fabric::TopologyKind::kPools) {
    const std::uint32_t prefill = topology.prefill_leaves * topology.hosts_per_leaf;
    return {prefill, std::min(prefill, hosts - prefill)};
  }
  const std::uint32_t nics = nicsOf(config);
  const std::uint32_t half = hosts / 2 / nics * nics;
  return {half, half};
}

std::uint32_t groupRanks(const TestConfig& config, Numbers& numbers) {
  const std::uint32_t defaults = numbers.isStandard() ? 64 : 4 * nicsOf(config);
  const auto& own = config.scenario.parameters.ranks;
  return own ? own->front() : defaults;
}

Picoseconds pairTime(const Numbers& numbers) {
  return numbers.isStandard() ? milliseconds(50) : milliseconds(4);
}

Bytes pairMessage(const TestConfig& config) {
  const auto& own = config.scenario.parameters.sizes;
  return own ? own->front() : Bytes(16 * kMebibyte);
}

void addTransferPairs(const TestConfig& config, const ScaleCell& cell,
                      std::vector<std::string> values, Design& design) {
  const std::vector<std::uint32_t> hosts = clusterHosts(config, cell.nodes);
  const std::size_t half = hosts.size() / 2;
  std::vector<Transfer> pairs;
  for (std::size_t i = 0; i < half; ++i) pairs.push_back({hosts[i], hosts[half + i]});
  bench::TrialSpec spec = emptyTrial(config);
  spec.transport = transportOr(config, defaultRoce());
  spec.flow_level = cell.flows;
  workload::JobSpec job = transferJob("kv", pairs, pairMessage(config));
  const Picoseconds time = pairTime(design.numbers);
  programOf(job).until = time;
  spec.workload->jobs.push_back(std::move(job));
  const double bytes = payloadCeiling(*spec.transport, config.scenario.topology.link_rate) * 1e9 *
                       time.toSeconds() * static_cast<double>(half);
  design.add(std::move(values), std::move(spec),
             cell.flows ? kHopsOfProbe : payloadHops(config, bytes));
}

void addGroups(const TestConfig& config, const ScaleCell& cell, std::vector<std::string> values,
               Design& design) {
  const std::uint32_t ranks = groupRanks(config, design.numbers);
  const std::vector<std::uint32_t> hosts = clusterHosts(config, cell.nodes);
  Numbers unused(config);
  const ExpertPoint point{expertModels(config, unused, {"M4"}, {"M4"}).front(), ranks,
                          kScaleTokens};
  workload::MoeProgram program = dispatchProgram(config, point, kDispatches);
  program.ranks_per_server = nicsOf(config);
  bench::TrialSpec spec = expertTrial(config, std::move(program), ranks);
  const workload::JobSpec first = spec.workload->jobs.front();
  spec.workload->jobs.clear();
  for (std::size_t at = 0; at + ranks <= hosts.size(); at += ranks) {
    workload::JobSpec group = first;
    group.name = fmt::format("experts {}", at / ranks);
    group.placement.rule = workload::PlacementRule::kExplicit;
    const auto begin = hosts.begin() + static_cast<std::ptrdiff_t>(at);
    group.placement.hosts.assign(begin, begin + ranks);
    spec.workload->jobs.push_back(std::move(group));
  }
  const double hops = expertHops(spec);
  design.add(std::move(values), std::move(spec), hops, kExpertHopCost);
}

// Of KV cache, roughly.
double messagesOfRequest(const serving::ServingProgram& program) {
  double flows = 0;
  for (const serving::NicShare& sender : requestLoad(program, 1).senders) flows += sender.flows;
  const serving::TransferUnit unit = program.system.transfer.unit;
  const bool by_layer =
      unit == serving::TransferUnit::kLayer || unit == serving::TransferUnit::kPage;
  return by_layer ? flows * program.system.model.layers : flows;
}

void addSystem(const TestConfig& config, const ScaleCell& cell, std::vector<std::string> values,
               const serving::WindowSpec& window, Design& design) {
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  serving::MappingSpec& servers = program.system.servers;
  const auto workersOf = [&](const serving::PoolShape& pool) {
    return cell.nodes / 2 * (servers.gpus / pool.tp);
  };
  servers.prefill.workers = workersOf(servers.prefill);
  servers.decode.workers = workersOf(servers.decode);
  program.hosts = clusterHosts(config, cell.nodes);
  program.system.window = window;
  const double rate = kLoad * requestCapacity(program);
  setRequestRate(program.workload, rate);
  const std::size_t before = design.points.size();
  addSteadyPoint(config, design, std::move(values), std::move(program));
  if (design.points.size() == before || !cell.flows) return;
  SweepPoint& point = design.points.back();
  point.spec.flow_level = true;
  const double requests = rate * (window.warmup + window.measure).toSeconds();
  point.packet_hops =
      kHopsOfProbe + requests * messagesOfRequest(*point.spec.serving) * kHopsOfFlowMessage;
}

std::optional<std::string> shapeRefusal(const TestConfig& config) {
  const serving::ServingProgram& program = servingSection(config).program;
  const serving::MappingSpec& servers = program.system.servers;
  if (!program.hosts.empty()) {
    return "the test places the servers of each scale itself: no serving.hosts";
  }
  for (const serving::PoolShape* pool : {&servers.prefill, &servers.decode}) {
    if (pool->tp > 0 && servers.gpus % pool->tp == 0) continue;
    return fmt::format("a server's {} cannot be divided into whole workers of TP {}",
                       counted(servers.gpus, "accelerator"), pool->tp);
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t maxNodes(const TestConfig& config) {
  return 2 * (halvesOf(config).hosts / nicsOf(config));
}

std::vector<std::uint32_t> clusterHosts(const TestConfig& config, std::uint32_t nodes) {
  const std::uint32_t each = nodes / 2 * nicsOf(config);
  const std::uint32_t decode = halvesOf(config).decode;
  std::vector<std::uint32_t> hosts;
  hosts.reserve(std::size_t{2} * each);
  for (std::uint32_t i = 0; i < each; ++i) hosts.push_back(i);
  for (std::uint32_t i = 0; i < each; ++i) hosts.push_back(decode + i);
  return hosts;
}

// The first value of a list, since other tests of the scenario take all of them.
template <typename Value>
void keepFirst(std::optional<std::vector<Value>>& own, const char* key, Numbers& numbers) {
  if (!own || own->size() < 2) return;
  numbers.deviation(fmt::format("of parameters.{} the first of {} values", key, own->size()));
  own->resize(1);
}

std::vector<ScaleCell> scaleCells(const TestConfig& config, Numbers& numbers) {
  scenario::Scenario scenario = config.scenario;
  scenario::Parameters& own = scenario.parameters;
  keepFirst(own.ranks, "ranks", numbers);
  keepFirst(own.sizes, "sizes", numbers);
  keepFirst(own.experts.models, "experts.models", numbers);
  const std::uint32_t max = maxNodes(config);
  auto nodes = numbers.sweep<std::uint32_t>("Nodes", {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
                                            {2, 4, 8, 32, 128, 256}, own.nodes,
                                            [max](std::uint32_t n) { return n <= max; });
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const std::uint32_t packets = own.packet_nodes.value_or(numbers.isStandard() ? 128 : 8);
  numbers.sweep<std::uint32_t>("Ranks of a group of experts", {64}, {4 * nicsOf(config)},
                               own.ranks);
  numbers.sweep<Bytes>("Message of a pair", {Bytes(16 * kMebibyte)}, {Bytes(16 * kMebibyte)},
                       own.sizes);
  expertModels({scenario, config.bench}, numbers, {"M4"}, {"M4"});
  const std::uint32_t ranks = groupRanks(config, numbers);
  std::vector<ScaleCell> cells;
  for (const ScaleMeasure measure :
       {ScaleMeasure::kPairs, ScaleMeasure::kExperts, ScaleMeasure::kServing}) {
    for (const std::uint32_t n : nodes) {
      const bool room = n * nicsOf(config) >= ranks;
      if (measure == ScaleMeasure::kExperts && !room) continue;
      if (n <= packets) cells.push_back({n, measure, false});
    }
    if (measure == ScaleMeasure::kExperts) continue;
    for (const std::uint32_t n : nodes) cells.push_back({n, measure, true});
  }
  return cells;
}

void addScalePoints(const TestConfig& config, const std::vector<ScaleCell>& cells, Design& design) {
  Numbers& numbers = design.numbers;
  if (auto why = shapeRefusal(config)) {
    design.refusals.push_back(*std::move(why));
    return;
  }
  const std::uint32_t nics = nicsOf(config);
  const std::uint32_t ranks = groupRanks(config, numbers);
  if (ranks % nics != 0 && nics % ranks != 0) {
    design.refusals.push_back(fmt::format(
        "EP groups of {} (parameters.ranks) on servers with {} share servers: a multiple or a "
        "divisor of {}",
        counted(ranks, "rank"), counted(nics, "NIC"), nics));
    return;
  }
  const std::uint32_t max = maxNodes(config);
  for (const ScaleCell& cell : cells) {
    if (cell.nodes % 2 == 0 && cell.nodes <= max) continue;
    design.refusals.push_back(fmt::format(
        "a cluster of {}: half of them are prefill, and the DUT has hosts for {} with {} each",
        counted(cell.nodes, "server"), max, counted(nicsOf(config), "NIC")));
    return;
  }
  const serving::WindowSpec window =
      steadyWindow(config, numbers, milliseconds(200), milliseconds(300));
  const serving::MappingSpec& servers = servingSection(config).program.system.servers;
  constexpr std::uint32_t kDraftGpus = 8;
  if (servers.gpus != kDraftGpus) {
    numbers.deviation(
        fmt::format("A node has {}, the draft's 8", counted(servers.gpus, "accelerator")));
  }
  numbers.configure(
      "A node", fmt::format("{}, {}; half of the nodes are prefill",
                            counted(servers.gpus, "accelerator"), counted(servers.nics, "NIC")));
  numbers.configure("KV pairs",
                    fmt::format("each prefill NIC to one decode NIC, {} one after the "
                                "other for {}",
                                valueText(pairMessage(config)), valueText(pairTime(numbers))));
  numbers.configure("EP groups",
                    fmt::format("{} each, {} tokens a rank, packet by packet",
                                counted(groupRanks(config, numbers), "rank"), kScaleTokens));
  numbers.configure("Load", fmt::format("{:.0f} % of the capacity of the pools", 100 * kLoad));
  numbers.configure("Routing convergence", valueText(config.scenario.convergence));
  numbers.configure("Routing table",
                    fmt::format("{} entries: switches by switches with hosts, of the whole fabric",
                                fabric::footprintOf(config.scenario.topology).routes));
  for (const ScaleCell& cell : cells) {
    std::vector<std::string> values{std::to_string(cell.nodes), measureText(cell.measure),
                                    levelText(cell.flows)};
    switch (cell.measure) {
      case ScaleMeasure::kPairs:
        addTransferPairs(config, cell, std::move(values), design);
        break;
      case ScaleMeasure::kExperts:
        addGroups(config, cell, std::move(values), design);
        break;
      case ScaleMeasure::kServing:
        addSystem(config, cell, std::move(values), window, design);
        break;
    }
    if (!design.refusals.empty()) return;
    if (!cell.flows) continue;
    if (auto why = bench::routesRefusal(design.points.back().spec)) {
      design.refusals.push_back(*std::move(why));
      return;
    }
  }
}

std::string measureText(ScaleMeasure measure) {
  switch (measure) {
    case ScaleMeasure::kPairs:
      return "KV pairs";
    case ScaleMeasure::kExperts:
      return "EP groups";
    case ScaleMeasure::kServing:
      return "serving";
  }
  return {};
}

std::string levelText(bool flows) { return flows ? "flows (modelled)" : "packets"; }

}  // namespace plumbline::suite
