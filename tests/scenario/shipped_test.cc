// The scenarios that come with the program are right, and say so in comments.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "fabric/fabric_spec.h"
#include "scenario/parse.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> shipped() {
  std::set<fs::path> files;
  const fs::path folder = fs::path(PLUMBLINE_SOURCE_DIR) / "scenarios";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  return files;
}

TEST(ShippedScenarios, TheOnesWePromiseAreThere) {
  std::set<std::string> names;
  for (const auto& file : shipped()) names.insert(file.filename());
  for (const char* name :
       {"quickstart.yaml", "latency.yaml", "throughput.yaml", "burst-incast.yaml", "incast32.yaml",
        "permutation128.yaml", "alltoall128.yaml", "allreduce128.yaml"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(ShippedScenarios, AllValidate) {
  for (const auto& file : shipped()) {
    SCOPED_TRACE(file);
    ASSERT_NO_THROW({
      const Scenario scenario = loadScenario(file, simVocabulary());
      EXPECT_NO_THROW(fabric::validate(scenario.fabricSpec()));
      EXPECT_EQ(scenario.name, file.stem());
      EXPECT_GT(std::count(scenario.text.begin(), scenario.text.end(), '#'), 10);
    });
  }
}

}  // namespace
}  // namespace plumbline::scenario
