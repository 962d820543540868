// Parts of a trial on the card beyond streams: damage, PAUSE storms, departure times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/card/card_set.h"
#include "bench/card/flow_plan.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

class TrialCardParts {
 public:
  // Port p of the cards is host hosts[p]. All arguments must outlive the object. `tx_offset` is
  // what the cards add to departure times.
  TrialCardParts(CardSet& cards, const TrialSpec& spec, const FlowPlan& plan,
                 const std::vector<std::uint32_t>& hosts, Picoseconds tx_offset);

  // Configures rules, random errors and logs; after the flows are loaded.
  void configure();
  // Configures storms; before the cards are armed for the common start `start`.
  void begin(Picoseconds start);
  // Empties the cards' logs of damage, which are short.
  void readLogs();
  // True if departures are recorded, for which all frames that ports send must be captured.
  [[nodiscard]] bool wantsCapture() const { return spec_.departures > 0; }
  void onCaptured(const card::CapturedFrame& frame);
  // Frames so far that damage has dropped before transmission.
  [[nodiscard]] std::uint64_t droppedFrames();
  // ... before reception at a port.
  [[nodiscard]] std::uint64_t droppedArrivals(std::uint32_t port);

  // Adds the observations to the ports and streams of `result`, and faults of the tester.
  void collect(TrialResult& result);

 private:
  struct Port {
    std::uint32_t rules[2] = {0, 0};  // in use, by direction
    bool damages[2] = {false, false};
    std::vector<card::DamageEvent> log[2];
  };

  void setDamage(const DamageSpec& damage);
  void readDamage(std::uint32_t port, card::DamageDirection direction);
  void collectPauses(std::uint32_t port, PortResult& seen);
  [[nodiscard]] std::uint32_t portOf(std::uint32_t host) const;

  CardSet& cards_;
  const TrialSpec& spec_;
  const FlowPlan& plan_;
  const std::vector<std::uint32_t>& hosts_;
  Picoseconds tx_offset_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> stream_of_row_;
  std::vector<std::vector<Picoseconds>> departures_;  // by stream
  Picoseconds start_;
};

}  // namespace plumbline::bench
