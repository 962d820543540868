// Reads and writes the members of messages between bench and target program: JSON objects, which
// are not trusted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace plumbline::endpoint {

// Longest text that either side may send.
inline constexpr std::size_t kLongestPeerText = 1000;

// Nothing, and `why`, for a line that is not JSON.
std::optional<nlohmann::json> parseLine(std::string_view line, std::string& why);

// One line; text from a library may contain invalid UTF-8.
std::string lineOf(const nlohmann::json& object);

// The word for a value, out of a list of (word, value).
template <typename Words, typename Value>
const char* wordOf(const Words& words, Value value) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& word) { return word.second == value; });
  return found == words.end() ? words.back().first : found->first;
}

// Members of an object that a peer sent. The first error is recorded; afterwards all members read
// as empty.
class PeerFields {
 public:
  // Both outlive it.
  PeerFields(const nlohmann::json& object, std::string& why);

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool has(const char* key) const;
  void fail(const std::string& what);

  const nlohmann::json& member(const char* key);
  std::uint64_t number(const char* key, std::uint64_t min, std::uint64_t max);
  // The same for a value that is no member.
  std::uint64_t numberOf(const nlohmann::json& value, const char* name, std::uint64_t min,
                         std::uint64_t max);
  std::string text(const char* key);
  // Of a list of (word, value).
  template <typename Words>
  auto word(const char* key, const Words& words) {
    const std::string name = text(key);
    for (const auto& [candidate, value] : words) {
      if (name == candidate) return value;
    }
    fail(std::string(key) + " is unknown");
    return words.front().second;
  }

 private:
  const nlohmann::json& object_;
  std::string& why_;
  bool good_ = true;
};

}  // namespace plumbline::endpoint
