#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "spec/field.h"

namespace plumbline::spec {
namespace {

struct Unit {
  const char* name;
  std::int64_t factor;  // of the smallest unit
};

constexpr std::array kTimeUnits{Unit{"s", 1'000'000'000'000}, Unit{"ms", 1'000'000'000},
                                Unit{"us", 1'000'000}, Unit{"ns", 1'000}, Unit{"ps", 1}};
constexpr std::array kRateUnits{Unit{"T", 1'000'000'000'000}, Unit{"G", 1'000'000'000},
                                Unit{"M", 1'000'000}};
constexpr std::array kShareUnits{Unit{"%", Fraction::kOne / 100}};
constexpr std::array kFactorUnits{Unit{"", Fraction::kOne}};
constexpr std::array kSizeUnits{Unit{"GB", 1'000'000'000}, Unit{"MB", 1'000'000},
                                Unit{"KB", 1'000}};
constexpr std::array kBinaryUnits{Unit{"GiB", 1'073'741'824}, Unit{"MiB", 1'048'576},
                                  Unit{"KiB", 1'024}};

std::string wholeText(Int128 value) {
  if (value < 0) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", static_cast<std::uint64_t>(value));
}

// In the largest unit that is not above the value, exactly.
std::string inUnit(Int128 value, std::span<const Unit> units) {
  const Unit* unit = &units.back();
  for (const Unit& one : units) {
    if (value >= one.factor) {
      unit = &one;
      break;
    }
  }
  std::string text = wholeText(value / unit->factor);
  if (Int128 rest = value % unit->factor; rest != 0) {
    text += '.';
    for (Int128 step = unit->factor / 10; rest != 0; step /= 10) {
      text += static_cast<char>('0' + static_cast<int>(rest / step));
      rest %= step;
    }
  }
  return text + unit->name;
}

bool powerOfTwo(Int128 value) { return value > 0 && (value & (value - 1)) == 0; }

std::string prioritiesText(Int128 mask) {
  std::string list;
  int named = 0;
  for (int priority = 0; priority < 8; ++priority) {
    if ((mask >> priority & 1) == 0) continue;
    list += fmt::format("{}{}", named == 0 ? "" : ", ", priority);
    ++named;
  }
  return named == 1 ? list : "[" + list + "]";
}

std::string scalarText(const Field& field, Int128 value) {
  if (const Word* word = wordOf(field, value))
    return word->name.empty() ? word->stored : word->name;
  switch (field.kind) {
    case Kind::kFlag:
      return value != 0 ? "true" : "false";
    case Kind::kSize:
      return sizeText(value);
    case Kind::kTime:
      return timeText(value);
    case Kind::kRate:
      return rateText(value);
    case Kind::kShare:
      return shareText(value);
    case Kind::kFactor:
      return inUnit(value, kFactorUnits);
    case Kind::kPriorities:
      return prioritiesText(value);
    default:
      return wholeText(value);
  }
}

std::string listText(const Field& field, const std::vector<Value>& list) {
  std::string text;
  if (field.kind == Kind::kWeights) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].whole() == 0) continue;
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", i, wholeText(list[i].whole()));
    }
    return "{" + text + "}";
  }
  for (const Value& one : list) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", valueText(field, one));
  }
  return "[" + text + "]";
}

bool isTypeMaximum(const Field& field) {
  if (!field.range.max) return true;
  const auto* max = std::get_if<Int128>(&field.range.max->of);
  return max != nullptr && *max >= std::numeric_limits<std::int64_t>::max();
}

std::string boundsText(const Field& field) {
  Range range = field.range;
  if ((field.kind == Kind::kShare || field.kind == Kind::kFactor) && range.min->whole() == 1) {
    range.min = Value{Int128{0}};  // the smallest step is written as zero
    range.above = true;
  }
  const std::string min = range.min ? valueText(field, *range.min) : std::string();
  const std::string max = isTypeMaximum(field) ? std::string() : valueText(field, *range.max);
  if (min.empty() && max.empty()) return {};
  if (range.above || range.below) {
    const std::string low = min.empty() ? "" : (range.above ? "above " : "from ") + min;
    const std::string high = max.empty() ? "" : (range.below ? "below " : "at most ") + max;
    return low + (low.empty() || high.empty() ? "" : ", ") + high;
  }
  if (max.empty()) return min + " or more";
  if (min.empty()) return "at most " + max;
  return min == max ? min : min + " to " + max;
}

}  // namespace

const Word* wordOf(const Field& field, Int128 value) {
  for (const Word& word : field.words) {
    if (word.value == value) return &word;
  }
  return nullptr;
}

std::string sizeText(Int128 bytes) {
  const std::span<const Unit> units =
      powerOfTwo(bytes) ? std::span<const Unit>(kBinaryUnits) : std::span<const Unit>(kSizeUnits);
  for (const Unit& unit : units) {
    if (bytes >= unit.factor && bytes % unit.factor == 0) {
      return wholeText(bytes / unit.factor) + unit.name;
    }
  }
  return wholeText(bytes) + "B";
}

std::string timeText(Int128 picoseconds) {
  return picoseconds <= 0 ? wholeText(picoseconds / 1'000) + "ns" : inUnit(picoseconds, kTimeUnits);
}

std::string rateText(Int128 bits_per_second) { return inUnit(bits_per_second, kRateUnits); }

std::string shareText(Int128 parts_per_trillion) { return inUnit(parts_per_trillion, kShareUnits); }

std::string valueText(const Field& field, const Value& value) {
  if (const auto* whole = std::get_if<Int128>(&value.of)) return scalarText(field, *whole);
  if (const auto* decimal = std::get_if<double>(&value.of)) return fmt::format("{}", *decimal);
  if (const auto* text = std::get_if<std::string>(&value.of)) return *text;
  return listText(field, value.list());
}

std::string rangeText(const Field& field) {
  if (field.kind == Kind::kFlag) return "true, false";
  if (field.kind == Kind::kPriorities) return "at least one of the priorities 0 to 7";
  if (field.kind == Kind::kText && field.words.empty()) {
    return fmt::format("{} to {} characters", wholeText(field.range.min->whole()),
                       wholeText(field.range.max->whole()));
  }
  if (field.kind == Kind::kWord || (field.kind == Kind::kText && !field.words.empty())) {
    std::string words;
    for (const Word& word : field.words) {
      if (!word.name.empty()) words += (words.empty() ? "one of " : ", ") + word.name;
    }
    return words;
  }
  std::string text = boundsText(field);
  if (field.range.power_of_two) text = "a power of two, " + text;
  if (field.range.multiple_of != 1) {
    const std::string step = field.kind == Kind::kSize ? sizeText(field.range.multiple_of)
                                                       : wholeText(field.range.multiple_of);
    text += fmt::format("{}a multiple of {}", text.empty() ? "" : ", ", step);
  }
  if (field.range.or_zero) text += ", or " + scalarText(field, 0);
  for (const Word& word : field.words) text += (text.empty() ? "" : ", or ") + word.name;
  return text;
}

}  // namespace plumbline::spec
