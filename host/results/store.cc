#include "results/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/hash64.h"
#include "base/random.h"
#include "base/shell_words.h"
#include "base/work.h"
#include "results/sqlite.h"

namespace plumbline::results {
namespace {

namespace fs = std::filesystem;

// "PLMB" in SQLite's header: distinguishes our files from others.
constexpr std::int64_t kApplicationId = 0x504C4D42;
constexpr std::int64_t kSchemaVersion = 4;

constexpr const char* kSchema = R"sql(
CREATE TABLE schema_version(version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (4);
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created TEXT NOT NULL,
  scenario_name TEXT NOT NULL,
  scenario_file TEXT NOT NULL,
  scenario_text TEXT NOT NULL,
  bench TEXT NOT NULL,
  profile TEXT NOT NULL,
  seed INTEGER NOT NULL,
  software TEXT NOT NULL,
  machine TEXT NOT NULL,
  finished TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'aborted', 'failed')),
  files TEXT NOT NULL DEFAULT '',
  checksum INTEGER);
CREATE TABLE trials(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  spec_hash INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  label TEXT NOT NULL,
  spec TEXT NOT NULL,
  result TEXT NOT NULL,
  finished TEXT NOT NULL,
  checksum INTEGER);
CREATE INDEX trials_by_key ON trials(run, spec_hash, repetition);
CREATE TABLE test_results(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  test TEXT NOT NULL,
  result TEXT NOT NULL,
  checksum INTEGER,
  UNIQUE (run, test));
CREATE TABLE observations(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (run, key));
)sql";

// Additions to schema 1. The files of its runs are unknown: runs that name some cannot be resumed.
constexpr const char* kFromSchema1 = R"sql(
ALTER TABLE runs ADD COLUMN files TEXT NOT NULL DEFAULT '';
CREATE TABLE observations(
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, key));
UPDATE schema_version SET version = 2;
)sql";

// Additions to schema 2. Existing rows have no checksum.
constexpr const char* kFromSchema2 = R"sql(
ALTER TABLE trials ADD COLUMN checksum INTEGER;
ALTER TABLE test_results ADD COLUMN checksum INTEGER;
ALTER TABLE observations ADD COLUMN checksum INTEGER;
UPDATE schema_version SET version = 3;
)sql";

// Additions to schema 3. Existing runs have no checksum.
constexpr const char* kFromSchema3 = R"sql(
ALTER TABLE runs ADD COLUMN checksum INTEGER;
UPDATE schema_version SET version = 4;
)sql";

constexpr std::array<std::pair<RunStatus, std::string_view>, 4> kStatusNames{{
    {RunStatus::kRunning, "running"},
    {RunStatus::kDone, "done"},
    {RunStatus::kAborted, "aborted"},
    {RunStatus::kFailed, "failed"},
}};

RunStatus statusFromName(std::string_view name) {
  for (const auto& [status, candidate] : kStatusNames) {
    if (candidate == name) return status;
  }
  throw Error(ErrorKind::kTester,
              "the results database holds the unknown run status \"" + std::string(name) + "\"");
}

std::string utcNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, sizeof "2026-02-26T14:03:59Z"> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

