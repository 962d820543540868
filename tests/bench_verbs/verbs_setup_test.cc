// Faults of port, GID and addresses before a message is sent, on the real device of
// verbs_device_test's guest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "bench_verbs/ibv_library.h"
#include "bench_verbs/verbs_carrier.h"
#include "tests/base/error_of.h"
#include "tests/bench_verbs/guest_command.h"

namespace plumbline::bench_verbs {
namespace {

using testing::HasSubstr;

class VerbsSetup : public testing::Test {
 protected:
  static bench::EndpointSpec hereSpec() {
    bench::EndpointSpec spec;
    spec.address = own_address;
    return spec;
  }
  static VerbsCarrier open(const bench::EndpointSpec& spec) {
    return VerbsCarrier(spec, std::make_unique<IbvLibrary>());
  }
  // Calls this address by the connection manager.
  static void call(const std::string& address, std::uint16_t port) {
    bench::EndpointSpec spec = hereSpec();
    spec.device = "rxe0";
    spec.connection = bench::Connection::kConnectionManager;
    EndAddress listener;
    listener.manager_address = address;
    listener.manager_port = port;
    IbvLibrary().open(spec, {"initiator", 1, 1, 64}, Role::kInitiator)->meet(listener);
  }
};

TEST_F(VerbsSetup, AGidThatThePortDoesNotHave) {
  bench::EndpointSpec spec = hereSpec();
  for (const std::uint8_t index : {std::uint8_t{40}, std::uint8_t{255}}) {
    spec.gid_index = index;
    const Error error = errorOf([&] { open(spec).connect({}); });
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("port 1 of rxe0 has no GID of index"));
    EXPECT_THAT(error.remedy(), HasSubstr("/sys/class/infiniband/rxe0/ports/1/gids"));
  }
}

TEST_F(VerbsSetup, APortThatTheDeviceDoesNotHave) {
  bench::EndpointSpec spec = hereSpec();
  spec.port = 7;
  const Error error = errorOf([&] { open(spec); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(error.where(), "endpoint.port");
  EXPECT_THAT(error.what(), HasSubstr("rxe0 port 7: ibv_query_port"));
  EXPECT_THAT(error.what(), HasSubstr("`rdma link` shows them"));
}

TEST_F(VerbsSetup, APortThatIsDown) {
  ASSERT_EQ(std::system("ip link set eth0 down"), 0);
  const Error error = errorOf([&] { open(hereSpec()); });
  ASSERT_EQ(std::system("ip link set eth0 up"), 0);
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("rxe0 port 1: the port is down"));
  EXPECT_THAT(error.what(), HasSubstr("ip link set"));
  EXPECT_NE(open(hereSpec()).connect({}), nullptr);
}

TEST_F(VerbsSetup, AnAddressThatNobodyHas) {
  const Error error = errorOf([] { call("198.18.77.77", 4711); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("RDMA_CM_EVENT_ADDR_ERROR instead of"));
}

TEST_F(VerbsSetup, APortWhereNobodyListens) {
  const Error error = errorOf([] { call(peer_address, 9); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("RDMA_CM_EVENT_REJECTED instead of"));
  EXPECT_THAT(error.remedy(), HasSubstr("peer's process and link"));
}

TEST_F(VerbsSetup, ACallThatNeverComes) {
  bench::EndpointSpec spec = hereSpec();
  spec.device = "rxe0";
  spec.connection = bench::Connection::kConnectionManager;
  const auto end = IbvLibrary().open(spec, {"target", 1, 1, 64}, Role::kTarget);
  const Error error = errorOf([&] { end->meet({}); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("the connection manager timed out waiting for a call"));
}

}  // namespace
}  // namespace plumbline::bench_verbs
