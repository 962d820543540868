#include "tests/fabric/random_scenario.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <random>

#include "base/random.h"
#include "fabric/link/link_retry.h"
#include "fabric/topology/topology.h"
#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

// Distributions of our own: the standard library's differ by vendor.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(mix64(seed)) {}

  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool oneIn(std::uint64_t n) { return below(n) == 0; }
  std::uint8_t mask() { return static_cast<std::uint8_t>(1 + below(255)); }

 private:
  std::mt19937_64 engine_;
};

BitRate anyRate(Dice& dice) {
  constexpr std::array<std::int64_t, 6> kRates{10, 25, 100, 200, 400, 800};
  return gigabitsPerSecond(kRates.at(dice.below(kRates.size())));
}

// Often a round number, so that many things happen at one instant.
Picoseconds anyDelay(Dice& dice) {
  return dice.oneIn(2) ? nanoseconds(dice.between(1, 8) * 50)
                       : Picoseconds(dice.between(1'000, 900'000));
}

TopologySpec anyGraph(Dice& dice) {
  TopologySpec topology;
  topology.kind = TopologyKind::kGraph;
  GraphSpec& graph = topology.graph;
  const auto switches = static_cast<std::uint32_t>(dice.between(1, 5));
  const auto hosts = static_cast<std::uint32_t>(dice.between(2, 8));
  const bool one_rate = dice.oneIn(2);
  const BitRate rate = anyRate(dice);
  const auto join = [&](const std::string& a, const std::string& b) {
    graph.cables.push_back({a, b, one_rate ? rate : anyRate(dice), anyDelay(dice)});
  };
  for (std::uint32_t i = 0; i < switches; ++i) {
    graph.switches.push_back(fmt::format("s{}", i));
    if (i > 0) join(graph.switches[i], graph.switches[dice.below(i)]);
  }
  for (std::uint64_t extra = dice.below(switches + 2); extra > 0 && switches > 1; --extra) {
    const std::uint64_t a = dice.below(switches);
    join(graph.switches[a], graph.switches[(a + 1 + dice.below(switches - 1)) % switches]);
  }
  for (std::uint32_t i = 0; i < hosts; ++i) {
    graph.hosts.push_back(fmt::format("h{}", i));
    join(graph.switches[dice.below(switches)], graph.hosts.back());
  }
  return topology;
}

TopologySpec anyTopology(Dice& dice) {
  if (dice.oneIn(2)) return anyGraph(dice);
  TopologySpec topology;
  switch (dice.below(6)) {
    case 0:
      topology.kind = TopologyKind::kLink;
      break;
    case 1:
      topology.kind = TopologyKind::kSingleSwitch;
      topology.hosts = static_cast<std::uint32_t>(dice.between(2, 6));
      break;
    case 2:
      topology.kind = TopologyKind::kClos2;
      topology.leaves = static_cast<std::uint32_t>(dice.between(1, 3));
      topology.uplinks = static_cast<std::uint32_t>(dice.between(1, 2));
      break;
    case 3:
      topology.kind = TopologyKind::kClos3;
      topology.hosts_per_leaf = 1;
      break;
    case 4:
      topology.kind = TopologyKind::kRail;
      topology.rails = 2;
      topology.servers = 3;
      break;
    default:
      topology.kind = TopologyKind::kPools;
      break;
  }
  topology.link_rate = anyRate(dice);
  if (dice.oneIn(2)) topology.fabric_rate = anyRate(dice);
  topology.host_link_delay = anyDelay(dice);
  topology.fabric_link_delay = anyDelay(dice);
  return topology;
}

