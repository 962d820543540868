// How fields are declared, in the order in which scenarios are read and documents list them:
//
//   template <>
//   const Fields& spec::fieldsOf<PfcSpec>() {
//     static const Fields fields{
//         field<&PfcSpec::xoff>("xoff", "Queue at which an input is paused").in(Bytes(1), kMax),
//         field<&PfcSpec::dynamic_alpha>("alpha", "…").as("dynamic_alpha").factor(),
//         block<&PfcSpec::watchdog>("watchdog", "…"),
//     };
//     return fields;
//   }
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.h"
#include "spec/field.h"

namespace plumbline::spec {

namespace detail {

template <typename Member>
struct MemberOf;
template <typename S, typename T>
struct MemberOf<T S::*> {
  using Spec = S;
  using Type = T;
};

// The type of a member without std::optional and std::vector.
template <typename T>
struct Unwrapped {
  using Type = T;
  static constexpr bool kList = false;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = typename Unwrapped<T>::Type;
  static constexpr bool kList = Unwrapped<T>::kList;
};
template <typename T>
struct Unwrapped<std::vector<T>> {
  using Type = T;
  static constexpr bool kList = true;
};

template <typename T>
constexpr bool isOptional = false;
template <typename T>
constexpr bool isOptional<std::optional<T>> = true;

template <typename T>
constexpr Kind kindOf() {
  if constexpr (std::is_same_v<T, bool>) return Kind::kFlag;
  if constexpr (std::is_enum_v<T>) return Kind::kWord;
  if constexpr (std::is_same_v<T, Bytes>) return Kind::kSize;
  if constexpr (std::is_same_v<T, Picoseconds>) return Kind::kTime;
  if constexpr (std::is_same_v<T, BitRate>) return Kind::kRate;
  if constexpr (std::is_same_v<T, Fraction>) return Kind::kShare;
  if constexpr (std::is_same_v<T, double>) return Kind::kDecimal;
  if constexpr (std::is_same_v<T, std::string>) return Kind::kText;
  return Kind::kCount;
}

template <typename T>
Value toValue(const T& value) {
  if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, Picoseconds>) {
    return {Int128{value.count()}};
  } else if constexpr (std::is_same_v<T, BitRate>) {
    return {Int128{value.bitsPerSecond()}};
  } else if constexpr (std::is_same_v<T, Fraction>) {
    return {Int128{value.partsPerTrillion()}};
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    return {value};
  } else if constexpr (std::is_enum_v<T>) {
    return {static_cast<Int128>(static_cast<std::int64_t>(value))};
  } else {
    return {static_cast<Int128>(value)};
  }
}

template <typename T>
T fromValue(const Value& value) {
  if constexpr (std::is_same_v<T, Fraction>) {
    return Fraction::partsPerTrillion(static_cast<std::int64_t>(value.whole()));
  } else if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, Picoseconds> ||
                       std::is_same_v<T, BitRate>) {
    return T(static_cast<std::int64_t>(value.whole()));
  } else if constexpr (std::is_same_v<T, double>) {
    return value.decimal();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.text();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.whole() != 0;
  } else {
    return static_cast<T>(value.whole());
  }
}

// Conversion of a member, including its wrappers, to and from a value.
template <typename T>
std::optional<Value> read(const T& member) {
  return toValue(member);
}
template <typename T>
std::optional<Value> read(const std::vector<T>& member) {
  std::vector<Value> list;
  list.reserve(member.size());
  for (const T& one : member) list.push_back(toValue(one));
  return Value{std::move(list)};
}
template <typename T>
std::optional<Value> read(const std::optional<T>& member) {
  return member ? read(*member) : std::nullopt;
}

template <typename T>
void write(T& member, const std::optional<Value>& value) {
  if (value) member = fromValue<T>(*value);
}
template <typename T>
void write(std::vector<T>& member, const std::optional<Value>& value) {
  member.clear();
  if (!value) return;
  for (const Value& one : value->list()) member.push_back(fromValue<T>(one));
}
template <typename T>
void write(std::optional<T>& member, const std::optional<Value>& value) {
  member.reset();
  if (value) write(member.emplace(), value);
}

