#include "tests/spec/random_spec.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "spec/check.h"

namespace plumbline::spec {
namespace {

std::uint64_t below(std::uint64_t limit, std::mt19937_64& random) { return random() % limit; }

Value wholeWithin(const Field& field, std::mt19937_64& random) {
  const auto min = field.range.min ? field.range.min->whole() : 0;
  const auto max = field.range.max ? field.range.max->whole() : 1;
  // Numbers of all lengths, not just large ones.
  const Int128 span = std::min<Int128>(max - min, Int128{1} << (1 + below(50, random)));
  Int128 value = min + static_cast<Int128>(random()) % (span + 1);
  if (field.range.power_of_two) {
    value = 1;
    for (std::uint64_t doublings = below(23, random); doublings > 0; --doublings) value *= 2;
  }
  value -= value % field.range.multiple_of;
  if (field.range.or_zero && below(4, random) == 0) value = 0;
  return {value};
}

Value decimalWithin(const Field& field, std::mt19937_64& random) {
  const double min = field.range.min ? field.range.min->decimal() : 0;
  const double max = field.range.max ? field.range.max->decimal() : min + 100;
  return {min + (max - min) * static_cast<double>(below(1'000'000, random)) / 1e6};
}

Value textOfLetters(std::mt19937_64& random) {
  std::string text;
  for (std::uint64_t left = 1 + below(8, random); left > 0; --left) {
    text += static_cast<char>('a' + static_cast<char>(below(26, random)));
  }
  return {text};
}

Value oneValue(const Field& field, std::mt19937_64& random) {
  std::vector<Word> words;
  for (const Word& word : field.words) {
    if (!word.name.empty()) words.push_back(word);
  }
  const bool word = field.kind == Kind::kWord || below(4, random) == 0;
  if (!words.empty() && field.kind == Kind::kText) {
    return {words[below(words.size(), random)].name};
  }
  if (!words.empty() && word) return {words[below(words.size(), random)].value};
  if (field.kind == Kind::kText) return textOfLetters(random);
  if (field.kind == Kind::kDecimal) return decimalWithin(field, random);
  return wholeWithin(field, random);
}

Value anyValue(const Field& field, std::mt19937_64& random) {
  for (;;) {
    Value value = oneValue(field, random);
    if (inRange(field, value)) return value;
  }
}

Value valueOf(const Field& field, std::mt19937_64& random) {
  if (field.kind == Kind::kWeights) {
    std::vector<Value> list;
    list.reserve(8);
    for (int i = 0; i < 8; ++i) list.push_back(anyValue(field, random));
    return {std::move(list)};
  }
  if (!field.is_list) return anyValue(field, random);
  // Two equal ones are refused.
  Value first = anyValue(field, random);
  Value second = anyValue(field, random);
  if (valueText(field, first) == valueText(field, second)) return {std::vector{std::move(first)}};
  return {std::vector{std::move(first), std::move(second)}};
}

bool applies(const Field& field, const void* specification) {
  return !field.applies || field.applies(specification);
}

const void* partOf(const Field& field, const void* specification) {
  return field.peek ? field.peek(specification) : specification;
}

}  // namespace

void randomise(const Fields& fields, void* specification, std::mt19937_64& random) {
  for (const Field& field : fields) {
    if (!applies(field, specification)) continue;
    if (field.kind == Kind::kGroup) {
      randomise(field.fields(), field.open ? field.open(specification) : specification, random);
      continue;
    }
    if (field.key.empty() || field.kind == Kind::kSpecial) continue;
    if (!field.required && below(3, random) == 0) continue;
    if (field.kind == Kind::kBlock) {
      randomise(field.fields(), field.open(specification), random);
    } else if (field.kind == Kind::kItems) {
      for (std::uint64_t left = below(3, random); left > 0; --left) {
        randomise(field.fields(), field.append(specification), random);
      }
    } else if (field.get && (field.get(specification) || !field.stored.empty())) {
      field.set(specification, valueOf(field, random));
    }
  }
}

std::string scenarioText(const Fields& fields, const void* specification) {
  std::string text;
  const auto add = [&](const std::string& entry) {
    if (entry.empty()) return;
    if (!text.empty()) text += ", ";
    text += entry;
  };
  const auto braced = [](const std::string& inner) { return "{" + inner + "}"; };
  for (const Field& field : fields) {
    if (!applies(field, specification)) continue;
    if (field.kind == Kind::kGroup) {
      const std::string inner = scenarioText(field.fields(), partOf(field, specification));
      add(field.key.empty() ? inner : field.key + ": " + braced(inner));
    }
    if (field.key.empty()) continue;
    if (field.kind == Kind::kBlock) {
      const void* part = field.peek(specification);
      if (part != nullptr) add(field.key + ": " + braced(scenarioText(field.fields(), part)));
    } else if (field.kind == Kind::kItems) {
      std::string list;
      for (std::size_t i = 0; i < field.count(specification); ++i) {
        list += i == 0 ? "" : ", ";
        list += braced(scenarioText(field.fields(), field.item(specification, i)));
      }
      if (!list.empty() || field.required) add(field.key + ": [" + list + "]");
    } else if (field.get) {
      const auto value = field.get(specification);
      const auto* list = value ? std::get_if<std::vector<Value>>(&value->of) : nullptr;
      const auto* words = value ? std::get_if<std::string>(&value->of) : nullptr;
      const bool empty = (list != nullptr && list->empty()) || (words != nullptr && words->empty());
      if (value && !empty) {
        add(field.key + ": " + valueText(field, *value));
      }
    }
  }
  return text;
}

}  // namespace plumbline::spec
