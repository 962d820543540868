// What `plan` shows of a serving system: which NICs carry the KV cache of a request, by its
// parallelism alone.
#pragma once

#include <string>

#include "serving/program.h"

namespace plumbline::cli {

// The flows of a request of the load's mean prompt from the first prefill worker to the first
// decode worker, a line each with ranks, NICs, hosts and bytes; then how they meet at the NICs.
// With MLA the rank goes by the request: of request 0. `program` has passed its check.
std::string nicMapText(const serving::ServingProgram& program);

}  // namespace plumbline::cli