// Default range of a number's type; quantities are not negative.
inline constexpr Picoseconds kLongestTime = seconds(1'000'000);

template <typename T>
Range typeRange() {
  using Limits64 = std::numeric_limits<std::int64_t>;
  if constexpr (std::is_same_v<T, std::string>) {
    return {Value{Int128{1}}, Value{Int128{100}}};
  } else if constexpr (std::is_same_v<T, double>) {
    return {Value{0.0}, std::nullopt};
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return {toValue(std::numeric_limits<T>::min()), toValue(std::numeric_limits<T>::max())};
  } else if constexpr (std::is_same_v<T, Picoseconds>) {
    // The sum of nine of the longest times fits into the type.
    return {Value{Int128{0}}, toValue(kLongestTime)};
  } else {
    return {Value{Int128{0}}, Value{Int128{Limits64::max()}}};
  }
}

const char* suffixOf(Kind kind);

}  // namespace detail

// A field under declaration, a member of `Spec` with the unwrapped type `T`.
template <typename Spec, typename T>
struct Declaration : Field {
  using Self = Declaration&&;

  // Its name in places of errors, if that differs from its key.
  Self as(std::string name) && {
    member = std::move(name);
    return nameStored();
  }
  Self storedAs(std::string name) && {
    stored = std::move(name);
    return std::move(*this);
  }
  Self notStored() && { return std::move(*this).storedAs({}); }
  // Stored if the condition holds.
  Self storedIf(bool (*holds)(const Spec&)) && {
    is_stored = [holds](const void* spec) { return holds(*static_cast<const Spec*>(spec)); };
    return std::move(*this);
  }
  // Stored if it differs from the initialiser.
  Self storedIfChanged() && {
    is_stored = [read = get](const void* spec) {
      const Spec defaults{};
      return !same(*read(spec), *read(&defaults));
    };
    return std::move(*this);
  }

  Self in(T min, T max) && {
    range.min = detail::toValue(min);
    range.max = detail::toValue(max);
    return std::move(*this);
  }
  Self atLeast(T min) && {
    range.min = detail::toValue(min);
    return std::move(*this);
  }
  // For decimals: the bounds themselves are excluded.
  Self above(T min) && {
    range.above = true;
    return std::move(*this).atLeast(min);
  }
  Self atMost(T max) && {
    range.max = detail::toValue(max);
    return std::move(*this);
  }
  Self below(T max) && {
    range.below = true;
    return std::move(*this).atMost(max);
  }
  Self orZero() && {
    range.or_zero = true;
    return std::move(*this);
  }
  Self powerOfTwo() && {
    range.power_of_two = true;
    return std::move(*this);
  }
  Self multipleOf(std::int64_t step) && {
    range.multiple_of = step;
    return std::move(*this);
  }

  // Other kinds than the type's default.
  Self factor() && { return std::move(*this).ofKind(Kind::kFactor); }
  Self size() && { return std::move(*this).ofKind(Kind::kSize); }
  Self priorities() && {
    return std::move(*this).ofKind(Kind::kPriorities).in(T{1}, std::numeric_limits<T>::max());
  }
  // Words that are values, or that replace values of its kind.
  Self word(std::string name, T value, std::string stored_name = {}) && {
    words.push_back({std::move(name), detail::toValue(value).whole(), std::move(stored_name)});
    if (kind == Kind::kFlag) kind = Kind::kWord;
    return std::move(*this);
  }

  // The same, for a table whose rows have the members `word` and `kind`.
  template <typename Rows>
  Self wordsOf(const Rows& rows) && {
    for (const auto& row : rows) words.push_back({row.word, detail::toValue(row.kind).whole(), {}});
    if (kind == Kind::kFlag) kind = Kind::kWord;
    return std::move(*this);
  }

