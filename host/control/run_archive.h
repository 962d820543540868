// Stored data of runs, from this server and from earlier ones with the same directory: results,
// trials, log, report, capture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "control/api_types.h"
#include "results/store.h"

namespace plumbline::control {

// Thread-safe. Unless stated otherwise every function throws Refused(404) for an unknown run, and
// Refused(500) for an unreadable one.
class RunArchive {
 public:
  // `results`: directory of the results database, which is created if it does not exist.
  explicit RunArchive(std::filesystem::path results);

  // Throws Error(kTester) when the database is damaged or not writable.
  [[nodiscard]] results::ResultStore open() const;
  [[nodiscard]] results::StoredRun load(std::int64_t run) const;
  [[nodiscard]] results::RunInfo info(std::int64_t run) const;
  // Trials from number `since` on, counted from 0: at most a few megabytes.
  [[nodiscard]] TrialPage trials(std::int64_t run, std::uint64_t since) const;
  // From byte `since` on, whole lines of the run's session::TrialLog: at most a few megabytes.
  // Throws Refused(404) for a run that no server has run.
  [[nodiscard]] std::string log(std::int64_t run, std::uint64_t since) const;
  // The output of `plumbline run` for it.
  [[nodiscard]] std::string summary(std::int64_t run) const;
  [[nodiscard]] std::string tables(std::int64_t run) const;
  // HTML, generated anew.
  [[nodiscard]] std::string report(std::int64_t run) const;

  // Paths of a run's files, whether or not they exist.
  [[nodiscard]] std::filesystem::path directoryOf(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path captureFile(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path logFile(std::int64_t run) const;

 private:
  const std::filesystem::path results_;
  mutable std::timed_mutex reporting_;  // one report at a time
};

// Throws Refused(500) for an unreadable file.
std::string fileText(const std::filesystem::path& file);

}  // namespace plumbline::control
