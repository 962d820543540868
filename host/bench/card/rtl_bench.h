// The bench on the Verilated card: the real driver, the card's RTL, exact wire times, and the
// simulated DUT between its ports.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/card/flow_plan.h"
#include "bench/trial/bench.h"

namespace plumbline::bench {

class CardGroup;

struct RtlBenchOptions {
  // Waveform, of the first card; empty = none. Another number of ports writes "<file>.<n>ports".
  std::string trace_fst;
  // Builds the card anew for every trial instead of resetting it. The results are the same.
  bool fresh_card = false;
};

// Hosts at which streams begin or end, and the one of the capture, are the tester's ports; the
// trial's workload runs on the others, which are simulated. A rank of the workload may be on a port
// of the tester only to receive messages over RoCE UC: background load that the card sees but does
// not answer.
//
// Tester port = host of the DUT; the smallest card model (2, 4 or 8 ports) that has a port for
// every host in use is taken, or as many of the largest as it takes: cards share clock, time and
// start. Trials begin at the same phase of the card's clock and the line's
// columns, so that a trial's result does not depend on the trials before it.
class RtlBench final : public Bench {
 public:
  explicit RtlBench(RtlBenchOptions options = {});
  ~RtlBench() override;

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const TrialSpec& spec) const override;
  TrialResult run(const TrialSpec& spec, const TrialHooks& hooks) override;

 private:
  CardGroup& cardsFor(std::size_t hosts);

  RtlBenchOptions options_;
  Capabilities capabilities_;
  // Kept from trial to trial, by their ports together.
  std::map<std::uint32_t, std::unique_ptr<CardGroup>> groups_;
  bool traced_ = false;  // the trace file has been given to a card
};

}  // namespace plumbline::bench
