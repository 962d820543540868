#include "bench/registry.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumbline::bench {
namespace {

TEST(Registry, MakesEveryBenchItLists) {
#ifdef PLUMBLINE_CARD_SIM
  ASSERT_EQ(benches().size(), 2U);
#else
  ASSERT_EQ(benches().size(), 1U);
#endif
  for (const BenchInfo& info : benches()) {
    EXPECT_EQ(makeBench(info.name, {})->capabilities().name, info.name);
    EXPECT_FALSE(info.description.empty());
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
