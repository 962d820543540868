#include "base/ip_address.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

TEST(IpAddress, IsWrittenOneWay) {
  EXPECT_EQ(canonicalAddress("198.18.0.1"), "198.18.0.1");
  EXPECT_EQ(canonicalAddress("2001:DB8:0:0::2"), "2001:db8::2");
  for (const char* text : {"", "here", "198.18.0", "198.18.0.1 ", "198.18.0.256", "fe80::1%eth0"}) {
    EXPECT_FALSE(canonicalAddress(text)) << text;
  }
}

TEST(IpAddress, OfLoopbackIsReachedFromThisMachineAlone) {
  EXPECT_TRUE(isLoopback("127.0.0.1"));
  EXPECT_TRUE(isLoopback("127.1.2.3"));
  EXPECT_TRUE(isLoopback("::1"));
  EXPECT_FALSE(isLoopback("0.0.0.0"));
  EXPECT_FALSE(isLoopback("::"));
  EXPECT_FALSE(isLoopback("198.18.0.1"));
}

TEST(IpAddress, ANameThatBeginsLikeLoopbackIsNotOne) {
  for (const char* name : {"127.evil.example", "127.0.0.1.evil.example", "127.1", "127.0.0.1x",
                           "127.0.0.", "localhost.evil.example", "0177.0.0.1", "127::1", ""}) {
    EXPECT_FALSE(isLoopback(name)) << name;
    EXPECT_FALSE(isLoopbackHost(name)) << name;
  }
  EXPECT_FALSE(isLoopback(std::string("127.0.0.1\0.evil", 15)));
  EXPECT_TRUE(isLoopbackHost("LocalHost"));
}

}  // namespace
}  // namespace plumbline