// SQLite's integers are signed; only the bits matter.
std::int64_t signedBits(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Checksum of a row's texts including their lengths, so that a shift between texts is detected.
std::int64_t checksumOf(std::initializer_list<std::string_view> texts) {
  Hash64 hash;
  for (const std::string_view text : texts) {
    hash.add(std::to_string(text.size()));
    hash.add(":");
    hash.add(text);
  }
  return signedBits(hash.value());
}

// Checksum of a run's parameters; its end and status change.
std::int64_t checksumOf(const RunInfo& info) {
  const RunIdentity& identity = info.identity;
  return checksumOf({info.created, identity.scenario_name, identity.scenario_file,
                     identity.scenario_text, identity.bench, identity.profile,
                     std::to_string(identity.seed), info.software, info.machine, identity.files});
}

// Whether a row is unaltered; rows of an older schema have no checksum.
bool intact(const Statement& row, int checksum, std::initializer_list<std::string_view> texts) {
  return row.isNull(checksum) || row.integer(checksum) == checksumOf(texts);
}

std::int64_t specHash(std::string_view spec_json) { return signedBits(hash64(spec_json)); }

void setUp(Database& database) {
  database.keepWriteAheadLog();
  database.execute("PRAGMA synchronous = FULL");
  database.execute("PRAGMA foreign_keys = ON");
  database.execute("PRAGMA trusted_schema = OFF");  // of a file that others wrote
}

bool isEmpty(Database& database) {
  return database.integer("PRAGMA application_id") == 0 &&
         database.integer("SELECT count(*) FROM sqlite_master") == 0;
}

std::int64_t schemaOf(Database& database) {
  return database.integer("SELECT max(version) FROM schema_version");
}

void checkApplicationId(Database& database, const std::string& file) {
  if (database.integer("PRAGMA application_id") != kApplicationId) {
    throw Error(ErrorKind::kTester, "the file is a database of another program", file,
                "choose another directory with --results");
  }
  const std::int64_t version = schemaOf(database);
  if (version < 1 || version > kSchemaVersion) {
    throw Error(ErrorKind::kTester,
                "the results database has schema " + std::to_string(version) +
                    ", this program knows schema " + std::to_string(kSchemaVersion),
                file, "use the version of plumbline that wrote it, or another directory");
  }
}

void upgrade(Database& database) {
  if (schemaOf(database) == kSchemaVersion) return;
  Transaction transaction(database);
  // Another process may have been faster between the look and the lock.
  if (schemaOf(database) == 1) database.execute(kFromSchema1);
  if (schemaOf(database) == 2) database.execute(kFromSchema2);
  if (schemaOf(database) == 3) database.execute(kFromSchema3);
  transaction.commit();
}

std::unique_ptr<Database> openDatabase(const std::string& file, Database::Mode mode) {
  auto database = std::make_unique<Database>(file, mode);
  // Checked before any write: a foreign file is not changed.
  if (isEmpty(*database)) {
    setUp(*database);
    Transaction transaction(*database);
    // Another process may have been faster between the look and the lock.
    if (isEmpty(*database)) {
      database->execute(kSchema);
      database->execute(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
    }
    transaction.commit();
  }
  checkApplicationId(*database, file);
  setUp(*database);
  upgrade(*database);
  return database;
}

// Under which the testers of an attempt at a run are observed.
std::string agentsKey(std::uint32_t attempt) { return "agents " + std::to_string(attempt); }

constexpr std::string_view kRunColumns =
    "SELECT id, created, scenario_name, scenario_file, scenario_text, bench, profile, seed, "
    "software, machine, finished, status, (SELECT count(*) FROM trials WHERE trials.run = "
    "runs.id), files, checksum FROM runs ";

RunInfo runFrom(const Statement& row) {
  RunInfo info;
  info.id = row.integer(0);
  info.created = row.text(1);
  info.identity.scenario_name = row.text(2);
  info.identity.scenario_file = row.text(3);
  info.identity.scenario_text = row.text(4);
  info.identity.bench = row.text(5);
  info.identity.profile = row.text(6);
  info.identity.seed = static_cast<std::uint64_t>(row.integer(7));
  info.software = row.text(8);
  info.machine = row.text(9);
  info.finished = row.text(10);
  info.status = statusFromName(row.text(11));
  info.trials = static_cast<std::uint64_t>(row.integer(12));
  info.identity.files = row.text(13);
  info.damaged = !row.isNull(14) && row.integer(14) != checksumOf(info);
  return info;
}

// A test as it was written, or the note that it is not there any more.
void loadTest(const Statement& row, StoredRun& stored) {
  const std::string json = row.text(0);
  const std::string test = row.text(1);
  try {
    if (!intact(row, 2, {test, json})) {
      stored.damaged.push_back("the result of " + test);
    } else {
      stored.tests.push_back(TestResult::fromJson(json));
    }
  } catch (const Error& error) {
    stored.damaged.push_back("the result of " + test + ": " + error.what());
  }
}

}  // namespace

std::string_view runStatusName(RunStatus status) {
  for (const auto& [candidate, name] : kStatusNames) {
    if (candidate == status) return name;
  }
  return "unknown";
}

RunLock::RunLock(const fs::path& directory, std::int64_t run)
    : file_(directory / ("run-" + std::to_string(run) + ".lock")) {
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::kTester,
                std::string("the lock of a run cannot be created: ") + std::strerror(errno),
                file_.string(), "check that the results directory can be written");
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw Error(ErrorKind::kUsage, "another process is working on run " + std::to_string(run),
                file_.string(), "wait for it or end it; then resume");
  }
}

