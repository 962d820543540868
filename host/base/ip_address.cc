#include "base/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace plumbline {

std::optional<std::string> canonicalAddress(const std::string& text) {
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (inet_pton(family, text.c_str(), bytes.data()) != 1) continue;
    std::array<char, INET6_ADDRSTRLEN> written{};
    if (inet_ntop(family, bytes.data(), written.data(), written.size()) == nullptr) break;
    return written.data();
  }
  return std::nullopt;
}

bool isLoopback(const std::string& canonical_address) {
  return canonical_address.starts_with("127.") || canonical_address == "::1";
}

bool isLoopbackHost(const std::string& host) {
  if (const auto address = canonicalAddress(host)) return isLoopback(*address);
  constexpr std::string_view kName = "localhost";
  return std::equal(host.begin(), host.end(), kName.begin(), kName.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace plumbline
