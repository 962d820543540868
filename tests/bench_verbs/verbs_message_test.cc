#include "bench_verbs/verbs_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace plumbline::bench_verbs {
namespace {

using bench::Connection;
using bench::QueuePairService;

// A request as another program may write it: the keys in any order, written out by hand.
constexpr const char* kRequest =
    R"({"service":"uc","connection":"out-of-band",)"
    R"("address":{"gid":"00000000000000000000ffffc6120002","lid":7,"mtu":5,)"
    R"("pairs":[[17,0],[18,16777215]]}})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRequest;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(VerbsRequest, IsReadWhole) {
  std::string why;
  const auto request = decodeVerbsRequest(kRequest, why);
  ASSERT_TRUE(request) << why;
  EXPECT_EQ(request->service, QueuePairService::kUnreliable);
  EXPECT_EQ(request->connection, Connection::kOutOfBand);
  EndAddress address;
  address.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 198, 18, 0, 2};
  address.lid = 7;
  address.mtu = 5;
  address.pairs = {{17, 0}, {18, 0xFF'FFFF}};
  EXPECT_EQ(request->address, address);
  EXPECT_EQ(decodeVerbsRequest(encode(*request), why)->address, address);
}

TEST(VerbsRequest, GoesNoFurtherThanTheBenchCanAsk) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"("uc")", R"("ud")"},
      {R"("out-of-band")", R"("rdma-cm")"},  // of an unreliable connection
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
    EXPECT_FALSE(decodeVerbsRequest(with(from, to), why)) << from << " as " << to;
    EXPECT_FALSE(why.empty()) << from << " as " << to;
  }
  std::string why;
  for (const char* text : {"", "hello", "[]", "1", "{}", "null"}) {
    EXPECT_FALSE(decodeVerbsRequest(text, why)) << text;
  }
}

TEST(VerbsRequest, HasNoAddressWhereTheConnectionManagerFindsOne) {
  VerbsRequest request;
  request.connection = Connection::kConnectionManager;
  std::string why;
  const auto read = decodeVerbsRequest(encode(request), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->address, EndAddress());
}

TEST(VerbsAddress, MayBeTheConnectionManagers) {
  std::string why;
  const auto manager = decodeAddress(R"({"manager":["198.18.0.1",4711]})", why);
  ASSERT_TRUE(manager) << why;
  EXPECT_EQ(manager->manager_address, "198.18.0.1");
  EXPECT_EQ(manager->manager_port, 4711);
  for (const char* text : {R"({"manager":["",1]})", R"({"manager":["198.18.0.1",0]})", "{}"}) {
    why.clear();
    EXPECT_FALSE(decodeAddress(text, why)) << text;
    EXPECT_FALSE(why.empty()) << text;
  }
}

TEST(VerbsKey, IsReadWhole) {
  std::string why;
  const auto key = decodeKey(R"({"address":18446744073709551615,"key":4294967295})", why);
  ASSERT_TRUE(key) << why;
  EXPECT_EQ(key->address, ~std::uint64_t{0});
  EXPECT_EQ(key->rkey, 0xFFFF'FFFFU);
  for (const char* text : {R"({"address":1})", R"({"address":1,"key":4294967296})",
                           R"({"address":-1,"key":1})", "[1,2]"}) {
    EXPECT_FALSE(decodeKey(text, why)) << text;
  }
}

}  // namespace
}  // namespace plumbline::bench_verbs
