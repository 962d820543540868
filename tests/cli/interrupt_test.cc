#include "cli/interrupt.h"

#include <gtest/gtest.h>

namespace plumbline::cli {
namespace {

TEST(InterruptGuard, TheFirstSignalIsARequest) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.requested());
    std::raise(signal);
    EXPECT_TRUE(guard.requested());
  }
}

TEST(InterruptGuard, TheSecondEndsTheProcessAsAborted) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(5), "ended at once");
}

}  // namespace
}  // namespace plumbline::cli
