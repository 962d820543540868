#include "fabric/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "fabric/engine/bits.h"
#include "fabric/engine/prefetch.h"

namespace plumbline::fabric {
namespace {

[[noreturn]] void refuseHost(HostId host, const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::kTester, what, fmt::format("fabric host {}", host), remedy);
}

// Nodes of a turn from which on their memory is fetched ahead: fewer nodes stay in the cache.
constexpr std::size_t kManyNodes = 64;

Picoseconds shortestLink(const Topology& topology) {
  Picoseconds shortest = kNever;
  for (const Link& link : topology.links()) shortest = std::min(shortest, link.delay);
  return shortest;
}

}  // namespace

Engine::Engine(Topology topology, const FabricSpec& spec, const RunOptions& options)
    : plan_(std::move(topology), spec),
      topology_(plan_.topology()),
      spec_(plan_.spec()),
      window_(options.core == Core::kReference ? Picoseconds(1) : shortestLink(topology_)),
      reference_(options.core == Core::kReference),
      outboxes_(options.threads > 1 ? topology_.nodes().size() : 1),
      wakes_(topology_.nodes().size(), kNever),
      turn_(topology_.nodes().size()),
      phase_of_(phasesOf(topology_)),
      tester_(topology_.nodes().size()) {
  for (Group& group : groups_) group.awake.resize((topology_.nodes().size() + 63) / 64);
  buildQueues();
  measureReach();
  buildNodes();
  addScripts();
  for (const NodeId host : topology_.hosts()) tester_[host] = 1;
  testers_ = topology_.hosts().size();
  if (options.threads > 1) {
    pool_ = std::make_unique<WorkerPool>(options.threads, options.share_always);
  }
}

void Engine::buildQueues() {
  for (LinkId id = 0; id < topology_.links().size(); ++id) {
    queues_.push_back(std::make_unique<PropagationQueue>());
    const Link& link = topology_.links()[id];
    queues_.back()->to_node = link.to;
    // Both directions of a cable use the same port.
    queues_.back()->to_port =
        topology_.nodes()[link.to].kind == NodeKind::kHost
            ? std::uint16_t{0}
            : static_cast<std::uint16_t>(topology_.links()[reverse(id)].from_port);
    setReceivingEnd(id);
  }
}

// Sets the delays that depend on the node at the far end (see PropagationQueue).
void Engine::setReceivingEnd(LinkId id) {
  const Link& link = topology_.links()[id];
  const Node& to = topology_.nodes()[link.to];
  const bool tester =
      to.kind == NodeKind::kHost && (hosts_.empty() || !hosts_[to.index]->attached());
  PropagationQueue& queue = *queues_[id];
  queue.propagation = link.delay;
  queue.hand_over_delay = link.delay;
  queue.control_delay = link.delay;
  if (!tester) {
    queue.control_delay += WireClock(link.rate).serialization(kControlFrameBytes);
    if (spec_.switches.pfc) queue.control_delay += spec_.switches.pfc->response;
  }
  if (to.kind == NodeKind::kHost) {
    queue.from_last_bit = !tester;
    return;
  }
  queue.hand_over_delay += spec_.switches.latency;
  queue.from_last_bit = spec_.switches.forwarding == Forwarding::kStoreAndForward ||
                        std::any_of(to.out_links.begin(), to.out_links.end(), [&](LinkId out) {
                          return topology_.links()[out].rate > link.rate;
                        });
}

Transmitter::Setup Engine::transmitterSetup(LinkId id) const {
  const Link& link = topology_.links()[id];
  Transmitter::Setup setup;
  setup.id = id;
  setup.rate = link.rate;
  setup.outages = plan_.outages(id);
  setup.bit_error_rate = plan_.bitErrorRate(id);
  setup.seed = mix64(spec_.drawSeed() ^ hash64(topology_.linkName(id)));
  if (spec_.switches.llr) {
    setup.retry = linkRetry(*spec_.switches.llr, link, plan_.bitErrorRate(id),
                            topology_.links()[reverse(id)], plan_.bitErrorRate(reverse(id)));
  }
  setup.propagation = link.delay;
  return setup;
}