  Self from(std::string where) && {
    source = std::move(where);
    return std::move(*this);
  }
  // Meaning of leaving it out.
  Self otherwise(std::string meaning) && {
    absent = std::move(meaning);
    return std::move(*this);
  }
  Self need() && {
    required = true;
    return std::move(*this);
  }
  Self selecting() && {
    selects = true;
    return std::move(*this);
  }
  Self onlyIf(std::string needs, bool (*holds)(const Spec&)) && {
    applies_with = std::move(needs);
    applies = [holds](const void* spec) { return holds(*static_cast<const Spec*>(spec)); };
    return std::move(*this);
  }
  Self then(void (*next)(Spec&)) && {
    follow = [next](void* spec) { next(*static_cast<Spec*>(spec)); };
    return std::move(*this);
  }
  // A part may be written as the value of this one of its fields.
  Self orAlone(std::string field_key) && {
    alone = std::move(field_key);
    return std::move(*this);
  }
  // Parts with a flag of their own that switches them off.
  Self switchedBy(bool (*is_on)(const Spec&), void (*turn_on)(Spec&)) && {
    peek = [is_on, part = peek](const void* spec) -> const void* {
      return is_on(*static_cast<const Spec*>(spec)) ? part(spec) : nullptr;
    };
    open = [turn_on, part = open](void* spec) {
      turn_on(*static_cast<Spec*>(spec));
      return part(spec);
    };
    return std::move(*this);
  }
  // It is elsewhere in a scenario.
  Self notInScenario() && {
    key.clear();
    return std::move(*this);
  }
  // A text of at most this many characters, or one of these words.
  Self longest(std::size_t characters) && {
    range.max = Value{static_cast<Int128>(characters)};
    return std::move(*this);
  }
  template <typename Words>
  Self oneOf(const Words& known) && {
    for (const char* one : known) words.push_back({one, 0, {}});
    return std::move(*this).upTo(std::size(known));
  }
  // A list whose values may be equal, and which is always written as a list.
  Self repeatable() && {
    may_repeat = true;
    return std::move(*this);
  }
  Self upTo(std::size_t items) && {
    max_items = items;
    return std::move(*this);
  }

  Self ofKind(Kind other) && {
    kind = other;
    return nameStored();
  }

 private:
  static bool same(const Value& a, const Value& b) {
    if (const auto* list = std::get_if<std::vector<Value>>(&a.of)) {
      const auto& other = b.list();
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (i >= other.size() || !same((*list)[i], other[i])) return false;
      }
      return list->size() == other.size();
    }
    if (const auto* whole = std::get_if<Int128>(&a.of)) return *whole == b.whole();
    if (const auto* decimal = std::get_if<double>(&a.of)) return *decimal == b.decimal();
    return a.text() == b.text();
  }
  // "xon" of bytes is stored as "xon_bytes".
  Self nameStored() {
    const std::string suffix = detail::suffixOf(kind);
    stored = member.ends_with(suffix) ? member : member + suffix;
    return std::move(*this);
  }
};

// A field of a number, a flag, an enumeration, a text, or a list of them.
template <auto Member>
auto field(std::string key, std::string help) {
  using Of = detail::MemberOf<decltype(Member)>;
  using Spec = typename Of::Spec;
  using Unwrapped = detail::Unwrapped<typename Of::Type>;
  using T = typename Unwrapped::Type;
  Declaration<Spec, T> made;
  made.member = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.is_list = Unwrapped::kList;
  made.is_flag = std::is_same_v<T, bool>;
  made.range = detail::typeRange<T>();
  made.get = [](const void* spec) { return detail::read(static_cast<const Spec*>(spec)->*Member); };
  made.set = [](void* spec, const std::optional<Value>& value) {
    detail::write(static_cast<Spec*>(spec)->*Member, value);
  };
  return std::move(made).ofKind(detail::kindOf<T>());
}

// Eight numbers, one for each priority.
template <auto Member>
auto weights(std::string key, std::string help) {
  using Spec = typename detail::MemberOf<decltype(Member)>::Spec;
  using T = typename detail::MemberOf<decltype(Member)>::Type::value_type;
  Declaration<Spec, T> made;
  made.member = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.range = detail::typeRange<T>();
  made.get = [](const void* spec) {
    std::vector<Value> list;
    for (const T one : static_cast<const Spec*>(spec)->*Member) {
      list.push_back(detail::toValue(one));
    }
    return std::optional(Value{std::move(list)});
  };
  made.set = [](void* spec, const std::optional<Value>& value) {
    auto& array = static_cast<Spec*>(spec)->*Member;
    for (std::size_t i = 0; i < array.size(); ++i) {
      array[i] = detail::fromValue<T>(value->list()[i]);
    }
  };
  return std::move(made).ofKind(Kind::kWeights);
}

