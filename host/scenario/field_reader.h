// Reads the maps of a file into specifications, by the declarations of their fields (spec/field.h).
#pragma once

#include "scenario/spec_reader.h"
#include "spec/field.h"

namespace plumbline::scenario {

// The keys of the map that belong to `fields`, in their order, into `specification`, which keeps
// what is not given. The caller reads the key `except` itself, goes on with keys of its own, if
// any, and calls map.finish(). `fields` must outlive the places that `map` keeps.
void readFields(SpecReader& map, const spec::Fields& fields, void* specification,
                std::string_view except = {});

template <typename Spec>
void readFields(SpecReader& map, Spec& specification) {
  readFields(map, spec::fieldsOf<Spec>(), &specification);
}

// One of the fields, where a section reads it apart from the others.
void readField(SpecReader& map, const spec::Fields& fields, const std::string& key,
               void* specification);

// A value by itself, in its range; reports what is wrong.
std::optional<spec::Value> readFieldValue(const YamlNode& node, const spec::Field& field,
                                          Problems& problems);

}  // namespace plumbline::scenario
