#include "endpoint/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace plumbline::endpoint {
namespace {

using testing::HasSubstr;

// Faults that can be corrected before a run are refused (exit code 2), faults during a run are
// tester faults (exit code 3).
TEST(Fault, IsRefusedOrATesterFault) {
  EXPECT_EQ(fault(FaultKind::kNoDevice, "a", "b").kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(fault(FaultKind::kLockedMemory, "a", "b").kind(), ErrorKind::kUnsupported);
  for (const FaultKind kind :
       {FaultKind::kPeerGone, FaultKind::kCompletion, FaultKind::kOverrun, FaultKind::kOther}) {
    EXPECT_EQ(fault(kind, "a", "b").kind(), ErrorKind::kTester);
  }
}

TEST(Fault, NamesTheLimitOfLockedMemoryThatHolds) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  rlimit low = before;
  low.rlim_cur = 65'536;
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &low), 0);
  const std::string remedy = fault(FaultKind::kLockedMemory, "ibv_reg_mr", "target").remedy();
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
  EXPECT_THAT(remedy, HasSubstr("64 KiB"));
  EXPECT_THAT(remedy, HasSubstr("ulimit -l unlimited"));
}

}  // namespace
}  // namespace plumbline::endpoint
