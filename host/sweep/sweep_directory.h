// A sweep on disk: its scenario, and for every point a folder with a result store of its own.
// Processes on several machines may work in it at the same time.
//
//   sweep.json       the scenario and the command line's overrides
//   points/N/        store and log of point N, counted from 1
//   merged/          result store with one run, made from all points (merge.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "results/store.h"
#include "scenario/sweep.h"
#include "session/planning.h"

namespace plumbline::sweep {

enum class PointState {
  kWaiting,      // not begun
  kRunning,      // a process is working on it
  kInterrupted,  // begun and not finished; can be resumed
  kFailed,       // ended by an error; can be resumed
  kDone,
};

std::string_view pointStateName(PointState state);  // "waiting", …

struct PointStatus {
  PointState state = PointState::kWaiting;
  std::uint64_t trials = 0;  // finished and stored; unknown while it is running
};

// Keeps other processes from a point; the kernel releases it when its owner dies.
class PointLock {
 public:
  enum class Kind { kWork, kInspect };

  // For a point's folder, which must exist. kInspect does not wait; kWork waits briefly for
  // readers.
  PointLock(const std::filesystem::path& directory, Kind kind);
  ~PointLock();
  PointLock(const PointLock&) = delete;
  PointLock& operator=(const PointLock&) = delete;

  [[nodiscard]] bool held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

class SweepDirectory {
 public:
  // The directory of a new sweep, or of the same one begun earlier. Throws Error(kUsage) when the
  // scenario is no sweep, or the directory belongs to another scenario or other overrides.
  static SweepDirectory begin(const std::filesystem::path& directory,
                              const session::ScenarioOptions& options);
  // Throws Error(kUsage) when there is no sweep.
  static SweepDirectory open(const std::filesystem::path& directory);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const scenario::Sweep& sweep() const { return sweep_; }
  [[nodiscard]] std::size_t size() const { return sweep_.size(); }
  // The scenario of the whole: that of its first point, with the text of the sweep.
  [[nodiscard]] scenario::Scenario whole() const;

  // Points count from 0 here, and from 1 for users. Throws Error(kUsage) for an unknown one.
  [[nodiscard]] scenario::Scenario scenario(std::size_t point) const;
  [[nodiscard]] std::filesystem::path pointDirectory(std::size_t point) const;
  [[nodiscard]] std::filesystem::path logFile(std::size_t point) const;
  // Creates its folder.
  void prepare(std::size_t point) const;
  [[nodiscard]] PointStatus status(std::size_t point) const;
  // All unfinished points.
  [[nodiscard]] std::vector<std::size_t> unfinished() const;

 private:
  SweepDirectory(std::filesystem::path path, std::string text, session::ScenarioOptions options);

  std::filesystem::path path_;
  std::string text_;
  session::ScenarioOptions options_;  // `file` is absolute
  scenario::Sweep sweep_;
};

// A point of a sweep, from 0, with the overrides of its scenario.
scenario::Scenario pointScenario(const scenario::Sweep& sweep,
                                 const session::ScenarioOptions& options, std::size_t point);

// The runs in a point's store that belong to the point: equal in scenario, bench, profile, seed and
// contents of the files that the scenario names.
std::vector<results::RunInfo> runsOf(results::ResultStore& store,
                                     const scenario::Scenario& scenario);

}  // namespace plumbline::sweep