// A word for several values at once; never stored. `set` is called with its number.
template <typename Spec>
Declaration<Spec, std::int64_t> preset(std::string key, std::string help,
                                       void (*set)(Spec&, std::int64_t)) {
  Declaration<Spec, std::int64_t> made;
  made.member = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.kind = Kind::kWord;
  made.get = [](const void*) { return std::optional<Value>(); };
  made.set = [set](void* spec, const std::optional<Value>& value) {
    if (value) set(*static_cast<Spec*>(spec), static_cast<std::int64_t>(value->whole()));
  };
  return made;
}

// A part with fields of its own: a struct, or an std::optional of one, which a scenario switches
// on by giving it.
template <auto Member>
auto block(std::string key, std::string help) {
  using Of = detail::MemberOf<decltype(Member)>;
  using Spec = typename Of::Spec;
  using Part = typename detail::Unwrapped<typename Of::Type>::Type;
  Declaration<Spec, Part> made;
  made.member = key;
  made.stored = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.kind = Kind::kBlock;
  made.fields = []() -> const Fields& { return fieldsOf<Part>(); };
  made.fresh = []() -> const void* {
    static const Part part{};
    return &part;
  };
  made.peek = [](const void* spec) -> const void* {
    const auto& member = static_cast<const Spec*>(spec)->*Member;
    if constexpr (detail::isOptional<typename Of::Type>) {
      return member ? &*member : nullptr;
    } else {
      return &member;
    }
  };
  made.open = [](void* spec) -> void* {
    auto& member = static_cast<Spec*>(spec)->*Member;
    if constexpr (detail::isOptional<typename Of::Type>) {
      return &member.emplace();
    } else {
      return &member;
    }
  };
  return made;
}

// A list of parts with fields of their own; a single one represents a list of one.
template <auto Member>
auto items(std::string key, std::string help) {
  using Of = detail::MemberOf<decltype(Member)>;
  using Spec = typename Of::Spec;
  using Part = typename Of::Type::value_type;
  Declaration<Spec, Part> made;
  made.member = key;
  made.stored = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.kind = Kind::kItems;
  made.fields = []() -> const Fields& { return fieldsOf<Part>(); };
  made.fresh = []() -> const void* {
    static const Part part{};
    return &part;
  };
  made.count = [](const void* spec) { return (static_cast<const Spec*>(spec)->*Member).size(); };
  made.item = [](const void* spec, std::size_t i) -> const void* {
    return &(static_cast<const Spec*>(spec)->*Member)[i];
  };
  made.append = [](void* spec) -> void* {
    return &(static_cast<Spec*>(spec)->*Member).emplace_back();
  };
  made.erase = [](void* spec, std::size_t i) {
    auto& list = static_cast<Spec*>(spec)->*Member;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  };
  return made;
}

// A map of the scenario whose fields are the specification's own.
Field group(std::string key, std::string help, Fields fields);

// A field of a part that is a key of the map that the specification is read from; stored with the
// part.
template <auto Member>
Field within(Field inner) {
  using Spec = typename detail::MemberOf<decltype(Member)>::Spec;
  const auto part = [](void* spec) -> void* { return &(static_cast<Spec*>(spec)->*Member); };
  inner.get = [get = inner.get](const void* spec) {
    return get(&(static_cast<const Spec*>(spec)->*Member));
  };
  inner.set = [set = inner.set, part](void* spec, const std::optional<Value>& value) {
    set(part(spec), value);
  };
  if (inner.follow) {
    inner.follow = [follow = inner.follow, part](void* spec) { follow(part(spec)); };
  }
  inner.stored.clear();
  return inner;
}

// A part whose fields are keys of the map that the specification is read from.
template <auto Member>
Field inlined() {
  Field made = block<Member>({}, {});
  made.kind = Kind::kGroup;
  return made;
}

// Read and stored by custom functions.
Field special(std::string key, std::string help, std::string form, std::string schema);

}  // namespace plumbline::spec
