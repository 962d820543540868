#include "base/ip_address.h"

#include <arpa/inet.h>

#include <array>

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

}  // namespace plumbline
