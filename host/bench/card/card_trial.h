// One trial on tester cards, from their reset to the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/card/card_set.h"
#include "bench/card/flow_plan.h"
#include "bench/card/link_partner.h"
#include "bench/card/trial_card_parts.h"
#include "bench/card/trial_link_retry.h"
#include "bench/card/trial_links.h"
#include "bench/trial/bench.h"

namespace plumbline::bench {

// From a card's MAC boundary to the reference point of its timestamps (docs/card.md, "Time").
struct MacTiming {
  Picoseconds tx_offset;  // added to departure times
  Picoseconds rx_offset;  // added to arrival times
};

class CardTrial {
 public:
  // All arguments must outlive the object. The trial must have no refusals.
  CardTrial(CardSet& cards, LinkPartner& link_partner, const MacTiming& mac, const TrialSpec& spec,
            const Capabilities& capabilities, const TrialHooks& hooks);

  // Runs the trial; call once. The caller sets `bench`, `observed` and `wall_seconds` of the
  // result.
  TrialResult run();

 private:
  void configure();
  // Sends all frames and waits until they have arrived; returns the card time that this took.
  Picoseconds send();
  // Lets time pass, then serves capture and progress. Callers pass absolute times where rounding to
  // clock edges must not accumulate.
  void advanceTo(Picoseconds time);
  void advanceBy(Picoseconds duration);
  // True when pauses have kept the card from sending.
  bool pausedAway();
  [[nodiscard]] bool capturing() const;
  void serveHooks();
  // Frames sent and received so far; may be the last reading where counters must be read from
  // cards.
  LinkPartner::CrossedFrames crossedFrames();
  // Shows the trial so far to an observer if counters can be read before `end`.
  void show(Picoseconds end);
  void showEnd();
  void drain();
  void collectPorts();
  void collectStreams();
  [[nodiscard]] StreamResult collectStream(std::uint32_t index,
                                           const std::vector<card::RxFlow>& rows);
  void checkSkipped();
  void collectLatency();
  // False for streams between cards with independent clocks.
  [[nodiscard]] bool timed(const StreamSpec& stream) const;
  void fault(const std::string& what);

  CardSet& cards_;
  LinkPartner& link_partner_;
  MacTiming mac_;
  BitRate line_rate_;
  std::string bench_;  // its name
  const TrialSpec& spec_;
  const TrialHooks& hooks_;
  std::vector<std::uint32_t> hosts_;         // by port of the cards
  std::vector<std::uint32_t> port_of_host_;  // of those in use
  FlowPlan plan_;
  TrialCardParts parts_;
  TrialLinkRetry retry_;
  TrialLinks links_;
  Picoseconds reading_time_;            // that reading all counters takes
  LinkPartner::CrossedFrames counted_;  // when the cards' counters were last read
  Picoseconds next_count_;
  Picoseconds start_;                         // common start, card time
  bool stopped_ = false;                      // before all was sent, because of pauses
  std::vector<card::PortCounters> counters_;  // by port
  TrialResult result_;
};

}  // namespace plumbline::bench