// The file is not removed: otherwise two processes could lock two files of the same name.
RunLock::~RunLock() { ::close(descriptor_); }

ResultStore::ResultStore(fs::path directory, std::unique_ptr<Database> database)
    : directory_(std::move(directory)), database_(std::move(database)) {}
ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

ResultStore ResultStore::open(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw Error(ErrorKind::kTester, "the results directory cannot be created: " + error.message(),
                directory.string(), "choose another directory with --results");
  }
  return {directory, openDatabase((directory / kFileName).string(), Database::Mode::kCreate)};
}

ResultStore ResultStore::openExisting(const fs::path& directory) {
  const fs::path file = directory / kFileName;
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw Error(ErrorKind::kUsage, "there are no results here", directory.string(),
                "give the directory of earlier runs with --results");
  }
  // SQLite cannot even read where it cannot put its files beside the database.
  const bool writable = ::access(directory.c_str(), W_OK) == 0 && ::access(file.c_str(), W_OK) == 0;
  if (writable || fs::exists(file.string() + "-wal", error)) {
    return {directory, openDatabase(file.string(), Database::Mode::kExisting)};
  }
  auto database = std::make_unique<Database>(file.string(), Database::Mode::kUnchanging);
  checkApplicationId(*database, file.string());
  if (schemaOf(*database) != kSchemaVersion) {
    throw Error(ErrorKind::kTester,
                "the results are of an older version, and the directory cannot be written",
                file.string(), "copy the directory to where it can be written");
  }
  return {directory, std::move(database)};
}

std::int64_t ResultStore::createRun(const RunIdentity& identity, std::string_view software,
                                    std::string_view machine) {
  RunInfo info;
  info.created = utcNow();
  info.identity = identity;
  info.software = software;
  info.machine = machine;
  Transaction transaction(*database_);
  Statement(*database_,
            "INSERT INTO runs(created, scenario_name, scenario_file, scenario_text, bench, "
            "profile, seed, software, machine, files, checksum, status) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running')")
      .bind(1, info.created)
      .bind(2, identity.scenario_name)
      .bind(3, identity.scenario_file)
      .bind(4, identity.scenario_text)
      .bind(5, identity.bench)
      .bind(6, identity.profile)
      .bind(7, signedBits(identity.seed))
      .bind(8, software)
      .bind(9, machine)
      .bind(10, identity.files)
      .bind(11, checksumOf(info))
      .step();
  const std::int64_t id = database_->lastInsertId();
  transaction.commit();
  return id;
}

void ResultStore::setStatus(std::int64_t run, RunStatus status) {
  const std::string finished = status == RunStatus::kRunning ? std::string() : utcNow();
  Statement(*database_, "UPDATE runs SET status = ?, finished = ? WHERE id = ?")
      .bind(1, runStatusName(status))
      .bind(2, finished)
      .bind(3, run)
      .step();
}

std::optional<std::string> ResultStore::findTrial(std::int64_t run, std::string_view spec_json,
                                                  std::uint32_t repetition) {
  // The hash finds, the text decides: a collision can only cost time.
  Statement query(*database_,
                  "SELECT result, label, checksum FROM trials WHERE run = ? AND spec_hash = ? AND "
                  "repetition = ? AND spec = ?");
  query.bind(1, run)
      .bind(2, specHash(spec_json))
      .bind(3, std::int64_t{repetition})
      .bind(4, spec_json);
  // A damaged one is as good as none: it is measured again.
  while (query.step()) {
    std::string result = query.text(0);
    if (intact(query, 2, {query.text(1), spec_json, result})) return result;
  }
  return std::nullopt;
}

void ResultStore::saveTrial(std::int64_t run, std::string_view spec_json, std::uint32_t repetition,
                            std::string_view label, std::string_view result_json) {
  saveTrials(run, {{std::string(label), repetition, utcNow(), std::string(spec_json),
                    std::string(result_json)}});
}

