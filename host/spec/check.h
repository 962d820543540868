// Checks values against the ranges that their fields declare.
#pragma once

#include <string>

#include "spec/field.h"

namespace plumbline::spec {

// Whether a value, or each one of a list, is in its field's range.
bool inRange(const Field& field, const Value& value);

// Throws Error(kUsage) for the first field out of its range, with the field's name below `path`
// ("switches.pfc.xon") as its place and a remedy "allowed: …". Skips parts that are switched off,
// and fields that do not apply.
void check(const Fields& fields, const void* specification, const std::string& path);

template <typename Spec>
void check(const Spec& specification, const std::string& path) {
  check(fieldsOf<Spec>(), &specification, path);
}

}  // namespace plumbline::spec
