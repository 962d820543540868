#include "bench/dut_json.h"

#include "base/json.h"
#include "bench/json_names.h"

namespace plumbline::bench {
namespace {

using fabric::LoadBalancingKind;
using fabric::TopologyKind;
using fabric::TopologySpec;
using Json = nlohmann::json;

constexpr Names<TopologyKind, 7> kTopologyNames{{{TopologyKind::kLink, "link"},
                                                 {TopologyKind::kSingleSwitch, "single-switch"},
                                                 {TopologyKind::kClos2, "clos2"},
                                                 {TopologyKind::kClos3, "clos3"},
                                                 {TopologyKind::kRail, "rail"},
                                                 {TopologyKind::kPools, "pools"},
                                                 {TopologyKind::kGraph, "graph"}}};
constexpr Names<fabric::Forwarding, 2> kForwardingNames{
    {{fabric::Forwarding::kStoreAndForward, "store-and-forward"},
     {fabric::Forwarding::kCutThrough, "cut-through"}}};
constexpr Names<fabric::WatchdogSpec::Action, 2> kWatchdogNames{
    {{fabric::WatchdogSpec::Action::kDrop, "drop"},
     {fabric::WatchdogSpec::Action::kForward, "forward"}}};
constexpr Names<LoadBalancingKind, 7> kBalancingNames{
    {{LoadBalancingKind::kEcmp, "ecmp"},
     {LoadBalancingKind::kEcmpQp, "ecmp-qp"},
     {LoadBalancingKind::kFlowlet, "flowlet"},
     {LoadBalancingKind::kSprayRandom, "spray-random"},
     {LoadBalancingKind::kSprayRoundRobin, "spray-round-robin"},
     {LoadBalancingKind::kSprayLeastQueue, "spray-least-queue"},
     {LoadBalancingKind::kWeighted, "weighted"}}};
constexpr Names<fabric::ImpairmentKind, 3> kImpairmentNames{
    {{fabric::ImpairmentKind::kDrop, "drop"},
     {fabric::ImpairmentKind::kDuplicate, "duplicate"},
     {fabric::ImpairmentKind::kDelay, "delay"}}};

Json cablesToJson(const std::vector<fabric::GraphSpec::Cable>& cables) {
  Json array = Json::array();
  for (const auto& cable : cables) {
    array.push_back({{"a", cable.a},
                     {"b", cable.b},
                     {"bps", cable.rate.bitsPerSecond()},
                     {"delay_ps", cable.delay.count()}});
  }
  return array;
}

// What leaves and spines have in common: `json` gets the links between switches.
void addFabricLinks(const TopologySpec& topology, Json& json) {
  json["spines"] = topology.spines;
  json["fabric_link_delay_ps"] = topology.fabric_link_delay.count();
  if (topology.fabricRate() != topology.link_rate) {
    json["fabric_bps"] = topology.fabricRate().bitsPerSecond();
  }
  if (topology.uplinks != 1) json["uplinks"] = topology.uplinks;
}

Json topologyToJson(const TopologySpec& topology) {
  Json json{{"kind", nameOf(kTopologyNames, topology.kind)},
            {"link_bps", topology.link_rate.bitsPerSecond()},
            {"host_link_delay_ps", topology.host_link_delay.count()}};
  // Only what the kind of topology has: a number it does not use must not tell trials apart.
  switch (topology.kind) {
    case TopologyKind::kLink:
      break;
    case TopologyKind::kSingleSwitch:
      json["hosts"] = topology.hosts;
      break;
    case TopologyKind::kClos3:
      json["pods"] = topology.pods;
      json["superspines"] = topology.superspines;
      [[fallthrough]];
    case TopologyKind::kClos2:
      json["leaves"] = topology.leaves;
      json["hosts_per_leaf"] = topology.hosts_per_leaf;
      addFabricLinks(topology, json);
      break;
    case TopologyKind::kRail:
      json["servers"] = topology.servers;
      json["rails"] = topology.rails;
      json["servers_per_leaf"] = topology.servers_per_leaf;
      addFabricLinks(topology, json);
      break;
    case TopologyKind::kPools:
      json["prefill_leaves"] = topology.prefill_leaves;
      json["decode_leaves"] = topology.decode_leaves;
      json["hosts_per_leaf"] = topology.hosts_per_leaf;
      addFabricLinks(topology, json);
      break;
    case TopologyKind::kGraph:
      json.erase("host_link_delay_ps");
      json["hosts"] = topology.graph.hosts;
      json["switches"] = topology.graph.switches;
      json["cables"] = cablesToJson(topology.graph.cables);
      break;
  }
  return json;
}

Json ecnToJson(const std::vector<fabric::EcnSpec>& rules) {
  Json array = Json::array();
  for (const auto& ecn : rules) {
    array.push_back({{"priorities", ecn.priorities},
                     {"kmin_bytes", ecn.kmin.count()},
                     {"kmax_bytes", ecn.kmax.count()},
                     {"pmax_ppt", ecn.pmax.partsPerTrillion()},
                     {"at_dequeue", ecn.at_dequeue}});
  }
  return array;
}

Json pfcToJson(const fabric::PfcSpec& pfc) {
  Json json{{"priorities", pfc.priorities}, {"xoff_bytes", pfc.xoff.count()},
            {"xon_bytes", pfc.xon.count()}, {"headroom_bytes", pfc.headroom.count()},
            {"quanta", pfc.quanta},         {"response_ps", pfc.response.count()}};
  if (pfc.dynamic_alpha) json["dynamic_alpha_ppt"] = pfc.dynamic_alpha->partsPerTrillion();
  if (pfc.watchdog) {
    json["watchdog"] = {{"poll_ps", pfc.watchdog->poll.count()},
                        {"detection_ps", pfc.watchdog->detection.count()},
                        {"restoration_ps", pfc.watchdog->restoration.count()},
                        {"action", nameOf(kWatchdogNames, pfc.watchdog->action)}};
  }
  return json;
}

// Queueing and flow control beyond one first-in-first-out queue per port.
void addQueueing(const fabric::SwitchSpec& switches, Json& json) {
  const fabric::SwitchSpec plain;
  if (switches.weights != plain.weights) json["weights"] = switches.weights;
  if (switches.dwrr_quantum != plain.dwrr_quantum) {
    json["dwrr_quantum_bytes"] = switches.dwrr_quantum.count();
  }
  if (switches.voq) json["voq"] = true;
  if (!switches.ecn.empty()) json["ecn"] = ecnToJson(switches.ecn);
  if (switches.pfc) json["pfc"] = pfcToJson(*switches.pfc);
  if (const auto& trim = switches.trim) {
    json["trim"] = {{"threshold_bytes", trim->threshold.count()},
                    {"keep_bytes", trim->keep.count()},
                    {"priority", trim->priority},
                    {"limit_bytes", trim->limit.count()}};
  }
  if (const auto& cbfc = switches.cbfc) {
    json["cbfc"] = {{"channels", cbfc->channels},
                    {"credits", cbfc->credits},
                    {"credit_size_bytes", cbfc->credit_size.count()},
                    {"packet_overhead_bytes", cbfc->packet_overhead},
                    {"update_spacing_bytes", cbfc->update_spacing.count()},
                    {"update_period_ps", cbfc->update_period.count()},
                    {"processing_ps", cbfc->processing.count()},
                    {"consumed_period_ps", cbfc->consumed_period.count()}};
    for (const auto& channel : cbfc->virtual_channels) {
      json["cbfc"]["virtual_channels"].push_back(
          {{"priorities", channel.priorities}, {"credits", channel.credits}});
    }
  }
  if (const auto& llr = switches.llr) {
    json["llr"] = {{"receiver_processing_ps", llr->receiver_processing.count()},
                   {"sender_processing_ps", llr->sender_processing.count()},
                   {"init_interval_ps", llr->init_interval.count()}};
    if (llr->replay_timer) json["llr"]["replay_timer_ps"] = llr->replay_timer->count();
    if (llr->max_replays) json["llr"]["max_replays"] = *llr->max_replays;
    if (llr->replay_buffer) json["llr"]["replay_buffer_bytes"] = llr->replay_buffer->count();
    if (llr->pcs_lost) json["llr"]["pcs_lost_ps"] = llr->pcs_lost->count();
    if (llr->data_age) json["llr"]["data_age_ps"] = llr->data_age->count();
  }
}

Json switchesToJson(const fabric::SwitchSpec& switches) {
  Json json{{"latency_ps", switches.latency.count()},
            {"forwarding", nameOf(kForwardingNames, switches.forwarding)}};
  if (const auto& shared = switches.shared_buffer) {
    json["shared_buffer"] = {{"total_bytes", shared->total.count()},
                             {"alpha_ppt", shared->alpha.partsPerTrillion()},
                             {"reserve_per_port_bytes", shared->reserve_per_port.count()}};
  } else {
    json["buffer_per_port_bytes"] = switches.buffer_per_port.count();
  }
  addQueueing(switches, json);
  const auto& balancing = switches.load_balancing;
  if (balancing.kind != LoadBalancingKind::kEcmp) {
    json["load_balancing"] = {{"kind", nameOf(kBalancingNames, balancing.kind)}};
    if (balancing.kind == LoadBalancingKind::kFlowlet) {
      json["load_balancing"]["gap_ps"] = balancing.flowlet_gap.count();
    }
  }
  return json;
}

Json impairmentsToJson(const std::vector<fabric::Impairment>& impairments) {
  Json array = Json::array();
  for (const auto& impairment : impairments) {
    array.push_back({{"kind", nameOf(kImpairmentNames, impairment.kind)},
                     {"host", impairment.host},
                     {"frame", impairment.frame},
                     {"delay_ps", impairment.delay.count()}});
  }
  return array;
}

// Bit errors, failures and pause storms, as far as there are any.
void addFaults(const fabric::FabricSpec& dut, Json& json) {
  for (const auto& errors : dut.bit_errors) {
    json["bit_errors"].push_back({{"link", errors.link}, {"rate", errors.rate}});
  }
  for (const auto& failure : dut.failures) {
    Json one{{"element", failure.element}, {"down_ps", failure.down.count()}};
    if (failure.up) one["up_ps"] = failure.up->count();
    json["failures"].push_back(std::move(one));
  }
  // Without failures there is nothing to converge to.
  if (!dut.failures.empty()) json["convergence_ps"] = dut.convergence.count();
  for (const auto& storm : dut.storms) {
    json["storms"].push_back({{"host", storm.host},
                              {"priorities", storm.priorities},
                              {"start_ps", storm.start.count()},
                              {"duration_ps", storm.duration.count()}});
  }
}

}  // namespace

Json dutToJson(const fabric::FabricSpec& dut) {
  Json json{{"topology", topologyToJson(dut.topology)},
            {"switch", switchesToJson(dut.switches)},
            {"impairments", impairmentsToJson(dut.impairments)},
            {"seed", dut.seed}};
  addFaults(dut, json);
  return json;
}

std::string_view loadBalancingName(LoadBalancingKind kind) { return nameOf(kBalancingNames, kind); }

}  // namespace plumbline::bench
