// Throws refusals of parts of a workload.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::workload {

// Throws Error(kUsage): `what` is the fault, `remedy` the allowed values. `field`: the job's key
// with the fault; empty for a fault of several keys.
[[noreturn]] inline void refuse(const std::string& what, const std::string& remedy,
                                const std::string& field = {}) {
  throw Error(ErrorKind::kUsage, what, field, remedy);
}

}  // namespace plumbline::workload
