// Damage on purpose: what the card can be told to do to frames on their way, and its log of what it
// did (docs/card.md, "Damage"). BitErrorSource computes on the host where the card's random errors
// fall.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::card {

// Behind the FCS of what a port sends, or before all else of what it receives.
enum class DamageDirection { kSent = 0, kReceived = 1 };

enum class DamageKind {
  kNone = 0,
  kBits = 1,      // a run of bits is inverted
  kFcs = 2,       // bits of the FCS
  kIcrc = 3,      // bits of the ICRC; the FCS is corrected for them
  kTruncate = 4,  // the frame ends early
  kDrop = 5,      // the frame vanishes
  kRandom = 6     // a random bit error: in the log only
};

// Which frames a rule looks at. Their numbers count from 0: of a flow its frame numbers, of the
// others how many have passed since the rule's direction was last cleared.
enum class DamageMatch {
  kAny = 0,
  kFlow = 1,       // of one flow; sent frames only
  kControl = 2,    // MAC control frames
  kOrderedSet = 3  // control ordered sets, kBits and kDrop only
};

inline constexpr std::uint32_t kDamageSlots = 4;         // rules for frames, per port and direction
inline constexpr std::uint32_t kOrderedSetSlot = 4;      // where the log shows the rule for those
inline constexpr std::uint32_t kMaxDamageBits = 131064;  // of the longest frame, 16383 bytes

// One rule. It strikes frames numbered `first` to `last`, `step` apart, at most `times` times.
struct DamageRule {
  DamageKind kind = DamageKind::kNone;
  DamageMatch match = DamageMatch::kAny;
  std::uint32_t flow = 0;                         // kFlow
  std::optional<std::uint8_t> message_type = {};  // kOrderedSet: of one type (byte D1) only
  std::uint32_t first = 0;
  std::uint32_t last = 0xFFFFFFFF;
  std::uint32_t step = 1;    // at least 1
  std::uint32_t times = 0;   // 0: as often as may be
  std::uint32_t offset = 0;  // kBits: first bit; bit n is bit n % 8 of byte n / 8
  std::uint32_t bits = 1;    // kBits: of the run, which ends with the frame
  std::uint32_t mask = 1;    // kFcs, kIcrc: bits to invert, bit 0 first on the wire
  std::uint32_t bytes = 64;  // kTruncate: what remains
};

// Words of a rule as the card's registers take it.
struct DamageRuleWords {
  std::uint32_t kind = 0;
  std::uint32_t match = 0;
  std::uint32_t flow = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 0;
  std::uint32_t times = 0;
  std::uint32_t offset = 0;
  std::uint32_t param = 0;
};

// Throws Error(kUsage) naming the value for a rule that makes no sense or that the card cannot
// follow in this direction.
DamageRuleWords damageRuleWords(const DamageRule& rule, DamageDirection direction);

// Random bit errors.
struct BitErrors {
  double ratio = 0;  // probability of each bit, 10^-15 to 10^-3
  std::uint64_t seed = 0;
};

inline constexpr double kMinBitErrorRatio = 1e-15;
inline constexpr double kMaxBitErrorRatio = 1e-3;

// What the card's source of errors is set to.
struct BitErrorSetting {
  std::array<std::uint64_t, 2> seed{};  // never both zero
  std::uint32_t scale = 0;              // 2^31 to 2^32 - 1
  std::uint32_t shift = 0;              // 0 to 63
};

// Throws Error(kUsage) for a ratio outside the limits.
BitErrorSetting bitErrorSetting(const BitErrors& errors);

// The card's own arithmetic: gaps and positions of its random errors, bit for bit.
class BitErrorSource {
 public:
  explicit BitErrorSource(const BitErrorSetting& setting);

  // Good bits before the next error.
  std::uint64_t nextGap();
  // Position of the next error in the endless row of 512-bit blocks, of which one belongs to each
  // beat (64 bytes or less of a frame) that passes; bits behind a frame's end are not sent.
  std::uint64_t nextPosition();

 private:
  std::uint64_t next();

  BitErrorSetting setting_;
  std::uint64_t low_;
  std::uint64_t high_;
  std::uint64_t position_ = 0;  // first bit behind the error before
};

// One entry of a port's log of damage.
struct DamageEvent {
  DamageKind kind = DamageKind::kNone;
  // What was struck: never kFlow, as a frame of a flow counts as a frame of any kind.
  DamageMatch subject = DamageMatch::kAny;
  std::uint32_t slot = 0;      // of the rule
  std::uint32_t flow = 0;      // sent frames; message type of an ordered set
  std::uint32_t number = 0;    // as in DamageMatch: sent frames by flow
  std::uint32_t position = 0;  // first damaged bit; bytes that remain of a truncated frame
  Picoseconds time;            // departure or arrival of the frame at the reference point

  bool operator==(const DamageEvent&) const = default;
};

// What was injected at one port in one direction.
struct DamageCounters {
  std::uint64_t bits = 0;  // frames with a run of inverted bits
  std::uint64_t fcs = 0;   // frames by kind, the same
  std::uint64_t icrc = 0;
  std::uint64_t truncated = 0;
  std::uint64_t dropped = 0;
  std::uint64_t random_frames = 0;  // frames with random errors
  std::uint64_t random_bits = 0;
  std::uint64_t frames = 0;        // frames damaged in any way, each once
  std::uint64_t log_overflow = 0;  // events that the log had no room for
  std::uint64_t sets_damaged = 0;  // control ordered sets
  std::uint64_t sets_dropped = 0;

  bool operator==(const DamageCounters&) const = default;
};

}  // namespace plumbline::card
