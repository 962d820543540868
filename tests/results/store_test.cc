#include "results/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "tests/base/error_of.h"
#include "tests/results/sample.h"
#include "tests/results/temp_directory.h"

namespace plumbline::results {
namespace {

using testing::HasSubstr;

RunIdentity quickstartIdentity() {
  return {"quickstart", "scenarios/quickstart.yaml", "plumbline: 1\n", "rtl", "quick", 7,
          "trace.csv"};
}

// A second, independent way into the file.
void rawSql(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(db);
}

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path database() const {
    return directory_.path() / ResultStore::kFileName;
  }
  TempDirectory directory_;
};

// As programs do that are started at a time with a directory that is not there yet.
TEST_F(StoreTest, ManyMayCreateItAtATime) {
  for (int round = 0; round < 20; ++round) {
    const auto directory = directory_.path() / std::to_string(round);
    std::vector<std::string> errors(8);
    std::vector<std::thread> programs;
    for (std::string& error : errors) {
      programs.emplace_back([&] {
        try {
          ResultStore::open(directory).createRun(quickstartIdentity(), "0.1.0", "Linux");
        } catch (const Error& thrown) {
          error = thrown.what();
        }
      });
    }
    for (std::thread& program : programs) program.join();
    EXPECT_THAT(errors, testing::Each(""));
    EXPECT_EQ(ResultStore::openExisting(directory).listRuns().size(), errors.size());
  }
}

TEST_F(StoreTest, KeepsRunsAcrossOpening) {
  std::int64_t id = 0;
  {
    auto store = ResultStore::open(directory_.path() / "deep" / "er");
    id = store.createRun(quickstartIdentity(), "0.1.0", "Linux");
  }
  auto store = ResultStore::openExisting(directory_.path() / "deep" / "er");
  const auto runs = store.listRuns();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].id, id);
  EXPECT_EQ(runs[0].identity.scenario_name, "quickstart");
  EXPECT_EQ(runs[0].identity.scenario_file, "scenarios/quickstart.yaml");
  EXPECT_EQ(runs[0].identity.scenario_text, "plumbline: 1\n");
  EXPECT_EQ(runs[0].identity.bench, "rtl");
  EXPECT_EQ(runs[0].identity.profile, "quick");
  EXPECT_EQ(runs[0].identity.seed, 7u);
  EXPECT_EQ(runs[0].software, "0.1.0");
  EXPECT_EQ(runs[0].machine, "Linux");
  EXPECT_EQ(runs[0].finished, "");
  EXPECT_EQ(runs[0].status, RunStatus::kRunning);
  EXPECT_EQ(runs[0].trials, 0u);
  EXPECT_THAT(runs[0].created, testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST_F(StoreTest, SeedsUseAll64Bits) {
  auto store = ResultStore::open(directory_.path());
  RunIdentity id = quickstartIdentity();
  id.seed = ~std::uint64_t{0};
  const auto run = store.createRun(id, "", "");
  EXPECT_EQ(store.loadRun(run).info.identity.seed, ~std::uint64_t{0});
  EXPECT_TRUE(store.latestUnfinished(id).has_value());
}

TEST_F(StoreTest, TheEndOfARunIsStamped) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  store.setStatus(run, RunStatus::kAborted);
  EXPECT_EQ(store.loadRun(run).info.status, RunStatus::kAborted);
  EXPECT_THAT(store.loadRun(run).info.finished, testing::MatchesRegex("20..-..-..T..:..:..Z"));
  store.setStatus(run, RunStatus::kRunning);
  EXPECT_EQ(store.loadRun(run).info.finished, "");
}

TEST_F(StoreTest, FindsATrialOnlyUnderItsExactKey) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  const auto other = store.createRun(quickstartIdentity(), "", "");
  store.saveTrial(run, R"({"a":1})", 3, "64 B", R"({"r":"é\u0000"})");

  EXPECT_EQ(store.findTrial(run, R"({"a":1})", 3), R"({"r":"é\u0000"})");
  EXPECT_EQ(store.findTrial(run, R"({"a":1})", 2), std::nullopt);
  EXPECT_EQ(store.findTrial(run, R"({"a":2})", 3), std::nullopt);
  EXPECT_EQ(store.findTrial(other, R"({"a":1})", 3), std::nullopt);
  EXPECT_EQ(store.loadRun(run).info.trials, 1u);
}

