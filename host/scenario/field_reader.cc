#include "scenario/field_reader.h"

#include <algorithm>
#include <limits>

#include "spec/check.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Fields;
using spec::Kind;
using spec::Value;

template <typename T>
std::optional<Value> wholeOf(const std::optional<T>& quantity) {
  return quantity ? std::optional(Value{Int128{quantity->count()}}) : std::nullopt;
}
std::optional<Value> wholeOf(const std::optional<BitRate>& rate) {
  return rate ? std::optional(Value{Int128{rate->bitsPerSecond()}}) : std::nullopt;
}
std::optional<Value> wholeOf(const std::optional<Fraction>& fraction) {
  return fraction ? std::optional(Value{Int128{fraction->partsPerTrillion()}}) : std::nullopt;
}

std::vector<std::string> wordsOf(const Field& field) {
  std::vector<std::string> names;
  for (const spec::Word& word : field.words) {
    if (!word.name.empty()) names.push_back(word.name);
  }
  return names;
}

std::optional<Value> readWordValue(const YamlNode& node, const Field& field, Problems& problems) {
  const std::vector<std::string> names = wordsOf(field);
  const auto index = readWord(node, names, problems);
  if (!index) return std::nullopt;
  const auto word = std::find_if(field.words.begin(), field.words.end(),
                                 [&](const spec::Word& one) { return one.name == names[*index]; });
  return Value{word->value};
}

std::optional<Value> readWhole(const YamlNode& node, const Field& field, Problems& problems) {
  const Int128 min = field.range.min->whole();
  const Int128 max = field.range.max->whole();
  if (min < 0) {
    const auto value =
        readSigned(node, static_cast<std::int64_t>(min), static_cast<std::int64_t>(max), problems);
    return value ? std::optional(Value{Int128{*value}}) : std::nullopt;
  }
  // The range is checked together with the other conditions.
  const bool plain = !field.range.or_zero && !field.range.power_of_two;
  const auto value = readInteger(
      node, plain ? static_cast<std::uint64_t>(min) : 0,
      plain ? static_cast<std::uint64_t>(max) : std::numeric_limits<std::uint64_t>::max(),
      problems);
  return value ? std::optional(Value{static_cast<Int128>(*value)}) : std::nullopt;
}

std::optional<Value> readWeights(const YamlNode& node, const Field& field, Problems& problems) {
  auto map = readMap(node, field.key, problems);
  if (!map) return std::nullopt;
  const std::size_t before = problems.count();
  std::vector<Value> weights(8, Value{Int128{0}});
  for (std::size_t priority = 0; priority < weights.size(); ++priority) {
    const YamlNode* weight = map->optional(std::to_string(priority));
    if (weight == nullptr) continue;
    if (auto value = readWhole(*weight, field, problems)) weights[priority] = *std::move(value);
  }
  map->finish();
  return problems.count() == before ? std::optional(Value{std::move(weights)}) : std::nullopt;
}

constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

// The "allowed" part of a message about an unreadable value: the range, or without one an example.
std::string allowed(const Field& field, const char* example) {
  const auto& max = field.range.max;
  const Int128* whole = max ? std::get_if<Int128>(&max->of) : nullptr;
  const bool bounded = max && (whole == nullptr || *whole < kMax64);
  return bounded ? spec::rangeText(field) : example;
}

