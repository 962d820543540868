// Bytes as text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::endpoint {

// Two lower-case digits for each byte.
std::string hexOf(std::span<const std::uint8_t> bytes);

// Inverse of hexOf(); nothing for invalid text.
std::optional<std::vector<std::uint8_t>> bytesOf(std::string_view hex);

}  // namespace plumbline::endpoint
