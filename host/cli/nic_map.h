// The NICs that carry the KV cache of a request, from a serving system's parallelism alone; shown
// by `plan`.
#pragma once

#include <string>

#include "serving/program.h"

namespace plumbline::cli {

// The flows of a request of the load's mean prompt from the first prefill worker to the first
// decode worker, a line each with ranks, NICs, hosts and bytes; then how they meet at the NICs.
// With MLA the rank depends on the request: request 0 is shown. `program` has been validated.
std::string nicMapText(const serving::ServingProgram& program);

}  // namespace plumbline::cli
