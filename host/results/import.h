// The way back from a JSON document to the run it was written of.
#pragma once

#include <cstdint>
#include <string>

#include "results/store.h"

namespace plumbline::results {

// Most that is read of a document.
inline constexpr std::uint64_t kMostJsonBytes = 256U << 20U;

// The run in `json`, as exportJson() writes it. What the document does not hold is empty: the names
// of the scenario's file and the files it refers to. `file` stands in messages. Throws
// Error(kUsage) for any other text.
StoredRun importJson(const std::string& json, const std::string& file);

}  // namespace plumbline::results
