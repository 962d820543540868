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

// What a value is, and so how it is written in a scenario.
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
  kSpecial,  // read and written by its own functions; declared for the documents
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

// What a value must be. Without bounds: whatever its type holds.
struct Range {
  std::optional<Value> least;
  std::optional<Value> most;
  bool above = false;  // more than `least`
  bool below = false;  // less than `most`
  bool power_of_two = false;
  Int128 multiple_of = 1;
  bool or_zero = false;  // zero as well, though it is out of the bounds
};

// A word that a value may be, or that stands for a value of another kind ("never").
struct Word {
  std::string name;  // empty: a value that a scenario says in another way
  Int128 value = 0;
  std::string stored;  // in stored trials, where it differs; empty = `name`
};

struct Field;
using Fields = std::vector<Field>;

// One form of a part that has several: what else it has depends on the word under "kind".
struct Variant {
  std::vector<std::string> words;
  std::function<const Fields&()> fields;
  std::function<const void*()> fresh;
};

struct Field {
  std::string key;     // in a scenario: "xon"; empty: a scenario cannot give it
  std::string member;  // in the places of errors: "xon"
  std::string stored;  // in stored trials: "xon_bytes"; empty: not stored
  Kind kind = Kind::kCount;
  bool is_flag = false;        // true or false in stored trials, whatever its words
  bool is_list = false;        // values of that kind, each once; one by itself stands for a list
  bool may_repeat = false;     // of a list: values may be equal, and one by itself is no list
  std::size_t most_items = 0;  // of a list
  Range range;
  std::vector<Word> words;
  std::string help;    // one line without a full stop
  std::string source;  // standard, paper, or section of the fact sheet; empty: our own choice
  std::string absent;  // what leaving it out means, where the initialiser does not say it
  bool required = false;
  bool selects = false;  // other fields apply or not by its value

  // Access, but for what a section reads by itself; the pointers are to the specification that has
  // the field. No value: an std::optional that is empty.
  std::function<std::optional<Value>(const void*)> get;
  std::function<void(void*, const std::optional<Value>&)> set;
  // Called after a scenario gave it, before the fields behind it are read: defaults that follow.
  std::function<void(void*)> follow;
  // Whether the specification, as it is, has this field. Empty: always.
  std::function<bool(const void*)> applies;
  std::string applies_with;  // what it needs, for messages and documents: "kind: flowlet"
  // Whether a trial is stored with it, where it has a value. Empty: always.
  std::function<bool(const void*)> is_stored;

  // kBlock: the part, or null where it is switched off; switched on with its defaults.
  // kItems: the number of items, one of them, a new one, without one.
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

  // kSpecial. A map: `fields` or `variants`; with `is_list` a list of such maps as well.
  std::vector<Variant> variants;
  bool or_flag = false;        // or just true or false
  std::string special_form;    // how it is written, for the documents
  std::string special_schema;  // the JSON schema of its value, where its kind does not say it
};

// The fields of a specification. Specialised next to each (fabric/spec/spec_fields.h, …).
template <typename Spec>
const Fields& fieldsOf();

// The field of this member; throws Error(kTester) when there is none.
const Field& fieldNamed(const Fields& fields, std::string_view member);

// The word of this value; null if there is none.
const Word* wordOf(const Field& field, Int128 value);

// A value as a scenario has it: "64KB", "1.5us", "dequeue", "[3, 4]".
std::string valueText(const Field& field, const Value& value);

// What is allowed: "1ps to 1s", "a power of two, 256B to 4KiB", "one of enqueue, dequeue".
// Empty where everything of the kind is.
std::string rangeText(const Field& field);

// Quantities as a scenario has them.
std::string sizeText(Int128 bytes);
std::string timeText(Int128 picoseconds);
std::string rateText(Int128 bits_per_second);
std::string shareText(Int128 parts_per_trillion);

}  // namespace plumbline::spec
