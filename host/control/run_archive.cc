#include "control/run_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "control/refused.h"
#include "control/run_preparation.h"
#include "session/planning.h"
#include "session/reporting.h"
#include "session/run.h"
#include "session/run_summary.h"

namespace plumbline::control {

namespace fs = std::filesystem;

namespace {

// Interval at which a report that waits for another one checks whether it has been cancelled.
constexpr std::chrono::milliseconds kReportPollInterval{50};

session::Verdict verdictOf(const results::StoredRun& run) {
  const auto parsed =
      scenario::parseScenario(run.info.identity.scenario_text, run.info.identity.scenario_file,
                              session::vocabulary(), {.origin = scenario::Origin::kStored});
  return session::verdictOf(parsed.scenario, run);
}

}  // namespace

std::string fileText(const fs::path& file) {
  std::error_code error;
  const auto bytes = static_cast<double>(fs::file_size(file, error));
  // Twice: once here, once in the answer, in addition to the program's present memory.
  if (const auto why = error ? std::nullopt
                             : memoryRefusal("sending the file",
                                             2 * bytes + static_cast<double>(memoryInUse()))) {
    throw Refused(503, *why, file.string(), "copy it from the server's results directory");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw Refused(500, "the file cannot be read", file.string());
  return text.str();
}

RunArchive::RunArchive(fs::path results) : results_(std::move(results)) {
  const auto store = open();  // opened now, so that errors show at once
}

results::ResultStore RunArchive::open() const { return results::ResultStore::open(results_); }

fs::path RunArchive::directoryOf(std::int64_t run) const {
  return session::defaultReportDirectory(results_.string(), run);
}

fs::path RunArchive::captureFile(std::int64_t run) const {
  return directoryOf(run) / "capture.pcapng";
}

fs::path RunArchive::logFile(std::int64_t run) const { return directoryOf(run) / "trials.jsonl"; }

results::StoredRun RunArchive::load(std::int64_t run) const {
  try {
    return open().loadRun(run);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUnsupported) throw;  // it takes too long, or too much memory
    throw Refused(error.kind() == ErrorKind::kUsage ? 404 : 500, error.what(), error.where(),
                  error.remedy());
  }
}

results::RunInfo RunArchive::info(std::int64_t run) const {
  try {
    return open().loadInfo(run);
  } catch (const Error& error) {
    throw Refused(error.kind() == ErrorKind::kUsage ? 404 : 500, error.what(), error.where(),
                  error.remedy());
  }
}

TrialPage RunArchive::trials(std::int64_t run, std::uint64_t since) const {
  constexpr std::uint64_t kMaxBytes = 4U << 20U;
  TrialPage page;
  try {
    auto store = open();
    const std::uint64_t all = store.loadInfo(run).trials;
    for (results::StoredTrial& trial : store.listTrials(run, since, kMaxBytes)) {
      page.trials.push_back({std::move(trial.label), trial.repetition, std::move(trial.finished),
                             std::move(trial.spec_json), std::move(trial.result_json),
                             trial.damaged});
    }
    page.more = !page.trials.empty() && since + page.trials.size() < all;
  } catch (const Error& error) {
    throw Refused(error.kind() == ErrorKind::kUsage ? 404 : 500, error.what(), error.where(),
                  error.remedy());
  }
  return page;
}

std::string RunArchive::log(std::int64_t run, std::uint64_t since) const {
  constexpr std::size_t kMaxBytes = 4U << 20U;
  std::ifstream stream(logFile(run), std::ios::binary);
  if (!stream) throw Refused(404, fmt::format("run {} has no log", run), {}, "a run of a server");
  std::string text(kMaxBytes, '\0');
  stream.seekg(static_cast<std::streamoff>(since));
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0: there is no whole line yet
  return text;
}

std::string RunArchive::summary(std::int64_t run) const {
  const results::StoredRun stored = load(run);
  return session::summaryText(stored, verdictOf(stored));
}

std::string RunArchive::tables(std::int64_t run) const {
  const results::StoredRun stored = load(run);
  return session::runText(stored, verdictOf(stored));
}

std::string RunArchive::report(std::int64_t run) const {
  const results::StoredRun stored = load(run);
  std::unique_lock writing(reporting_, kReportPollInterval);
  while (!writing) {
    checkWork();
    writing.try_lock_for(kReportPollInterval);
  }
  try {
    return fileText(session::writeRunReport(stored, directoryOf(run).string()));
  } catch (const Error& error) {
    refuse(error);
  }
}

}  // namespace plumbline::control