TEST_F(StoreTest, ASavedTrialIsNeverOverwritten) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  store.saveTrial(run, "s", 0, "first", "1");
  store.saveTrial(run, "s", 0, "second", "2");
  EXPECT_EQ(store.findTrial(run, "s", 0), "1");
  ASSERT_EQ(store.listTrials(run).size(), 1u);
  EXPECT_EQ(store.listTrials(run)[0].label, "first");
}

TEST_F(StoreTest, EqualHashesOfDifferentSpecsDoNotMix) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  store.saveTrial(run, "one", 0, "", "1");
  store.saveTrial(run, "two", 0, "", "2");
  rawSql(database(),
         "UPDATE trials SET spec_hash = (SELECT spec_hash FROM trials WHERE spec='one')");
  EXPECT_EQ(store.findTrial(run, "one", 0), "1");
  EXPECT_EQ(store.findTrial(run, "two", 0), std::nullopt);  // its true hash is elsewhere
}

TEST_F(StoreTest, TrialsComeInTheOrderTheyFinished) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  for (std::uint32_t i : {5u, 1u, 9u}) store.saveTrial(run, "s", i, "l" + std::to_string(i), "r");
  const auto trials = store.listTrials(run);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].repetition, 5u);
  EXPECT_EQ(trials[1].label, "l1");
  EXPECT_EQ(trials[2].repetition, 9u);
}

TEST_F(StoreTest, ATrialNeedsItsRun) {
  auto store = ResultStore::open(directory_.path());
  const Error e = errorOf([&] { store.saveTrial(42, "s", 0, "", "r"); });
  EXPECT_EQ(e.kind(), ErrorKind::kTester);
  EXPECT_THAT(e.what(), HasSubstr("FOREIGN KEY"));
}

TEST_F(StoreTest, TestResultsAreKeptAndReplacedByTest) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  TestResult latency = sampleResult();
  TestResult burst = sampleResult();
  burst.id = "T5.3";
  store.saveTestResult(run, latency);
  store.saveTestResult(run, burst);
  latency.summary = "measured again";
  store.saveTestResult(run, latency);

  const StoredRun stored = store.loadRun(run);
  ASSERT_EQ(stored.tests.size(), 2u);
  EXPECT_EQ(stored.tests[0].summary, "measured again");
  EXPECT_EQ(stored.tests[1].toJson(), burst.toJson());
}

TEST_F(StoreTest, ResumesTheLatestUnfinishedRunOfTheSameIdentity) {
  auto store = ResultStore::open(directory_.path());
  EXPECT_FALSE(store.latestUnfinished(quickstartIdentity()).has_value());
  const auto done = store.createRun(quickstartIdentity(), "", "");
  const auto aborted = store.createRun(quickstartIdentity(), "", "");
  const auto killed = store.createRun(quickstartIdentity(), "", "");
  const auto finished = store.createRun(quickstartIdentity(), "", "");
  store.setStatus(done, RunStatus::kDone);
  store.setStatus(aborted, RunStatus::kAborted);
  store.setStatus(finished, RunStatus::kDone);
  EXPECT_EQ(store.latestUnfinished(quickstartIdentity())->id, killed);
  store.setStatus(killed, RunStatus::kFailed);
  EXPECT_EQ(store.latestUnfinished(quickstartIdentity())->id, killed);
  store.setStatus(killed, RunStatus::kDone);
  EXPECT_EQ(store.latestUnfinished(quickstartIdentity())->id, aborted);
  EXPECT_EQ(store.latestUnfinished(quickstartIdentity())->status, RunStatus::kAborted);

  RunIdentity same = quickstartIdentity();
  same.scenario_file = "copy.yaml";  // where the text was read from does not matter
  EXPECT_EQ(store.latestUnfinished(same)->id, aborted);
  const auto differs = [&](auto change) {
    RunIdentity id = quickstartIdentity();
    change(id);
    return !store.latestUnfinished(id).has_value();
  };
  EXPECT_TRUE(differs([](RunIdentity& id) { id.scenario_text += " "; }));
  EXPECT_TRUE(differs([](RunIdentity& id) { id.bench = "sim"; }));
  EXPECT_TRUE(differs([](RunIdentity& id) { id.profile = "standard"; }));
  EXPECT_TRUE(differs([](RunIdentity& id) { id.seed = 8; }));
  EXPECT_TRUE(differs([](RunIdentity& id) { id.files = "another trace.csv"; }));
}

