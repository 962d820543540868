// Parts of a trial that only a tester card carries out: frames damaged on purpose, PAUSE storms,
// counters per queue pair; and the card's results for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "card/damage.h"
#include "card/flow_control.h"
#include "card/link_retry.h"
#include "card/mac_counters.h"
#include "stats/histogram.h"

namespace plumbline::bench {

// Damage at one port of the tester (docs/card.md, "Damage").
struct DamageSpec {
  std::uint32_t host = 0;
  card::DamageDirection direction = card::DamageDirection::kSent;
  // A rule, of which a port has four per direction and whose `flow` is the number of a stream that
  // the port sends; or random errors, once per direction.
  std::variant<card::DamageRule, card::BitErrors> what;
};

// PAUSE frames that a port of the tester sends: `frames` of them, `period` apart, the first one at
// `start` after the common start. One storm per port.
struct PfcStormSpec {
  std::uint32_t host = 0;
  card::PfcFrame frame;
  std::uint32_t frames = 1;
  Picoseconds period;
  Picoseconds start{};
};

// Link-level retry at both ends of a trial whose DUT is a bare link (docs/card.md).
struct LinkRetrySpec {
  card::LlrConfig config;
};

// What link-level retry did at one port: as a sender and as a receiver.
struct LinkRetryOutcome {
  card::LlrCounters counters;
  // Times of retries at this port as the receiver [ps]: from the end of the frame that revealed the
  // fault, a damaged frame or one after a gap, to the end of the good copy.
  stats::Histogram damaged;
  stats::Histogram missing;
};

// The link of a port during a trial, from the card's MAC: of cards that have MACs of their own.
struct LinkHealth {
  bool rs_fec = false;
  card::MacCounters counted;  // between the trial's beginning and its end

  bool operator==(const LinkHealth&) const = default;
};

// Damage at one port in one direction, as the port counted it.
struct DamageOutcome {
  card::DamageCounters counters;
  // The first kMaxDamageEvents that the port logged; times after the common start.
  std::vector<card::DamageEvent> log;
};

// Largest number of damage events that a result keeps.
inline constexpr std::size_t kMaxDamageEvents = 1000;

// Counters of one queue pair (packet delivery context) of a stream that counts them separately.
struct QueuePairResult {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;  // duplicates included
  std::uint64_t lost = 0;      // or further behind than the receiver's window covers
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  std::uint32_t reorder_depth = 0;  // largest distance behind the highest frame number
};

struct TrialSpec;
struct StreamSpec;
struct Capabilities;

// Why a bench with these capabilities cannot carry out the parts of `spec` that need a card, one
// sentence each; empty when it can, or when there are none.
std::vector<std::string> cardPartRefusals(const TrialSpec& spec, const Capabilities& capabilities);

// Priorities (bit p = priority p) whose pauses the tester's ports obey in this trial.
std::uint8_t obeyedPriorities(const TrialSpec& spec);
// End of a storm's last pause, after the common start.
Picoseconds endOf(const PfcStormSpec& storm, BitRate line);

}  // namespace plumbline::bench
