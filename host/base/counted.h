// Counted nouns in sentences: "1 flow", "2 flows", "3 anomalies".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline {

// `noun`: one of them; it forms its plural with s, or with ies for a final y.
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace plumbline