void Engine::buildNodes() {
  nodes_.resize(topology_.nodes().size());
  for (const NodeId id : topology_.hosts()) {
    const Node& node = topology_.nodes()[id];
    const LinkId up = node.out_links.front();
    HostNode::Setup setup{.host = node.index,
                          .spec = &spec_.switches,
                          .transmitter = transmitterSetup(up),
                          .output = queues_[up].get(),
                          .input = queues_[reverse(up)].get(),
                          .storms = {}};
    for (const PauseStormSpec& storm : spec_.storms) {
      if (storm.host == node.index) setup.storms.push_back(storm);
    }
    hosts_.push_back(std::make_unique<HostNode>(std::move(setup)));
    nodes_[id] = hosts_.back().get();
  }
  for (const NodeId id : topology_.switches()) {
    const Node& node = topology_.nodes()[id];
    SwitchNode::Setup setup;
    setup.number = node.index;
    setup.spec = &spec_.switches;
    setup.routing = &plan_.schedule();
    setup.seed = mix64(spec_.seed ^ hash64(node.name));
    setup.draw_seed = mix64(spec_.drawSeed() ^ hash64(node.name));
    setup.links = &topology_.links();
    for (const LinkId out : node.out_links) {
      setup.transmitters.push_back(transmitterSetup(out));
      setup.outputs.push_back(queues_[out].get());
      setup.inputs.push_back(queues_[reverse(out)].get());
      const NodeId peer = topology_.links()[out].to;
      setup.host_ports.push_back(topology_.nodes()[peer].kind == NodeKind::kHost);
    }
    switches_.push_back(std::make_unique<SwitchNode>(std::move(setup)));
    nodes_[id] = switches_.back().get();
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id]->recorder().setNode(id);
    for (const LinkId out : topology_.nodes()[id].out_links) queues_[out]->outbox = &outboxOf(id);
  }
  for (const NodeId id : topology_.hosts()) {
    wake(id, hosts_[topology_.nodes()[id].index]->first());
  }
}

void Engine::addScripts() {
  std::map<HostId, std::vector<Impairment>> scripts;
  for (const Impairment& one : spec_.impairments) scripts[one.host].push_back(one);
  for (auto& [host, script] : scripts) {
    const Link& up =
        topology_.links()[topology_.nodes()[topology_.hosts()[host]].out_links.front()];
    auto stage = std::make_unique<ImpairmentStage>(std::move(script), WireClock(up.rate));
    const Node& far = topology_.nodes()[up.to];
    const LinkId down = reverse(topology_.nodes()[topology_.hosts()[host]].out_links.front());
    if (far.kind == NodeKind::kHost) {
      hosts_[far.index]->setScript(std::move(stage));
    } else {
      switches_[far.index]->setScript(topology_.links()[down].from_port, std::move(stage));
    }
  }
}

void Engine::attach(HostId host, Endpoint& endpoint) {
  if (host >= hosts_.size()) {
    refuseHost(host, "no such host", fmt::format("hosts are 0 to {}", hosts_.size() - 1));
  }
  const NodeId node = topology_.hosts()[host];
  hosts_[host]->attach(endpoint);
  fetches_ahead_ = fetches_ahead_ || endpoint.fetchesAhead();
  setReceivingEnd(reverse(topology_.nodes()[node].out_links.front()));
  testers_ -= tester_[node];
  tester_[node] = 0;
  wake(node, hosts_[host]->first());
}

void Engine::wakeEndpoint(HostId host) {
  if (host >= hosts_.size() || !hosts_[host]->attached()) {
    refuseHost(host, "no endpoint to wake", "wake hosts that have one");
  }
  const Picoseconds at = hosts_[host]->endpointWakesAt();
  if (at < done_) {
    refuseHost(host,
               fmt::format("an endpoint that wakes at {} ps, but everything before {} ps has "
                           "already happened",
                           at.count(), done_.count()),
               "wake it later than now");
  }
  wake(topology_.hosts()[host], at);
}

void Engine::observe(Observer& observer) {
  observers_.push_back(&observer);
  setInterests();
}

void Engine::onDrop(Fabric::DropFn fn) {
  drop_ = std::move(fn);
  driven_ = true;
  setInterests();
}

void Engine::setInterests() {
  std::uint32_t interests = drop_ ? Observer::bit(RecordKind::kDrop) : 0;
  for (const Observer* observer : observers_) interests |= observer->interests();
  for (NodeModel* node : nodes_) node->recorder().setInterests(interests);
}

// Time up to which this host's first hop has been simulated.
Picoseconds Engine::doneAtFarEnd(HostId host) const {
  return clock_.done(phase_of_[hosts_[host]->transmitter().queue().to_node]);
}

