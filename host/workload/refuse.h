// How the parts of a workload are refused.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::workload {

// Throws Error(kUsage): `what` was asked for, `remedy` is what may be.
[[noreturn]] inline void refuse(const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::kUsage, what, {}, remedy);
}

}  // namespace plumbline::workload
