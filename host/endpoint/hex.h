// Bytes as text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::endpoint {

// Two digits for each byte, letters small.
std::string hexOf(std::span<const std::uint8_t> bytes);

// The bytes again; nothing for text that is not of hexOf().
std::optional<std::vector<std::uint8_t>> bytesOf(std::string_view hex);

}  // namespace plumbline::endpoint
