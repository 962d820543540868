#include "sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "session/reporting.h"
#include "session/run.h"
#include "suite/framework/sweep_result.h"

namespace plumbline::sweep {
namespace {

namespace fs = std::filesystem;

// A point from its store.
struct DonePoint {
  results::StoredRun run;
  std::vector<results::StoredTrial> trials;
};

std::optional<DonePoint> donePoint(const SweepDirectory& directory, std::size_t point) {
  if (directory.status(point).state != PointState::kDone) return std::nullopt;
  const fs::path folder = directory.pointDirectory(point);
  const PointLock lock(folder, PointLock::Kind::kInspect);
  if (!lock.held()) return std::nullopt;
  auto store = results::ResultStore::openExisting(folder);
  for (const results::RunInfo& run : runsOf(store, directory.scenario(point))) {
    if (run.status != results::RunStatus::kDone) continue;
    DonePoint done{store.loadRun(run.id), store.listTrials(run.id)};
    if (!done.run.damaged.empty()) {
      throw Error(
          ErrorKind::kTester,
          fmt::format("point {} is damaged: {}", point + 1, fmt::join(done.run.damaged, ", ")),
          folder.string(), "remove this directory and run the sweep again");
    }
    return done;
  }
  return std::nullopt;
}

// Identity of the whole: common values of the points unchanged, differing ones listed.
results::RunIdentity identityOf(const SweepDirectory& directory,
                                const std::vector<DonePoint>& points) {
  results::RunIdentity identity = session::identityOf(directory.whole());
  std::vector<std::string> benches;
  for (const DonePoint& point : points) {
    const std::string& bench = point.run.info.identity.bench;
    if (std::find(benches.begin(), benches.end(), bench) == benches.end()) {
      benches.push_back(bench);
    }
  }
  identity.bench = fmt::format("{}", fmt::join(benches, ", "));
  return identity;
}

void addToAll(std::vector<results::TestResult>& tests, const results::Anomaly& anomaly) {
  for (results::TestResult& test : tests) test.anomalies.push_back(anomaly);
}

void addSoftware(const std::vector<DonePoint>& points, std::vector<results::TestResult>& tests) {
  std::set<std::string> versions;
  for (const DonePoint& point : points) versions.insert(point.run.info.software);
  if (versions.size() < 2) return;
  addToAll(tests, {fmt::format("points were measured by different software: {}",
                               fmt::join(versions, ", ")),
                   "sweep"});
}

void addMissing(const SweepDirectory& directory, const std::vector<std::size_t>& missing,
                std::vector<results::TestResult>& tests) {
  for (const std::size_t point : missing) {
    addToAll(tests, {"the point was not measured", directory.sweep().label(point)});
  }
  if (missing.empty()) return;
  for (results::TestResult& test : tests) test.valid = false;
}

std::int64_t write(const SweepDirectory& directory, const fs::path& folder,
                   const std::vector<DonePoint>& points,
                   const std::vector<suite::SweepPointResult>& results,
                   const std::vector<results::TestResult>& tests) {
  auto store = results::ResultStore::open(folder);
  const std::int64_t run = store.createRun(identityOf(directory, points), session::softwareName(),
                                           session::machineName());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<results::StoredTrial> trials = points[i].trials;
    for (results::StoredTrial& trial : trials) trial.label = results[i].label + ": " + trial.label;
    store.saveTrials(run, trials);
  }
  for (const results::TestResult& test : tests) store.saveTestResult(run, test);
  store.setStatus(run, results::RunStatus::kDone);
  return run;
}

void replace(const fs::path& made, const fs::path& target) {
  std::error_code error;
  fs::remove_all(target, error);
  if (!error) fs::rename(made, target, error);
  if (error) {
    throw Error(ErrorKind::kTester, "the merged results cannot be written: " + error.message(),
                target.string(), "check the permissions, then merge again");
  }
}

std::string listed(const std::vector<std::size_t>& points) {
  std::vector<std::size_t> numbers;
  numbers.reserve(points.size());
  for (const std::size_t point : points) numbers.push_back(point + 1);
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace

Merged mergeSweep(const SweepDirectory& directory, bool missing_too) {
  Merged merged;
  std::vector<DonePoint> points;
  std::vector<suite::SweepPointResult> results;
  for (std::size_t point = 0; point < directory.size(); ++point) {
    auto done = donePoint(directory, point);
    if (!done) {
      merged.missing.push_back(point);
      continue;
    }
    results.push_back(
        {directory.sweep().label(point), directory.sweep().values(point), done->run.tests});
    points.push_back(std::move(*done));
  }
  if (points.empty() || (!missing_too && !merged.missing.empty())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} of {} points are not done: {}", merged.missing.size(),
                            directory.size(), listed(merged.missing)),
                directory.path().string(),
                "run the sweep again, or merge what there is with --partial");
  }
  auto tests = suite::foldSweep(directory.sweep().axes(), results);
  addSoftware(points, tests);
  addMissing(directory, merged.missing, tests);

  const fs::path made = directory.path() / "merged.new";
  merged.directory = directory.path() / "merged";
  std::error_code ignored;
  fs::remove_all(made, ignored);  // of a merge that was killed
  const std::int64_t run = write(directory, made, points, results, tests);
  replace(made, merged.directory);
  merged.run = results::ResultStore::openExisting(merged.directory).loadRun(run);
  return merged;
}

}  // namespace plumbline::sweep
