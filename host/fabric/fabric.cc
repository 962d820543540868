#include "fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "fabric/engine.h"
#include "fabric/topology.h"

namespace plumbline::fabric {
namespace {

const FabricSpec& validated(const FabricSpec& spec) {
  validate(spec);
  return spec;
}

}  // namespace

class Fabric::Impl {
 public:
  Impl(const FabricSpec& spec, const RunOptions& options)
      : spec_(validated(spec)), engine_(buildTopology(spec_.topology), spec_, options) {}

  Engine& engine() { return engine_; }
  [[nodiscard]] Picoseconds unloadedLatency(HostId from, HostId to, Bytes length) const;

 private:
  FabricSpec spec_;
  Engine engine_;
};

// Along the first of the shortest paths.
Picoseconds Fabric::Impl::unloadedLatency(HostId from, HostId to, Bytes length) const {
  const Topology& topology = engine_.topology();
  const auto hosts = static_cast<HostId>(topology.hosts().size());
  if (from >= hosts || to >= hosts || from == to) {
    throw Error(ErrorKind::kUsage, fmt::format("no path from host {} to host {}", from, to),
                "unloadedLatency", fmt::format("allowed: two different hosts below {}", hosts));
  }
  Picoseconds latency;
  LinkId id = topology.nodes()[topology.hosts()[from]].out_links.front();
  for (;;) {
    const Link& link = topology.links()[id];
    latency += link.delay;
    const Node& node = topology.nodes()[link.to];
    if (node.kind == NodeKind::kHost) return latency;
    latency += spec_.switches.latency;
    const bool stored = spec_.switches.forwarding == Forwarding::kStoreAndForward ||
                        std::any_of(node.out_links.begin(), node.out_links.end(), [&](LinkId out) {
                          return topology.links()[out].rate > link.rate;
                        });
    if (stored) latency += serializationTime(length, link.rate);
    id = engine_.routing().candidates(node.index, to).front();
  }
}

Fabric::Fabric(const FabricSpec& spec, const RunOptions& options)
    : impl_(std::make_unique<Impl>(spec, options)) {}
Fabric::~Fabric() = default;

void Fabric::attach(HostId host, Endpoint& endpoint) { impl_->engine().attach(host, endpoint); }
void Fabric::observe(Observer& observer) { impl_->engine().observe(observer); }
void Fabric::onDeliver(DeliverFn fn) { impl_->engine().onDeliver(std::move(fn)); }
void Fabric::onPause(PauseFn fn) { impl_->engine().onPause(std::move(fn)); }
void Fabric::onDrop(DropFn fn) { impl_->engine().onDrop(std::move(fn)); }

void Fabric::send(HostId host, const Packet& packet, Picoseconds first_bit) {
  impl_->engine().send(host, packet, first_bit);
}
void Fabric::sendPause(HostId host, PriorityMask enabled, PriorityMask xoff, std::uint16_t quanta,
                       Picoseconds first_bit) {
  impl_->engine().sendPause(host, enabled, xoff, quanta, first_bit);
}

void Fabric::wake(HostId host) { impl_->engine().wakeEndpoint(host); }
void Fabric::runUntil(Picoseconds time) { impl_->engine().runUntil(time); }
Picoseconds Fabric::now() const { return impl_->engine().now(); }
std::optional<Picoseconds> Fabric::nextEvent() const { return impl_->engine().nextEvent(); }

const Topology& Fabric::topology() const { return impl_->engine().topology(); }

std::uint32_t Fabric::hostCount() const {
  return static_cast<std::uint32_t>(topology().hosts().size());
}

std::vector<PortCounters> Fabric::counters() const {
  std::vector<PortCounters> all;
  for (const NodeId id : topology().switches()) {
    const Node& node = topology().nodes()[id];
    for (std::uint32_t port = 0; port < node.out_links.size(); ++port) {
      const LinkId link = node.out_links[port];
      all.push_back({impl_->engine().counters(link), node.index, port, link});
    }
  }
  return all;
}

LinkReading Fabric::read(LinkId link) { return impl_->engine().read(link); }

LinkCounters Fabric::linkCounters(LinkId link) const { return impl_->engine().counters(link); }
Onwards Fabric::onwards(LinkId link) const { return impl_->engine().onwards(link); }
bool Fabric::standsStill() { return impl_->engine().standsStill(); }
double Fabric::bitErrorRate(LinkId link) const { return impl_->engine().bitErrorRate(link); }
std::uint64_t Fabric::framesInside() const { return impl_->engine().framesInside(); }
std::uint64_t Fabric::framesReceived(HostId host) const {
  return impl_->engine().framesReceived(host);
}

std::string Fabric::switchName(std::uint32_t node) const {
  return topology().nodes()[topology().switches().at(node)].name;
}

Picoseconds Fabric::unloadedLatency(HostId from, HostId to, Bytes length) const {
  return impl_->unloadedLatency(from, to, length);
}

}  // namespace plumbline::fabric
