// One trial on Verilated cards, with the simulated fabric at the other end of their cables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/card/card_group.h"
#include "bench/card/card_trial.h"
#include "bench/card/fabric_link.h"
#include "bench/card/link_partner.h"
#include "bench/sim/fabric_watch.h"
#include "bench/sim/hop_watch.h"
#include "bench/trial/bench.h"

namespace plumbline::bench {

// Reads from the simulation whether the fabric is empty and what it delivered.
class SimulatedLinkPartner final : public LinkPartner {
 public:
  // `cards` must outlive it. `watched`: look() will be called.
  SimulatedLinkPartner(CardGroup& cards, const TrialSpec& spec, bool watched);

  [[nodiscard]] FabricLink& link() { return link_; }

  void startAt(Picoseconds start) override { link_.startAt(start); }
  [[nodiscard]] std::optional<CrossedFrames> crossedFrames() const override;
  [[nodiscard]] bool settled(std::uint64_t planned, bool stopped) const override;
  void close(Picoseconds drain, std::vector<std::string>& faults) override;
  [[nodiscard]] std::optional<std::uint64_t> due(std::uint32_t port,
                                                 std::uint64_t dropped) const override;
  void collectPort(std::uint32_t port, PortResult& result) override;
  [[nodiscard]] bool underran(std::uint32_t port) const override;
  void collect(TrialResult& result) override;
  void collectFabric(TrialResult& result) override;
  void look(TrialSnapshot& snapshot) override;

 private:
  CardGroup& cards_;
  Picoseconds streams_end_;
  FabricLink link_;
  HopWatch hops_;
  std::optional<FabricWatch> watch_;
  std::vector<std::uint64_t> underruns_before_;  // of the wire, by port
};

class RtlTrial {
 public:
  // All arguments must outlive the object. The trial must have no refusals.
  RtlTrial(CardGroup& cards, const TrialSpec& spec, const Capabilities& capabilities,
           const TrialHooks& hooks);

  // As CardTrial::run().
  TrialResult run() { return trial_.run(); }

  // The fabric between the cards' ports, for observers; before run().
  [[nodiscard]] fabric::Fabric& fabric() { return link_partner_.link().fabric(); }
  [[nodiscard]] const SimHosts& simHosts() { return link_partner_.link().simHosts(); }

 private:
  SimulatedLinkPartner link_partner_;
  CardTrial trial_;
};

}  // namespace plumbline::bench
