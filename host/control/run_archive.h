// What is stored of runs, of this server and of others that had the same directory: results,
// trials, log, report, capture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "control/api_types.h"
#include "results/store.h"

namespace plumbline::control {

// Thread-safe. Unless said otherwise everything throws Refused(404) for a run that there is not,
// and Refused(500) for one that cannot be read.
class RunArchive {
 public:
  // `results`: directory of the results database, which is made if there is none.
  explicit RunArchive(std::filesystem::path results);

  // Throws Error(kTester) when the database is damaged or not writable.
  [[nodiscard]] results::ResultStore open() const;
  [[nodiscard]] results::StoredRun load(std::int64_t run) const;
  [[nodiscard]] results::RunInfo info(std::int64_t run) const;
  // Trials from the one numbered `since` on, counted from 0: at most a few megabytes of them.
  [[nodiscard]] TrialPage trials(std::int64_t run, std::uint64_t since) const;
  // From byte `since` on, whole lines of the run's session::TrialLog: at most a few megabytes of
  // them. Throws Refused(404) for a run that no server has run.
  [[nodiscard]] std::string log(std::int64_t run, std::uint64_t since) const;
  // What `plumbline run` prints of it.
  [[nodiscard]] std::string summary(std::int64_t run) const;
  [[nodiscard]] std::string tables(std::int64_t run) const;
  // HTML, written anew.
  [[nodiscard]] std::string report(std::int64_t run) const;

  // Places of a run's files, whether there are any or not.
  [[nodiscard]] std::filesystem::path directoryOf(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path captureFile(std::int64_t run) const;
  [[nodiscard]] std::filesystem::path logFile(std::int64_t run) const;

 private:
  const std::filesystem::path results_;
  mutable std::timed_mutex reporting_;  // one report at a time
};

// Throws Refused(500) for a file that cannot be read.
std::string fileText(const std::filesystem::path& file);

}  // namespace plumbline::control
