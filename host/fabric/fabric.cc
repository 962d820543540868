#include "fabric/fabric.h"

#include <fmt/format.h>

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
  explicit Impl(const FabricSpec& spec)
      : spec_(validated(spec)),
        engine_(buildTopology(spec_.topology), spec_.switches, spec_.impairments, spec_.seed) {}

  Engine& engine() { return engine_; }
  [[nodiscard]] Picoseconds unloadedLatency(HostId from, HostId to, Bytes length) const;

 private:
  FabricSpec spec_;
  Engine engine_;
};

Picoseconds Fabric::Impl::unloadedLatency(HostId from, HostId to, Bytes length) const {
  const TopologySpec& topology = spec_.topology;
  const HostId hosts = topology.hostCount();
  if (from >= hosts || to >= hosts || from == to) {
    throw Error(ErrorKind::kUsage, fmt::format("no path from host {} to host {}", from, to),
                "unloadedLatency", fmt::format("allowed: two different hosts below {}", hosts));
  }
  if (topology.kind == TopologyKind::kLink) return topology.host_link_delay;

  const bool one_switch = topology.kind == TopologyKind::kSingleSwitch ||
                          from / topology.hosts_per_leaf == to / topology.hosts_per_leaf;
  const std::int64_t switches = one_switch ? 1 : 3;
  Picoseconds per_switch = spec_.switches.latency;
  if (spec_.switches.forwarding == Forwarding::kStoreAndForward) {
    per_switch += serializationTime(length, topology.link_rate);
  }
  return 2 * topology.host_link_delay + (switches - 1) * topology.fabric_link_delay +
         switches * per_switch;
}

Fabric::Fabric(const FabricSpec& spec) : impl_(std::make_unique<Impl>(spec)) {}
Fabric::~Fabric() = default;

void Fabric::onDeliver(DeliverFn fn) { impl_->engine().onDeliver(std::move(fn)); }
void Fabric::onDrop(DropFn fn) { impl_->engine().onDrop(std::move(fn)); }

void Fabric::send(HostId host, const Packet& packet, Picoseconds first_bit) {
  impl_->engine().send(host, packet, first_bit);
}

void Fabric::runUntil(Picoseconds time) { impl_->engine().runUntil(time); }
Picoseconds Fabric::now() const { return impl_->engine().now(); }
std::optional<Picoseconds> Fabric::nextEvent() const { return impl_->engine().nextEvent(); }

std::uint32_t Fabric::hostCount() const {
  return static_cast<std::uint32_t>(impl_->engine().topology().hosts().size());
}

std::vector<PortCounters> Fabric::counters() const { return impl_->engine().counters(); }

std::string Fabric::switchName(std::uint32_t node) const {
  const Topology& topology = impl_->engine().topology();
  return topology.nodes()[topology.switches().at(node)].name;
}

Picoseconds Fabric::unloadedLatency(HostId from, HostId to, Bytes length) const {
  return impl_->unloadedLatency(from, to, length);
}

}  // namespace plumbline::fabric