TEST_F(StoreTest, OpenExistingWantsAStore) {
  const Error e = errorOf([&] { ResultStore::openExisting(directory_.path()); });
  EXPECT_EQ(e.kind(), ErrorKind::kUsage);
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(StoreTest, UnknownRunIsAUsageError) {
  auto store = ResultStore::open(directory_.path());
  EXPECT_EQ(errorOf([&] { store.loadRun(5); }).kind(), ErrorKind::kUsage);
}

TEST_F(StoreTest, AFileThatIsNoDatabaseIsRefusedAndUntouched) {
  const std::string content(5000, 'x');
  std::ofstream(database()) << content;
  const Error e = errorOf([&] { ResultStore::open(directory_.path()); });
  EXPECT_THAT(e.what(), HasSubstr("not a database"));
  EXPECT_EQ(e.where(), database().string());
  EXPECT_FALSE(e.remedy().empty());
  std::ifstream in(database());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), content);
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsRefusedAndUntouched) {
  rawSql(database(), "CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)");
  const auto size = std::filesystem::file_size(database());
  const Error e = errorOf([&] { ResultStore::open(directory_.path()); });
  EXPECT_THAT(e.what(), HasSubstr("another program"));
  EXPECT_EQ(std::filesystem::file_size(database()), size);
}

TEST_F(StoreTest, ANewerSchemaIsRefused) {
  ResultStore::open(directory_.path());
  rawSql(database(), "UPDATE schema_version SET version = 5");
  EXPECT_THAT(errorOf([&] { ResultStore::open(directory_.path()); }).what(), HasSubstr("schema 5"));
}

// A store of schema 1 as its program left it, with a run.
TEST_F(StoreTest, SchemaOneIsReadAndKept) {
  rawSql(database(), R"sql(
CREATE TABLE schema_version(version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (1);
CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, created TEXT NOT NULL,
  scenario_name TEXT NOT NULL, scenario_file TEXT NOT NULL, scenario_text TEXT NOT NULL,
  bench TEXT NOT NULL, profile TEXT NOT NULL, seed INTEGER NOT NULL, software TEXT NOT NULL,
  machine TEXT NOT NULL, finished TEXT NOT NULL DEFAULT '', status TEXT NOT NULL);
CREATE TABLE trials(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL,
  spec_hash INTEGER NOT NULL, repetition INTEGER NOT NULL, label TEXT NOT NULL,
  spec TEXT NOT NULL, result TEXT NOT NULL, finished TEXT NOT NULL);
CREATE TABLE test_results(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL,
  test TEXT NOT NULL, result TEXT NOT NULL, UNIQUE (run, test));
INSERT INTO runs VALUES (1, 'then', 'quickstart', 'f', 'plumbline: 1
', 'rtl', 'quick', 7, '0.1',
  'Linux', '', 'aborted');
PRAGMA application_id = 0x504C4D42;)sql");
  for (int opening = 0; opening < 2; ++opening) {
    auto store = ResultStore::openExisting(directory_.path());
    ASSERT_EQ(store.listRuns().size(), 1U);
    EXPECT_EQ(store.listRuns().front().identity.seed, 7U);
    EXPECT_EQ(store.listRuns().front().identity.files, "");
    store.saveObservation(1, "key", "seen");
    EXPECT_EQ(store.findObservation(1, "key"), "seen");
  }
}

TEST_F(StoreTest, ObservationsAreKeptOnceForEachRun) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  const auto other = store.createRun(quickstartIdentity(), "", "");
  EXPECT_EQ(store.findObservation(run, "sample 1"), std::nullopt);
  store.saveObservation(run, "sample 1", "first");
  store.saveObservation(run, "sample 1", "second");
  store.saveObservation(run, "sample 2", "");
  EXPECT_EQ(store.findObservation(run, "sample 1"), "first");
  EXPECT_EQ(store.findObservation(run, "sample 2"), "");
  EXPECT_EQ(store.findObservation(other, "sample 1"), std::nullopt);
}

