#include "bench_ofi/ofi_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::bench_ofi {
namespace {

TEST(OfiRequest, IsReadWhole) {
  std::string why;
  const auto request = decodeOfiRequest(R"({"names":["0200c612","ff"],"provider":"shm"})", why);
  ASSERT_TRUE(request) << why;
  EXPECT_EQ(request->provider, "shm");
  EXPECT_EQ(request->names, (std::vector<OfiName>{{0x02, 0x00, 0xC6, 0x12}, {0xFF}}));
  EXPECT_EQ(decodeOfiRequest(encode(*request), why)->names, request->names);
}

TEST(OfiAddress, IsReadWhole) {
  std::string why;
  const auto address =
      decodeOfiAddress(R"({"names":["01"],"memory":18446744073709551615,"key":7})", why);
  ASSERT_TRUE(address) << why;
  EXPECT_EQ(address->memory, (OfiMemory{~std::uint64_t{0}, 7}));
  EXPECT_EQ(decodeOfiAddress(encode(*address), why)->memory, address->memory);
}

TEST(OfiMessages, AreNoneWhenAnythingIsWrong) {
  const std::string long_names = R"({"names":[")" + std::string(2 * (kLongestName + 1), '0') + "\"";
  const std::string ends = R"(],"provider":"p","memory":0,"key":0})";
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), R"({"names":["0")" + ends,
        R"({"names":[""")" + ends, R"({"names":["0")" + ends, R"({"names":["0g")" + ends,
        R"({"names":[1)" + ends, long_names + ends,
        std::string(R"({"names":[],"provider":1,"memory":0,"key":-1})"),
        std::string(R"({"names":{},"provider":"p","memory":0,"key":0})")}) {
    std::string why;
    EXPECT_FALSE(decodeOfiRequest(text, why)) << text;
    EXPECT_FALSE(why.empty()) << text;
    why.clear();
    EXPECT_FALSE(decodeOfiAddress(text, why)) << text;
    EXPECT_FALSE(why.empty()) << text;
  }
  std::string many = R"({"names":["00")";
  for (int i = 0; i < 256; ++i) many += R"(,"00")";
  std::string why;
  EXPECT_FALSE(decodeOfiRequest(many + ends, why)) << "257 endpoints";
}

}  // namespace
}  // namespace plumbline::bench_ofi
