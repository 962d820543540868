// Storage of results: one SQLite file per results directory. Every finished trial is one durable
// transaction, so that any interruption loses at most the current trial; resuming a run means
// looking up its trials.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/agent_record.h"
#include "results/test_result.h"

namespace plumbline::results {

class Database;

enum class RunStatus {
  kRunning,  // running, or killed without a chance to record it (kill -9, power)
  kDone,
  kAborted,  // interrupted by the user; resumable
  kFailed,   // ended by an error
};

std::string_view runStatusName(RunStatus status);  // "running", "done", "aborted", "failed"

// Identity of a run; a run may be resumed by one of equal identity.
struct RunIdentity {
  std::string scenario_name;
  std::string scenario_file;  // as the user named it; not compared
  std::string scenario_text;
  std::string bench;
  std::string profile;
  std::uint64_t seed = 0;
  std::string files{};  // contents of the files that the scenario names; empty when it names none
};

struct RunInfo {
  std::int64_t id = 0;
  std::string created;  // UTC, "2026-02-26T14:03:59Z"
  RunIdentity identity;
  std::string software;  // version that made it
  std::string machine;   // where
  std::string finished;  // UTC; its last end, empty while it is running
  RunStatus status = RunStatus::kRunning;
  std::uint64_t trials = 0;  // finished and stored
  bool damaged = false;      // its stored parameters were altered
};

struct StoredTrial {
  std::string label;
  std::uint32_t repetition = 0;
  std::string finished;  // UTC
  std::string spec_json;
  std::string result_json;
  bool damaged = false;  // not as it was written
};

struct StoredRun {
  RunInfo info;
  std::vector<TestResult> tests;      // in the order in which they finished first
  std::vector<AgentRecord> agents{};  // of a run on several testers: all of each attempt
  // Stored parts that were altered since they were written, one name each: "the result of T5.1".
  // They are missing in the lists above, and no figure of such a run can be trusted.
  std::vector<std::string> damaged{};
};

// Prevents a second process from continuing the same run; the kernel releases it when its owner
// dies.
class RunLock {
 public:
  // Throws Error(kUsage) when another process holds the lock of this run.
  RunLock(const std::filesystem::path& directory, std::int64_t run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

// Not thread-safe; several processes may use the same directory. Every method throws
// Error(kTester) when the database is damaged, full or not writable.
class ResultStore {
 public:
  static constexpr std::string_view kFileName = "plumbline.db";

  // Opens the store in `directory`, creating both when missing. Throws Error(kTester) for a foreign
  // file, a damaged one, or one with a newer schema than this program supports.
  static ResultStore open(const std::filesystem::path& directory);
  // Opens an existing store: Error(kUsage) when there is none. A store in a directory that cannot
  // be written can be read.
  static ResultStore openExisting(const std::filesystem::path& directory);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  // Creates a run with status kRunning; returns its id.
  std::int64_t createRun(const RunIdentity& identity, std::string_view software,
                         std::string_view machine);
  // Any status except kRunning is an end, which gets a time stamp.
  void setStatus(std::int64_t run, RunStatus status);

  // The stored result (JSON) of the trial with this canonical spec and repetition, if it finished
  // and is not damaged.
  std::optional<std::string> findTrial(std::int64_t run, std::string_view spec_json,
                                       std::uint32_t repetition);
  // Durable when it returns. An existing trial is not changed.
  void saveTrial(std::int64_t run, std::string_view spec_json, std::uint32_t repetition,
                 std::string_view label, std::string_view result_json);
  // Trials of another run, all at once and durable when it returns. Existing ones are not changed.
  void saveTrials(std::int64_t run, const std::vector<StoredTrial>& trials);
  // An observation of a run besides its trials, as text under a key.
  std::optional<std::string> findObservation(std::int64_t run, std::string_view key);
  // Durable when it returns. An existing observation is not changed.
  void saveObservation(std::int64_t run, std::string_view key, std::string_view text);
  // In the order in which they finished.
  std::vector<StoredTrial> listTrials(std::int64_t run);
  // The same, but from number `from` on, counted from 0, up to the first one with which the texts
  // reach `max_bytes`.
  std::vector<StoredTrial> listTrials(std::int64_t run, std::uint64_t from,
                                      std::uint64_t max_bytes);

  // The testers of this attempt at a run; the attempt gets the next number, and earlier ones stay.
  void saveAgents(std::int64_t run, std::vector<AgentRecord> agents);
  // Replaces an earlier result of the same test in this run.
  void saveTestResult(std::int64_t run, const TestResult& result);

  std::vector<RunInfo> listRuns();  // ascending ids
  // The same of the first `most` runs above `since`, without the texts of their scenarios.
  std::vector<RunInfo> listRunsBriefly(std::uint64_t since, std::uint64_t max = INT64_MAX);
  // Both throw Error(kUsage) for an unknown run. loadRun() also verifies the trials' checksums;
  // damaged parts of the run are listed, and are an anomaly of every test.
  RunInfo loadInfo(std::int64_t run);
  StoredRun loadRun(std::int64_t run);
  // The latest unfinished run of equal identity.
  std::optional<RunInfo> latestUnfinished(const RunIdentity& identity);

 private:
  ResultStore(std::filesystem::path directory, std::unique_ptr<Database> database);
  // False when there was no such attempt.
  bool loadAgents(std::int64_t run, std::uint32_t attempt, StoredRun& stored);
  void findDamagedTrials(StoredRun& stored);

  std::filesystem::path directory_;
  std::unique_ptr<Database> database_;
};

}  // namespace plumbline::results
