#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text_width.h"
#include "cli/note.h"

namespace plumbline::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLiveInterval = 100ms;
constexpr auto kLinesInterval = 1s;
constexpr std::size_t kFallbackColumns = 80;

std::size_t columnsOf(std::FILE* out) {
  struct winsize size = {};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kFallbackColumns;
  return size.ws_col;
}

}  // namespace

std::string durationText(std::chrono::seconds duration) {
  const auto total = duration.count();
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

Progress::Style Progress::styleFor(std::FILE* out, bool quiet) {
  if (quiet) return Style::kQuiet;
  return ::isatty(::fileno(out)) != 0 ? Style::kLive : Style::kLines;
}

Progress::Progress(std::FILE* out, Style style) : out_(out), style_(style) {}

Progress::~Progress() { clear(); }

void Progress::beginTest(const std::string& test, std::uint64_t expected) {
  test_ = test;
  pace_ = session::RemainingTime(expected);
  label_.clear();
  kpi_.clear();
  last_shown_ = Clock::now();
  unshown_trial_ = false;
}

void Progress::beginTrial(const std::string& label) {
  label_ = label;
  update(0);
}

void Progress::update(double share) {
  if (style_ != Style::kLive || (live_line_ && Clock::now() - last_shown_ < kLiveInterval)) return;
  show(line(share));
}

void Progress::endTrial(const std::string& kpi, bool stored) {
  pace_.endTrial(stored);
  kpi_ = kpi;
  if (style_ == Style::kQuiet) return;
  if (style_ == Style::kLive) {
    update(0);
  } else if (Clock::now() - last_shown_ >= kLinesInterval) {
    show(line(0));
    unshown_trial_ = false;
  } else {
    unshown_trial_ = true;
  }
}

void Progress::endTest() {
  if (style_ == Style::kQuiet) return;
  if (style_ == Style::kLines && unshown_trial_) show(line(0));
  clear();
  const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(pace_.elapsed());
  const std::string stored =
      pace_.stored() > 0 ? fmt::format(", {} of them stored before", pace_.stored()) : "";
  note(out_, "{}: {} trials in {}{}\n", test_, pace_.done(), durationText(elapsed), stored);
  std::fflush(out_);
}

std::string Progress::line(double share) const {
  // A live line shows the current trial, a plain one the last that ended.
  const std::uint64_t number = style_ == Style::kLive ? pace_.done() + 1 : pace_.done();
  std::string text = fmt::format(
      "{}  trial {} of {}  {}", test_, std::min(number, pace_.expected()), pace_.expected(),
      durationText(std::chrono::duration_cast<std::chrono::seconds>(pace_.elapsed())));
  if (const auto left = pace_.left(share)) {
    text += fmt::format("  ETA {}",
                        durationText(std::chrono::duration_cast<std::chrono::seconds>(*left)));
  }
  text += "  " + label_;
  if (share > 0) text += fmt::format(" [{:.0f} %]", share * 100);
  if (!kpi_.empty()) text += "  " + kpi_;
  return text;
}

void Progress::show(const std::string& text) {
  last_shown_ = Clock::now();
  if (style_ == Style::kLive) {
    noteToTerminal(out_,
                   fmt::format("\r\x1b[K{}", firstColumns(printable(text), columnsOf(out_) - 1)));
    live_line_ = true;
  } else {
    note(out_, "{}\n", text);
  }
  std::fflush(out_);
}

void Progress::clear() {
  if (!live_line_) return;
  noteToTerminal(out_, "\r\x1b[K");
  std::fflush(out_);
  live_line_ = false;
}

}  // namespace plumbline::cli