void Engine::checkHost(HostId host, Picoseconds first_bit) const {
  if (host >= hosts_.size()) {
    refuseHost(host, "no such host", fmt::format("hosts are 0 to {}", hosts_.size() - 1));
  }
  if (hosts_[host]->attached()) {
    refuseHost(host, "the host has an endpoint", "a host without an endpoint");
  }
  if (first_bit < hosts_[host]->transmitter().freeAt()) {
    refuseHost(host,
               fmt::format("a frame starts at {} ps on a wire that is occupied until {} ps",
                           first_bit.count(), hosts_[host]->transmitter().freeAt().count()),
               "send frames of a host in time order, preamble and frame never overlapping");
  }
}

void Engine::checkSend(HostId host, const Packet& packet, Picoseconds first_bit) const {
  checkHost(host, first_bit);
  const auto hosts = static_cast<HostId>(hosts_.size());
  if (packet.destination >= hosts || packet.destination == host) {
    refuseHost(host, fmt::format("host {} is not a destination", packet.destination),
               fmt::format("allowed: any other host from 0 to {}", hosts - 1));
  }
  if (packet.length == 0) refuseHost(host, "a frame of 0 bytes", "allowed: 1 to 65535 bytes");
  const PropagationQueue& queue = hosts_[host]->transmitter().queue();
  Picoseconds consequence = first_bit + queue.hand_over_delay;
  if (queue.from_last_bit)
    consequence += hosts_[host]->transmitter().clock().serialization(packet.length);
  if (consequence < doneAtFarEnd(host)) {
    refuseHost(
        host,
        fmt::format("a frame sent at {} ps takes effect at {} ps, but everything before {} ps has "
                    "already happened",
                    first_bit.count(), consequence.count(), doneAtFarEnd(host).count()),
        "send the frame before running past its effect");
  }
}

void Engine::send(HostId host, const Packet& packet, Picoseconds first_bit) {
  checkSend(host, packet, first_bit);
  driven_ = true;
  Packet sent = packet;
  sent.source = static_cast<std::uint16_t>(host);
  hosts_[host]->send(sent, first_bit);
  announce(outboxOf(topology_.hosts()[host]));
  if (!hosts_[host]->recorder().records().empty()) {
    // The record is reported when the frame leaves.
    wake(topology_.hosts()[host], std::max(first_bit, done_));
  }
}

void Engine::sendPause(HostId host, PriorityMask enabled, PriorityMask xoff, std::uint16_t quanta,
                       Picoseconds first_bit) {
  checkHost(host, first_bit);
  const PropagationQueue& queue = hosts_[host]->transmitter().queue();
  if (first_bit + queue.control_delay < doneAtFarEnd(host)) {
    refuseHost(host, "a PAUSE frame would take effect before now",
               "send the frame before running past its effect");
  }
  driven_ = true;
  hosts_[host]->sendPause({.at = {}, .enabled = enabled, .xoff = xoff, .value = quanta}, first_bit);
  announce(outboxOf(topology_.hosts()[host]));
}

// Notifies the nodes to which packets or control messages were sent.
void Engine::announce(Outbox& outbox) {
  for (const Outbox::Note& note : outbox.notes) {
    nodes_[note.node]->announce(note);
    wake(note.node, note.time);
  }
  outbox.notes.clear();
  ++outbox.round;
}

// `node` has an event at `time`, or earlier.
void Engine::wake(NodeId node, Picoseconds time) {
  if (time == kNever) return;
  wakes_[node] = earlier(wakes_[node], time);
  Group& group = groups_[phase_of_[node]];
  setBit(group.awake, node);
  group.next = earlier(group.next, time);
}

// Time of the next event, or of the next record to be reported.
Picoseconds Engine::next() const {
  return records_.empty() ? upcoming() : earlier(upcoming(), records_.front().time);
}

// Shortest time from an event at a node to its first effect at the far end of `link`.
Picoseconds Engine::earliestEffect(LinkId link) const {
  const PropagationQueue& queue = *queues_[link];
  Picoseconds earliest = queue.hand_over_delay;
  if (spec_.switches.pfc || !spec_.storms.empty())
    earliest = earlier(earliest, queue.control_delay);
  if (spec_.switches.cbfc) {
    earliest = earlier(earliest, queue.propagation + spec_.switches.cbfc->processing);
  }
  return earliest;
}

