#include "base/work.h"

#include <gtest/gtest.h>

#include <new>
#include <string>

#include "base/error.h"

namespace plumbline {
namespace {

using std::chrono::steady_clock;

TEST(Work, GoesOnWithoutLimits) { EXPECT_NO_THROW(checkWork()); }

TEST(Work, AStopEndsIt) {
  bool stop = false;
  const WorkScope scope({[&] { return stop; }, {}, {}});
  EXPECT_NO_THROW(checkWork());
  stop = true;
  EXPECT_THROW(checkWork(), WorkStopped);
}

TEST(Work, ADeadlineEndsItAndSaysWhich) {
  const WorkScope scope({{}, steady_clock::now() - std::chrono::seconds(1), "planning takes long"});
  try {
    checkWork();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(), "planning takes long");
  }
}

TEST(Work, OfNestedScopesAllHold) {
  bool stop = false;
  const WorkScope outer({[&] { return stop; }, {}, {}});
  {
    const WorkScope inner({[] { return false; }, {}, {}});
    stop = true;
    EXPECT_THROW(checkWork(), WorkStopped);
  }
  stop = false;
  EXPECT_NO_THROW(checkWork());
}

TEST(Work, MemoryIsRefusedWithBothNumbers) {
  setMemoryLimit(2'000'000'000);
  EXPECT_EQ(memoryRefusal("the fabric", 2e9), std::nullopt);
  const auto why = memoryRefusal("the fabric", 3.6e9);
  ASSERT_TRUE(why);
  EXPECT_EQ(
      *why,
      "the fabric needs about 3.6 GB of memory, and the program may take 2 GB (--max-memory)");
  setMemoryLimit(0);
  EXPECT_GT(memoryLimit(), 1U << 20);
}

TEST(Work, MemoryIsSharedByPrograms) {
  setMemoryLimit(2'000'000'000);
  shareMemoryLimit(4);
  EXPECT_EQ(memoryLimit(), 500'000'000U);
  EXPECT_EQ(memoryRefusal("the fabric", 5e8), std::nullopt);
  const auto why = memoryRefusal("the fabric", 6e8);
  ASSERT_TRUE(why);
  EXPECT_EQ(*why,
            "the fabric needs about 600 MB of memory, and each of 4 points at a time may take 500 "
            "MB (--max-memory; fewer --jobs have more each)");
  setMemoryLimit(0);
  EXPECT_GT(memoryLimit(), 1U << 20);
}

TEST(Work, OutOfMemoryIsSaidInWords) {
  EXPECT_NE(faultText(std::bad_alloc()).find("not enough memory"), std::string::npos);
  EXPECT_EQ(faultText(std::runtime_error("it broke")), "it broke");
}

}  // namespace
}  // namespace plumbline
