// One trial on Verilated cards, from their reset to the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/card_group.h"
#include "bench/fabric_link.h"
#include "bench/fabric_watch.h"
#include "bench/flow_plan.h"
#include "bench/rtl_card_parts.h"
#include "bench/rtl_link_retry.h"

namespace plumbline::bench {

class RtlTrial {
 public:
  // All arguments must outlive the object. The trial must have no refusals.
  RtlTrial(CardGroup& cards, const TrialSpec& spec, const Capabilities& capabilities,
           const TrialHooks& hooks);

  // Runs it; once. `bench`, `observed` and `wall_seconds` of the result are the caller's.
  TrialResult run();

  // The fabric between the cards' ports, for observers; before run().
  [[nodiscard]] fabric::Fabric& fabric() { return link_.fabric(); }
  [[nodiscard]] const SimHosts& simHosts() const { return link_.simHosts(); }

 private:
  void configure();
  // Sends everything and waits until it has arrived; returns the card time that took.
  Picoseconds send();
  // Lets time pass, then serves capture and progress. To an absolute time where it matters that
  // rounding to clock edges does not add up.
  void advanceTo(Picoseconds time);
  void advanceBy(Picoseconds duration);
  // True when pauses have kept the card from sending.
  bool pausedAway();
  void serveHooks();
  // Shows an observer the trial so far, if there is time for reading counters before `end`.
  void show(Picoseconds end);
  void showEnd();
  void drain();
  void collectPorts();
  void collectStreams();
  [[nodiscard]] StreamResult collectStream(std::uint32_t index,
                                           const std::vector<card::RxFlow>& rows);
  void checkSkipped();
  void collectLatency();
  void collectDut();
  void fault(const std::string& what);

  CardGroup& cards_;
  const TrialSpec& spec_;
  const TrialHooks& hooks_;
  std::vector<std::uint32_t> hosts_;         // by port of the cards
  std::vector<std::uint32_t> port_of_host_;  // of those in use
  FlowPlan plan_;
  FabricLink link_;
  RtlCardParts parts_;
  RtlLinkRetry retry_;
  std::optional<FabricWatch> watch_;             // when there is an observer
  Picoseconds asking_time_;                      // that reading all counters takes
  Picoseconds start_;                            // common start, card time
  bool stopped_ = false;                         // before all was sent, because of pauses
  std::vector<card::PortCounters> counters_;     // by port
  std::vector<std::uint64_t> underruns_before_;  // of the wire, by port
  TrialResult result_;
};

}  // namespace plumbline::bench
