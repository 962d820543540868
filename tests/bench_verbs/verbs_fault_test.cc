#include "bench_verbs/verbs_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/base/error_of.h"

namespace plumbline::bench_verbs {
namespace {

using testing::HasSubstr;

// A failed call of rdma-core, and the remedy.
struct FailedCall {
  const char* call;
  int error;
  ErrorKind kind;
  const char* remedy;  // in it
};

constexpr auto kRefused = ErrorKind::kUnsupported;  // exit code 2
constexpr auto kBroken = ErrorKind::kTester;        // exit code 3

constexpr FailedCall kFailedCalls[] = {
    // Calls that pin memory fail in one of these ways when the limit of locked memory is too low.
    {"ibv_reg_mr", ENOMEM, kRefused, "ulimit -l unlimited"},
    {"ibv_reg_mr", EAGAIN, kRefused, "ulimit -l unlimited"},
    {"ibv_create_cq", ENOMEM, kRefused, "ulimit -l unlimited"},
    {"ibv_create_qp", EPERM, kRefused, "ulimit -l unlimited"},
    {"rdma_create_qp", ENOMEM, kRefused, "ulimit -l unlimited"},
    {"ibv_modify_qp to RTR", ENOMEM, kBroken, ""},
    {"ibv_open_device", ENODEV, kRefused, "another device or provider"},
    {"ibv_get_device_list", ENOSYS, kRefused, "another device or provider"},
    {"rdma_bind_addr", EADDRNOTAVAIL, kRefused, "another device or provider"},
    {"rdma_connect", ECONNREFUSED, kBroken, "peer's process and link"},
    {"rdma_resolve_addr", ENETUNREACH, kBroken, "peer's process and link"},
    {"rdma_resolve_route", ETIMEDOUT, kBroken, "peer's process and link"},
    {"ibv_poll_cq", EOVERFLOW, kBroken, "endpoint.window"},
    {"ibv_post_send", EINVAL, kBroken, ""},
};

TEST(VerbsFault, SaysWhatFailedHowAndWhatToDo) {
  for (const FailedCall& one : kFailedCalls) {
    SCOPED_TRACE(testing::Message() << one.call << ", errno " << one.error);
    const Error error = errorOf([&] { checkErrno(one.error, one.call, "initiator 3"); });
    EXPECT_EQ(error.kind(), one.kind);
    EXPECT_THAT(error.what(), HasSubstr(std::string("initiator 3: ") + one.call + ": "));
    EXPECT_THAT(error.remedy(), HasSubstr(one.remedy));
    EXPECT_EQ(error.remedy().empty(), *one.remedy == '\0');
  }
  checkErrno(0, "ibv_post_send", "initiator 3");
}

TEST(VerbsFault, TakesErrnoOfCallsThatSetIt) {
  errno = ENODEV;
  EXPECT_THAT(errorOf([] { checkResult(-1, "rdma_listen", "198.18.0.1"); }).what(),
              HasSubstr("rdma_listen: No such device"));
  checkResult(0, "rdma_listen", "198.18.0.1");
}

}  // namespace
}  // namespace plumbline::bench_verbs
