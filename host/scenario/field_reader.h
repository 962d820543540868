// Reads the maps of a file into specifications, by the declarations of their fields (spec/field.h).
#pragma once

#include "scenario/spec_reader.h"
#include "spec/field.h"

namespace plumbline::scenario {

// Reads the keys of the map that belong to `fields`, in their order, into `specification`; missing
// ones keep their values. The caller reads the key `except` itself, continues with other keys, if
// any, and calls map.finish(). `fields` must outlive the places that `map` keeps.
void readFields(SpecReader& map, const spec::Fields& fields, void* specification,
                std::string_view except = {});

template <typename Spec>
void readFields(SpecReader& map, Spec& specification) {
  readFields(map, spec::fieldsOf<Spec>(), &specification);
}

// Reads one of the fields, where a section handles it separately.
void readField(SpecReader& map, const spec::Fields& fields, const std::string& key,
               void* specification);

// A single value, in its range; reports errors.
std::optional<spec::Value> readFieldValue(const YamlNode& node, const spec::Field& field,
                                          Problems& problems);

}  // namespace plumbline::scenario
