#include "card/damage.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::card {
namespace {

constexpr std::uint32_t kMaxFlow = (1U << 12) - 1;
constexpr std::uint32_t kOrderedSetBits = 64;

// Logarithms in units of 2^-26, straight between 257 points.
constexpr int kFractionBits = 26;
constexpr std::size_t kSegments = 256;

const std::array<std::uint64_t, kSegments + 1>& logarithms() {
  static const auto points = [] {
    std::array<std::uint64_t, kSegments + 1> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::uint64_t>(std::llround(
          std::ldexp(std::log2(1.0 + static_cast<double>(i) / kSegments), kFractionBits)));
    }
    return values;
  }();
  return points;
}

[[noreturn]] void refuse(const std::string& what, const std::string& remedy = {}) {
  throw Error(ErrorKind::kUsage, what, "damage rule", remedy);
}

void checkOrderedSetRule(const DamageRule& rule) {
  if (rule.kind != DamageKind::kBits && rule.kind != DamageKind::kDrop &&
      rule.kind != DamageKind::kNone) {
    refuse("ordered sets can only be dropped or have bits inverted");
  }
  if (rule.kind == DamageKind::kBits && rule.offset >= kOrderedSetBits) {
    refuse(fmt::format("bit {} of an ordered set", rule.offset), "0 to 63");
  }
}

void checkFrameRule(const DamageRule& rule, DamageDirection direction) {
  const bool received = direction == DamageDirection::kReceived;
  if (rule.match == DamageMatch::kFlow && received) {
    refuse("received frames have no flow", "match frames of any kind by their number");
  }
  if (rule.match == DamageMatch::kFlow && rule.flow > kMaxFlow) {
    refuse(fmt::format("flow {}", rule.flow), fmt::format("at most {}", kMaxFlow));
  }
  switch (rule.kind) {
    case DamageKind::kBits:
      if (rule.offset >= kMaxDamageBits) {
        refuse(fmt::format("bit {} of a frame", rule.offset),
               fmt::format("below {}", kMaxDamageBits));
      }
      break;
    case DamageKind::kFcs:
    case DamageKind::kIcrc:
      if (received) {
        refuse("the end of a received frame is not known while it passes",
               "damage its check sequences where it is sent");
      }
      if (rule.mask == 0) refuse("a mask of no bits damages nothing");
      break;
    case DamageKind::kTruncate:
      if (rule.bytes == 0 || rule.bytes * 8 >= kMaxDamageBits) {
        refuse(fmt::format("a frame cut to {} bytes", rule.bytes),
               fmt::format("1 to {}", kMaxDamageBits / 8 - 1));
      }
      break;
    case DamageKind::kNone:
    case DamageKind::kDrop:
      break;
    case DamageKind::kRandom:
      refuse("random errors are not a rule", "set a bit error ratio");
  }
}

std::uint32_t parameter(const DamageRule& rule) {
  switch (rule.kind) {
    case DamageKind::kBits:
      return rule.bits;
    case DamageKind::kFcs:
    case DamageKind::kIcrc:
      return rule.mask;
    case DamageKind::kTruncate:
      return rule.bytes;
    default:
      return 0;
  }
}

}  // namespace

DamageRuleWords damageRuleWords(const DamageRule& rule, DamageDirection direction) {
  if (rule.first > rule.last) {
    refuse(fmt::format("frames {} to {}", rule.first, rule.last), "the first before the last");
  }
  if (rule.step == 0) refuse("every 0th frame", "at least 1");
  if (rule.kind == DamageKind::kBits && (rule.bits == 0 || rule.bits > kMaxDamageBits)) {
    refuse(fmt::format("a run of {} bits", rule.bits), fmt::format("1 to {}", kMaxDamageBits));
  }
  DamageRuleWords words;
  words.kind = static_cast<std::uint32_t>(rule.kind);
  if (rule.match == DamageMatch::kOrderedSet) {
    checkOrderedSetRule(rule);
    // The rule of ordered sets has a slot of its own and matches a type where others match a flow.
    const bool typed = rule.message_type.has_value();
    words.match = static_cast<std::uint32_t>(typed ? DamageMatch::kFlow : DamageMatch::kAny);
    words.flow = rule.message_type.value_or(0);
  } else {
    checkFrameRule(rule, direction);
    words.match = static_cast<std::uint32_t>(rule.match);
    words.flow = rule.match == DamageMatch::kFlow ? rule.flow : 0;
  }
  words.first = rule.first;
  words.last = rule.last;
  words.step = rule.step;
  words.times = rule.times;
  words.offset = rule.kind == DamageKind::kBits ? rule.offset : 0;
  words.param = parameter(rule);
  return words;
}

BitErrorSetting bitErrorSetting(const BitErrors& errors) {
  if (!(errors.ratio >= kMinBitErrorRatio && errors.ratio <= kMaxBitErrorRatio)) {
    throw Error(ErrorKind::kUsage, fmt::format("a bit error ratio of {}", errors.ratio), {},
                fmt::format("{} to {}", kMinBitErrorRatio, kMaxBitErrorRatio));
  }
  BitErrorSetting setting;
  setting.seed = {mix64(errors.seed), mix64(mix64(errors.seed))};
  // Good bits per octave of a uniform number, as scale / 2^(shift - 26).
  const double per_octave = std::log(2.0) / -std::log1p(-errors.ratio);
  int exponent = 0;
  const double mantissa = std::frexp(per_octave, &exponent);
  std::int64_t scale = std::llround(std::ldexp(mantissa, 32));
  if (scale == std::int64_t{1} << 32) {
    scale >>= 1;
    ++exponent;
  }
  setting.scale = static_cast<std::uint32_t>(scale);
  setting.shift = static_cast<std::uint32_t>(kFractionBits + 32 - exponent);
  return setting;
}

BitErrorSource::BitErrorSource(const BitErrorSetting& setting)
    : setting_(setting), low_(setting.seed[0]), high_(setting.seed[1]) {}

// xoroshiro128+ by Blackman and Vigna, with the constants of 2018.
std::uint64_t BitErrorSource::next() {
  const std::uint64_t sum = low_ + high_;
  const std::uint64_t mixed = low_ ^ high_;
  low_ = std::rotl(low_, 24) ^ mixed ^ (mixed << 16);
  high_ = std::rotl(mixed, 37);
  return sum;
}

std::uint64_t BitErrorSource::nextGap() {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << kFractionBits;
  constexpr int kRestBits =
      kFractionBits - 8;  // bits of a fraction below those that number its segment
  const std::uint64_t random = next();
  // random / 2^64 = 2^-(zeros + 1) · (1 + fraction / 2^26)
  const int zeros = random == 0 ? 63 : std::countl_zero(random);
  const std::uint64_t fraction = (random << zeros << 1) >> (64 - kFractionBits);
  const auto segment = static_cast<std::size_t>(fraction >> kRestBits);
  const std::uint64_t rest = fraction & ((std::uint64_t{1} << kRestBits) - 1);
  const std::uint64_t base = logarithms()[segment];
  const std::uint64_t logarithm = base + (((logarithms()[segment + 1] - base) * rest) >> kRestBits);
  const std::uint64_t octaves = static_cast<std::uint64_t>(zeros + 1) * kUnit - logarithm - 1;
  return (octaves * setting_.scale) >> setting_.shift;
}

std::uint64_t BitErrorSource::nextPosition() {
  const std::uint64_t position = position_ + nextGap();
  position_ = position + 1;
  return position;
}

}  // namespace plumbline::card
