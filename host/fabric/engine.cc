#include "fabric/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/error.h"

namespace plumbline::fabric {
namespace {

// Longest frame that send() takes; far above any Ethernet frame.
constexpr std::uint32_t kMaxLength = 65'535;

[[noreturn]] void refuse(HostId host, const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::kTester, what, fmt::format("fabric host {}", host), remedy);
}

}  // namespace

Engine::Engine(Topology topology, const SwitchSpec& switches,
               const std::vector<Impairment>& impairments, std::uint64_t seed)
    : topology_(std::move(topology)), routing_(topology_, seed) {
  buildLanes(switches);
  for (const NodeId host : topology_.hosts()) {
    host_links_.push_back(topology_.nodes()[host].out_links.front());
  }
  host_free_.resize(host_links_.size(), Picoseconds(std::numeric_limits<std::int64_t>::min()));
  buildStages(impairments);
}

void Engine::buildLanes(const SwitchSpec& switches) {
  lanes_.resize(topology_.links().size());
  ports_.reserve(lanes_.size());
  for (LinkId id = 0; id < lanes_.size(); ++id) {
    const Link& link = topology_.links()[id];
    const Node& to = topology_.nodes()[link.to];
    Lane& lane = lanes_[id];
    lane.wire = WireClock(link.rate);
    lane.node_index = to.index;
    lane.to_host = to.kind == NodeKind::kHost;
    lane.fixed_delay = link.delay + (lane.to_host ? Picoseconds(0) : switches.latency);
    lane.stored = !lane.to_host && switches.forwarding == Forwarding::kStoreAndForward;
    lane.may_underrun = !lane.to_host && !lane.stored &&
                        std::any_of(to.out_links.begin(), to.out_links.end(), [&](LinkId out) {
                          return topology_.links()[out].rate > link.rate;
                        });
    ports_.emplace_back(lane.wire, switches.buffer_per_port);
  }
}

void Engine::buildStages(const std::vector<Impairment>& impairments) {
  std::map<HostId, std::vector<ImpairmentStage::Line>> scripts;
  for (const Impairment& one : impairments) {
    const auto slot = static_cast<std::uint32_t>(held_.size());
    scripts[one.host].push_back({one, slot});
    if (one.kind == ImpairmentKind::kDelay) held_.emplace_back();
  }
  for (auto& [host, script] : scripts) {
    const LinkId link = host_links_[host];
    lanes_[link].stage = static_cast<std::uint32_t>(stages_.size());
    stages_.push_back({ImpairmentStage(std::move(script), lanes_[link].wire), {}, link});
  }
}

void Engine::send(HostId host, const Packet& packet, Picoseconds first_bit) {
  checkSend(host, packet, first_bit);
  const LinkId link = host_links_[host];
  host_free_[host] = first_bit + lanes_[link].wire.frameAndPreamble(packet.length);
  launch(link, packet, first_bit);
}

void Engine::checkSend(HostId host, const Packet& packet, Picoseconds first_bit) const {
  const auto hosts = static_cast<HostId>(host_links_.size());
  if (host >= hosts) {
    refuse(host, "no such host", fmt::format("hosts are 0 to {}", hosts - 1));
  }
  if (packet.destination >= hosts || packet.destination == host) {
    refuse(host, fmt::format("host {} is not a destination", packet.destination),
           fmt::format("allowed: any other host from 0 to {}", hosts - 1));
  }
  if (packet.length == 0 || packet.length > kMaxLength) {
    refuse(host, fmt::format("a frame of {} bytes", packet.length),
           fmt::format("allowed: 1 to {} bytes", kMaxLength));
  }
  if (first_bit < host_free_[host]) {
    refuse(host,
           fmt::format("a frame starts at {} ps on a wire that is occupied until {} ps",
                       first_bit.count(), host_free_[host].count()),
           "send frames of a host in time order, preamble and frame never overlapping");
  }
  const Link& link = topology_.links()[host_links_[host]];
  const Lane& lane = lanes_[host_links_[host]];
  const Picoseconds consequence =
      lane.stored ? first_bit + link.delay + lane.wire.serialization(packet.length)
                  : first_bit + lane.fixed_delay;
  if (consequence <= now_) {
    refuse(
        host,
        fmt::format("a frame sent at {} ps takes effect at {} ps, but everything up to {} ps has "
                    "already happened",
                    first_bit.count(), consequence.count(), now_.count()),
        "send the frame before running past its effect");
  }
}

void Engine::runUntil(Picoseconds time) {
  if (running_) throw Error(ErrorKind::kTester, "runUntil() called from an observer", "fabric");
  if (time < now_) {
    throw Error(ErrorKind::kTester,
                fmt::format("time cannot go back from {} ps to {} ps", now_.count(), time.count()),
                "fabric");
  }
  struct Guard {
    bool& flag;
    explicit Guard(bool& f) : flag(f) { flag = true; }
    ~Guard() { flag = false; }
  } guard(running_);
  while (!events_.empty()) {
    const Event event = events_.top();
    if (event.time > time) break;
    now_ = event.time;
    execute(event);
  }
  now_ = time;
}

