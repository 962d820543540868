#include "control/http_rules.h"

#include <gtest/gtest.h>

namespace plumbline::control {
namespace {

TEST(HttpRules, TheSchemeOfATokenHasNoCase) {
  for (const char* field :
       {"Bearer abc", "bearer abc", "BEARER abc", "Bearer   abc", " Bearer abc "}) {
    EXPECT_EQ(bearerToken(field), "abc") << field;
  }
  EXPECT_EQ(bearerToken("Bearer aBc"), "aBc");
  EXPECT_EQ(bearerToken("Bearer "), std::nullopt);
  for (const char* field : {"", "Bearer", "Bearerabc", "Basic abc", "abc", "Bearers abc"}) {
    EXPECT_EQ(bearerToken(field), std::nullopt) << field;
  }
}

TEST(HttpRules, AMediaTypeHasNoCaseAndMayHaveParameters) {
  for (const char* field :
       {"application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=UTF-8", " application/json ; x=\"a;b\"", "APPLICATION/JSON;"}) {
    EXPECT_EQ(mediaType(field), "application/json") << field;
  }
  EXPECT_NE(mediaType("application/jsonp"), "application/json");
  EXPECT_EQ(mediaType(""), "");
}

TEST(HttpRules, HostsHaveNoCaseAndMayHaveAPort) {
  EXPECT_EQ(hostName("localhost"), "localhost");
  EXPECT_EQ(hostName("LOCALHOST:8470"), "localhost");
  EXPECT_EQ(hostName("localhost:"), "localhost");
  EXPECT_EQ(hostName("127.0.0.1:08470"), "127.0.0.1");
  EXPECT_EQ(hostName("[::1]"), "::1");
  EXPECT_EQ(hostName("[::1]:80"), "::1");
  EXPECT_EQ(hostName("[2001:DB8::1]:80"), "2001:db8::1");
  for (const char* none : {"", ":80", "a b", "a:b", "a:80:90", "[::1", "[::1]80", "[1.2.3.4]",
                           "[x]", "a:65536", "a/b", "user@a", "a\tb", "http://a"}) {
    EXPECT_EQ(hostName(none), std::nullopt) << none;
  }
}

TEST(HttpRules, VersionsHaveTwoDigits) {
  EXPECT_EQ(requestVersion("GET / HTTP/1.1"), "HTTP/1.1");
  EXPECT_EQ(requestVersion("PRI * HTTP/2.0"), "HTTP/2.0");
  for (const char* line : {"", "GET", "GET /", "GET / ", "GET / HTTP/1", "GET / http/1.1",
                           "GET / HTTP/1,1", "GET / HTTP/x.1", "GET /  HTTP/1.1"}) {
    EXPECT_EQ(requestVersion(line), std::nullopt) << line;
  }
}

TEST(HttpRules, TargetsHaveTheirForms) {
  const auto resource = [](const char* target, const char* method = "GET") {
    const auto parts = requestTarget(method, target);
    return parts ? parts->authority + "|" + parts->resource : "none";
  };
  EXPECT_EQ(resource("/metrics"), "|/metrics");
  EXPECT_EQ(resource("/api/v1/runs/1/log?since=7"), "|/api/v1/runs/1/log?since=7");
  EXPECT_EQ(resource("*"), "|*");
  EXPECT_EQ(resource("http://localhost:8470/metrics"), "localhost:8470|/metrics");
  EXPECT_EQ(resource("HTTPS://LAB3/metrics?x"), "LAB3|/metrics?x");
  EXPECT_EQ(resource("http://[::1]:80"), "[::1]:80|/");
  EXPECT_EQ(resource("http://lab3?x"), "lab3|/?x");
  // Escapes of characters that need none; the others stay.
  EXPECT_EQ(resource("/%6Detrics"), "|/metrics");
  EXPECT_EQ(resource("/a%2Fb%20c%41%7e%2"), "|/a%2Fb%20cA~%2");
  EXPECT_EQ(resource("/a?%6D=%31%26%3d"), "|/a?m=1%26%3d");
  EXPECT_EQ(resource("/a%3F%6D"), "|/a%3Fm");
  // The server itself: RFC 9112, 3.2.4.
  EXPECT_EQ(resource("http://lab3:80", "OPTIONS"), "lab3:80|*");
  EXPECT_EQ(resource("http://lab3:80/", "OPTIONS"), "lab3:80|/");
  EXPECT_EQ(resource("http://lab3:80?x", "OPTIONS"), "lab3:80|/?x");
  for (const char* none : {"", "metrics", "lab3:80", "ftp://lab3/", "http:///x", "http://a b/"}) {
    EXPECT_EQ(resource(none), "none") << none;
  }
}

}  // namespace
}  // namespace plumbline::control
