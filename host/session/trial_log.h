// The file of `--jsonl`: a line of JSON per trial, written when the trial is complete.
#pragma once

#include <string>

#include "base/output_file.h"
#include "session/run_watcher.h"

namespace plumbline::session {

class TrialLog {
 public:
  // Truncates the file. Throws Error(kUsage) when it cannot be written.
  explicit TrialLog(const std::string& file);

  // Throws Error(kTester) when the disk is full.
  void write(const TrialRecord& record);

 private:
  OutputFile file_;
};

}  // namespace plumbline::session
