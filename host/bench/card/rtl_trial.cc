#include "bench/card/rtl_trial.h"

#include <fmt/format.h>

#include "bench/card/flow_plan.h"
#include "bench/sim/fabric_figures.h"
#include "bench/sim/trial_faults.h"
#include "bench/trial/calibration.h"

namespace plumbline::bench {

SimulatedLinkPartner::SimulatedLinkPartner(CardGroup& cards, const TrialSpec& spec, bool watched)
    : cards_(cards),
      streams_end_(spec.duration),
      link_(cards, spec, usedHosts(spec)),
      hops_(link_.fabric(), spec.dut, link_.simHosts()) {
  for (std::uint32_t port = 0; port < cards.ports(); ++port) {
    underruns_before_.push_back(cards.wireStats(port).underruns);
  }
  if (watched) watch_.emplace(link_.fabric());
}

std::optional<LinkPartner::CrossedFrames> SimulatedLinkPartner::crossedFrames() const {
  return CrossedFrames{link_.framesFromCard(), link_.framesToCard()};
}

bool SimulatedLinkPartner::settled(std::uint64_t planned, bool stopped) const {
  return link_.empty() && (stopped || link_.framesFromCard() >= planned);
}

void SimulatedLinkPartner::close(Picoseconds drain, std::vector<std::string>& faults) {
  if (!link_.empty()) {
    faults.push_back(drainFault(link_.inFlight(), drain));
  }
  // Simulated hosts go on; the counters must stand still while they are read.
  cards_.connect(nullptr);
}

std::optional<std::uint64_t> SimulatedLinkPartner::due(std::uint32_t port,
                                                       std::uint64_t dropped) const {
  return link_.framesToPort(port) - dropped;
}

void SimulatedLinkPartner::collectPort(std::uint32_t port, PortResult& result) {
  result.dut_discarded = link_.discarded(port);
}

bool SimulatedLinkPartner::underran(std::uint32_t port) const {
  return cards_.wireStats(port).underruns > underruns_before_[port];
}

void SimulatedLinkPartner::collect(TrialResult& result) {
  result.dut_observed = ObservationPoint::kModelled;
  for (const fabric::PortCounters& port : link_.fabric().counters()) {
    result.dut.push_back(
        {fmt::format("{} port {}", link_.fabric().switchName(port.node), port.port), port.packets,
         port.dropped(), Bytes(static_cast<std::int64_t>(port.max_queue_bytes))});
  }
  for (const std::string& what : link_.faults()) result.faults.push_back(what);
}

void SimulatedLinkPartner::collectFabric(TrialResult& result) {
  result.fabric = fabricFigures(link_.fabric(), link_.simHosts(), hops_, streams_end_);
}

void SimulatedLinkPartner::look(TrialSnapshot& snapshot) {
  if (watch_) watch_->look(snapshot.time, snapshot);
}

RtlTrial::RtlTrial(CardGroup& cards, const TrialSpec& spec, const Capabilities& capabilities,
                   const TrialHooks& hooks)
    : link_partner_(cards, spec, hooks.observer != nullptr),
      trial_(cards, link_partner_, {kTxOffset, kRxOffset}, spec, capabilities, hooks) {}

}  // namespace plumbline::bench