void ResultStore::saveTrials(std::int64_t run, const std::vector<StoredTrial>& trials) {
  Transaction transaction(*database_);
  for (const StoredTrial& trial : trials) {
    if (findTrial(run, trial.spec_json, trial.repetition)) continue;
    // The row under its key is damaged.
    Statement(*database_,
              "DELETE FROM trials WHERE run = ? AND spec_hash = ? AND repetition = ? AND spec = ?")
        .bind(1, run)
        .bind(2, specHash(trial.spec_json))
        .bind(3, std::int64_t{trial.repetition})
        .bind(4, trial.spec_json)
        .step();
    Statement(*database_,
              "INSERT INTO trials(run, spec_hash, repetition, label, spec, result, finished, "
              "checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, run)
        .bind(2, specHash(trial.spec_json))
        .bind(3, std::int64_t{trial.repetition})
        .bind(4, trial.label)
        .bind(5, trial.spec_json)
        .bind(6, trial.result_json)
        .bind(7, trial.finished)
        .bind(8, checksumOf({trial.label, trial.spec_json, trial.result_json}))
        .step();
  }
  transaction.commit();
}

std::optional<std::string> ResultStore::findObservation(std::int64_t run, std::string_view key) {
  Statement query(*database_, "SELECT text, checksum FROM observations WHERE run = ? AND key = ?");
  query.bind(1, run).bind(2, key);
  if (!query.step()) return std::nullopt;
  std::string text = query.text(0);
  if (!intact(query, 1, {text})) {
    throw Error(ErrorKind::kTester,
                "\"" + std::string(key) + "\" of run " + std::to_string(run) + " is damaged",
                directory_.string(), "the file has changed on the disk: run it again");
  }
  return text;
}

void ResultStore::saveObservation(std::int64_t run, std::string_view key, std::string_view text) {
  Statement(*database_,
            "INSERT OR IGNORE INTO observations(run, key, text, checksum) VALUES (?, ?, ?, ?)")
      .bind(1, run)
      .bind(2, key)
      .bind(3, text)
      .bind(4, checksumOf({text}))
      .step();
}

std::vector<StoredTrial> ResultStore::listTrials(std::int64_t run) {
  return listTrials(run, 0, std::numeric_limits<std::uint64_t>::max());
}

std::vector<StoredTrial> ResultStore::listTrials(std::int64_t run, std::uint64_t from,
                                                 std::uint64_t max_bytes) {
  std::vector<StoredTrial> trials;
  if (!std::in_range<std::int64_t>(from)) return trials;
  Statement query(*database_,
                  "SELECT label, repetition, finished, spec, result, checksum FROM trials WHERE "
                  "run = ? ORDER BY id LIMIT -1 OFFSET ?");
  query.bind(1, run).bind(2, static_cast<std::int64_t>(from));
  for (std::uint64_t bytes = 0; bytes < max_bytes && query.step();) {
    trials.push_back({query.text(0), static_cast<std::uint32_t>(query.integer(1)), query.text(2),
                      query.text(3), query.text(4)});
    StoredTrial& trial = trials.back();
    trial.damaged = !intact(query, 5, {trial.label, trial.spec_json, trial.result_json});
    bytes += trials.back().spec_json.size() + trials.back().result_json.size();
  }
  return trials;
}

void ResultStore::saveAgents(std::int64_t run, std::vector<AgentRecord> agents) {
  std::uint32_t attempt = 1;
  while (findObservation(run, agentsKey(attempt))) ++attempt;
  for (AgentRecord& agent : agents) agent.attempt = attempt;
  saveObservation(run, agentsKey(attempt), agentsJson(agents));
}

void ResultStore::saveTestResult(std::int64_t run, const TestResult& result) {
  const std::string json = result.toJson();
  Statement(*database_,
            "INSERT INTO test_results(run, test, result, checksum) VALUES (?, ?, ?, ?) ON CONFLICT "
            "(run, test) DO UPDATE SET result = excluded.result, checksum = excluded.checksum")
      .bind(1, run)
      .bind(2, result.id)
      .bind(3, json)
      .bind(4, checksumOf({result.id, json}))
      .step();
}

std::vector<RunInfo> ResultStore::listRunsBriefly(std::uint64_t since, std::uint64_t max) {
  std::vector<RunInfo> runs;
  if (!std::in_range<std::int64_t>(since)) return runs;
  std::string columns(kRunColumns);
  constexpr std::string_view kText = "scenario_text";
  columns.replace(columns.find(kText), kText.size(), "''");
  Statement query(*database_, columns + "WHERE id > ? ORDER BY id");
  query.bind(1, static_cast<std::int64_t>(since));
  while (runs.size() < max && query.step()) {
    checkWork();
    runs.push_back(runFrom(query));
    runs.back().damaged = false;  // not known without the text
  }
  return runs;
}

std::vector<RunInfo> ResultStore::listRuns() {
  std::vector<RunInfo> runs;
  Statement query(*database_, std::string(kRunColumns) + "ORDER BY id");
  while (query.step()) runs.push_back(runFrom(query));
  return runs;
}

RunInfo ResultStore::loadInfo(std::int64_t run) {
  Statement query(*database_, std::string(kRunColumns) + "WHERE id = ?");
  query.bind(1, run);
  if (!query.step()) {
    throw Error(ErrorKind::kUsage, "there is no run " + std::to_string(run), directory_.string(),
                "`plumbline results ls --results " + shellPath(directory_.string()) +
                    "` shows the runs there are");
  }
  return runFrom(query);
}

StoredRun ResultStore::loadRun(std::int64_t run) {
  StoredRun stored;
  stored.info = loadInfo(run);
  if (stored.info.damaged) {
    stored.damaged.emplace_back("what the run was begun with (scenario, seed, software, machine)");
  }
  Statement tests(*database_,
                  "SELECT result, test, checksum FROM test_results WHERE run = ? ORDER BY id");
  tests.bind(1, run);
  while (tests.step()) {
    checkWork();
    loadTest(tests, stored);
  }
  for (std::uint32_t attempt = 1; loadAgents(run, attempt, stored); ++attempt) {
  }
  findDamagedTrials(stored);
  for (TestResult& test : stored.tests) {
    for (const std::string& what : stored.damaged) {
      test.anomalies.push_back({what + " is damaged: not as it was written", "results database"});
      test.valid = false;
    }
  }
  return stored;
}

bool ResultStore::loadAgents(std::int64_t run, std::uint32_t attempt, StoredRun& stored) {
  try {
    const auto agents = findObservation(run, agentsKey(attempt));
    if (!agents) return false;
    const std::vector<AgentRecord> read = agentsFromJson(*agents);
    stored.agents.insert(stored.agents.end(), read.begin(), read.end());
  } catch (const Error& error) {
    stored.damaged.emplace_back(error.what());
  }
  return true;
}

// The figures of a run stand on its trials, which are not read for them again.
void ResultStore::findDamagedTrials(StoredRun& stored) {
  Statement trials(
      *database_,
      "SELECT label, spec, result, checksum, spec_hash FROM trials WHERE run = ? ORDER "
      "BY id");
  trials.bind(1, stored.info.id);
  while (trials.step()) {
    checkWork();
    const std::string label = trials.text(0);
    const std::string spec = trials.text(1);
    // By its hash a trial is found when the run is resumed.
    const bool found = trials.integer(4) == specHash(spec);
    if (!found || !intact(trials, 3, {label, spec, trials.text(2)})) {
      stored.damaged.push_back("trial \"" + label + "\"");
    }
  }
}

std::optional<RunInfo> ResultStore::latestUnfinished(const RunIdentity& identity) {
  Statement query(*database_,
                  std::string(kRunColumns) +
                      "WHERE status <> 'done' AND scenario_text = ? AND bench = ? AND "
                      "profile = ? AND seed = ? AND files = ? ORDER BY id DESC LIMIT 1");
  query.bind(1, identity.scenario_text)
      .bind(2, identity.bench)
      .bind(3, identity.profile)
      .bind(4, signedBits(identity.seed))
      .bind(5, identity.files);
  if (!query.step()) return std::nullopt;
  const RunInfo info = runFrom(query);
  if (info.damaged) return std::nullopt;
  return info;
}

}  // namespace plumbline::results
