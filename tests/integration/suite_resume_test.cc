// A run of the suite killed with SIGKILL at random instants, from its first millisecond to the
// writing of its report, and resumed: the report equals that of an uninterrupted run, except for
// the times of day in it. The same for a soak with as many samples as the draft's day has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <thread>

#include "results/store.h"
#include "tests/cli/process.h"
#include "tests/integration/short_suite.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kInstants = 8;
constexpr int kInstantsSanitized = 6;  // each takes ten times as long
#ifdef __has_feature
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Every file of a report by its name, times of day replaced.
std::map<std::string, std::string> reportOf(const fs::path& directory) {
  static const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), directory)] =
        std::regex_replace(contentOf(entry.path()), kTime, "TIME");
  }
  return files;
}

class SuiteResumeTest : public testing::Test {
 protected:
  void SetUp() override { scenario_ = writeShortSuite(scratch_.path()); }

  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.path() / name; }
  [[nodiscard]] std::vector<std::string> arguments(const std::string& name, bool resume) const {
    std::vector<std::string> all{"run",       scenario_,
                                 "--results", path(name),
                                 "--report",  path(name + "-report"),
                                 "--json",    path(name + ".json"),
                                 "--quiet"};
    if (resume) all.emplace_back("--resume");
    return all;
  }
  // A run that is started and killed after `delay`. Returns whether it was still running.
  bool killed(const std::string& name, Clock::duration delay) {
    Process process(scratch_.path(), arguments(name, true));
    std::this_thread::sleep_for(delay);
    if (process.ended()) return false;
    process.signal(SIGKILL);
    return process.wait().signal == SIGKILL;
  }
  // The same as soon as `trials` trials are stored.
  bool killedOnceItHas(const std::string& name, std::size_t trials) {
    Process process(scratch_.path(), arguments(name, true));
    for (;;) {
      if (process.ended()) return false;
      const auto stored = storedBy(name);
      if (stored && stored->trials >= trials) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    process.signal(SIGKILL);
    return process.wait().signal == SIGKILL;
  }
  // Contents of the store of `name` for its first run; nothing if it has not got that far.
  struct Stored {
    std::size_t trials = 0;
    bool done = false;
  };
  [[nodiscard]] std::optional<Stored> storedBy(const std::string& name) const {
    if (!fs::exists(path(name) / results::ResultStore::kFileName)) return std::nullopt;
    auto store = results::ResultStore::openExisting(path(name));
    const auto runs = store.listRuns();
    if (runs.empty()) return std::nullopt;
    return Stored{store.listTrials(1).size(), runs.back().status == results::RunStatus::kDone};
  }
  // Finishes the run that `name` has begun.
  void finish(const std::string& name) {
    if (const auto stored = storedBy(name); stored && stored->done) {
      // Killed while it wrote the report, of what is complete in the store.
      const Outcome written = plumblineCommand(
          scratch_.path(), {"report", "--results", path(name), "--report", path(name + "-report")});
      ASSERT_EQ(written.exit_code, 0) << written.err;
      return;
    }
    const Outcome resumed = plumblineCommand(scratch_.path(), arguments(name, true));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  }
  [[nodiscard]] std::size_t trialsOf(const std::string& name) const {
    auto store = results::ResultStore::openExisting(path(name));
    EXPECT_EQ(store.listRuns().size(), 1U) << name << ": resuming began a second run";
    return store.listTrials(1).size();
  }

  TempDirectory scratch_;
  std::string scenario_;
};

