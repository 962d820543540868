// Work that somebody waits for and may give up: a stop, a deadline, and the memory that the program
// may take. Long loops call checkWork(); it ends them by an exception.
//
// The state belongs to the thread, so that code that builds, plans or simulates needs no parameter
// for it. Threads that a simulation starts do not ask: their caller does, between two steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace plumbline {

// Thrown by checkWork() when the result is not wanted any more. Deliberately no Error: nothing
// failed, and nothing that reports errors may take it for one.
class WorkStopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

struct WorkLimits {
  std::function<bool()> stopped;  // empty: never. Called on the working thread
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::string deadline_text;  // what Error says when it is over: "planning took longer than 60 s"
};

// The limits of what this thread does while the object lives. Of nested scopes all hold.
class WorkScope {
 public:
  explicit WorkScope(WorkLimits limits);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  friend void checkWork();
  WorkLimits limits_;
  WorkScope* outer_;
};

// To be called at least about ten times a second by whatever takes long. Throws WorkStopped when a
// scope's stop was asked for, Error(kUnsupported) when a deadline is over or the program takes more
// memory than memoryLimit(). Costs a look at the clock.
void checkWork();

// Most memory that the program may take [bytes]; 0: half of what this machine (or its control
// group) has. Set once, by main.
void setMemoryLimit(std::uint64_t bytes);
[[nodiscard]] std::uint64_t memoryLimit();
// The limit is for `workers` programs at a time, each of which may take an equal share: from now on
// memoryLimit() is that share. Once, by main.
void shareMemoryLimit(std::size_t workers);
// What it takes now: resident pages.
[[nodiscard]] std::uint64_t memoryInUse();

// "3.6 GB", for messages about memory.
[[nodiscard]] std::string memoryText(double bytes);
// Why `needed` bytes are too many, with both numbers; nothing when they are not. `what`: "the
// fabric of 2,097,152 links".
[[nodiscard]] std::optional<std::string> memoryRefusal(const std::string& what, double needed);

// What an exception says to a user: its text, and for std::bad_alloc what it means here.
[[nodiscard]] std::string faultText(const std::exception& fault);

}  // namespace plumbline
