#include "base/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace plumbline {
namespace {

struct Parsed {
  int family = AF_INET;
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
};

std::optional<Parsed> parseAddress(const std::string& text) {
  // A name with a NUL would be read up to it only.
  if (text.find('\0') != std::string::npos) return std::nullopt;
  for (const int family : {AF_INET, AF_INET6}) {
    Parsed parsed{family, {}};
    if (inet_pton(family, text.c_str(), parsed.bytes.data()) == 1) return parsed;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> canonicalAddress(const std::string& text) {
  const auto parsed = parseAddress(text);
  if (!parsed) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> written{};
  if (inet_ntop(parsed->family, parsed->bytes.data(), written.data(), written.size()) == nullptr) {
    return std::nullopt;
  }
  return written.data();
}

bool isLoopback(const std::string& address) {
  constexpr unsigned char kLoopbackNet = 127;  // RFC 1122, 3.2.1.3
  const auto parsed = parseAddress(address);
  if (!parsed) return false;
  if (parsed->family == AF_INET) return parsed->bytes[0] == kLoopbackNet;
  return std::equal(parsed->bytes.begin(), parsed->bytes.end(), in6addr_loopback.s6_addr);
}

bool isLoopbackHost(const std::string& host) {
  constexpr std::string_view kName = "localhost";
  if (isLoopback(host)) return true;
  return std::equal(host.begin(), host.end(), kName.begin(), kName.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace plumbline