PfcSpec anyPfc(Dice& dice, bool shared) {
  PfcSpec pfc;
  pfc.priorities = dice.mask();
  pfc.xoff = Bytes(dice.between(1, 12'000));
  pfc.xon = Bytes(dice.between(0, pfc.xoff.count()));
  pfc.headroom = Bytes(dice.oneIn(3) ? dice.between(0, 3'000) : 12'000);
  pfc.quanta =
      static_cast<std::uint16_t>(dice.oneIn(3) ? dice.between(8, 100) : dice.between(100, 5'000));
  pfc.response = nanoseconds(dice.between(0, 3) * 40);
  if (shared && dice.oneIn(2)) pfc.dynamic_alpha = Fraction::percent(dice.between(1, 150));
  if (dice.oneIn(2)) {
    WatchdogSpec watchdog;
    watchdog.poll = microseconds(dice.between(1, 3));
    watchdog.detection = watchdog.poll * dice.between(1, 3);
    watchdog.restoration = watchdog.poll * dice.between(1, 3);
    if (dice.oneIn(2)) watchdog.action = WatchdogSpec::Action::kForward;
    pfc.watchdog = watchdog;
  }
  return pfc;
}

EcnSpec anyEcn(Dice& dice) {
  EcnSpec ecn;
  ecn.priorities = dice.mask();
  ecn.kmin = Bytes(dice.between(0, 6'000));
  ecn.kmax = ecn.kmin + Bytes(dice.oneIn(3) ? 0 : dice.between(0, 20'000));
  ecn.pmax = Fraction::percent(dice.between(0, 100));
  ecn.at_dequeue = dice.oneIn(2);
  return ecn;
}

SwitchSpec anySwitch(Dice& dice, std::uint32_t max_ports) {
  SwitchSpec spec;
  spec.buffer_per_port = Bytes(dice.between(2'000, 60'000));
  spec.latency = dice.oneIn(3) ? Picoseconds(1) : nanoseconds(dice.between(1, 12) * 50);
  if (dice.oneIn(2)) spec.forwarding = Forwarding::kCutThrough;
  if (dice.oneIn(2)) {
    for (auto& weight : spec.weights) {
      weight = static_cast<std::uint16_t>(dice.oneIn(3) ? 0 : dice.between(1, 4));
    }
    spec.dwrr_quantum = Bytes(dice.between(64, 3'000));
  }
  spec.voq = dice.oneIn(3);
  for (std::uint64_t n = dice.below(3); n > 0; --n) spec.ecn.push_back(anyEcn(dice));
  const bool shared = dice.oneIn(2);
  if (dice.oneIn(2)) spec.pfc = anyPfc(dice, shared);
  if (shared) {
    SharedBufferSpec buffer;
    buffer.alpha = Fraction::percent(dice.between(5, 400));
    buffer.reserve_per_port = Bytes(dice.oneIn(2) ? 0 : dice.between(0, 4'000));
    std::int64_t set_aside = buffer.reserve_per_port.count() * max_ports;
    if (spec.pfc) set_aside += spec.pfc->headroom.count() * 8 * max_ports;
    buffer.total = Bytes(set_aside + dice.between(500, 60'000));
    spec.shared_buffer = buffer;
  }
  if (dice.oneIn(4)) {
    CbfcSpec cbfc;
    cbfc.channels = dice.mask();
    if (spec.pfc) cbfc.channels &= static_cast<std::uint8_t>(~spec.pfc->priorities);
    cbfc.credit_size = Bytes(std::int64_t{32} << dice.below(4));
    cbfc.packet_overhead = static_cast<std::int32_t>(dice.between(-16, 127));
    // Room for one of the largest frames at least.
    cbfc.credits =
        static_cast<std::uint32_t>(9'400 / cbfc.credit_size.count() + dice.between(0, 200));
    cbfc.update_spacing = Bytes(dice.between(1, 8'000));
    cbfc.update_period = nanoseconds(dice.between(100, 2'000));
    cbfc.processing = nanoseconds(dice.between(0, 200));
    if (cbfc.channels != 0) spec.cbfc = cbfc;
  }
  if (dice.oneIn(3)) {
    const auto taken = static_cast<std::uint8_t>((spec.pfc ? spec.pfc->priorities : 0) |
                                                 (spec.cbfc ? spec.cbfc->channels : 0));
    TrimSpec trim;
    trim.threshold = Bytes(dice.between(0, 8'000));
    trim.limit = Bytes(dice.between(64, 2'000));
    trim.priority = static_cast<std::uint8_t>(dice.below(8));
    if ((taken >> trim.priority & 1U) == 0) spec.trim = trim;
  }
  if (dice.oneIn(3)) {
    spec.llr = LlrSpec{nanoseconds(dice.between(0, 200)), nanoseconds(dice.between(0, 200))};
  }
  spec.load_balancing.kind = static_cast<LoadBalancingKind>(dice.below(7));
  spec.load_balancing.flowlet_gap = nanoseconds(dice.between(10, 2'000));
  return spec;
}

// Failures of random cables and switches, flaps among them.
void addFailures(FabricSpec& spec, const Topology& topology, Dice& dice) {
  std::vector<std::string> elements;
  for (LinkId link = 0; link < topology.links().size(); link += 2) {
    elements.push_back(topology.linkName(link));
  }
  for (const NodeId node : topology.switches()) elements.push_back(topology.nodes()[node].name);
  std::shuffle(elements.begin(), elements.end(), std::mt19937_64(dice.below(1U << 30)));
  const std::size_t count = std::min<std::size_t>(elements.size(), 1 + dice.below(2));
  for (std::size_t i = 0; i < count; ++i) {
    Picoseconds time;
    for (std::uint64_t flaps = 1 + dice.below(3); flaps > 0; --flaps) {
      FailureSpec failure;
      failure.element = elements[i];
      failure.down = time + Picoseconds(dice.between(1, 20'000'000));
      failure.up = failure.down + Picoseconds(dice.between(1, 20'000'000));
      time = *failure.up;
      if (flaps == 1 && dice.oneIn(4)) failure.up.reset();
      spec.failures.push_back(failure);
    }
  }
  spec.convergence = dice.oneIn(4) ? Picoseconds(0) : nanoseconds(dice.between(1, 15'000));
}

Packet anyPacket(Dice& dice, HostId from, std::uint32_t hosts, std::uint64_t cookie) {
  HostId to = static_cast<HostId>(dice.below(hosts - 1));
  if (to >= from) ++to;
  // Some destinations are more popular than others.
  if (dice.oneIn(2) && from != 0) to = 0;
  constexpr std::array<std::uint32_t, 4> kLengths{64, 256, 1'024, 4'178};
  const auto length = dice.oneIn(2) ? kLengths.at(dice.below(kLengths.size()))
                                    : static_cast<std::uint32_t>(dice.between(60, 9'216));
  Packet packet = frame(from, to, length, static_cast<unsigned>(dice.below(8)));
  packet.flow_hash ^= static_cast<std::uint32_t>(dice.below(4));
  packet.connection = static_cast<std::uint32_t>(dice.below(3));
  packet.ect = !dice.oneIn(4);
  packet.trimmable = dice.oneIn(2);
  packet.psn = static_cast<std::uint32_t>(cookie);
  return packet;
}

// One of `priorities`.
unsigned anyOf(PriorityMask priorities, Dice& dice) {
  for (;;) {
    const auto priority = static_cast<unsigned>(dice.below(8));
    if ((priorities >> priority & 1U) != 0) return priority;
  }
}

// Makes most frames of all hosts but host 0 go there, at one of `priorities`.
void aimAtHost0(Packet& packet, HostId from, PriorityMask priorities, Dice& dice) {
  if (from == 0 || dice.oneIn(8)) return;
  packet.destination = 0;
  if (dice.oneIn(8)) return;
  packet.priority = anyOf(priorities, dice) & 7U;
}

// Sends data with a window that what it receives opens, answers data with small replies, slows down
// by a timer when it is told of congestion, and gives up on what did not come back.
class Reactive final : public Endpoint {
 public:
  Reactive(HostId self, std::uint32_t hosts, const Scenario& scenario)
      : self_(self),
        hosts_(hosts),
        left_(scenario.frames_each),
        incast_(scenario.incast),
        only_(scenario.only),
        dice_(mix64(scenario.endpoint_seed + self)),
        aim_(mix64(scenario.endpoint_seed + self) + 1) {
    window_ = 1 + static_cast<std::uint32_t>(dice_.below(12));
    if (scenario.window != 0) window_ = scenario.window;
    start_ = Picoseconds(dice_.between(0, 3'000'000));
    setWakeAt(start_);
  }

  void receive(const Packet& packet, Picoseconds now) override {
    arrivals.push_back({.time = now, .node = self_, .packet = packet});
    if (packet.opcode == kData) {
      Packet reply = frame(self_, packet.source, 64, packet.priority);
      reply.opcode = kReply;
      reply.psn = packet.psn;
      reply.aux = packet.ce ? 1 : 0;
      reply.stamp = static_cast<std::uint64_t>(now.count());
      replies_.push_back(reply);
      return;
    }
    if (outstanding_ > 0) --outstanding_;
    if (packet.aux != 0) {
      blocked_until_ = now + nanoseconds(700);
      setWakeAt(blocked_until_);
    }
  }

  bool transmit(Picoseconds now, PriorityMask paused, Packet& packet) override {
    if (now < start_) return false;
    for (auto reply = replies_.begin(); reply != replies_.end(); ++reply) {
      if ((paused >> reply->priority & 1U) != 0) continue;
      packet = *reply;
      replies_.erase(reply);
      return true;
    }
    if (left_ == 0 || outstanding_ >= window_ || now < blocked_until_) return false;
    if (!drawn_) {
      next_ = anyPacket(dice_, self_, hosts_, left_);
      if (incast_ != 0) aimAtHost0(next_, self_, incast_, aim_);
      if (only_ != 0) next_.priority = anyOf(only_, aim_) & 7U;
      next_.opcode = kData;
      drawn_ = true;
    }
    if ((paused >> next_.priority & 1U) != 0) return false;
    packet = next_;
    packet.stamp = static_cast<std::uint64_t>(now.count());
    drawn_ = false;
    --left_;
    ++outstanding_;
    setWakeAt(now + microseconds(8));
    return true;
  }

  void wake(Picoseconds now) override {
    setWakeAt(kNever);
    if (now >= blocked_until_) outstanding_ = 0;
  }

  std::vector<Record> arrivals;

 private:
  static constexpr std::uint8_t kData = 1;
  static constexpr std::uint8_t kReply = 2;

  HostId self_;
  std::uint32_t hosts_;
  std::uint32_t left_;
  PriorityMask incast_;
  PriorityMask only_;
  Dice dice_;
  Dice aim_;
  std::uint32_t window_ = 1;
  std::uint32_t outstanding_ = 0;
  Picoseconds start_;
  Picoseconds blocked_until_;
  std::deque<Packet> replies_;
  Packet next_;
  bool drawn_ = false;
};

void addTesterTraffic(Scenario& scenario, const Topology& topology, HostId host, Dice& dice) {
  if (dice.oneIn(4)) {  // a port that only pauses
    Picoseconds time;
    for (std::uint64_t n = 1 + dice.below(6); n > 0; --n) {
      time += nanoseconds(dice.between(100, 6'000));
      scenario.pauses.push_back({host, dice.mask(), dice.mask(),
                                 static_cast<std::uint16_t>(dice.between(0, 3'000)), time});
    }
    return;
  }
  const BitRate rate =
      topology.links()[topology.nodes()[topology.hosts()[host]].out_links.front()].rate;
  const auto hosts = static_cast<std::uint32_t>(topology.hosts().size());
  Picoseconds time;
  for (std::uint64_t n = dice.below(40); n > 0; --n) {
    if (dice.oneIn(3)) time += nanoseconds(dice.between(0, 900));
    const Packet packet = anyPacket(dice, host, hosts, n);
    scenario.sends.push_back({host, packet, time});
    time += frameSlot(Bytes(packet.length), rate);
  }
}

// Timer, limits and lost NACKs of the links as they are, by dice of their own.
void limitRetries(FabricSpec& spec) {
  if (!spec.switches.llr) return;
  LlrSpec& llr = *spec.switches.llr;
  Dice own(mix64(spec.seed) + 2);
  const Topology topology = buildTopology(spec.topology);
  Picoseconds longest;
  std::int64_t max_bytes = 0;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& link = topology.links()[id];
    const Picoseconds time = retryTime(kLongestFrame, llr, link, topology.links()[reverse(id)]);
    longest = std::max(longest, time);
    max_bytes = std::max(
        max_bytes, 1 + static_cast<std::int64_t>(time.toSeconds() / 8 *
                                                 static_cast<double>(link.rate.bitsPerSecond())));
  }
  if (own.oneIn(2)) llr.replay_timer = longest + nanoseconds(own.between(1, 3'000));
  if (own.oneIn(2)) llr.max_replays = static_cast<std::uint32_t>(own.below(3));
  if (own.oneIn(2)) llr.replay_buffer = Bytes(max_bytes + own.between(0, 9'000));
  if (own.oneIn(4)) spec.bit_errors.push_back({"*", 5e-4});
  if (own.oneIn(2)) llr.pcs_lost = nanoseconds(own.between(1'000, 60'000));
  if (own.oneIn(3)) llr.data_age = longest + nanoseconds(own.between(0, 20'000));
  llr.init_interval = nanoseconds(own.between(100, 5'000));
}

}  // namespace

Scenario randomScenario(std::uint64_t seed) {
  Dice dice(seed);
  Scenario scenario;
  FabricSpec& spec = scenario.spec;
  spec.seed = seed;
  spec.topology = anyTopology(dice);
  const Topology topology = buildTopology(spec.topology);
  const auto hosts = static_cast<std::uint32_t>(topology.hosts().size());
  spec.switches = anySwitch(dice, std::max(topology.maxPorts(), 1U));
  if (dice.oneIn(3)) {
    for (std::uint64_t n = 1 + dice.below(2); n > 0; --n) {
      constexpr std::array<const char*, 3> kWhere{"*", "hosts", "fabric"};
      constexpr std::array<double, 3> kRates{1e-6, 1e-5, 5e-5};
      const char* where = kWhere.at(dice.below(3));
      spec.bit_errors.push_back({where, kRates.at(dice.below(3))});
    }
  }
  if (dice.oneIn(3)) addFailures(spec, topology, dice);
  if (dice.oneIn(4)) {
    spec.storms.push_back({static_cast<std::uint32_t>(dice.below(hosts)), dice.mask(),
                           nanoseconds(dice.between(0, 9'000)),
                           nanoseconds(dice.between(1, 30'000))});
  }
  if (dice.oneIn(4)) {
    for (std::uint64_t n = 1 + dice.below(4), k = 0; n > 0; --n) {
      k += 1 + dice.below(5);
      spec.impairments.push_back({static_cast<ImpairmentKind>(dice.below(3)),
                                  static_cast<std::uint32_t>(dice.below(hosts)), k,
                                  nanoseconds(dice.between(1, 4'000))});
    }
  }
  scenario.endpoint_seed = dice.below(1U << 30);
  scenario.frames_each = static_cast<std::uint32_t>(dice.between(5, 40));
  scenario.until = microseconds(60);
  const std::uint64_t testers = dice.below(3);  // none, every second or so, most of them
  for (HostId host = 0; host < hosts; ++host) {
    const bool tester = dice.below(4) < testers * 3 / 2;
    scenario.hosts.push_back(tester ? Scenario::HostKind::kTester : Scenario::HostKind::kEndpoint);
    if (tester) addTesterTraffic(scenario, topology, host, dice);
  }
  if (spec.switches.cbfc) {
    // Dice of its own: what the others show does not depend on it.
    Dice own(mix64(seed) + 1);
    spec.switches.cbfc->consumed_period =
        own.oneIn(3) ? Picoseconds(0) : nanoseconds(own.between(1'000, 6'000));
    const auto shared = static_cast<std::uint8_t>(own.mask() & spec.switches.cbfc->channels);
    if (own.oneIn(2) && shared != 0) {
      const auto credits = static_cast<std::uint32_t>(
          9'400 / spec.switches.cbfc->credit_size.count() + own.between(0, 200));
      spec.switches.cbfc->virtual_channels = {{.priorities = shared, .credits = credits}};
    }
  }
  limitRetries(spec);
  return scenario;
}

Scenario randomScenarioOfLongLinks(std::uint64_t seed) {
  Scenario scenario = randomScenario(seed);
  Dice dice(~seed);
  TopologySpec& topology = scenario.spec.topology;
  topology.host_link_delay = nanoseconds(dice.between(800, 1'200));
  topology.fabric_link_delay = nanoseconds(dice.between(800, 1'500));
  for (auto& cable : topology.graph.cables) cable.delay = nanoseconds(dice.between(800, 1'500));
  SwitchSpec& spec = scenario.spec.switches;
  if (spec.cbfc) {
    spec.cbfc->update_period = nanoseconds(dice.between(20, 220));
    spec.cbfc->update_spacing = Bytes(20'000);
  }
  if (spec.pfc) spec.pfc->quanta = static_cast<std::uint16_t>(dice.between(8, 70));
  if (spec.pfc && spec.pfc->watchdog && dice.oneIn(2)) {
    // Several polls in the window of the pause that they are about, which lasts for some of them.
    topology.host_link_delay = topology.host_link_delay * 3;
    topology.fabric_link_delay = topology.fabric_link_delay * 3;
    for (auto& cable : topology.graph.cables) cable.delay = cable.delay * 3;
    spec.pfc->quanta = static_cast<std::uint16_t>(dice.between(200, 5'000));
    WatchdogSpec& watchdog = *spec.pfc->watchdog;
    watchdog.poll = microseconds(1);
    watchdog.detection = microseconds(1);
    watchdog.restoration = microseconds(dice.between(1, 2));
  }
  limitRetries(scenario.spec);
  return scenario;
}

Scenario randomIncast(std::uint64_t seed) {
  Scenario scenario = randomScenario(seed);
  Dice dice(mix64(seed) + 3);
  SwitchSpec& spec = scenario.spec.switches;
  spec.cbfc.reset();
  if (!dice.oneIn(8)) spec.load_balancing.kind = LoadBalancingKind::kEcmp;
  if (dice.oneIn(2)) {
    spec.shared_buffer.reset();
  } else if (dice.oneIn(2)) {
    spec.shared_buffer = SharedBufferSpec{};
  }
  spec.pfc = anyPfc(dice, spec.shared_buffer.has_value());
  if (!dice.oneIn(3)) spec.pfc->priorities = static_cast<PriorityMask>(1U << dice.below(8));
  if (!dice.oneIn(3)) spec.pfc->dynamic_alpha.reset();
  if (!dice.oneIn(3)) spec.pfc->watchdog.reset();
  if (!dice.oneIn(3)) spec.pfc->quanta = static_cast<std::uint16_t>(dice.between(300, 65'535));
  if (spec.shared_buffer) {
    const std::int64_t ports = std::max(buildTopology(scenario.spec.topology).maxPorts(), 1U);
    spec.shared_buffer->total += ports * (8 * spec.pfc->headroom);
  }
  if (spec.trim && (spec.pfc->priorities >> spec.trim->priority & 1U) != 0) spec.trim.reset();
  if (dice.oneIn(2)) scenario.spec.failures.clear();
  if (dice.oneIn(2)) scenario.spec.bit_errors.clear();
  scenario.incast = spec.pfc->priorities;
  scenario.frames_each += 20;
  if (dice.oneIn(2)) {
    // Without testers' ports windows are longer.
    scenario.hosts.assign(scenario.hosts.size(), Scenario::HostKind::kEndpoint);
    scenario.sends.clear();
    scenario.pauses.clear();
  }
  for (Scenario::Send& one : scenario.sends) {
    aimAtHost0(one.packet, one.host, scenario.incast, dice);
  }
  return scenario;
}

Scenario randomCrowd(std::uint64_t seed) {
  Scenario scenario = randomScenario(seed);
  Dice dice(mix64(seed) + 5);
  TopologySpec& topology = scenario.spec.topology;
  topology = {};
  topology.kind = dice.oneIn(2) ? TopologyKind::kSingleSwitch : TopologyKind::kClos2;
  topology.hosts = 3 + static_cast<std::uint32_t>(dice.below(4));
  topology.leaves = topology.spines = topology.hosts_per_leaf = 2;
  topology.link_rate = gigabitsPerSecond(std::int64_t{100} << dice.below(4));
  // Then frames are trimmed where they leave the first switch, and nowhere else.
  if (dice.oneIn(2)) topology.fabric_rate = gigabitsPerSecond(100);
  topology.host_link_delay = nanoseconds(dice.between(500, 3'000));
  topology.fabric_link_delay = nanoseconds(dice.between(500, 3'000));
  scenario.spec.failures.clear();
  scenario.spec.bit_errors.clear();
  scenario.spec.storms.clear();
  scenario.spec.impairments.clear();

  scenario.only = static_cast<PriorityMask>(1U << dice.below(8) | 1U << dice.below(8));
  SwitchSpec& spec = scenario.spec.switches;
  spec.weights.fill(0);
  spec.voq = false;
  spec.pfc.reset();
  spec.cbfc.reset();
  spec.llr.reset();
  spec.load_balancing.kind = dice.oneIn(2) ? LoadBalancingKind::kEcmp : LoadBalancingKind::kEcmpQp;
  spec.buffer_per_port = Bytes(dice.between(50'000, 1'000'000));
  if (spec.shared_buffer) spec.shared_buffer->total = Bytes(8'000'000);
  for (EcnSpec& ecn : spec.ecn) {
    ecn.kmin = Bytes(dice.between(20'000, 200'000));
    ecn.kmax = ecn.kmin + Bytes(dice.between(0, 200'000));
  }
  spec.trim.reset();
  if (dice.oneIn(2)) {
    // Mostly of the higher of the two priorities: else there are three.
    const auto higher = std::bit_width(unsigned{scenario.only}) - 1;
    TrimSpec& trim = spec.trim.emplace();
    trim.threshold = Bytes(dice.between(10'000, 100'000));
    trim.limit = Bytes(dice.between(2'000, 40'000));
    trim.priority = static_cast<std::uint8_t>(dice.oneIn(6) ? dice.below(8) : higher);
  }

  const std::uint32_t hosts = topology.kind == TopologyKind::kClos2 ? 4 : topology.hosts;
  scenario.hosts.assign(hosts, Scenario::HostKind::kEndpoint);
  scenario.sends.clear();
  scenario.pauses.clear();
  scenario.frames_each = 200;
  scenario.window = static_cast<std::uint32_t>(dice.between(20, 120));
  return scenario;
}

namespace {

// Copies that the script made, of frames that reached the far end of their host's link; at least
// and at most, since frames may still be on that link.
struct Copies {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

Copies copiesMade(const Scenario& scenario, const Fabric& fabric) {
  Copies copies;
  for (const Impairment& one : scenario.spec.impairments) {
    if (one.kind != ImpairmentKind::kDuplicate) continue;
    const NodeId node = fabric.topology().hosts()[one.host];
    const LinkCounters counters =
        fabric.linkCounters(fabric.topology().nodes()[node].out_links.front());
    const std::uint64_t lost = counters.drops[static_cast<unsigned>(DropReason::kLinkDown)] +
                               counters.drops[static_cast<unsigned>(DropReason::kCorrupt)] +
                               counters.drops[static_cast<unsigned>(DropReason::kReplays)] +
                               counters.drops[static_cast<unsigned>(DropReason::kAge)];
    if (one.frame < counters.packets - lost) ++copies.max;
    if (one.frame + fabric.framesInside() < counters.packets - lost) ++copies.min;
  }
  return copies;
}

void noteCounters(const Fabric& fabric, std::vector<std::uint64_t>& values) {
  for (LinkId link = 0; link < fabric.topology().links().size(); ++link) {
    const LinkCounters c = fabric.linkCounters(link);
    values.insert(
        values.end(),
        {c.packets, c.bytes, c.control, c.marked, c.trimmed, c.max_queue_bytes, c.xoff_received,
         c.pauses, c.xoff_sent, c.watchdog_events, c.damaged, c.replayed, c.retries, c.nacks,
         c.nacks_lost, c.consumed_updates, static_cast<std::uint64_t>(c.credits_in_use),
         static_cast<std::uint64_t>(c.retry_total.count()),
         static_cast<std::uint64_t>(c.retry_max.count())});
    for (const std::uint64_t drops : c.drops) values.push_back(drops);
    for (const Picoseconds time : c.paused)
      values.push_back(static_cast<std::uint64_t>(time.count()));
  }
  for (HostId host = 0; host < fabric.hostCount(); ++host) {
    values.push_back(fabric.framesReceived(host));
  }
  values.push_back(fabric.framesInside());
}

bool same(const Record& a, const Record& b) {
  const auto key = [](const Record& r) {
    const Packet& p = r.packet;
    return std::tuple(
        std::tuple(r.time, r.node, r.sequence, r.link, r.kind, r.reason, r.priority, r.value),
        std::tuple(p.source, p.destination, p.flow_hash, p.length, unsigned{p.priority},
                   bool{p.ect}, bool{p.ce}, bool{p.trimmable}, bool{p.trimmed},
                   bool{p.trimmed_last_hop}, p.opcode, std::uint32_t{p.connection},
                   std::uint32_t{p.hops}, p.psn, p.aux, p.stamp, p.extra));
  };
  return key(a) == key(b);
}

std::string firstDifference(const char* what, const std::vector<Record>& a,
                            const std::vector<Record>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && same(a[i], b[i])) continue;
    return fmt::format("{} {} of {} and {}:\n  {}\n  {}\n", what, i, a.size(), b.size(),
                       i < a.size() ? describe(a[i]) : "none",
                       i < b.size() ? describe(b[i]) : "none");
  }
  return {};
}

}  // namespace

std::string difference(const Outcome& a, const Outcome& b) {
  std::string text = firstDifference("record", a.records, b.records) +
                     firstDifference("delivery", a.deliveries, b.deliveries) +
                     firstDifference("PAUSE", a.pauses, b.pauses) +
                     firstDifference("arrival", a.arrivals, b.arrivals);
  if (a.counters != b.counters) text += "counters differ\n";
  return text;
}

Outcome runScenario(const Scenario& scenario, const RunOptions& options, int steps,
                    std::uint32_t interests) {
  Outcome outcome;
  std::deque<Reactive> endpoints;
  RecordLog log(interests);
  Fabric fabric(scenario.spec, options);
  const auto hosts = fabric.hostCount();
  for (HostId host = 0; host < hosts; ++host) {
    if (scenario.hosts[host] == Scenario::HostKind::kTester) continue;
    fabric.attach(host, endpoints.emplace_back(host, hosts, scenario));
  }
  fabric.observe(log);
  // Without testers' ports nobody listens to what arrives at them: the fabric may then go ahead of
  // what it has reported.
  if (endpoints.size() < hosts) {
    fabric.onDeliver([&](HostId host, const Packet& packet, Picoseconds time) {
      outcome.deliveries.push_back({.time = time, .node = host, .packet = packet});
    });
    fabric.onPause([&](HostId host, PriorityMask enabled, PriorityMask xoff, std::uint16_t quanta,
                       Picoseconds time) {
      outcome.pauses.push_back({.time = time,
                                .node = host,
                                .priority = enabled,
                                .value = xoff * 65'536 + quanta,
                                .packet = {}});
    });
  }
  for (const Scenario::Send& one : scenario.sends) {
    fabric.send(one.host, one.packet, one.first_bit);
  }
  for (const Scenario::Pause& one : scenario.pauses) {
    fabric.sendPause(one.host, one.enabled, one.xoff, one.quanta, one.first_bit);
  }
  for (int step = 1; step <= steps; ++step) {
    fabric.runUntil(scenario.until * step / std::int64_t{steps});
  }
  outcome.records = log.all();
  for (const Reactive& endpoint : endpoints) {
    outcome.arrivals.insert(outcome.arrivals.end(), endpoint.arrivals.begin(),
                            endpoint.arrivals.end());
  }
  noteCounters(fabric, outcome.counters);
  const Balance balance = balanceOf(fabric);
  const Copies copies = copiesMade(scenario, fabric);
  EXPECT_GE(balance.ended(), balance.sent + copies.min) << balance.text();
  EXPECT_LE(balance.ended(), balance.sent + copies.max) << balance.text();
  return outcome;
}

}  // namespace plumbline::fabric::testing
