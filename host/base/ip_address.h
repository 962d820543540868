// IP addresses as text.
#pragma once

#include <optional>
#include <string>

namespace plumbline {

// The one way in which the system writes this IPv4 or IPv6 address; nothing for text that is none.
std::optional<std::string> canonicalAddress(const std::string& text);

// Whether only this machine reaches the address: 127.0.0.0/8 or ::1. False for text that is none.
bool isLoopback(const std::string& address);

// The same of the name or the address of a host: "localhost" in any case, 127.0.0.1, ::1. A name
// such as "127.example.com" is not one of them.
bool isLoopbackHost(const std::string& host);

}  // namespace plumbline
