// `endpoint:` and its effects on other parts of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;

ParseResult parseEndpoint(const std::string& bench, const std::string& rest) {
  const Vocabulary words{{"T5.1"}, {"rtl", "libfabric", "verbs"}, {}, {}};
  return parseScenario("plumbline: 1\nname: n\ntest: T5.1\nbench: " + bench +
                           "\ndut: {topology: {kind: link}}\n" + rest,
                       "s", words);
}

TEST(EndpointSection, IsReadWhole) {
  const ParseResult result = parseEndpoint(
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

// One file for several hosts: the peer of each of them.
TEST(EndpointSection, HasPeersOfSeveralHosts) {
  const ParseResult result =
      parseEndpoint("libfabric",
                    "endpoint: {peers: {198.18.0.1: 198.18.0.2, \"2001:DB8:0::2\": 198.18.0.1}, "
                    "token_file: secrets/token}\n");
  ASSERT_TRUE(result.ok()) << result.problems[0].text("s");
  bench::EndpointSpec expected;
  expected.peers = {{"198.18.0.1", "198.18.0.2"}, {"2001:db8::2", "198.18.0.1"}};
  expected.token_file = "secrets/token";
  EXPECT_EQ(result.scenario.endpoint, expected);
}

TEST(EndpointSection, ReportsMistakesOfPeers) {
  EXPECT_THAT(messages(parseEndpoint("verbs", "endpoint: {peers: {}}\n")),
              ElementsAre("s:6:19: these are no peers (1 to 64 hosts)"));
  EXPECT_THAT(
      messages(parseEndpoint("verbs", "endpoint: {peers: {a: 198.18.0.1, 198.18.0.2: b}}\n")),
      ElementsAre("s:6:20: \"a\" is no IP address (an address of a host that runs the "
                  "scenario)",
                  "s:6:47: \"b\" is no IP address (an address of the host that it sends "
                  "to)"));
  EXPECT_THAT(
      messages(parseEndpoint(
          "verbs", "endpoint: {peers: {198.18.0.1: 198.18.0.2, 198.18.0.1: 198.18.0.3}}\n")),
      ElementsAre("s:6:44: the key \"198.18.0.1\" appears twice (each key once)"));
  EXPECT_THAT(messages(parseEndpoint(
                  "verbs", "endpoint: {peer: 198.18.0.2, peers: {198.18.0.1: 198.18.0.2}}\n")),
              ElementsAre("s:6:37: \"peer\" and \"peers\" are both here (peer for one host, peers "
                          "for several)"));
  EXPECT_THAT(messages(parseEndpoint("verbs", "endpoint: {token_file: /etc/passwd}\n")),
              ElementsAre("s:6:24: \"/etc/passwd\" is not in the scenario's folder (there or "
                          "below it)"));
}

TEST(EndpointSection, MayBeLeftOut) {
  EXPECT_FALSE(parseEndpoint("libfabric", "").scenario.endpoint);
  EXPECT_EQ(parseEndpoint("libfabric", "endpoint: {}\n").scenario.endpoint, bench::EndpointSpec());
}

TEST(EndpointSection, ReportsEveryMistakeWhereItIs) {
  EXPECT_THAT(messages(parseEndpoint("libfabric",
                                     "endpoint: {window: 0, operation: push, address: here}\n")),
              ElementsAre(testing::StartsWith("s:6:20: "), testing::StartsWith("s:6:34: "),
                          "s:6:49: \"here\" is no IP address (an address of this host)"));
  EXPECT_THAT(messages(parseEndpoint("verbs", "endpoint: {peer: there}\n")),
              ElementsAre("s:6:18: \"there\" is no IP address (an address of the host with the "
                          "target program)"));
  EXPECT_THAT(messages(parseEndpoint("verbs", "endpoint: {operation: read, service: uc}\n")),
              ElementsAre("s:6:38: an unreliable connection has no read (rc, or another "
                          "operation)"));
  EXPECT_THAT(messages(parseEndpoint("verbs", "endpoint: {gid: 1}\n")),
              ElementsAre(testing::HasSubstr("gid")));
}

// Messages of many packets, which the card does not send.
TEST(EndpointSection, EndpointsSendMessagesOfAnyLength) {
  const std::string sizes = "traffic: {message_sizes: [4B, 64KiB, 8GiB]}\n";
  EXPECT_THAT(messages(parseEndpoint("libfabric", sizes)), ElementsAre());
  EXPECT_EQ(messages(parseEndpoint("rtl", sizes)).size(), 3U);
  EXPECT_THAT(messages(parseEndpoint("libfabric", "traffic: {message_sizes: [6B]}\n")),
              ElementsAre(testing::HasSubstr("4B to 8GiB, a multiple of 4")));
}

}  // namespace
}  // namespace plumbline::scenario
