// Selects one of a machine's RDMA devices.
#pragma once

#include <string>

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

// `wanted`, or the first device when that is empty. Throws Error(kUnsupported) when this machine
// does not have it, or has none at all.
std::string chooseDevice(const VerbsLibrary& library, const std::string& wanted);

}  // namespace plumbline::bench_verbs