std::optional<Picoseconds> Engine::nextEvent() const {
  if (events_.empty()) return std::nullopt;
  return events_.top().time;
}

void Engine::execute(const Event& event) {
  if (event.source < lanes_.size()) {
    executeLink(event.source);
  } else if (event.source < lanes_.size() + stages_.size()) {
    executeStage(event.source - stageSource(0));
  } else {
    executeHeld(event.source - heldSource(0));
  }
}

void Engine::executeLink(LinkId id) {
  Lane& lane = lanes_[id];
  const Packet packet = lane.flight.front().packet;
  if (lane.may_underrun && !lane.head_stored) {
    const LinkId out = routing_.nextLink(lane.node_index, packet.destination, packet.flow_hash);
    if (ports_[out].wire().rate() > lane.wire.rate()) {
      lane.head_stored = true;
      events_.replaceTop({now_ + lane.wire.serialization(packet.length), id});
      return;
    }
  }
  const bool stored = lane.stored || lane.head_stored;
  lane.head_stored = false;
  popEvent(id, lane.flight);
  if (lane.stage == kNone) {
    handOver(lane, packet);
  } else {
    impair(lane.stage, packet, stored ? lane.wire.serialization(packet.length) : Picoseconds(0));
  }
}

void Engine::executeStage(std::uint32_t index) {
  Stage& stage = stages_[index];
  const Packet packet = stage.waiting.front().packet;
  popEvent(stageSource(index), stage.waiting);
  handOver(lanes_[stage.link], packet);
}

void Engine::executeHeld(std::uint32_t index) {
  const Held held = held_[index];
  events_.pop();
  leaveStage(held.stage, held.packet, held.head_start);
}

void Engine::impair(std::uint32_t index, const Packet& packet, Picoseconds head_start) {
  const ImpairmentStage::Line* line = stages_[index].script.nextFrame();
  if (line == nullptr) {
    leaveStage(index, packet, head_start);
    return;
  }
  switch (line->what.kind) {
    case ImpairmentKind::kDrop:
      reportDrop(packet, DropReason::kScripted);
      break;
    case ImpairmentKind::kDuplicate:
      leaveStage(index, packet, head_start);
      leaveStage(index, packet, head_start);
      break;
    case ImpairmentKind::kDelay:
      held_[line->held_slot] = {packet, index, head_start};
      events_.push({now_ + line->what.delay, heldSource(line->held_slot)});
      break;
  }
}

void Engine::leaveStage(std::uint32_t index, const Packet& packet, Picoseconds head_start) {
  Stage& stage = stages_[index];
  const Picoseconds leaves = stage.script.place(packet.length, now_, head_start);
  if (leaves == now_) {
    handOver(lanes_[stage.link], packet);
  } else {
    pushEvent(stageSource(index), stage.waiting, {packet, leaves});
  }
}

void Engine::handOver(const Lane& lane, const Packet& packet) {
  if (lane.to_host) {
    if (deliver_) deliver_(lane.node_index, packet, now_);
    return;
  }
  const LinkId out = routing_.nextLink(lane.node_index, packet.destination, packet.flow_hash);
  const std::optional<Picoseconds> first_bit = ports_[out].admit(packet.length, now_);
  if (first_bit) {
    launch(out, packet, *first_bit);
  } else {
    reportDrop(packet, DropReason::kBufferFull);
  }
}

void Engine::launch(LinkId id, const Packet& packet, Picoseconds first_bit) {
  Lane& lane = lanes_[id];
  Picoseconds handed_over = first_bit + lane.fixed_delay;
  if (lane.stored) handed_over += lane.wire.serialization(packet.length);
  pushEvent(id, lane.flight, {packet, handed_over});
}

void Engine::pushEvent(SourceId source, Ring<InFlight>& ring, const InFlight& item) {
  if (ring.empty()) events_.push({item.handed_over, source});
  ring.push(item);
}

void Engine::popEvent(SourceId source, Ring<InFlight>& ring) {
  ring.pop();
  if (ring.empty()) {
    events_.pop();
  } else {
    events_.replaceTop({ring.front().handed_over, source});
  }
}

void Engine::reportDrop(const Packet& packet, DropReason reason) const {
  if (drop_) drop_(packet, now_, reason);
}

std::vector<PortCounters> Engine::counters() const {
  std::vector<PortCounters> all;
  for (const NodeId id : topology_.switches()) {
    const Node& node = topology_.nodes()[id];
    for (std::uint32_t port = 0; port < node.out_links.size(); ++port) {
      const OutputPort& out = ports_[node.out_links[port]];
      all.push_back({node.index, port, out.packets(), out.bytes(), out.drops(),
                     static_cast<std::uint64_t>(out.maxQueueBytes())});
    }
  }
  return all;
}

}  // namespace plumbline::fabric
