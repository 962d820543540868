#include "bench_verbs/verbs_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/error.h"
#include "tests/bench_verbs/fake_library.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Operation;
using testing::HasSubstr;

class VerbsChannelOf : public testing::TestWithParam<Operation> {
 protected:
  VerbsChannel open(bool reliable = true) {
    const EndSpec end{"end", 2, 4, 1000};
    return VerbsChannel(FakeLibrary(script_).connect({}, end, end), {GetParam(), Bytes(1000), 2, 4},
                        reliable);
  }

  FakeScript script_;
};

TEST_P(VerbsChannelOf, CompletesEverySlotOnceAndBringsTheBytes) {
  VerbsChannel channel = open();
  EXPECT_FALSE(channel.intact());
  std::size_t told = 0;
  for (int round = 0; round < 3; ++round) {
    std::set<std::uint32_t> under_way;
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
      ASSERT_TRUE(channel.post(slot / 4, slot));
      under_way.insert(slot);
    }
    std::array<std::uint32_t, 3> done{};
    for (std::size_t count = channel.poll(done); count > 0; count = channel.poll(done)) {
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(under_way.erase(done[i]), 1U);
    }
    EXPECT_TRUE(under_way.empty());
    told += channel.serve();  // puts the receives back, without which the third round fails
  }
  EXPECT_EQ(told, endpoint::targetIsNotified(GetParam()) ? 24U : 0U);
  EXPECT_TRUE(channel.intact());
}

TEST_P(VerbsChannelOf, FindsReceivesWhileItsTargetIsLate) {
  VerbsChannel channel = open();
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t slot = 0; slot < 8; ++slot) ASSERT_TRUE(channel.post(slot / 4, slot));
    std::array<std::uint32_t, 8> done{};
    EXPECT_EQ(channel.poll(done), 8U);
  }
  EXPECT_EQ(channel.serve(), endpoint::targetIsNotified(GetParam()) ? 16U : 0U);
}

TEST_P(VerbsChannelOf, SaysWhetherACompletionIsADelivery) {
  EXPECT_TRUE(open(true).confirmsDelivery());
  EXPECT_FALSE(open(false).confirmsDelivery());
}

constexpr std::array<Operation, 4> kOperations{Operation::kWrite, Operation::kWriteImmediate,
                                               Operation::kSend, Operation::kRead};
std::string operationOf(const testing::TestParamInfo<Operation>& info) {
  constexpr std::array<const char*, 4> kNames{"Write", "WriteImmediate", "Send", "Read"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Operations, VerbsChannelOf, testing::ValuesIn(kOperations), operationOf);

class VerbsFaults : public testing::Test {
 protected:
  VerbsFaults() {
    const EndSpec end{"end", 1, 4, 64};
    channel_ = std::make_unique<VerbsChannel>(
        FakeLibrary(script_).connect({}, end, end),
        endpoint::ChannelSpec{Operation::kWrite, Bytes(64), 1, 4}, true);
  }

  // The exception of the channel within a limited number of polls.
  Error faultOf() {
    std::array<std::uint32_t, 4> done{};
    try {
      for (int i = 0; i < 100'000; ++i) channel_->poll(done);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing is thrown";
    return {ErrorKind::kInvalid, "none"};
  }

  FakeScript script_;
  std::unique_ptr<VerbsChannel> channel_;
};

TEST_F(VerbsFaults, AFullQueueIsNone) {
  script_.send_room = 2;
  EXPECT_TRUE(channel_->post(0, 0));
  EXPECT_TRUE(channel_->post(0, 1));
  EXPECT_FALSE(channel_->post(0, 2));
  std::array<std::uint32_t, 4> done{};
  EXPECT_EQ(channel_->poll(done), 2U);
  EXPECT_TRUE(channel_->post(0, 2));
}

TEST_F(VerbsFaults, APeerThatIsGone) {
  script_.status = WorkStatus::kPeerSilent;
  channel_->post(0, 0);
  const Error error = faultOf();
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("the peer does not acknowledge"));
  EXPECT_THAT(error.what(), HasSubstr("the fake says so"));
  EXPECT_THAT(error.remedy(), HasSubstr("peer's process and link"));
}

TEST_F(VerbsFaults, AQueuePairInError) {
  script_.status = WorkStatus::kFlushed;
  channel_->post(0, 0);
  EXPECT_THAT(faultOf().what(), HasSubstr("the queue pair is in error"));
  script_.event = DeviceEvent::kQueuePairError;
  EXPECT_THAT(faultOf().what(), HasSubstr("gone into error"));
}

TEST_F(VerbsFaults, AMessageThatThePeerRefuses) {
  script_.status = WorkStatus::kRefused;
  channel_->post(0, 0);
  EXPECT_THAT(faultOf().what(), HasSubstr("the peer refused a message"));
}

TEST_F(VerbsFaults, AQueueThatOverruns) {
  script_.event = DeviceEvent::kQueueOverrun;
  const Error error = faultOf();
  EXPECT_THAT(error.what(), HasSubstr("overrun"));
  EXPECT_THAT(error.remedy(), HasSubstr("endpoint.window"));
}

TEST_F(VerbsFaults, ADeviceOrPortThatGoesAway) {
  script_.event = DeviceEvent::kDeviceGone;
  EXPECT_THAT(faultOf().what(), HasSubstr("the device is gone"));
  script_.event = DeviceEvent::kPortDown;
  EXPECT_THAT(faultOf().what(), HasSubstr("port is down"));
}

// Which would be a message's slot, and a receive of no queue pair.
TEST_F(VerbsFaults, CompletionsThatNobodyAskedFor) {
  script_.astray = 4;
  const Error error = faultOf();
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("the peer sent a message that was not requested"));
  const EndSpec end{"end", 1, 4, 64};
  VerbsChannel sends(FakeLibrary(script_).connect({}, end, end),
                     endpoint::ChannelSpec{Operation::kSend, Bytes(64), 1, 4}, true);
  script_.astray = std::uint64_t{1} << 40U;
  EXPECT_THROW(sends.serve(), Error);
}

TEST_F(VerbsFaults, CallsThatFail) {
  script_.poll_error = EIO;
  EXPECT_THAT(faultOf().what(), HasSubstr("ibv_poll_cq"));
  script_.post_error = EINVAL;
  EXPECT_THROW(channel_->post(0, 1), Error);
}

}  // namespace
}  // namespace plumbline::bench_verbs
