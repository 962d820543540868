#include "scenario/yaml_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumbline::scenario {
namespace {

constexpr std::size_t kIndent = 2;
// A key of more than 1024 characters must be announced.
constexpr std::size_t kLongKey = 1000;

// One character of UTF-8 text, and its bytes.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

// `text` must not be empty. Invalid UTF-8 counts byte by byte.
Character firstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length == 1 || length > text.size()) return {lead, 1};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {code, length};
}

// Cannot stand in the text of a file as it is: controls, breaks of lines, marks of byte order,
// halves of surrogate pairs.
bool mustBeEscaped(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         code == 0xFEFF || (code >= 0xD800 && code < 0xE000);
}

// Words and numbers that YAML reads as nothing else.
bool isPlainText(std::string_view text) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && word(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return word(c) || std::string_view("_./%+-").find(c) != std::string_view::npos;
  });
}

std::string quotedText(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character first = firstCharacter(text);
    if (mustBeEscaped(first.code)) {
      quoted += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) quoted += kDigits[(first.code >> shift) & 0xFU];
    } else {
      if (text[0] == '"' || text[0] == '\\') quoted += '\\';
      quoted += text.substr(0, first.length);
    }
    text.remove_prefix(first.length);
  }
  return quoted + '"';
}

std::string scalarText(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return "~";
  return !node.quoted && isPlainText(node.text) ? node.text : quotedText(node.text);
}

bool isCollection(const YamlNode& node) {
  return (node.kind == YamlNode::Kind::kMap && !node.members.empty()) ||
         (node.kind == YamlNode::Kind::kSequence && !node.items.empty());
}

// A value that fits on the line of its key or dash.
std::string shortText(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kMap) return "{}";
  if (node.kind == YamlNode::Kind::kSequence) return "[]";
  return scalarText(node);
}

void append(const YamlNode& node, std::size_t depth, std::string& text) {
  const std::string indent(depth * kIndent, ' ');
  const auto value = [&](const YamlNode& of) {
    if (isCollection(of)) {
      text += "\n";
      append(of, depth + 1, text);
    } else {
      text += " " + shortText(of) + "\n";
    }
  };
  if (node.kind == YamlNode::Kind::kMap) {
    for (const YamlMember& member : node.members) {
      const std::string key = scalarText(member.key);
      text += indent;
      if (key.size() < kLongKey) {
        text += key;
      } else {
        text.append("? ").append(key).append("\n").append(indent);
      }
      text += ":";
      value(member.value);
    }
  } else {
    for (const YamlNode& item : node.items) {
      text += indent + "-";
      value(item);
    }
  }
}

}  // namespace

std::string yamlText(const YamlNode& root) {
  if (!isCollection(root)) return shortText(root) + "\n";
  std::string text;
  append(root, 0, text);
  return text;
}

std::string yamlLine(const YamlNode& node) {
  std::string line;
  const auto add = [&line](const std::string& part) {
    line += (line.size() > 1 ? ", " : "") + part;
  };
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "~";
    case YamlNode::Kind::kScalar:
      line = node.text;
      std::replace_if(
          line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; },
          ' ');
      return line;
    case YamlNode::Kind::kSequence:
      line = "[";
      for (const YamlNode& item : node.items) add(yamlLine(item));
      return line + "]";
    case YamlNode::Kind::kMap:
      line = "{";
      for (const YamlMember& member : node.members) {
        add(yamlLine(member.key) + ": " + yamlLine(member.value));
      }
      return line + "}";
  }
  return line;
}

bool sameYaml(const YamlNode& a, const YamlNode& b) {
  return a.kind == b.kind && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), sameYaml) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    [](const YamlMember& x, const YamlMember& y) {
                      return sameYaml(x.key, y.key) && sameYaml(x.value, y.value);
                    });
}

}  // namespace plumbline::scenario
