#include "bench_verbs/peer_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace plumbline::bench_verbs {
namespace {

using bench::Connection;
using bench::Operation;
using bench::QueuePairService;

// A request as another program may write it: the keys in any order, written out by hand.
constexpr const char* kRequest =
    R"({"window":16,"plumbline_verbs":1,"operation":"write-immediate","message":4096,)"
    R"("queue_pairs":2,"service":"uc","connection":"out-of-band",)"
    R"("address":{"gid":"00000000000000000000ffffc6120002","lid":7,"mtu":5,)"
    R"("pairs":[[17,0],[18,16777215]]}})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRequest;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PeerRequest, IsReadWhole) {
  std::string why;
  const auto request = decodeRequest(kRequest, why);
  ASSERT_TRUE(request) << why;
  EXPECT_EQ(request->channel.operation, Operation::kWriteImmediate);
  EXPECT_EQ(request->channel.message, Bytes(4096));
  EXPECT_EQ(request->channel.queue_pairs, 2U);
  EXPECT_EQ(request->channel.window, 16U);
  EXPECT_EQ(request->service, QueuePairService::kUnreliable);
  EXPECT_EQ(request->connection, Connection::kOutOfBand);
  EndAddress address;
  address.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 198, 18, 0, 2};
  address.lid = 7;
  address.mtu = 5;
  address.pairs = {{17, 0}, {18, 0xFF'FFFF}};
  EXPECT_EQ(request->address, address);
  EXPECT_EQ(decodeRequest(encode(*request), why)->address, address);
}

TEST(PeerRequest, GoesNoFurtherThanTheBenchCanAsk) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"("plumbline_verbs":1)", R"("plumbline_verbs":2)"},
      {R"("plumbline_verbs":1,)", ""},
      {R"("write-immediate")", R"("push")"},
      {"4096", "8589934593"},
      {"4096", "-1"},
      {"4096", "1.5"},
      {R"("queue_pairs":2)", R"("queue_pairs":0)"},
      {R"("queue_pairs":2)", R"("queue_pairs":257)"},
      {R"("queue_pairs":2)", R"("queue_pairs":3)"},
      {R"("window":16)", R"("window":1025)"},
      {R"("uc")", R"("ud")"},
      {R"("write-immediate")", R"("read")"},  // of an unreliable connection
      {R"("out-of-band")", R"("rdma-cm")"},   // likewise
      {"c6120002", "c612000"},
      {"c6120002", "c612000G"},
      {R"("lid":7)", R"("lid":65536)"},
      {R"("mtu":5)", R"("mtu":6)"},
      {"16777215", "16777216"},
      {"[17,0]", "[17]"},
      {"[17,0]", "17"},
      {"}}", "}"},
  };
  for (const auto& [from, to] : wrong) {
    std::string why;
    EXPECT_FALSE(decodeRequest(with(from, to), why)) << from << " as " << to;
    EXPECT_FALSE(why.empty()) << from << " as " << to;
  }
  std::string why;
  for (const char* line : {"", "hello", "[]", "1", "{}", "null"}) {
    EXPECT_FALSE(decodeRequest(line, why)) << line;
  }
}

TEST(PeerRequest, HasNoAddressWhereTheConnectionManagerFindsOne) {
  PeerRequest request;
  request.channel = {Operation::kRead, Bytes(8), 256, 1024};
  request.connection = Connection::kConnectionManager;
  std::string why;
  const auto read = decodeRequest(encode(request), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->address, EndAddress());
  EXPECT_EQ(read->channel.queue_pairs, 256U);
}

TEST(PeerQuestion, IsOneOfTwo) {
  EXPECT_EQ(decodeQuestion(R"({"ask":"told"})"), PeerQuestion::kTold);
  EXPECT_EQ(decodeQuestion(encode(PeerQuestion::kIntact)), PeerQuestion::kIntact);
  EXPECT_FALSE(decodeQuestion(R"({"ask":"time"})"));
  EXPECT_FALSE(decodeQuestion("told"));
}

TEST(PeerAnswer, IsReadWhole) {
  std::string why;
  const auto key = decodeAnswer(R"({"key":[18446744073709551615,4294967295]})", why);
  ASSERT_TRUE(key && key->key) << why;
  EXPECT_EQ(key->key->address, ~std::uint64_t{0});
  EXPECT_EQ(key->key->rkey, 0xFFFF'FFFFU);
  EXPECT_EQ(decodeAnswer(R"({"told":12})", why)->told, 12U);
  EXPECT_EQ(decodeAnswer(R"({"intact":false})", why)->intact, false);
  const auto manager = decodeAnswer(R"({"address":{"manager":["198.18.0.1",4711]}})", why);
  ASSERT_TRUE(manager && manager->address) << why;
  EXPECT_EQ(manager->address->manager_address, "198.18.0.1");
  EXPECT_EQ(manager->address->manager_port, 4711);
}

TEST(PeerAnswer, BringsAFault) {
  PeerAnswer answer;
  answer.fault = Error(ErrorKind::kUnsupported, "no memory \xFF", "target", "more of it");
  std::string why;
  const auto read = decodeAnswer(encode(answer), why);
  ASSERT_TRUE(read && read->fault) << why;
  EXPECT_EQ(read->fault->kind(), ErrorKind::kUnsupported);
  EXPECT_STREQ(read->fault->what(), "target: no memory \xEF\xBF\xBD (more of it)");
}

TEST(PeerAnswer, IsNoneWhenAnythingIsWrong) {
  std::string why;
  for (const char* line :
       {"", "7", R"({"told":-1})", R"({"told":1.5})", R"({"intact":1})", R"({"key":[1]})",
        R"({"key":[1,4294967296]})", R"({"address":{"manager":["",1]}})",
        R"({"address":{"manager":["198.18.0.1",0]}})", R"({"address":{}})",
        R"({"fault":{"kind":"bad","what":"x"}})", R"({"fault":"x"})"}) {
    why.clear();
    EXPECT_FALSE(decodeAnswer(line, why)) << line;
    EXPECT_FALSE(why.empty()) << line;
  }
}

}  // namespace
}  // namespace plumbline::bench_verbs