TEST_F(SuiteResumeTest, AKilledSuiteGoesOnToTheSameReport) {
  const auto begin = Clock::now();
  const Outcome whole = plumblineCommand(scratch_.path(), arguments("whole", false));
  const Clock::duration duration = Clock::now() - begin;
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const auto expected = reportOf(path("whole-report"));
  ASSERT_TRUE(expected.contains("report.html"));
  const std::size_t trials = trialsOf("whole");
  ASSERT_GT(trials, 100U);

  const int instants = kSanitized                                 ? kInstantsSanitized
                       : std::getenv("PLUMBLINE_LONG") != nullptr ? 200
                                                                  : kInstants;
  std::mt19937_64 random(20);
  int caught = 0;
  for (int i = 0; i < instants; ++i) {
    const std::string name = "killed" + std::to_string(i);
    const Clock::duration delay = duration * (random() % 1000) / 1000;
    const std::size_t stored = random() % (trials * 3 / 4);
    // By the clock, a run may be over when the machine is less busy than at first.
    const bool by_clock = i % 2 == 0;
    SCOPED_TRACE(testing::Message()
                 << "killed after "
                 << (by_clock ? std::chrono::duration<double>(delay).count() : stored)
                 << (by_clock ? " s" : " trials"));
    if (by_clock ? killed(name, delay) : killedOnceItHas(name, stored)) ++caught;
    finish(name);
    if (HasFatalFailure()) return;
    EXPECT_EQ(trialsOf(name), trials);
    // Not EXPECT_EQ of the maps, which would print both.
    const auto got = reportOf(path(name + "-report"));
    EXPECT_EQ(got.size(), expected.size());
    for (const auto& [file, text] : expected) {
      const auto other = got.find(file);
      EXPECT_TRUE(other != got.end() && other->second == text) << file << " differs";
    }
    fs::remove_all(path(name));
    fs::remove_all(path(name + "-report"));
  }
  EXPECT_GE(caught, instants / 2);
}

// One run that is killed repeatedly makes progress every time, and loses no stored trial.
TEST_F(SuiteResumeTest, ARunKilledAgainAndAgainComesToItsEnd) {
  std::mt19937_64 random(3);
  const auto begun = Clock::now();
  ASSERT_EQ(plumblineCommand(scratch_.path(), arguments("whole", false)).exit_code, 0);
  const auto eighth = (Clock::now() - begun) / 8;
  std::size_t kept = 0;
  for (int i = 0; i < 8; ++i) {
    killed("often", eighth + eighth * (random() % 1000) / 1000);
    const auto stored = storedBy("often");
    if (!stored) continue;
    EXPECT_GE(stored->trials, kept);
    kept = stored->trials;
    // All done: resuming once more would begin another run.
    if (stored->done) break;
  }
  EXPECT_GT(kept, 0U);
  finish("often");
  if (HasFatalFailure()) return;
  EXPECT_EQ(trialsOf("often"), trialsOf("whole"));
  EXPECT_EQ(reportOf(path("often-report")), reportOf(path("whole-report")));
}

// The draft's day, a sample each minute, with windows as short as they can be.
class SoakResumeTest : public SuiteResumeTest {
 protected:
  static constexpr std::size_t kSamples = 24 * 60 + 1;

  void SetUp() override {
    scenario_ = path("soak.yaml");
    std::ofstream(scenario_) << R"(plumbline: 1
name: soak
tests: [T12.1, T12.2]
profile: standard
dut:
  topology: {kind: clos2, leaves: 2, spines: 2, hosts_per_leaf: 2, link: 400G}
parameters: {sizes: 64KiB, iterations: 1}
seed: 11
)";
  }
};

// No sample is lost, none is taken twice, and each keeps its time.
TEST_F(SoakResumeTest, AKilledSoakHasEverySampleOnce) {
  const Outcome whole = plumblineCommand(scratch_.path(), arguments("whole", false));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;

  // By the samples it has, not by the clock: each time it was on its way, however fast it is.
  std::mt19937_64 random(12);
  std::size_t kept = 0;
  for (std::size_t i = 1; i <= 4; ++i) {
    const std::size_t wanted = i * kSamples / 6 + random() % 100;
    ASSERT_TRUE(killedOnceItHas("often", wanted)) << "it ended before";
    const auto stored = storedBy("often");
    ASSERT_TRUE(stored);
    EXPECT_GE(stored->trials, std::max(kept, wanted));
    kept = stored->trials;
  }
  EXPECT_LT(kept, kSamples) << "it was never killed midway";
  finish("often");
  if (HasFatalFailure()) return;

  auto store = results::ResultStore::openExisting(path("often"));
  const auto samples = store.listTrials(1);
  ASSERT_EQ(samples.size(), kSamples);
  for (std::size_t minute = 0; minute < kSamples; ++minute) {
    char label[32];
    std::snprintf(label, sizeof label, "at %02zu:%02zu:00", minute / 60, minute % 60);
    EXPECT_EQ(samples[minute].label, label);
  }
  EXPECT_EQ(reportOf(path("often-report")), reportOf(path("whole-report")));
}

}  // namespace
}  // namespace plumbline
