// Cancellable work: a stop request, a deadline, and a limit of the program's memory. Long loops
// call checkWork(), which ends them by an exception.
//
// The state belongs to the thread, so that code that builds, plans or simulates needs no parameter
// for it. Threads of a simulation do not check: their caller does, between two steps.
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
// failed, and error reports must not include it.
class WorkStopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

struct WorkLimits {
  std::function<bool()> stopped;  // empty: never. Called on the working thread
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::string deadline_text;  // text of the Error: "planning took longer than 60 s"
};

// Limits for this thread's work during the object's lifetime. All nested scopes apply.
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

// To be called at least about ten times a second by all long work. Throws WorkStopped when a
// scope's stop was requested, Error(kUnsupported) when a deadline is over or the program takes more
// memory than memoryLimit(). Costs a reading of the clock.
void checkWork();

// Most memory that the program may take [bytes]; 0: half of the machine's (or its control group's).
// Set once, by main.
void setMemoryLimit(std::uint64_t bytes);
[[nodiscard]] std::uint64_t memoryLimit();
// Divides the limit equally among `workers` simultaneous programs: from now on memoryLimit() is
// this program's share. Once, by main.
void shareMemoryLimit(std::size_t workers);
// Present use: resident pages.
[[nodiscard]] std::uint64_t memoryInUse();

// "3.6 GB", for messages about memory.
[[nodiscard]] std::string memoryText(double bytes);
// Why `needed` bytes are too many, with both numbers; nothing when they are not. `what`: "the
// fabric of 2,097,152 links".
[[nodiscard]] std::optional<std::string> memoryRefusal(const std::string& what, double needed);

// Text of an exception for a user: its own, or an explanation for std::bad_alloc.
[[nodiscard]] std::string faultText(const std::exception& fault);

}  // namespace plumbline
