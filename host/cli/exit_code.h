// The command's exit codes.
#pragma once

#include "base/error.h"
#include "session/exit_code.h"

namespace plumbline::cli {

using session::ExitCode;

constexpr ExitCode exitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
    case ErrorKind::kUnsupported:
      return ExitCode::kUsage;
    case ErrorKind::kInvalid:
      return ExitCode::kInvalid;
    case ErrorKind::kTester:
      break;
  }
  return ExitCode::kTesterFault;
}

}  // namespace plumbline::cli
