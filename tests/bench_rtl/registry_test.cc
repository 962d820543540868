#include "bench/trial/registry.h"

#include <gtest/gtest.h>

#include <iterator>

#include "base/error.h"

namespace plumbline::bench {
namespace {

// Every optional bench is available, or reported as missing.
TEST(Registry, MakesEveryBenchItLists) {
  EXPECT_EQ(benches().size() + missingBenches().size(), std::size(kOptionalBenches) + 1);
#ifdef PLUMBLINE_CARD_SIM
  EXPECT_EQ(benches().front().name, "rtl");
#else
  ASSERT_FALSE(missingBenches().empty());
  EXPECT_STREQ(missingBenches().front().name, "rtl");
#endif
  for (const BenchInfo& info : benches()) {
    EXPECT_EQ(makeBench(info.name, {})->capabilities().name, info.name);
    EXPECT_FALSE(info.description.empty());
  }
}

TEST(Registry, SaysWhatAMissingBenchNeeds) {
  for (const OptionalBench& missing : missingBenches()) {
    try {
      makeBench(missing.name, {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(error.remedy().find(missing.needs), std::string::npos);
    }
  }
}

TEST(Registry, SaysWhichBenchesThereAre) {
  try {
    makeBench("abacus", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    for (const BenchInfo& info : benches()) {
      EXPECT_NE(error.remedy().find(info.name), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace plumbline::bench
