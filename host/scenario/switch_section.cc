// `dut: switch:` and `dut: load_balancing:`
#include <algorithm>

#include "scenario/dut_sections.h"

namespace plumbline::scenario {
namespace {

using fabric::Forwarding;
using fabric::LoadBalancingKind;
using fabric::SwitchSpec;

constexpr std::pair<const char*, Forwarding> kForwarding[] = {
    {"store-and-forward", Forwarding::kStoreAndForward},
    {"cut-through", Forwarding::kCutThrough},
};

using WatchdogAction = fabric::WatchdogSpec::Action;
constexpr std::pair<const char*, WatchdogAction> kActions[] = {
    {"drop", WatchdogAction::kDrop},
    {"forward", WatchdogAction::kForward},
};

constexpr std::pair<const char*, bool> kMarkingPoints[] = {{"enqueue", false}, {"dequeue", true}};

constexpr std::pair<const char*, LoadBalancingKind> kBalancing[] = {
    {"ecmp", LoadBalancingKind::kEcmp},
    {"ecmp-qp", LoadBalancingKind::kEcmpQp},
    {"flowlet", LoadBalancingKind::kFlowlet},
    {"spray-random", LoadBalancingKind::kSprayRandom},
    {"spray-round-robin", LoadBalancingKind::kSprayRoundRobin},
    {"spray-least-queue", LoadBalancingKind::kSprayLeastQueue},
    {"weighted", LoadBalancingKind::kWeighted},
};

void readSharedBuffer(SpecReader& map, fabric::SharedBufferSpec& buffer) {
  map.read("total", "total", buffer.total);
  map.read("alpha", "alpha", buffer.alpha, readAnyFactor);
  map.read("reserve", "reserve_per_port", buffer.reserve_per_port);
  map.finish();
}

void readScheduler(SpecReader& map, SwitchSpec& switches) {
  if (auto weights = map.block("weights", "weights")) {
    for (std::size_t priority = 0; priority < switches.weights.size(); ++priority) {
      weights->read(std::to_string(priority), std::to_string(priority).c_str(),
                    switches.weights[priority]);
    }
    weights->finish();
  }
  map.read("quantum", "dwrr_quantum", switches.dwrr_quantum);
  map.finish();
}

void readEcn(SpecReader& map, fabric::EcnSpec& ecn) {
  map.read("priorities", "priorities", ecn.priorities, readPriorities);
  map.read("kmin", "kmin", ecn.kmin);
  map.read("kmax", "kmax", ecn.kmax);
  map.read("pmax", "pmax", ecn.pmax);
  map.readWordOf<bool>("at", "at_dequeue", kMarkingPoints, ecn.at_dequeue);
}

void readWatchdog(SpecReader& map, fabric::WatchdogSpec& watchdog) {
  map.read("poll", "poll", watchdog.poll);
  map.read("detection", "detection", watchdog.detection);
  map.read("restoration", "restoration", watchdog.restoration);
  map.readWordOf<WatchdogAction>("action", "action", kActions, watchdog.action);
  map.finish();
}

void readPfc(SpecReader& map, fabric::PfcSpec& pfc) {
  map.read("priorities", "priorities", pfc.priorities, readPriorities);
  // XON follows XOFF at its usual distance, unless the file says more.
  const Bytes distance = pfc.xoff - pfc.xon;
  map.read("xoff", "xoff", pfc.xoff);
  pfc.xon = std::max(Bytes(0), pfc.xoff - distance);
  map.read("xon", "xon", pfc.xon);
  map.read("alpha", "dynamic_alpha", pfc.dynamic_alpha, readAnyFactor);
  map.read("headroom", "headroom", pfc.headroom);
  map.read("quanta", "quanta", pfc.quanta);
  map.read("response", "response", pfc.response);
  if (auto watchdog = map.block("watchdog", "watchdog")) {
    readWatchdog(*watchdog, pfc.watchdog.emplace());
  }
  map.finish();
}

void readTrim(SpecReader& map, fabric::TrimSpec& trim) {
  map.read("threshold", "threshold", trim.threshold);
  map.read("keep", "keep", trim.keep);
  map.read("priority", "priority", trim.priority);
  map.read("limit", "limit", trim.limit);
  map.finish();
}

void readVirtualChannel(SpecReader& map, fabric::VirtualChannelSpec& channel) {
  map.read("priorities", "priorities", channel.priorities, readPriorities);
  map.read("credits", "credits", channel.credits);
}

void readCbfc(SpecReader& map, fabric::CbfcSpec& cbfc, FieldPlaces& places, Problems& problems) {
  map.read("channels", "channels", cbfc.channels, readPriorities);
  map.read("credits", "credits", cbfc.credits);
  if (const YamlNode* value = map.optional("virtual_channels")) {
    readItems("virtual_channels", *value, "switches.cbfc.virtual_channels", cbfc.virtual_channels,
              places, problems, false, readVirtualChannel);
  }
  map.read("credit_size", "credit_size", cbfc.credit_size);
  map.read("packet_overhead", "packet_overhead", cbfc.packet_overhead);
  map.read("update_spacing", "update_spacing", cbfc.update_spacing);
  map.read("update_period", "update_period", cbfc.update_period);
  map.read("processing", "processing", cbfc.processing);
  map.read("consumed_period", "consumed_period", cbfc.consumed_period);
  map.finish();
}

void readLlr(SpecReader& map, fabric::LlrSpec& llr) {
  map.read("receiver_processing", "receiver_processing", llr.receiver_processing);
  map.read("sender_processing", "sender_processing", llr.sender_processing);
  map.read("replay_timer", "replay_timer", llr.replay_timer);
  map.read("max_replays", "max_replays", llr.max_replays);
  map.read("replay_buffer", "replay_buffer", llr.replay_buffer);
  map.read("pcs_lost", "pcs_lost", llr.pcs_lost);
  map.read("data_age", "data_age", llr.data_age);
  map.read("init_interval", "init_interval", llr.init_interval);
  map.finish();
}

}  // namespace

void readSwitch(const YamlNode& node, SwitchSpec& switches, FieldPlaces& places,
                Problems& problems) {
  auto checked = readMap(node, "switch", problems);
  if (!checked) return;
  places.addBlock("switches", node);
  SpecReader map(std::move(*checked), "switches", &places, problems);
  map.read("buffer", "buffer_per_port", switches.buffer_per_port);
  if (auto shared = map.block("shared_buffer", "shared_buffer")) {
    if (map.optional("buffer") != nullptr) {
      problems.add(shared->node(), "\"buffer\" and \"shared_buffer\" are both here",
                   "one of the two");
    }
    readSharedBuffer(*shared, switches.shared_buffer.emplace());
  }
  map.read("latency", "latency", switches.latency);
  map.readWordOf<Forwarding>("forwarding", "forwarding", kForwarding, switches.forwarding);
  if (const YamlNode* value = map.optional("scheduler")) {
    if (auto scheduler = readMap(*value, "scheduler", problems)) {
      SpecReader reader(std::move(*scheduler), "switches", &places, problems);
      readScheduler(reader, switches);
    }
  }
  map.read("voq", "voq", switches.voq);
  if (const YamlNode* value = map.optional("ecn")) {
    readItems("ecn", *value, "switches.ecn", switches.ecn, places, problems, false, readEcn);
  }
  if (auto pfc = map.block("pfc", "pfc")) readPfc(*pfc, switches.pfc.emplace());
  if (auto trim = map.block("trim", "trim")) readTrim(*trim, switches.trim.emplace());
  if (auto cbfc = map.block("cbfc", "cbfc")) {
    readCbfc(*cbfc, switches.cbfc.emplace(), places, problems);
  }
  if (auto llr = map.block("llr", "llr")) readLlr(*llr, switches.llr.emplace());
  map.finish();
}

void readLoadBalancing(const YamlNode& node, fabric::LoadBalancingSpec& balancing,
                       FieldPlaces& places, Problems& problems) {
  places.addBlock("switches.load_balancing", node);
  // The kind alone stands for {kind: …}.
  if (node.kind == YamlNode::Kind::kScalar) {
    std::vector<std::string> words;
    for (const auto& [name, kind] : kBalancing) words.emplace_back(name);
    if (const auto word = readWord(node, words, problems)) {
      balancing.kind = kBalancing[*word].second;
    }
    return;
  }
  auto checked = readMap(node, "load_balancing", problems);
  if (!checked) return;
  SpecReader map(std::move(*checked), "switches.load_balancing", &places, problems);
  if (map.required("kind") != nullptr) {
    map.readWordOf<LoadBalancingKind>("kind", "kind", kBalancing, balancing.kind);
  }
  if (balancing.kind == LoadBalancingKind::kFlowlet) {
    map.read("gap", "flowlet_gap", balancing.flowlet_gap);
  } else if (const YamlNode* gap = map.optional("gap")) {
    problems.add(*gap, "only flowlet load balancing has a gap", "kind: flowlet");
  }
  map.finish();
}

}  // namespace plumbline::scenario