TEST_F(StoreTest, ADamagedDatabaseIsReportedAsSuch) {
  {
    auto store = ResultStore::open(directory_.path());
    const auto run = store.createRun(quickstartIdentity(), "", "");
    for (std::uint32_t i = 0; i < 200; ++i) {
      store.saveTrial(run, "spec", i, "", std::string(2000, 'r'));
    }
  }
  rawSql(database(), "PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    const std::string noise(static_cast<std::size_t>(std::filesystem::file_size(database())) - 4096,
                            '\xa5');
    file << noise;
  }
  const Error e = errorOf([&] {
    auto store = ResultStore::open(directory_.path());
    store.listTrials(1);
  });
  EXPECT_EQ(e.kind(), ErrorKind::kTester);
  EXPECT_THAT(e.remedy(), HasSubstr("damaged"));
}

TEST_F(StoreTest, ADamagedTrialIsNamedAndTheRestServed) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  store.saveTrial(run, R"({"a":1})", 0, "64 B", R"({"lost":10})");
  store.saveTrial(run, R"({"a":2})", 0, "128 B", R"({"lost":20})");
  EXPECT_TRUE(store.loadRun(run).damaged.empty());
  rawSql(database(), R"(UPDATE trials SET result = '{"lost":11}' WHERE label = '64 B')");
  EXPECT_THAT(store.loadRun(run).damaged, testing::ElementsAre("trial \"64 B\""));
  const auto trials = store.listTrials(run);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_TRUE(trials[0].damaged);
  EXPECT_FALSE(trials[1].damaged);
  // It counts as not measured: it is measured again, and then exists once.
  EXPECT_EQ(store.findTrial(run, R"({"a":1})", 0), std::nullopt);
  EXPECT_EQ(store.findTrial(run, R"({"a":2})", 0), R"({"lost":20})");
  store.saveTrial(run, R"({"a":1})", 0, "64 B", R"({"lost":10})");
  EXPECT_EQ(store.findTrial(run, R"({"a":1})", 0), R"({"lost":10})");
  EXPECT_EQ(store.listTrials(run).size(), 2U);
  EXPECT_TRUE(store.loadRun(run).damaged.empty());
}

// A digit, a text that is no result, and a whole result that moved to another test.
TEST_F(StoreTest, ADamagedResultHidesNoOther) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "", "");
  const auto other = store.createRun(quickstartIdentity(), "", "");
  TestResult one = sampleResult();
  one.id = "T5.1";
  store.saveTestResult(run, one);
  one.id = "T5.2";
  store.saveTestResult(run, one);
  store.saveTestResult(other, one);
  for (const char* damage :
       {"UPDATE test_results SET result = replace(result, '1', '2') WHERE run = 1 AND test = "
        "'T5.1'",
        "UPDATE test_results SET result = '{' WHERE run = 1 AND test = 'T5.1'",
        "UPDATE test_results SET result = (SELECT result FROM test_results WHERE run = 2) WHERE "
        "run = 1 AND test = 'T5.1'"}) {
    rawSql(database(), damage);
    const StoredRun stored = store.loadRun(run);
    EXPECT_THAT(stored.damaged, testing::ElementsAre(HasSubstr("the result of T5.1"))) << damage;
    ASSERT_EQ(stored.tests.size(), 1U) << damage;
    EXPECT_EQ(stored.tests[0].id, "T5.2");
    EXPECT_FALSE(stored.tests[0].valid);
    EXPECT_THAT(stored.tests[0].anomalies.back().what, HasSubstr("is damaged"));
  }
  EXPECT_TRUE(store.loadRun(other).damaged.empty());
  EXPECT_EQ(store.listRuns().size(), 2U);
  EXPECT_EQ(store.listRunsBriefly(0).size(), 2U);
  EXPECT_EQ(store.listRunsBriefly(1).front().id, other);
  EXPECT_EQ(store.listRunsBriefly(0, 1).size(), 1U);
  EXPECT_EQ(store.listRunsBriefly(0).front().identity.scenario_text, "");
}