// A value of the field's kind, without a range check.
std::optional<Value> readOfKind(const YamlNode& node, const Field& field, Problems& problems) {
  switch (field.kind) {
    case Kind::kFlag: {
      const auto value = readBool(node, problems);
      return value ? std::optional(Value{Int128{*value ? 1 : 0}}) : std::nullopt;
    }
    case Kind::kCount:
      return readWhole(node, field, problems);
    case Kind::kSize:
      return wholeOf(readBytes(node, Bytes(0), Bytes(kMax64), allowed(field, "a size such as 64KB"),
                               problems));
    case Kind::kTime:
      return wholeOf(readDuration(node, Picoseconds(0), Picoseconds(kMax64),
                                  allowed(field, "a time such as 1.5us"), problems));
    case Kind::kRate:
      return wholeOf(readBitRate(node, BitRate(0), BitRate(kMax64),
                                 allowed(field, "a rate such as 400G, in b/s"), problems));
    case Kind::kShare:
      return wholeOf(readShare(node, Fraction(), Fraction::partsPerTrillion(kMax64),
                               allowed(field, "a share such as 12.5%"), problems));
    case Kind::kFactor:
      return wholeOf(readFactor(node, Fraction(), Fraction::partsPerTrillion(kMax64),
                                allowed(field, "a factor such as 0.125"), problems));
    case Kind::kDecimal: {
      const auto value = readDecimal(node, 0, std::numeric_limits<double>::max(),
                                     allowed(field, "a number such as 0.5"), problems);
      return value ? std::optional(Value{*value}) : std::nullopt;
    }
    case Kind::kWord:
      return readWordValue(node, field, problems);
    case Kind::kPriorities: {
      const auto mask = readPriorities(node, problems);
      return mask ? std::optional(Value{Int128{*mask}}) : std::nullopt;
    }
    case Kind::kWeights:
      return readWeights(node, field, problems);
    case Kind::kText: {
      if (!field.words.empty()) {
        const std::vector<std::string> names = wordsOf(field);
        const auto word = readWord(node, names, problems);
        return word ? std::optional(Value{names[*word]}) : std::nullopt;
      }
      auto text = readText(node, static_cast<std::size_t>(field.range.max->whole()), problems);
      return text ? std::optional(Value{*std::move(text)}) : std::nullopt;
    }
    case Kind::kBlock:
    case Kind::kGroup:
    case Kind::kItems:
    case Kind::kSpecial:
      break;
  }
  return std::nullopt;
}

// A word that represents a value of the field's kind: "never".
std::optional<Value> wordFor(const YamlNode& node, const Field& field) {
  const bool words_alone = field.kind == Kind::kWord || field.kind == Kind::kText;
  if (words_alone || node.kind != YamlNode::Kind::kScalar) return std::nullopt;
  for (const spec::Word& word : field.words) {
    if (!word.name.empty() && word.name == node.text) return Value{word.value};
  }
  return std::nullopt;
}

std::optional<Value> readOne(const YamlNode& node, const Field& field, Problems& problems) {
  if (auto value = wordFor(node, field)) return value;
  auto value = readOfKind(node, field, problems);
  if (!value || spec::inRange(field, *value)) return value;
  problems.add(node, shown(node.text) + " is out of range", spec::rangeText(field));
  return std::nullopt;
}

// A list whose values may be equal.
std::optional<Value> readSequence(const YamlNode& node, const Field& field, Problems& problems) {
  if (node.kind != YamlNode::Kind::kSequence || node.items.empty() ||
      node.items.size() > field.max_items) {
    problems.add(node, "\"" + field.key + "\" must be a list",
                 "1 to " + std::to_string(field.max_items) + " values, which may be equal");
    return std::nullopt;
  }
  std::vector<Value> values;
  values.reserve(node.items.size());
  for (const YamlNode& item : node.items) {
    if (auto value = readOne(item, field, problems)) values.push_back(*std::move(value));
  }
  const bool whole = values.size() == node.items.size();
  return whole ? std::optional(Value{std::move(values)}) : std::nullopt;
}

// The fields of one map.
class FieldReader {
 public:
  FieldReader(SpecReader& map, const Fields& fields, void* specification)
      : map_(map), fields_(fields), spec_(specification) {}

  void read(std::string_view except) {
    for (const Field& field : fields_) {
      if (field.kind == Kind::kGroup && field.key.empty()) {
        readFields(map_, field.fields(), field.open ? field.open(spec_) : spec_, except);
      } else if (!field.key.empty() && field.key != except) {
        read(field);
      }
    }
  }

  void read(const Field& field) {
    // A key that does not exist here is unknown, unless another key could bring it about.
    if (field.applies && !field.applies(spec_) && !hasSelector()) return;
    const YamlNode* node = field.required ? map_.required(field.key) : map_.optional(field.key);
    if (node == nullptr) {
      if (field.selects && field.required) selected_ = false;
      leftOut(field);
      return;
    }
    if (!applies(field, *node)) return;
    switch (field.kind) {
      case Kind::kBlock:
        return readBlock(field, *node);
      case Kind::kGroup:
        return readGroup(field, *node);
      case Kind::kItems:
        return readList(field, *node);
      case Kind::kSpecial:
        return;  // its section reads it
      default:
        if (!field.get) return;  // so is this
        return readScalar(field, *node, field, spec_, field.member);
    }
  }

 private:
  void leftOut(const Field& field) {
    if (field.get) map_.addLeftOut(field.member, field.key);
  }

