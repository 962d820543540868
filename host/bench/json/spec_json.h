// A specification as it stands in a trial's key, by the declarations of its fields.
#pragma once

#include "base/json.h"
#include "spec/field.h"

namespace plumbline::bench {

// Canonical: equal objects mean equal trials. Quantities are whole numbers in the unit that ends
// their name ("xon_bytes"). What is switched off, does not apply or has no value is left out, and
// so is what was declared after trials had been stored without it, as long as it has its default.
nlohmann::json specToJson(const spec::Fields& fields, const void* specification);

template <typename Spec>
nlohmann::json specToJson(const Spec& specification) {
  return specToJson(spec::fieldsOf<Spec>(), &specification);
}

}  // namespace plumbline::bench
