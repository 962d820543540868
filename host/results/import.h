// Reads a run from the JSON document that was written of it.
#pragma once

#include <cstdint>
#include <string>

#include "results/store.h"

namespace plumbline::results {

// Largest document that is read.
inline constexpr std::uint64_t kMaxJsonBytes = 256U << 20U;

// The run in `json`, as exportJson() writes it. Members that the document does not contain are
// empty: the names of the scenario's file and of the files that it names. `file` is used in
// messages. Throws Error(kUsage) for any other text.
StoredRun importJson(const std::string& json, const std::string& file);

}  // namespace plumbline::results
