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
  // Waveform file of the first card; empty = none. A different number of ports writes
  // "<file>.<n>ports".
  std::string trace_fst;
  // Builds the card anew for every trial instead of resetting it. The results are the same.
  bool fresh_card = false;
};

// The tester's ports are the hosts at which streams begin or end, and the captured host; the
// trial's workload runs on the other hosts, which are simulated. A rank of the workload may be on a
// tester port only to receive messages over RoCE UC: background load that the card sees but does
// not answer.
//
// Tester port = host of the DUT. The bench takes the smallest card model (2, 3 or 4 ports) with a
// port for every host in use, or several of the largest: cards share clock, time and start. Trials
// begin at the same phase of the card's clock and the line's columns, so that a result does not
// depend on earlier trials.
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
  // Kept from trial to trial, by their total number of ports.
  std::map<std::uint32_t, std::unique_ptr<CardGroup>> groups_;
  bool traced_ = false;  // the trace file has been given to a card
};

}  // namespace plumbline::bench
