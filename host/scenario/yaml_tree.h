// The subset of YAML that scenarios use, as a small tree in which every node has its place in the
// file. Anchors, aliases, tags, merge keys and several documents are refused: a scenario does not
// need them, and they can make a small file expand without limit. A byte order mark and any line
// ends are accepted, and JSON with all its escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::scenario {

struct YamlMember;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  std::size_t line = 1;         // from 1; of the first character, for a missing value of its key
  std::size_t column = 1;       // from 1, in characters (code points)
  std::string text;             // kScalar
  bool quoted = false;          // kScalar: written with quotes or as a block
  std::vector<YamlNode> items;  // kSequence
  std::vector<YamlMember> members;  // kMap, in file order, duplicates kept
};

struct YamlMember {
  YamlNode key;
  YamlNode value;
};

// The tree, or (when `error` is not empty) the error at `root`'s line and column.
struct YamlTree {
  YamlNode root;
  std::string error;
  std::string allowed;
};

// The number of values needs no limit: each takes two bytes of the file at least.
inline constexpr std::size_t kMaxYamlDepth = 16;

// Never throws for any text.
YamlTree parseYaml(std::string_view text);

}  // namespace plumbline::scenario
