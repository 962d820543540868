// Results depend on the scenario and its seed only: not on the number of threads, not on the day.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/integration/short_suite.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class SuiteDeterminismTest : public testing::Test {
 protected:
  // The JSON of all tests of a run, byte for byte.
  std::string testsOf(const std::string& scenario, const std::string& name,
                      const std::vector<std::string>& more) {
    const fs::path json = scratch_.path() / (name + ".json");
    std::vector<std::string> arguments{"run",       scenario,
                                       "--results", scratch_.path() / name,
                                       "--report",  scratch_.path() / (name + "-report"),
                                       "--json",    json,
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = plumblineCommand(scratch_.path(), arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto run = nlohmann::ordered_json::parse(contentOf(json));
    return run.at("tests").dump();
  }
  // Runs on 1, 2 and 4 threads, and once more on 1; a fifth one with another seed, to show that
  // differences are possible.
  void expectTheSame(const std::string& scenario, bool other_seed) {
    const std::string once = testsOf(scenario, "once", {"--threads", "1"});
    ASSERT_GT(once.size(), 10'000U);
    EXPECT_TRUE(testsOf(scenario, "again", {"--threads", "1"}) == once) << "a second run differs";
    EXPECT_TRUE(testsOf(scenario, "two", {"--threads", "2"}) == once) << "2 threads differ";
    EXPECT_TRUE(testsOf(scenario, "four", {"--threads", "4"}) == once) << "4 threads differ";
    if (!other_seed) return;
    EXPECT_FALSE(testsOf(scenario, "other", {"--seed", "8"}) == once) << "the seed has no effect";
  }

  TempDirectory scratch_;
};

TEST_F(SuiteDeterminismTest, OneSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  expectTheSame(writeShortSuite(scratch_.path()), true);
}

// The shipped suite, in the quick profile.
TEST_F(SuiteDeterminismTest, TheWholeSuiteAsWell) {
  if (std::getenv("PLUMBLINE_LONG") == nullptr) {
    GTEST_SKIP() << "five minutes: set PLUMBLINE_LONG=1";
  }
  expectTheSame(checkoutPath("scenarios/training/all.yaml"), false);
}

}  // namespace
}  // namespace plumbline
