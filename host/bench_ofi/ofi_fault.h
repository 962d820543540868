// libfabric's error numbers as the faults of endpoints.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.h"
#include "endpoint/fault.h"

namespace plumbline::bench_ofi {

// The kind of fault for a call's negative return value, or a completion's error.
endpoint::FaultKind faultKindOf(ssize_t code);

// The fault of `call`, which returned the negative `code`: "fi_mr_reg: Cannot allocate memory".
Error ofiFault(const std::string& call, ssize_t code, const std::string& where);

// Throws ofiFault() when `code` is negative.
void check(ssize_t code, const char* call, const std::string& where);

}  // namespace plumbline::bench_ofi
