// The fields of specifications (structs of plain data such as fabric::PfcSpec), each declared once:
// key in a scenario, kind and range, help, source. Scenarios are read by these declarations
// (scenario/field_reader.h), values checked (spec/check.h), trials stored (bench/json/spec_json.h),
// and the JSON schema and the tables of the documents written. Defaults are not declared: they are
// the struct's own initialisers. How a field is declared: spec/declare.h.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"

namespace plumbline::spec {

// Kind of a value, which determines how it is written in a scenario.
enum class Kind {
  kFlag,        // true, false
  kCount,       // a whole number
  kSize,        // bytes: 64KB
  kTime,        // picoseconds: 1.5us
  kRate,        // bits per second: 400G
  kShare,       // parts per 10^12, written as a percentage: 12.5%
  kFactor,      // parts per 10^12, written as a plain number: 0.125
  kDecimal,     // a floating-point number: 0.5, 1e-6
  kWord,        // one of Field::words
  kPriorities,  // a bit for each of the priorities 0 to 7, written as a number or a list: [3, 4]
  kWeights,     // eight numbers, written as a map of priorities: {0: 10, 3: 40}
  kText,
  kBlock,    // a map with fields of its own
  kGroup,    // a map whose fields belong to the specification that the group is in; without a key
             // its fields are keys of the map that the group is in
  kItems,    // a list of maps with fields of their own
  kSpecial,  // read and written by custom functions; declared for the documents
};

// A value without its type: whole numbers of any unit, flags (0, 1), words (the enumeration's
// value), decimals, texts, lists.
struct Value {
  std::variant<Int128, double, std::string, std::vector<Value>> of;

  [[nodiscard]] Int128 whole() const { return std::get<Int128>(of); }
  [[nodiscard]] double decimal() const { return std::get<double>(of); }
  [[nodiscard]] const std::string& text() const { return std::get<std::string>(of); }
  [[nodiscard]] const std::vector<Value>& list() const { return std::get<std::vector<Value>>(of); }
};

// Allowed range of a value. Without bounds: that of its type.
struct Range {
  std::optional<Value> min;
  std::optional<Value> max;
  bool above = false;  // more than `least`
  bool below = false;  // less than `most`
  bool power_of_two = false;
  Int128 multiple_of = 1;
  bool or_zero = false;  // zero is allowed as well, even outside the bounds
};

// A word that is a value, or replaces a value of another kind ("never").
struct Word {
  std::string name;  // empty: a value that a scenario expresses in another way
  Int128 value = 0;
  std::string stored;  // in stored trials, where it differs; empty = `name`
};

struct Field;
using Fields = std::vector<Field>;

// One form of a part with several: its other fields depend on the word under "kind".
struct Variant {
  std::vector<std::string> words;
  std::function<const Fields&()> fields;
  std::function<const void*()> fresh;
};

struct Field {
  std::string key;     // in a scenario: "xon"; empty: not in scenarios
  std::string member;  // in the places of errors: "xon"
  std::string stored;  // in stored trials: "xon_bytes"; empty: not stored
  Kind kind = Kind::kCount;
  bool is_flag = false;       // true or false in stored trials, whatever its words
  bool is_list = false;       // values of that kind, each once; a single one represents a list
  bool may_repeat = false;    // of a list: values may be equal, and a single one is no list
  std::size_t max_items = 0;  // of a list
  Range range;
  std::vector<Word> words;
  std::string help;    // one line without a full stop
  std::string source;  // standard, paper, or section of the fact sheet; empty: our own choice
  std::string absent;  // meaning of leaving it out, if the initialiser does not show it
  bool required = false;
  bool selects = false;  // its value determines whether other fields apply

  // Access, except for fields that a section reads itself; the pointers are to the specification
  // with the field. No value: an empty std::optional.
  std::function<std::optional<Value>(const void*)> get;
  std::function<void(void*, const std::optional<Value>&)> set;
  // Called after a scenario gave it, before later fields are read: sets dependent defaults.
  std::function<void(void*)> follow;
  // Whether the specification, in its present state, has this field. Empty: always.
  std::function<bool(const void*)> applies;
  std::string applies_with;  // its condition, for messages and documents: "kind: flowlet"
  // Whether it is stored with a trial, if it has a value. Empty: always.
  std::function<bool(const void*)> is_stored;

  // kBlock: the part, or null if it is switched off; switching it on with its defaults. kItems: the
  // number of items, access, insertion, removal.
  std::function<const Fields&()> fields;
  std::function<const void*(const void*)> peek;
  std::function<void*(void*)> open;
  std::function<std::size_t(const void*)> count;
  std::function<const void*(const void*, std::size_t)> item;
  std::function<void*(void*)> append;
  std::function<void(void*, std::size_t)> erase;
  std::function<const void*()> fresh;  // a part or item with its defaults
  // A block may be written as the value of this one of its fields alone: "kind".
  std::string alone;

  // kSpecial. A map: `fields` or `variants`; with `is_list` also a list of such maps.
  std::vector<Variant> variants;
  bool or_flag = false;        // or just true or false
  std::string special_form;    // its form, for the documents
  std::string special_schema;  // the JSON schema of its value, if its kind does not determine it
};

// The fields of a specification. Specialised next to each (fabric/spec/spec_fields.h, …).
template <typename Spec>
const Fields& fieldsOf();

// The field of this member; throws Error(kTester) when there is none.
const Field& fieldNamed(const Fields& fields, std::string_view member);

// The word of this value; null if there is none.
const Word* wordOf(const Field& field, Int128 value);

// A value in the form of a scenario: "64KB", "1.5us", "dequeue", "[3, 4]".
std::string valueText(const Field& field, const Value& value);

// Allowed values: "1ps to 1s", "a power of two, 256B to 4KiB", "one of enqueue, dequeue". Empty if
// the kind has no limits.
std::string rangeText(const Field& field);

// Quantities in the form of a scenario.
std::string sizeText(Int128 bytes);
std::string timeText(Int128 picoseconds);
std::string rateText(Int128 bits_per_second);
std::string shareText(Int128 parts_per_trillion);

}  // namespace plumbline::spec
