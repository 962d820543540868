// How the parts of a workload are refused.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::workload {

// Throws Error(kUsage): `what` was asked for, `remedy` is what may be. `field`: the job's key that
// the fault is of; empty where it is of several.
[[noreturn]] inline void refuse(const std::string& what, const std::string& remedy,
                                const std::string& field = {}) {
  throw Error(ErrorKind::kUsage, what, field, remedy);
}

}  // namespace plumbline::workload