  [[nodiscard]] bool hasSelector() const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [](const Field& field) { return field.selects && !field.key.empty(); });
  }

  // Whether the specification in its present form has this field; reports it when not. Any field is
  // accepted if the selecting value could not be read.
  bool applies(const Field& field, const YamlNode& node) {
    if (!field.applies || !selected_ || field.applies(spec_)) return true;
    for (const Field& selector : fields_) {
      if (!selector.selects) continue;
      map_.problems().add(node,
                          "\"" + field.key + "\" does not exist in a " + map_.name() + " of " +
                              selector.key + " " + spec::valueText(selector, *selector.get(spec_)),
                          "with " + field.applies_with);
      break;
    }
    return false;
  }

  void readScalar(const Field& field, const YamlNode& node, const Field& of, void* spec,
                  const std::string& member) {
    const auto value = readFieldValue(node, of, map_.problems());
    std::function<void()> undo;
    if (value) {
      undo = [spec, &of, before = of.get(spec)] { of.set(spec, before); };
      of.set(spec, value);
      if (of.follow) of.follow(spec);
    } else if (field.selects) {
      selected_ = false;
    }
    map_.addPresent(member, node, std::move(undo));
  }

  void readBlock(const Field& field, const YamlNode& node) {
    if (!field.alone.empty() && node.kind == YamlNode::Kind::kScalar) {
      void* part = field.open(spec_);
      for (const Field& inner : field.fields()) {
        if (inner.key == field.alone) {
          readScalar(field, node, inner, part, field.member + "." + inner.member);
        }
      }
      return;
    }
    auto block = map_.block(field.key, field.member.c_str());
    if (!block) return;
    readFields(*block, field.fields(), field.open(spec_));
    block->finish();
  }

  void readGroup(const Field& field, const YamlNode& node) {
    auto checked = readMap(node, field.key, map_.problems());
    if (!checked) return;
    SpecReader group = map_.beside(std::move(*checked));
    readFields(group, field.fields(), spec_);
    group.finish();
  }

  // Items with mistakes are left out.
  void readList(const Field& field, const YamlNode& node) {
    std::vector<const YamlNode*> kept;
    const auto readItem = [&](const YamlNode& item) {
      const std::size_t before = map_.problems().count();
      auto checked = readMap(item, field.key, map_.problems());
      if (!checked) return;
      SpecReader reader(std::move(*checked), {}, nullptr, map_.problems());
      readFields(reader, field.fields(), field.append(spec_));
      reader.finish();
      if (map_.problems().count() == before) {
        kept.push_back(&item);
      } else {
        field.erase(spec_, field.count(spec_) - 1);
      }
    };
    if (node.kind == YamlNode::Kind::kSequence) {
      for (const YamlNode& item : node.items) readItem(item);
    } else {
      readItem(node);
    }
    map_.addList(field.member, std::move(kept),
                 [spec = spec_, &field](std::size_t i) { field.erase(spec, i); });
  }

  SpecReader& map_;
  const Fields& fields_;
  void* spec_;
  bool selected_ = true;
};

}  // namespace

std::optional<Value> readFieldValue(const YamlNode& node, const Field& field, Problems& problems) {
  if (!field.is_list) return readOne(node, field, problems);
  if (field.may_repeat) return readSequence(node, field, problems);
  // Values are compared as they are written out.
  struct Item {
    Value value;
    std::string text;
    bool operator==(const Item& other) const { return text == other.text; }
  };
  const auto items = scenario::readList(node, field.max_items, problems,
                                        [&](const YamlNode& item) -> std::optional<Item> {
                                          auto value = readOne(item, field, problems);
                                          if (!value) return std::nullopt;
                                          std::string text = spec::valueText(field, *value);
                                          return Item{*std::move(value), std::move(text)};
                                        });
  if (!items) return std::nullopt;
  std::vector<Value> values;
  values.reserve(items->size());
  for (const Item& item : *items) values.push_back(item.value);
  return Value{std::move(values)};
}

void readFields(SpecReader& map, const Fields& fields, void* specification,
                std::string_view except) {
  FieldReader(map, fields, specification).read(except);
}

void readField(SpecReader& map, const Fields& fields, const std::string& key, void* specification) {
  for (const Field& field : fields) {
    if (field.key == key) FieldReader(map, fields, specification).read(field);
  }
}

}  // namespace plumbline::scenario
