// Observer of a running run: the command's progress line, the server's live stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "bench/trial/bench.h"

namespace plumbline::session {

// Thrown after a stop request: between two trials, or in one that takes too long. Deliberately no
// plumbline::Error: nothing failed.
class Aborted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// One completed trial.
struct TrialRecord {
  const std::string& test;
  const std::string& label;
  std::uint32_t repetition;
  bool stored;  // was in the store already
  const bench::TrialSpec& spec;
  const bench::TrialResult& result;
};

// All functions are called on the run's thread, and do nothing by default.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;

  // Called before each trial; true ends the run there.
  virtual bool stopRequested() { return false; }
  // How long the current trial may continue after that; one that ends by itself in this time is
  // kept. Nothing: until its end.
  virtual std::optional<std::chrono::milliseconds> stopTimeout() { return std::nullopt; }

  // `expected` is the plan's number of trials; a search may need fewer.
  virtual void beginTest(const std::string& /*test*/, std::uint64_t /*expected*/) {}
  virtual void beginTrial(const std::string& /*label*/, std::uint32_t /*repetition*/) {}
  // The trial is not in the store: its measurement starts as soon as this returns.
  virtual void beginMeasurement() {}
  virtual void progress(const bench::TrialProgress& /*progress*/) {}
  // Observes trials while they run; nullptr for a watcher that does not.
  virtual bench::TrialObserver* trialObserver() { return nullptr; }
  // `trial`: its name in words. Only in runs with a capture port.
  virtual void captured(const card::CapturedFrame& /*frame*/, const std::string& /*trial*/) {}
  virtual void endTrial(const TrialRecord& /*record*/) {}
  virtual void endTest() {}
};

}  // namespace plumbline::session
