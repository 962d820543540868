// A specification in a trial's key, written by the declarations of its fields.
#pragma once

#include "base/json.h"
#include "spec/field.h"

namespace plumbline::bench {

// Canonical: equal objects mean equal trials. Quantities are whole numbers in the unit that ends
// their name ("xon_bytes"). Fields that are switched off, do not apply or have no value are left
// out, and so are fields at their default that were declared after trials had been stored without
// them.
nlohmann::json specToJson(const spec::Fields& fields, const void* specification);

template <typename Spec>
nlohmann::json specToJson(const Spec& specification) {
  return specToJson(spec::fieldsOf<Spec>(), &specification);
}

}  // namespace plumbline::bench
