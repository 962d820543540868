// What the command's exit code says; scripts and CI depend on it (docs/cli.md).
#pragma once

#include "base/error.h"

namespace plumbline::cli {

enum class ExitCode {
  kDone = 0,         // done, and within the scenario's limits if it sets any
  kLimitMissed = 1,  // done, but a limit was missed
  kUsage = 2,        // bad command line or scenario, or the bench cannot do it
  kTesterFault = 3,  // the tester itself failed
  kInvalid = 4,      // done, but the measurement must not be trusted
  kAborted = 5,      // interrupted; resumable
};

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
