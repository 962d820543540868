// Damage on purpose: the card's ways of damaging frames in transit, and its log of them
// (docs/card.md, "Damage"). BitErrorSource computes the positions of the card's random errors on
// the host.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::card {

// After the FCS in a port's sending direction, or at the beginning of its receiving direction.
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

// The frames to which a rule applies. Their numbers count from 0: for a flow its frame numbers,
// otherwise the frames since the rule's direction was last cleared.
enum class DamageMatch {
  kAny = 0,
  kFlow = 1,       // of one flow; sent frames only
  kControl = 2,    // MAC control frames
  kOrderedSet = 3  // control ordered sets, kBits and kDrop only
};

inline constexpr std::uint32_t kDamageSlots = 4;         // rules for frames, per port and direction
inline constexpr std::uint32_t kOrderedSetSlot = 4;      // their rule's slot in the log
inline constexpr std::uint32_t kMaxDamageBits = 131064;  // of the longest frame, 16383 bytes

// One rule. It applies to frames numbered `first` to `last`, `step` apart, at most `times` times.
struct DamageRule {
  DamageKind kind = DamageKind::kNone;
  DamageMatch match = DamageMatch::kAny;
  std::uint32_t flow = 0;                         // kFlow
  std::optional<std::uint8_t> message_type = {};  // kOrderedSet: of one type (byte D1) only
  std::uint32_t first = 0;
  std::uint32_t last = 0xFFFFFFFF;
  std::uint32_t step = 1;    // at least 1
  std::uint32_t times = 0;   // 0: without a limit
  std::uint32_t offset = 0;  // kBits: first bit; bit n is bit n % 8 of byte n / 8
  std::uint32_t bits = 1;    // kBits: of the run, which ends with the frame
  std::uint32_t mask = 1;    // kFcs, kIcrc: bits to invert, bit 0 first on the wire
  std::uint32_t bytes = 64;  // kTruncate: remaining length
};

// Words of a rule for the card's registers.
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

// Throws Error(kUsage) naming the value for a rule that is invalid or that the card does not
// support in this direction.
DamageRuleWords damageRuleWords(const DamageRule& rule, DamageDirection direction);

// Random bit errors.
struct BitErrors {
  double ratio = 0;  // probability of each bit, 10^-15 to 10^-3
  std::uint64_t seed = 0;
};

inline constexpr double kMinBitErrorRatio = 1e-15;
inline constexpr double kMaxBitErrorRatio = 1e-3;

// Settings of the card's error source.
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
  // Position of the next error in the endless sequence of 512-bit blocks, one for each beat (64
  // bytes or less of a frame) that passes; bits after a frame's end are not sent.
  std::uint64_t nextPosition();

 private:
  std::uint64_t next();

  BitErrorSetting setting_;
  std::uint64_t low_;
  std::uint64_t high_;
  std::uint64_t position_ = 0;  // first bit after the previous error
};

// One entry of a port's log of damage.
struct DamageEvent {
  DamageKind kind = DamageKind::kNone;
  // Kind of the damaged item: never kFlow, as a frame of a flow counts as a frame of any kind.
  DamageMatch subject = DamageMatch::kAny;
  std::uint32_t slot = 0;      // of the rule
  std::uint32_t flow = 0;      // sent frames; message type of an ordered set
  std::uint32_t number = 0;    // as in DamageMatch: sent frames by flow
  std::uint32_t position = 0;  // first damaged bit; remaining bytes of a truncated frame
  Picoseconds time;            // departure or arrival of the frame at the reference point

  bool operator==(const DamageEvent&) const = default;
};

// Counters of damage at one port in one direction.
struct DamageCounters {
  std::uint64_t bits = 0;  // frames with a run of inverted bits
  std::uint64_t fcs = 0;   // frames by kind, the same
  std::uint64_t icrc = 0;
  std::uint64_t truncated = 0;
  std::uint64_t dropped = 0;
  std::uint64_t random_frames = 0;  // frames with random errors
  std::uint64_t random_bits = 0;
  std::uint64_t frames = 0;        // frames damaged in any way, each once
  std::uint64_t log_overflow = 0;  // events without room in the log
  std::uint64_t sets_damaged = 0;  // control ordered sets
  std::uint64_t sets_dropped = 0;

  bool operator==(const DamageCounters&) const = default;
};

}  // namespace plumbline::card
