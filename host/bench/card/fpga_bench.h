// The bench on tester cards in this host: the driver and the trial of the simulated card, a real
// device at the other end of the cables.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/card/bus_cards.h"
#include "bench/card/open_card.h"
#include "bench/trial/bench.h"
#include "bench/trial/fpga_spec.h"

namespace plumbline::bench {

// Tester port p is the p-th host of the DUT that is in use; ports are numbered through the cards in
// their order. The trial waits the full drain time for residual frames, because a real device does
// not report that it is empty. Streams between two cards have a latency only if the cards' firmware
// keeps a common time (BusCards).
class FpgaBench final : public Bench {
 public:
  // A bench without cards: reports the most that cards of a host offer, and runs nothing.
  FpgaBench();
  // `cards`: at least one. Throws as BusCards, and Error(kUnsupported) for ports of another rate.
  FpgaBench(const FpgaSpec& spec, std::vector<OpenCard> cards);

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const TrialSpec& spec) const override;
  // Throws Error(kTester) when a card has disappeared; without cards Error(kUsage).
  TrialResult run(const TrialSpec& spec, const TrialHooks& hooks) override;

 private:
  void describe(const FpgaSpec& spec, const std::vector<std::string>& cards);
  // Brings the links up and adds them to the configuration.
  void bringUpLinks(card::MacFec fec);
  void checkTimes(TrialResult& result);
  // Puts the largest difference between the cards' clocks so far into the abilities.
  void noteDisagreement();

  Capabilities capabilities_;
  std::unique_ptr<BusCards> cards_;
  bool captures_ = true;  // the maximum of cards of a host
  Picoseconds tx_offset_;
  Picoseconds rx_offset_;
};

}  // namespace plumbline::bench
