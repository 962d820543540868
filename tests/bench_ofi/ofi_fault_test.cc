#include "bench_ofi/ofi_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

namespace plumbline::bench_ofi {
namespace {

using endpoint::FaultKind;
using testing::HasSubstr;

TEST(OfiFault, TellsKindsApart) {
  EXPECT_EQ(faultKindOf(-FI_ENODATA), FaultKind::kNoDevice);
  EXPECT_EQ(faultKindOf(-FI_ECONNRESET), FaultKind::kPeerGone);
  EXPECT_EQ(faultKindOf(FI_EHOSTUNREACH), FaultKind::kPeerGone);
  EXPECT_EQ(faultKindOf(-FI_EOVERRUN), FaultKind::kOverrun);
  EXPECT_EQ(faultKindOf(-FI_EINVAL), FaultKind::kOther);
}

TEST(OfiFault, SaysHowToRegisterMoreMemory) {
  const Error error = ofiFault("fi_mr_reg", -FI_ENOMEM, "target, 4194304 B");
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("fi_mr_reg"));
  EXPECT_THAT(error.what(), HasSubstr("target, 4194304 B"));
  EXPECT_THAT(error.remedy(), HasSubstr("ulimit -l unlimited"));
  // Other calls need memory that does not count towards that limit.
  EXPECT_EQ(ofiFault("fi_endpoint", -FI_ENOMEM, {}).kind(), ErrorKind::kTester);
}

TEST(OfiFault, SaysWhatToDoAboutAnOverrun) {
  const Error error = ofiFault("fi_cq_read", -FI_EOVERRUN, "initiator");
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.remedy(), HasSubstr("endpoint.window"));
}

TEST(OfiFault, IsThrownForNegativeCodesAlone) {
  EXPECT_NO_THROW(check(0, "fi_cq_read", "initiator"));
  EXPECT_NO_THROW(check(7, "fi_cq_read", "initiator"));
  EXPECT_THROW(check(-FI_EINVAL, "fi_cq_read", "initiator"), Error);
}

}  // namespace
}  // namespace plumbline::bench_ofi
