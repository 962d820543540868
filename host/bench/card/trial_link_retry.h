// Link-level retry in a trial on the card: both ends of its bare link.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/card/card_set.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

class TrialLinkRetry {
 public:
  // Port p of the cards is host hosts[p]. All arguments must outlive the object. Without
  // TrialSpec::link_retry all functions do nothing.
  TrialLinkRetry(CardSet& cards, const TrialSpec& spec, const std::vector<std::uint32_t>& hosts);

  [[nodiscard]] bool on() const { return spec_.link_retry.has_value(); }
  // Enables LLR and waits until both ends are initialised; the link must be up. Throws
  // Error(kTester) if initialisation fails.
  void bringUp();
  // Every frame that was sent has been acknowledged.
  [[nodiscard]] bool settled();
  // Frames that a port has passed to its receiver.
  [[nodiscard]] std::uint64_t crossedFrames(std::uint32_t port);
  // Adds counters and times of retries to the ports of `result`, and faults of the tester.
  void collect(TrialResult& result);

 private:
  CardSet& cards_;
  const TrialSpec& spec_;
  const std::vector<std::uint32_t>& hosts_;
};

}  // namespace plumbline::bench
