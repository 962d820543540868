#include "scenario/reader.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/did_you_mean.h"

namespace plumbline::scenario {
namespace {

// How much of a user's text a message repeats.
constexpr std::size_t kMaxShown = 40;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// The text of a scalar; reports any other node.
const std::string* scalarText(const YamlNode& node, const std::string& wanted, Problems& problems) {
  switch (node.kind) {
    case YamlNode::Kind::kScalar:
      return &node.text;
    case YamlNode::Kind::kNull:
      problems.add(node, "the value is missing", wanted);
      break;
    case YamlNode::Kind::kSequence:
      problems.add(node, "a single value is needed here, not a list", wanted);
      break;
    case YamlNode::Kind::kMap:
      problems.add(node, "a single value is needed here, not a map", wanted);
      break;
  }
  return nullptr;
}

// Common part of all readers of numbers: a scalar, parsed, within [min, max].
template <typename T>
std::optional<T> readWithin(const YamlNode& node, Parsed<T> (*parse)(std::string_view), T min,
                            T max, const std::string& range, Problems& problems) {
  const std::string* text = scalarText(node, range, problems);
  if (text == nullptr) return std::nullopt;
  const Parsed<T> parsed = parse(*text);
  if (!parsed.value) {
    problems.add(node, shown(*text) + ": " + parsed.error, range);
    return std::nullopt;
  }
  if (*parsed.value < min || *parsed.value > max) {
    problems.add(node, shown(*text) + " is out of range", range);
    return std::nullopt;
  }
  return parsed.value;
}

}  // namespace

std::string shown(std::string_view text) {
  std::size_t end = std::min(text.size(), kMaxShown);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  std::string line(text.substr(0, end));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return "\"" + line + (end < text.size() ? "…\"" : "\"");
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void Problems::add(const YamlNode& at, std::string what, std::string allowed) {
  problems_.push_back({at.line, at.column, std::move(what), std::move(allowed)});
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  // Mistakes common to all points of a sweep are found in each of them.
  std::vector<Problem> distinct;
  for (Problem& problem : sorted) {
    const auto elsewhere =
        std::find_if(distinct.rbegin(), distinct.rend(), [&](const Problem& earlier) {
          return earlier == problem || earlier.line != problem.line ||
                 earlier.column != problem.column;
        });
    const bool known = elsewhere != distinct.rend() && *elsewhere == problem;
    if (!known) distinct.push_back(std::move(problem));
  }
  return distinct;
}

MapReader::MapReader(const YamlNode& map, std::string name, Problems& problems)
    : map_(map), name_(std::move(name)), problems_(problems) {}

const YamlNode* MapReader::optional(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  for (const auto& [name, value] : map_.members) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

const YamlNode* MapReader::required(const std::string& key) {
  const YamlNode* value = optional(key);
  if (value == nullptr) {
    problems_.add(map_, "the key \"" + key + "\" is missing" +
                            (name_.empty() ? std::string() : " in \"" + name_ + "\""));
  }
  return value;
}

void MapReader::finish(const std::string& allowed) {
  const std::string others = allowed.empty() ? "allowed: " + joined(known_) : allowed;
  for (const auto& [key, value] : map_.members) {
    if (std::find(known_.begin(), known_.end(), key.text) == known_.end()) {
      const auto meant = didYouMean(key.text, known_);
      problems_.add(key,
                    "unknown key " + shown(key.text) +
                        (name_.empty() ? std::string() : " in \"" + name_ + "\""),
                    meant ? "did you mean \"" + *meant + "\"?" : others);
    }
  }
}

void reportRepeatedKeys(const YamlNode& root, Problems& problems) {
  std::set<std::string_view> seen;
  for (const auto& [key, value] : root.members) {
    if (!seen.insert(key.text).second) {
      problems.add(key, "the key " + shown(key.text) + " appears twice", "each key once");
    }
    reportRepeatedKeys(value, problems);
  }
  for (const YamlNode& item : root.items) reportRepeatedKeys(item, problems);
}

std::optional<MapReader> readMap(const YamlNode& node, const std::string& name,
                                 Problems& problems) {
  if (node.kind == YamlNode::Kind::kMap) return MapReader(node, name, problems);
  const std::string what =
      name.empty() ? "a scenario is a map of keys and values" : "\"" + name + "\" must be a map";
  problems.add(node, what, "key: value, each on its own line, or {key: value, …}");
  return std::nullopt;
}

std::optional<std::string> readText(const YamlNode& node, std::size_t max_characters,
                                    Problems& problems) {
  const std::string range = "1 to " + std::to_string(max_characters) + " characters";
  const std::string* text = scalarText(node, range, problems);
  if (text == nullptr) return std::nullopt;
  const std::size_t length = characters(*text);
  if (length == 0 || length > max_characters) {
    problems.add(node, length == 0 ? "the text is empty" : "the text is too long", range);
    return std::nullopt;
  }
  return *text;
}

std::optional<std::uint64_t> readInteger(const YamlNode& node, std::uint64_t min, std::uint64_t max,
                                         Problems& problems) {
  const bool endless = min > 0 && max == std::numeric_limits<std::uint64_t>::max();
  const std::string range = min == max ? std::to_string(min)
                            : endless  ? std::to_string(min) + " or more"
                                       : std::to_string(min) + " to " + std::to_string(max);
  if (node.kind == YamlNode::Kind::kScalar && node.quoted) {
    problems.add(node, shown(node.text) + " is text, not a number",
                 range + ", without quotation marks");
    return std::nullopt;
  }
  return readWithin(node, parseInteger, min, max, range, problems);
}

std::optional<Bytes> readBytes(const YamlNode& node, Bytes min, Bytes max, const std::string& range,
                               Problems& problems) {
  return readWithin(node, parseBytes, min, max, range, problems);
}

std::optional<Picoseconds> readDuration(const YamlNode& node, Picoseconds min, Picoseconds max,
                                        const std::string& range, Problems& problems) {
  return readWithin(node, parseDuration, min, max, range, problems);
}

std::optional<BitRate> readBitRate(const YamlNode& node, BitRate min, BitRate max,
                                   const std::string& range, Problems& problems) {
  return readWithin(node, parseBitRate, min, max, range, problems);
}

std::optional<double> readDecimal(const YamlNode& node, double min, double max,
                                  const std::string& range, Problems& problems) {
  return readWithin(node, parseDecimal, min, max, range, problems);
}

std::optional<std::int64_t> readSigned(const YamlNode& node, std::int64_t min, std::int64_t max,
                                       Problems& problems) {
  const std::string range = std::to_string(min) + " to " + std::to_string(max);
  return readWithin(node, parseSigned, min, max, range, problems);
}

std::optional<Fraction> readShare(const YamlNode& node, Fraction min, Fraction max,
                                  const std::string& range, Problems& problems) {
  return readWithin(node, parseShare, min, max, range, problems);
}

std::optional<Fraction> readFactor(const YamlNode& node, Fraction min, Fraction max,
                                   const std::string& range, Problems& problems) {
  return readWithin(node, parseFactor, min, max, range, problems);
}

std::optional<bool> readBool(const YamlNode& node, Problems& problems) {
  static const std::vector<std::string> words{"false", "true"};
  const auto word = readWord(node, words, problems);
  return word ? std::optional(*word == 1) : std::nullopt;
}

std::optional<std::size_t> readWord(const YamlNode& node, std::span<const std::string> words,
                                    Problems& problems) {
  const std::string* text = scalarText(node, "one of " + joined(words), problems);
  if (text == nullptr) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto meant = didYouMean(*text, words);
  problems.add(node, shown(*text) + " is not known here",
               meant ? "did you mean \"" + *meant + "\"?" : "one of " + joined(words));
  return std::nullopt;
}

}  // namespace plumbline::scenario