void Engine::measureReach() {
  for (LinkId id = 0; id < topology_.links().size(); ++id) {
    const Link& link = topology_.links()[id];
    clock_.limit(phase_of_[link.from], phase_of_[link.to], earliestEffect(id));
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
  const Picoseconds limit = time + Picoseconds(1);
  while (next() < limit) {
    clock_.skipTo(next());
    runTurns(limit);
    if (!inStep() && upcoming() >= limit) clock_.skipTo(limit);
    done_ = clock_.done();
    report();
  }
  clock_.skipTo(limit);
  now_ = time;
  done_ = limit;
}

void Engine::runTurns(Picoseconds limit) {
  const Picoseconds together = clock_.done() + window_;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const Picoseconds end = earlier(limit, inStep() ? together : clock_.horizon(phase));
    if (end <= clock_.done(phase)) continue;
    runTurn(phase, end);
    clock_.setDone(phase, end);
    collect();
  }
}

void Engine::runTurn(std::size_t phase, Picoseconds end) {
  const Picoseconds begin = clock_.done(phase);
  Group& group = groups_[phase];
  group.next = kNever;
  std::size_t count = 0;
  // From the last one on: switches, which have the most work, mostly have higher ids than hosts,
  // and several threads should not wait for a switch that starts last.
  for (std::size_t w = group.awake.size(); w-- > 0;) {
    for (std::uint64_t bits = group.awake[w]; bits != 0;) {
      const auto bit = static_cast<unsigned>(std::bit_width(bits)) - 1;
      bits ^= std::uint64_t{1} << bit;
      const auto id = static_cast<NodeId>(w * 64 + bit);
      // Without a branch, because its outcome is unpredictable.
      const std::int64_t wakes = wakes_[id].count();
      const bool runs = wakes < end.count();
      turn_[count] = id;
      count += std::size_t{runs};
      const Picoseconds pending(wakes | (kNever.count() & -static_cast<std::int64_t>(runs)));
      group.next = earlier(group.next, pending);
    }
  }
  // One thread alternates the direction: the nodes it touched last are still in the cache when the
  // other group starts.
  if (!pool_ && phase == 0) {
    std::reverse(turn_.begin(), turn_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  runnable_ = std::span(turn_).first(count);
  const auto run = [&](std::size_t i) {
    const NodeId id = runnable_[i];
    wakes_[id] = nodes_[id]->run(begin, end);
  };
  if (pool_) {
    pool_->run(phase, runnable_.size(), run);
  } else {
    const bool many = fetches_ahead_ && runnable_.size() >= kManyNodes;
    for (std::size_t i = 0; i < runnable_.size(); ++i) {
      if (many) prefetchAfter(i);
      run(i);
    }
  }
  for (const NodeId id : runnable_) {
    if (wakes_[id] == kNever) clearBit(group.awake, id);
    group.next = earlier(group.next, wakes_[id]);
    if (pool_) announce(outboxes_[id]);
  }
  if (!pool_) announce(outboxes_.front());
}

// While one node runs, the next nodes are fetched: first the node itself, then what it points to.
void Engine::prefetchAfter(std::size_t place) const {
  constexpr std::size_t kNodeLines = 20;
  if (place + 2 < runnable_.size()) {
    prefetchRangeToWrite(nodes_[runnable_[place + 2]], kNodeLines * kCacheLineBytes);
  }
  if (place + 1 < runnable_.size()) nodes_[runnable_[place + 1]]->prefetch();
}

// Collects deliveries and records of the nodes of this turn.
void Engine::collect() {
  const bool records = drop_ || !observers_.empty();
  if (testers_ == 0 && !records) return;
  for (const NodeId id : runnable_) {
    if (tester_[id] != 0) {
      HostNode& host = *hosts_[topology_.nodes()[id].index];
      auto& items = host.deliveries();
      deliveries_.insert(deliveries_.end(), items.begin(), items.end());
      items.clear();
      auto& pauses = host.pauses();
      pauses_.insert(pauses_.end(), pauses.begin(), pauses.end());
      pauses.clear();
    }
    if (records) {
      auto& items = nodes_[id]->recorder().records();
      records_.insert(records_.end(), items.begin(), items.end());
      items.clear();
    }
  }
}

// Reports to observers and testers' ports what happened before done_, in order of time. Records of
// later times are kept: frames that a tester's port was told to send later, and records of the
// group that is ahead.
void Engine::report() {
  if (deliveries_.empty() && records_.empty() && pauses_.empty()) return;

  const auto order = [](const auto& a, const auto& b) {
    return std::tie(a.first_bit, a.host) < std::tie(b.first_bit, b.host);
  };
  std::stable_sort(deliveries_.begin(), deliveries_.end(), order);
  std::stable_sort(pauses_.begin(), pauses_.end(), order);
  std::stable_sort(records_.begin(), records_.end(), [](const Record& a, const Record& b) {
    return std::tie(a.time, a.node, a.link) < std::tie(b.time, b.node, b.link);
  });
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const bool same = i > 0 && records_[i].time == records_[i - 1].time &&
                      records_[i].node == records_[i - 1].node;
    records_[i].sequence = same ? records_[i - 1].sequence + 1 : 0;
  }

  // Callbacks may send(), which does not append to these lists.
  auto delivery = deliveries_.begin();
  auto pause = pauses_.begin();
  auto record = records_.begin();
  for (;;) {
    const Picoseconds delivered = delivery == deliveries_.end() ? kNever : delivery->first_bit;
    const Picoseconds paused = pause == pauses_.end() ? kNever : pause->first_bit;
    const Picoseconds recorded = record == records_.end() ? kNever : record->time;
    const Picoseconds now = std::min({delivered, paused, recorded});
    if (now >= done_) break;
    now_ = now;
    if (paused == now) {
      if (pause_) {
        pause_(pause->host, pause->pause.enabled, pause->pause.xoff,
               static_cast<std::uint16_t>(pause->pause.value), now);
      }
      ++pause;
    } else if (delivered == now) {
      if (deliver_) deliver_(delivery->host, delivery->packet, now);
      ++delivery;
    } else {
      if (drop_ && record->kind == RecordKind::kDrop) drop_(record->packet, now, record->reason);
      for (Observer* observer : observers_) {
        if ((observer->interests() & Observer::bit(record->kind)) != 0) {
          observer->onRecord(*record);
        }
      }
      ++record;
    }
  }
  deliveries_.clear();
  pauses_.clear();
  records_.erase(records_.begin(), record);
}

std::optional<Picoseconds> Engine::nextEvent() const {
  if (next() == kNever) return std::nullopt;
  return next();
}

LinkCounters Engine::counters(LinkId id) const {
  const Link& link = topology_.links()[id];
  const Node& from = topology_.nodes()[link.from];
  if (from.kind == NodeKind::kHost) return hosts_[from.index]->counters(now_);
  return switches_[from.index]->counters(link.from_port, now_);
}

LinkReading Engine::read(LinkId id) {
  const Link& link = topology_.links()[id];
  const Node& from = topology_.nodes()[link.from];
  if (from.kind == NodeKind::kHost) {
    return {hosts_[from.index]->read(now_), 0, hosts_[from.index]->unsentRest(now_)};
  }
  return switches_[from.index]->read(link.from_port, now_);
}

UnsentRest Engine::unsentRest(LinkId id) const {
  const Link& link = topology_.links()[id];
  const Node& from = topology_.nodes()[link.from];
  if (from.kind == NodeKind::kHost) return hosts_[from.index]->unsentRest(now_);
  return switches_[from.index]->unsentRest(link.from_port, now_);
}

Picoseconds Engine::lastPacketBitAt(LinkId id) const {
  const Link& link = topology_.links()[id];
  const Node& from = topology_.nodes()[link.from];
  if (from.kind == NodeKind::kHost) return hosts_[from.index]->lastPacketBitAt();
  return switches_[from.index]->lastPacketBitAt(link.from_port);
}

bool Engine::isDeadlocked() {
  // Hosts first: they mostly decide.
  for (const auto& host : hosts_) {
    if (!host->settled(now_)) return false;
  }
  for (const auto& node : switches_) {
    if (!node->settled(now_)) return false;
  }
  // A pause that its switch does not repeat expires, which is an event.
  for (LinkId id = 0; id < queues_.size(); ++id) {
    const Link& link = topology_.links()[id];
    const PriorityMask paused = nodes_[link.from]->pausedOn(link.from_port, now_);
    if ((paused & ~nodes_[link.to]->pausing(queues_[id]->to_port)) != 0) return false;
  }
  return true;
}

std::uint64_t Engine::framesRetriedInVain() const {
  std::uint64_t frames = 0;
  for (const NodeModel* node : nodes_) frames += node->retriedInVain();
  return frames;
}

std::uint64_t Engine::framesInside() const {
  std::uint64_t frames = 0;
  for (const auto& queue : queues_) frames += queue->packets.size();
  for (const auto& host : hosts_) frames += host->framesInside();
  for (const auto& node : switches_) frames += node->framesInside();
  return frames;
}

void Engine::visitFrames(const std::function<void(const Packet&)>& visit) const {
  for (const auto& queue : queues_) {
    queue->packets.forEach([&](const InFlightPacket& one) { visit(one.packet); });
  }
  for (const auto& node : switches_) node->visitFrames(visit);
}

}  // namespace plumbline::fabric
