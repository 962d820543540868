// IP addresses as text.
#pragma once

#include <optional>
#include <string>

namespace plumbline {

// The canonical form of this IPv4 or IPv6 address; nothing for invalid text.
std::optional<std::string> canonicalAddress(const std::string& text);

// Whether the address is reachable from this machine only: 127.0.0.0/8 or ::1. False for invalid
// text.
bool isLoopback(const std::string& address);

// The same for the name or the address of a host: "localhost" in any case, 127.0.0.1, ::1. A name
// such as "127.example.com" is not one of them.
bool isLoopbackHost(const std::string& host);

}  // namespace plumbline
