// errno of rdma-core's calls as the faults of endpoints.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::bench_verbs {

// The fault of `call`: "ibv_reg_mr: Cannot allocate memory".
Error verbsFault(const std::string& call, int error, const std::string& where);

// Throws verbsFault() when `error` is not 0. For calls that return an errno.
void checkErrno(int error, const char* call, const std::string& where);
// Throws verbsFault() with errno when `result` is -1. For calls that set errno.
void checkResult(int result, const char* call, const std::string& where);

}  // namespace plumbline::bench_verbs
