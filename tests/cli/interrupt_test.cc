#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace plumbline::cli {
namespace {

bool comesTrue(const InterruptGuard& guard) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!guard.requested() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return guard.requested();
}

// The processes that end are started anew: a forked one has the locks of a thread that it lacks.
class InterruptGuardTest : public testing::Test {
 protected:
  InterruptGuardTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(InterruptGuardTest, TheFirstSignalIsARequest) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.requested());
    ::kill(::getpid(), signal);
    EXPECT_TRUE(comesTrue(guard));
  }
}

TEST_F(InterruptGuardTest, TheSecondEndsTheProcessAsAborted) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        ::kill(::getpid(), SIGINT);
        comesTrue(guard);
        ::kill(::getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      testing::ExitedWithCode(5), "ended at once");
}

// As the shm and psm3 providers of libfabric do.
TEST_F(InterruptGuardTest, AHandlerThatALibraryInstallsIsNotCalled) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { ::_exit(1); });
        ::kill(::getpid(), SIGTERM);
        ::_exit(comesTrue(guard) ? 7 : 2);
      },
      testing::ExitedWithCode(7), "finishing");
}

TEST_F(InterruptGuardTest, WithoutOneASignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace plumbline::cli
