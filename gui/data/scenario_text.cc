// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/scenario_text.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace plumbline::gui {
namespace {

// A value's place in the text.
struct Span {
  std::size_t from = 0;
  std::size_t length = 0;
};

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> keys;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    keys.emplace_back(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return keys;
}

// The node at `keys`, or the deepest map on the path; `depth` is the number of keys found.
YAML::Node descend(const YAML::Node& root, const std::vector<std::string>& keys,
                   std::size_t& depth) {
  YAML::Node node = root;
  for (depth = 0; depth < keys.size(); ++depth) {
    if (!node.IsMap()) break;
    const YAML::Node& map = node;  // reading through a const node adds nothing
    const YAML::Node next = map[keys[depth]];
    if (!next.IsDefined()) break;
    node.reset(next);
  }
  return node;
}

// From an opening bracket or quote to its end on the same line.
std::optional<std::size_t> closing(const std::string& text, std::size_t from) {
  std::string open;
  for (std::size_t i = from; i < text.size() && text[i] != '\n'; ++i) {
    const char c = text[i];
    const bool quoted = !open.empty() && (open.back() == '"' || open.back() == '\'');
    if (quoted) {
      if (c == '\\' && open.back() == '"') {
        ++i;
      } else if (c == open.back()) {
        open.pop_back();
      }
    } else if (c == '[' || c == '{' || c == '"' || c == '\'') {
      open.push_back(c == '[' ? ']' : (c == '{' ? '}' : c));
    } else if (c == ']' || c == '}') {
      if (open.empty() || c != open.back()) return std::nullopt;
      open.pop_back();
    }
    if (open.empty()) return i + 1;
  }
  return std::nullopt;
}

std::optional<Span> spanOf(const std::string& text, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null() || mark.pos < 0) return std::nullopt;
  const auto from = static_cast<std::size_t>(mark.pos);
  if (from >= text.size()) return std::nullopt;
  if (std::string_view("[{\"'").find(text[from]) != std::string_view::npos) {
    const std::optional<std::size_t> end = closing(text, from);
    if (!end) return std::nullopt;
    return Span{from, *end - from};
  }
  if (!node.IsScalar()) return std::nullopt;
  const std::string& value = node.Scalar();
  if (value.empty() || text.compare(from, value.size(), value) != 0) return std::nullopt;
  return Span{from, value.size()};
}

// The missing keys from `depth` on, as they stand in a map in brackets: "switch: {buffer: 1MB}".
std::string flowEntry(const std::vector<std::string>& keys, std::size_t depth,
                      const std::string& value) {
  std::string entry = keys.back() + ": " + value;
  for (std::size_t i = keys.size() - 1; i-- > depth;)
    entry = fmt::format("{}: {{{}}}", keys[i], entry);
  return entry;
}

std::optional<std::string> withNewEntry(const std::string& text, const YAML::Node& map,
                                        const std::vector<std::string>& keys, std::size_t depth,
                                        const std::string& value) {
  const std::string entry = flowEntry(keys, depth, value);
  if (depth == 0) {
    const bool ended = text.empty() || text.back() == '\n';
    return text + (ended ? "" : "\n") + entry + "\n";
  }
  if (!map.IsMap() || map.Mark().is_null() || map.Mark().pos < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(map.Mark().pos);
  if (at >= text.size()) return std::nullopt;
  if (text[at] == '{') {
    const bool empty = map.size() == 0;
    return text.substr(0, at + 1) + entry + (empty ? "" : ", ") + text.substr(at + 1);
  }
  // A map in block style begins at its first key: the new one goes before it, with the same
  // indentation.
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::string indent = text.substr(line, at - line);
  if (indent.find_first_not_of(' ') != std::string::npos) return std::nullopt;
  return text.substr(0, line) + indent + entry + "\n" + text.substr(line);
}

std::optional<std::string> readField(const std::string& text,
                                     const std::vector<std::string>& keys) {
  const YAML::Node root = YAML::Load(text);
  std::size_t depth = 0;
  const YAML::Node node = descend(root, keys, depth);
  if (depth < keys.size()) return std::nullopt;
  const std::optional<Span> span = spanOf(text, node);
  if (!span) return std::nullopt;
  return text.substr(span->from, span->length);
}

}  // namespace

std::optional<std::string> fieldValue(const std::string& text, std::string_view path) {
  try {
    return readField(text, split(path));
  } catch (const std::exception&) {  // not YAML: the server reports where
    return std::nullopt;
  }
}

FieldEdit setField(const std::string& text, std::string_view path, const std::string& value) {
  const std::vector<std::string> keys = split(path);
  if (keys.empty() || value.empty() || value.find_first_of("\r\n#") != std::string::npos) {
    return {{}, "a value is one line of text without '#'"};
  }
  try {
    const YAML::Node root = YAML::Load(text);
    std::size_t depth = 0;
    const YAML::Node node = descend(root, keys, depth);
    std::optional<std::string> edited;
    if (depth == keys.size()) {
      if (const std::optional<Span> span = spanOf(text, node)) {
        edited = text;
        edited->replace(span->from, span->length, value);
      }
    } else if (root.IsMap()) {
      edited = withNewEntry(text, node, keys, depth, value);
    }
    // An edit is accepted only if it reads back as requested.
    if (edited && readField(*edited, keys) == value) return {*edited, {}};
    return {{}, fmt::format("{} cannot be changed here: edit it in the text", path)};
  } catch (const std::exception& error) {
    return {{}, fmt::format("the text cannot be read: {}", error.what())};
  }
}

}  // namespace plumbline::gui