TEST_F(StoreTest, ADamagedRunIsNamedAndNotResumed) {
  auto store = ResultStore::open(directory_.path());
  const auto run = store.createRun(quickstartIdentity(), "0.1", "here");
  store.saveTrial(run, "{}", 0, "64 B", R"({"lost":10})");
  EXPECT_TRUE(store.loadRun(run).damaged.empty());
  for (const char* damage : {"UPDATE runs SET seed = seed + 1", "UPDATE runs SET software = '0.2'",
                             "UPDATE runs SET scenario_text = replace(scenario_text, '1', '4')"}) {
    rawSql(database(), damage);
    EXPECT_THAT(store.loadRun(run).damaged,
                testing::ElementsAre(HasSubstr("what the run was begun with")))
        << damage;
    EXPECT_FALSE(store.latestUnfinished(quickstartIdentity()).has_value()) << damage;
  }
  const auto other = store.createRun(quickstartIdentity(), "0.1", "here");
  store.saveTrial(other, "{}", 0, "64 B", R"({"lost":10})");
  rawSql(database(), "UPDATE trials SET spec_hash = 1 WHERE run = 2");
  EXPECT_THAT(store.loadRun(other).damaged, testing::ElementsAre("trial \"64 B\""));
}

TEST_F(StoreTest, WhatAnOlderVersionWroteIsReadWithoutChecksums) {
  std::int64_t run = 0;
  {
    auto store = ResultStore::open(directory_.path());
    run = store.createRun(quickstartIdentity(), "", "");
    store.saveTrial(run, "{}", 0, "64 B", R"({"lost":10})");
  }
  for (const char* table : {"runs", "trials", "test_results", "observations"}) {
    rawSql(database(), std::string("ALTER TABLE ") + table + " DROP COLUMN checksum");
  }
  rawSql(database(), "UPDATE schema_version SET version = 2");
  auto store = ResultStore::openExisting(directory_.path());
  EXPECT_EQ(store.findTrial(run, "{}", 0), R"({"lost":10})");
  EXPECT_TRUE(store.loadRun(run).damaged.empty());
  store.saveTrial(run, "{}", 1, "64 B", R"({"lost":11})");
  rawSql(database(), "UPDATE trials SET result = '{}'");
  EXPECT_THAT(store.loadRun(run).damaged, testing::SizeIs(1));  // the one with a checksum
}

TEST_F(StoreTest, ADirectoryThatCannotBeMadeIsReported) {
  std::ofstream(directory_.path() / "file") << "x";
  const Error e = errorOf([&] { ResultStore::open(directory_.path() / "file" / "results"); });
  EXPECT_THAT(e.what(), HasSubstr("cannot be created"));
}

TEST_F(StoreTest, ARunHasOneOwner) {
  auto first = std::make_optional<RunLock>(directory_.path(), 7);
  EXPECT_EQ(errorOf([&] { const RunLock again(directory_.path(), 7); }).kind(), ErrorKind::kUsage);
  const RunLock other(directory_.path(), 8);
  first.reset();
  EXPECT_NO_THROW(RunLock(directory_.path(), 7));
}

// A second connection reads whole rows, in growing number, while the first one writes.
TEST_F(StoreTest, AReaderBesideAWriterSeesOnlyWholeTrials) {
  auto writer = ResultStore::open(directory_.path());
  const auto run = writer.createRun(quickstartIdentity(), "", "");
  constexpr std::size_t kTrials = 100;
  std::atomic<bool> done = false;
  std::size_t looks = 0;
  std::thread reading([&] {
    std::size_t seen = 0;
    for (bool last = false; !last; ++looks) {
      last = done;
      auto reader = ResultStore::openExisting(directory_.path());
      const auto trials = reader.listTrials(run);
      EXPECT_GE(trials.size(), seen);
      seen = trials.size();
      for (std::size_t i = 0; i < seen; ++i) {
        EXPECT_EQ(trials[i].repetition, i);
        EXPECT_EQ(trials[i].result_json, std::string(3000, static_cast<char>('a' + i % 26)));
      }
    }
    EXPECT_EQ(seen, kTrials);
  });
  for (std::size_t i = 0; i < kTrials; ++i) {
    writer.saveTrial(run, "s", static_cast<std::uint32_t>(i), "",
                     std::string(3000, static_cast<char>('a' + i % 26)));
  }
  done = true;
  reading.join();
  EXPECT_GE(looks, 2u);
}

}  // namespace
}  // namespace plumbline::results
