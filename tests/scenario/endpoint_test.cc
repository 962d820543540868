// `endpoint:` and what endpoint benches change elsewhere in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;

ParseResult parse(const std::string& bench, const std::string& rest) {
  const Vocabulary words{{"T5.1"}, {"rtl", "libfabric", "verbs"}, {}, {}};
  return parseScenario("plumbline: 1\nname: n\ntest: T5.1\nbench: " + bench +
                           "\ndut: {topology: {kind: link}}\n" + rest,
                       "s", words);
}

std::vector<std::string> messages(const std::string& bench, const std::string& rest) {
  std::vector<std::string> all;
  for (const Problem& problem : parse(bench, rest).problems) all.push_back(problem.text("s"));
  return all;
}

TEST(EndpointSection, IsReadWhole) {
  const ParseResult result = parse(
      "verbs",
      "endpoint: {operation: send, window: 8, provider: shm, device: mlx5_0, address: 198.18.0.1, "
      "service: uc, connection: rdma-cm, port: 2, gid_index: 0, "
      "peer: \"2001:db8::2\", peer_port: 99}\n");
  ASSERT_TRUE(result.ok()) << result.problems[0].text("s");
  bench::EndpointSpec expected;
  expected.operation = bench::Operation::kSend;
  expected.window = 8;
  expected.provider = "shm";
  expected.device = "mlx5_0";
  expected.address = "198.18.0.1";
  expected.service = bench::QueuePairService::kUnreliable;
  expected.connection = bench::Connection::kConnectionManager;
  expected.port = 2;
  expected.gid_index = 0;
  expected.peer = "2001:db8::2";
  expected.peer_port = 99;
  EXPECT_EQ(result.scenario.endpoint, expected);
}

TEST(EndpointSection, MayBeLeftOut) {
  EXPECT_FALSE(parse("libfabric", "").scenario.endpoint);
  EXPECT_EQ(parse("libfabric", "endpoint: {}\n").scenario.endpoint, bench::EndpointSpec());
}

TEST(EndpointSection, ReportsEveryMistakeWhereItIs) {
  EXPECT_THAT(messages("libfabric", "endpoint: {window: 0, operation: push, address: here}\n"),
              ElementsAre(testing::StartsWith("s:6:20: "), testing::StartsWith("s:6:34: "),
                          "s:6:49: \"here\" is no IP address (an address of this host)"));
  EXPECT_THAT(messages("verbs", "endpoint: {peer: there}\n"),
              ElementsAre("s:6:18: \"there\" is no IP address (an address of the host with the "
                          "target program)"));
  EXPECT_THAT(messages("verbs", "endpoint: {operation: read, service: uc}\n"),
              ElementsAre("s:6:38: an unreliable connection has no read (rc, or another "
                          "operation)"));
  EXPECT_THAT(messages("verbs", "endpoint: {gid: 1}\n"), ElementsAre(testing::HasSubstr("gid")));
}

// Messages of many packets, which the card does not send.
TEST(EndpointSection, EndpointsSendMessagesOfAnyLength) {
  const std::string sizes = "traffic: {message_sizes: [4B, 64KiB, 8GiB]}\n";
  EXPECT_THAT(messages("libfabric", sizes), ElementsAre());
  EXPECT_EQ(messages("rtl", sizes).size(), 3U);
  EXPECT_THAT(messages("libfabric", "traffic: {message_sizes: [6B]}\n"),
              ElementsAre(testing::HasSubstr("4B to 8GiB, a multiple of 4")));
}

}  // namespace
}  // namespace plumbline::scenario
