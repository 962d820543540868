// Progress on stderr while trials run: one live line on a terminal, plain lines at a bounded rate
// elsewhere, nothing with --quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "session/remaining_time.h"

namespace plumbline::cli {

class Progress {
 public:
  enum class Style { kQuiet, kLines, kLive };

  // kLive when `out` is a terminal.
  static Style styleFor(std::FILE* out, bool quiet);

  Progress(std::FILE* out, Style style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `expected` is the plan's number of trials; a search may need fewer.
  void beginTest(const std::string& test, std::uint64_t expected);
  void beginTrial(const std::string& label);
  // `share` of the current trial that is done, 0 to 1.
  void update(double share);
  // `kpi`: main figures of the trial in a few words; `stored` = it came from the store.
  void endTrial(const std::string& kpi, bool stored);
  void endTest();
  // Removes a live line from the terminal, so that other text can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string line(double share) const;
  void show(const std::string& text);
  std::FILE* out_;
  Style style_;
  std::string test_;
  std::string label_;
  std::string kpi_;
  session::RemainingTime pace_;
  Clock::time_point last_shown_;
  bool live_line_ = false;      // the terminal shows a live line
  bool unshown_trial_ = false;  // the last trial has had no plain line
};

// "0:07", "12:34", "1:02:03"
std::string durationText(std::chrono::seconds duration);

}  // namespace plumbline::cli
