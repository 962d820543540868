#include "fabric/engine/fabric.h"

#include <utility>

#include "fabric/engine/engine.h"
#include "fabric/spec/fabric_plan.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

class Fabric::Impl {
 public:
  Impl(const FabricSpec& spec, const RunOptions& options)
      : engine_(checkedTopology(spec), spec, options) {}

  Engine& engine() { return engine_; }

 private:
  Engine engine_;
};

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
UnsentRest Fabric::unsentRest(LinkId link) const { return impl_->engine().unsentRest(link); }
Picoseconds Fabric::lastPacketBitAt(LinkId link) const {
  return impl_->engine().lastPacketBitAt(link);
}
bool Fabric::isDeadlocked() { return impl_->engine().isDeadlocked(); }
std::uint64_t Fabric::framesRetriedInVain() const { return impl_->engine().framesRetriedInVain(); }
double Fabric::bitErrorRate(LinkId link) const { return impl_->engine().plan().bitErrorRate(link); }
std::uint64_t Fabric::framesInside() const { return impl_->engine().framesInside(); }
void Fabric::visitFrames(const std::function<void(const Packet&)>& visit) const {
  impl_->engine().visitFrames(visit);
}
std::uint64_t Fabric::framesReceived(HostId host) const {
  return impl_->engine().framesReceived(host);
}

std::string Fabric::switchName(std::uint32_t node) const {
  return topology().nodes()[topology().switches().at(node)].name;
}

Picoseconds Fabric::unloadedLatency(HostId from, HostId to, Bytes length) const {
  return impl_->engine().plan().unloadedLatency(from, to, length);
}

}  // namespace plumbline::fabric
