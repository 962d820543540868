// The command's exit codes; scripts and CI depend on them (docs/cli.md).
#pragma once

#include "base/error.h"

namespace plumbline::cli {

enum class ExitCode {
  kDone = 0,         // done, and within the scenario's limits if it sets any
  kLimitMissed = 1,  // done, but a limit was missed
  kUsage = 2,        // invalid command line or scenario, or not supported by the bench
  kTesterFault = 3,  // the tester itself failed
  kInvalid = 4,      // done, but the measurement is invalid
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
