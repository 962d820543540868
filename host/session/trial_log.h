// What `--jsonl` writes: a line of JSON per trial, as soon as it is answered.
#pragma once

#include <string>

#include "base/output_file.h"
#include "session/run_watcher.h"

namespace plumbline::session {

class TrialLog {
 public:
  // Begins the file anew. Throws Error(kUsage) when it cannot be written.
  explicit TrialLog(const std::string& file);

  // Throws Error(kTester) when there is no room for it.
  void write(const TrialRecord& record);

 private:
  OutputFile file_;
};

}  // namespace plumbline::session
