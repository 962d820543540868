#include <gtest/gtest.h>

#include "base/error.h"
#include "control/client.h"

namespace plumbline::control {
namespace {

struct Case {
  const char* text;
  const char* host;
  std::uint16_t port;
  bool tls;
};

TEST(ServerAddress, Reads) {
  for (const Case& one :
       {Case{"127.0.0.1", "127.0.0.1", 8470, false}, Case{"localhost:99", "localhost", 99, false},
        Case{"[::1]:8471", "::1", 8471, false}, Case{"lab3", "lab3", 8470, true},
        Case{"lab3:65535", "lab3", 65535, true}, Case{"http://lab3:80/", "lab3", 80, false},
        Case{"https://127.0.0.1", "127.0.0.1", 8470, true},
        Case{"HTTP://LAB3:08471", "LAB3", 8471, false}, Case{"LocalHost", "LocalHost", 8470, false},
        Case{"127.example.com", "127.example.com", 8470, true},
        Case{"[2001:db8::1]", "2001:db8::1", 8470, true}}) {
    const ServerAddress address = ServerAddress::parse(one.text);
    EXPECT_EQ(address.host, one.host) << one.text;
    EXPECT_EQ(address.port, one.port) << one.text;
    EXPECT_EQ(address.tls, one.tls) << one.text;
  }
}

TEST(ServerAddress, NoTokenGoesOverTheNetworkInClear) {
  for (const char* text : {"http://lab3", "http://127.lab.example.com", "http://198.18.0.1:80"}) {
    ServerAddress address = ServerAddress::parse(text);
    address.token = "secret";
    EXPECT_THROW(Client{address}, Error) << text;
  }
  for (const char* text : {"http://127.0.0.1", "lab3", "127.lab.example.com", "localhost"}) {
    ServerAddress address = ServerAddress::parse(text);
    address.token = "secret";
    EXPECT_NO_THROW(Client{address}) << text;
  }
}

TEST(ServerAddress, Refuses) {
  for (const char* text :
       {"", ":80", "lab3:", "lab3:0", "lab3:65536", "lab3:8a", "lab3:+80", "lab3:0x50",
        "ftp://lab3", "[::1", "[::1]8470", "lab3/x", "a b", "http://"}) {
    EXPECT_THROW(ServerAddress::parse(text), Error) << text;
  }
}

}  // namespace
}  // namespace plumbline::control
