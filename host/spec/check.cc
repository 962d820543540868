#include "spec/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace plumbline::spec {
namespace {

bool inWholeRange(const Range& range, Int128 value) {
  if (range.or_zero && value == 0) return true;
  if (range.min && value < range.min->whole()) return false;
  if (range.max && value > range.max->whole()) return false;
  if (value % range.multiple_of != 0) return false;
  return !range.power_of_two || (value > 0 && (value & (value - 1)) == 0);
}

// Written so that a NaN is out of every range.
bool inDecimalRange(const Range& range, double value) {
  if (range.min) {
    const double min = range.min->decimal();
    if (!(range.above ? value > min : value >= min)) return false;
  }
  if (range.max) {
    const double max = range.max->decimal();
    if (!(range.below ? value < max : value <= max)) return false;
  }
  return value == value;
}

std::string placeOf(const std::string& path, const std::string& member) {
  if (member.empty()) return path;
  return path.empty() ? member : path + "." + member;
}

// The specification that has a group's fields.
const void* partOf(const Field& group, const void* specification) {
  return group.peek ? group.peek(specification) : specification;
}

void checkField(const Field& field, const void* specification, const std::string& place) {
  if (!field.get) return;
  const auto value = field.get(specification);
  if (!value || inRange(field, *value)) return;
  const std::string what =
      field.kind == Kind::kPriorities ? "names no priority" : valueText(field, *value);
  throw Error(ErrorKind::kUsage,
              field.kind == Kind::kPriorities ? what : fmt::format("{} is out of range", what),
              place, "allowed: " + rangeText(field));
}

}  // namespace

const Field& fieldNamed(const Fields& fields, std::string_view member) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& one) { return one.member == member; });
  if (found != fields.end()) return *found;
  throw Error(ErrorKind::kTester, fmt::format("no field \"{}\" is declared", member));
}

bool inRange(const Field& field, const Value& value) {
  if (const auto* list = std::get_if<std::vector<Value>>(&value.of)) {
    return std::all_of(list->begin(), list->end(),
                       [&](const Value& one) { return inRange(field, one); });
  }
  if (const auto* decimal = std::get_if<double>(&value.of)) {
    return inDecimalRange(field.range, *decimal);
  }
  const auto* whole = std::get_if<Int128>(&value.of);
  if (whole == nullptr) return true;
  if (wordOf(field, *whole) != nullptr) return true;
  return field.kind != Kind::kWord && inWholeRange(field.range, *whole);
}

void check(const Fields& fields, const void* specification, const std::string& path) {
  for (const Field& field : fields) {
    if (field.applies && !field.applies(specification)) continue;
    const std::string place = placeOf(path, field.member);
    if (field.kind == Kind::kGroup) {
      check(field.fields(), partOf(field, specification), path);
    } else if (field.kind == Kind::kBlock) {
      if (const void* part = field.peek(specification)) check(field.fields(), part, place);
    } else if (field.kind == Kind::kItems) {
      for (std::size_t i = 0; i < field.count(specification); ++i) {
        check(field.fields(), field.item(specification, i), fmt::format("{}[{}]", place, i));
      }
    } else {
      checkField(field, specification, place);
    }
  }
}

}  // namespace plumbline::spec
