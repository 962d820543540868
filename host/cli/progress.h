// What a user sees on stderr while trials run: one live line on a terminal, plain lines at a
// bounded rate anywhere else, nothing with --quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "session/pace.h"

namespace plumbline::cli {

class Progress {
 public:
  enum class Style { kQuiet, kPlain, kLive };

  // kLive when `out` is a terminal.
  static Style styleFor(std::FILE* out, bool quiet);

  Progress(std::FILE* out, Style style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `expected` is the plan's number of trials; a search may need fewer.
  void beginTest(const std::string& test, std::uint64_t expected);
  void beginTrial(const std::string& label);
  // `share` of the trial in hand that is done, 0 to 1.
  void update(double share);
  // `kpi` is a few words on what the trial saw; `stored` = it was answered from the store.
  void endTrial(const std::string& kpi, bool stored);
  void endTest();
  // Takes a live line off the terminal, so that something else can be said.
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
  session::Pace pace_;
  Clock::time_point last_shown_;
  bool live_line_ = false;      // a live line stands on the terminal
  bool unshown_trial_ = false;  // the last trial has had no plain line
};

// "0:07", "12:34", "1:02:03"
std::string durationText(std::chrono::seconds duration);

}  // namespace plumbline::cli
