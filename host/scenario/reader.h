// Reads typed values out of a YamlNode tree and collects every mistake, so that a user can fix all
// at once. A reader returns nullopt for a value that it has reported; callers continue.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/parse.h"
#include "scenario/quantity.h"
#include "scenario/yaml_tree.h"

namespace plumbline::scenario {

// The user's text for a message: in quotes, one line, shortened.
std::string shown(std::string_view text);

// "a, b, c"
std::string joined(std::span<const std::string> words);

// Collects mistakes.
class Problems {
 public:
  void add(const YamlNode& at, std::string what, std::string allowed = {});
  [[nodiscard]] std::size_t count() const { return problems_.size(); }
  // In the order of the file, each once.
  [[nodiscard]] std::vector<Problem> sorted() const;

 private:
  std::vector<Problem> problems_;
};

// Reports every duplicate key of a map of the tree, at its second place.
void reportRepeatedKeys(const YamlNode& root, Problems& problems);

// One map of the file. Query every allowed key, then call finish(), which reports the keys that
// were not queried.
class MapReader {
 public:
  // `name` is the map's own key, for messages; empty for the whole file.
  MapReader(const YamlNode& map, std::string name, Problems& problems);

  // nullptr when the key is absent.
  const YamlNode* optional(const std::string& key);
  // As optional(), but a missing key is a mistake.
  const YamlNode* required(const std::string& key);
  // Where mistakes of the map as a whole are reported.
  [[nodiscard]] const YamlNode& node() const { return map_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // `allowed`: shown instead of a list of all keys.
  void finish(const std::string& allowed = {});

 private:
  const YamlNode& map_;
  std::string name_;
  Problems& problems_;
  std::vector<std::string> known_;
};

// Reads `node` as a map; nullopt after reporting that it is none.
std::optional<MapReader> readMap(const YamlNode& node, const std::string& name, Problems& problems);

// Longest name of a file that a scenario may give.
inline constexpr std::size_t kMaxFileName = 1000;

// Scalars. `range`/`words` is the text of allowed values in messages.
std::optional<std::string> readText(const YamlNode& node, std::size_t max_characters,
                                    Problems& problems);
std::optional<std::uint64_t> readInteger(const YamlNode& node, std::uint64_t min, std::uint64_t max,
                                         Problems& problems);
std::optional<Bytes> readBytes(const YamlNode& node, Bytes min, Bytes max, const std::string& range,
                               Problems& problems);
std::optional<Picoseconds> readDuration(const YamlNode& node, Picoseconds min, Picoseconds max,
                                        const std::string& range, Problems& problems);
std::optional<BitRate> readBitRate(const YamlNode& node, BitRate min, BitRate max,
                                   const std::string& range, Problems& problems);
std::optional<double> readDecimal(const YamlNode& node, double min, double max,
                                  const std::string& range, Problems& problems);
std::optional<std::int64_t> readSigned(const YamlNode& node, std::int64_t min, std::int64_t max,
                                       Problems& problems);
std::optional<Fraction> readShare(const YamlNode& node, Fraction min, Fraction max,
                                  const std::string& range, Problems& problems);
std::optional<Fraction> readFactor(const YamlNode& node, Fraction min, Fraction max,
                                   const std::string& range, Problems& problems);
std::optional<bool> readBool(const YamlNode& node, Problems& problems);
// One of `words`: its index.
std::optional<std::size_t> readWord(const YamlNode& node, std::span<const std::string> words,
                                    Problems& problems);

// A list, or a single value for a list of one. `read` is called per item and returns an optional
// value. Values must differ. nullopt if any item was invalid.
template <typename Read>
auto readList(const YamlNode& node, std::size_t max_items, Problems& problems, const Read& read)
    -> std::optional<std::vector<typename decltype(read(node))::value_type>> {
  std::vector<typename decltype(read(node))::value_type> values;
  if (node.kind != YamlNode::Kind::kSequence) {
    const auto value = read(node);
    if (!value) return std::nullopt;
    values.push_back(*value);
    return values;
  }
  if (node.items.empty()) {
    problems.add(node, "the list is empty", "leave the key out for the profile's default");
    return std::nullopt;
  }
  if (node.items.size() > max_items) {
    problems.add(node, "the list has " + std::to_string(node.items.size()) + " items",
                 "at most " + std::to_string(max_items));
    return std::nullopt;
  }
  bool good = true;
  for (const YamlNode& item : node.items) {
    const auto value = read(item);
    if (!value) {
      good = false;
      continue;
    }
    bool repeated = false;
    for (const auto& earlier : values) repeated = repeated || earlier == *value;
    if (repeated) {
      problems.add(item, "this value is in the list already", "each value once");
      good = false;
    }
    values.push_back(*value);
  }
  return good ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace plumbline::scenario
