// Exit codes of the command, which the control API reports as well; scripts and CI depend on them
// (docs/cli.md).
#pragma once

namespace plumbline::session {

enum class ExitCode {
  kDone = 0,         // done, and within the scenario's limits if it sets any
  kLimitMissed = 1,  // done, but a limit was missed
  kUsage = 2,        // invalid command line or scenario, or not supported by the bench
  kTesterFault = 3,  // the tester itself failed
  kInvalid = 4,      // done, but the measurement is invalid, or a limit was not measured
  kAborted = 5,      // interrupted; resumable
};

}  // namespace plumbline::session
