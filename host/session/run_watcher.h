// Who looks on while a run goes on: the command's progress line, the server's live stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "bench/trial/bench.h"

namespace plumbline::session {

// Thrown after a stop was asked for: between two trials, or in one that takes too long.
// Deliberately no plumbline::Error: nothing failed.
class Aborted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// One answered trial.
struct TrialRecord {
  const std::string& test;
  const std::string& label;
  std::uint32_t repetition;
  bool stored;  // was in the store already
  const bench::TrialSpec& spec;
  const bench::TrialResult& result;
};

// Everything is called on the run's thread, and by default does nothing.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;

  // Asked before each trial; true ends the run there.
  virtual bool stopRequested() { return false; }
  // How long the trial in hand may go on after that; one that ends by itself in this time is kept.
  // Nothing: to its end.
  virtual std::optional<std::chrono::milliseconds> stopPatience() { return std::nullopt; }

  // `expected` is the plan's number of trials; a search may need fewer.
  virtual void beginTest(const std::string& /*test*/, std::uint64_t /*expected*/) {}
  virtual void beginTrial(const std::string& /*label*/, std::uint32_t /*repetition*/) {}
  // The trial is not in the store: it is measured as soon as this returns.
  virtual void beginMeasurement() {}
  virtual void progress(const bench::TrialProgress& /*progress*/) {}
  // Looks into trials while they run; nullptr for a watcher that does not want to.
  virtual bench::TrialObserver* trialObserver() { return nullptr; }
  // `trial`: its name in words. Only of runs with a capture port.
  virtual void captured(const card::CapturedFrame& /*frame*/, const std::string& /*trial*/) {}
  virtual void endTrial(const TrialRecord& /*record*/) {}
  virtual void endTest() {}
};

}  // namespace plumbline::session
