// IP addresses as text.
#pragma once

#include <optional>
#include <string>

namespace plumbline {

// The one way in which the system writes this IPv4 or IPv6 address; nothing for text that is none.
std::optional<std::string> canonicalAddress(const std::string& text);

// Whether only this machine reaches the address, which is written in that way.
bool isLoopback(const std::string& canonical_address);

}  // namespace plumbline
