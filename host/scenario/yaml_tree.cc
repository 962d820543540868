#include "scenario/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "scenario/surrogates.h"

namespace plumbline::scenario {
namespace {

// Ends the parse: error and place.
struct Refusal {
  std::size_t line;
  std::size_t column;
  std::string what;
  std::string allowed;
};

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Offset of the first byte that is not UTF-8 text without control characters, if there is one.
std::optional<std::size_t> firstBadByte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      if ((lead < 0x20 && lead != '\n' && lead != '\r' && lead != '\t') || lead == 0x7F) return at;
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return at;
    std::uint32_t code = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      if (!isContinuation(text[at + i])) return at;
      code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return at;
    at += length;
  }
  return std::nullopt;
}

// `text` without a byte order mark, with every line ended by a newline (YAML 1.2.2, sections 5.2
// and 5.4). Places in the result are those of the file.
std::string normalized(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r') {
      lines += text[at];
    } else if (at + 1 == text.size() || text[at + 1] != '\n') {
      lines += '\n';
    }
  }
  return lines;
}

// Turns yaml-cpp's marks (line and byte from 0) into lines and characters from 1.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         end = text.find('\n', begin)) {
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    lines_.push_back(text.substr(begin));
  }

  std::pair<std::size_t, std::size_t> place(const YAML::Mark& mark) {
    if (mark.is_null()) return {1, 1};
    const auto line = std::min(static_cast<std::size_t>(mark.line), lines_.size() - 1);
    const auto column =
        std::min(static_cast<std::size_t>(std::max(mark.column, 0)), lines_[line].size());
    // Marks nearly always move forward: counting on from the last one keeps long lines linear.
    if (line != last_line_ || column < last_column_) {
      last_line_ = line;
      last_column_ = 0;
      continuations_ = 0;
    }
    const std::string_view between = lines_[line].substr(last_column_, column - last_column_);
    continuations_ +=
        static_cast<std::size_t>(std::count_if(between.begin(), between.end(), isContinuation));
    last_column_ = column;
    return {line + 1, column - continuations_ + 1};
  }

  // The same of an offset into the text.
  std::pair<std::size_t, std::size_t> place(std::size_t offset) {
    YAML::Mark mark;
    const std::string_view before = text_.substr(0, offset);
    mark.line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t newline = before.rfind('\n');
    mark.column =
        static_cast<int>(newline == std::string_view::npos ? offset : offset - newline - 1);
    return place(mark);
  }

  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    if (mark.is_null()) return 0;
    const auto line = std::min(static_cast<std::size_t>(mark.line), lines_.size() - 1);
    return static_cast<std::size_t>(lines_[line].data() - text_.data()) +
           static_cast<std::size_t>(std::max(mark.column, 0));
  }

 private:
  std::string_view text_;
  std::vector<std::string_view> lines_;
  std::size_t last_line_ = 0;
  std::size_t last_column_ = 0;    // in bytes, from 0
  std::size_t continuations_ = 0;  // bytes of `last_line_` before it that do not begin a character
};

// Builds the tree from yaml-cpp's events and throws Refusal at the first event that is not allowed.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Places& places, const Surrogates& surrogates)
      : places_(places), surrogates_(surrogates) {}

  [[nodiscard]] YamlNode releaseRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(node(YamlNode::Kind::kNull, mark, "?", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not allowed in a scenario", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& parsed) override {
    std::string value = parsed;
    std::size_t half = 0;
    if (!surrogates_.restore(places_.offset(mark), value, half)) {
      const auto [line, column] = places_.place(half);
      throw Refusal{line, column, "this is half of a surrogate pair",
                    "\"\\ud83d\\ude00\": the first half and the second one"};
    }
    // Escapes can produce characters that the file itself must not contain; yaml-cpp's \N is not
    // even UTF-8.
    if (firstBadByte(value)) {
      refuse(mark, "this value is not text", "UTF-8 without control characters");
    }
    YamlNode scalar = node(YamlNode::Kind::kScalar, mark, tag, anchor);
    scalar.text = std::move(value);
    scalar.quoted = tag == "!";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, node(YamlNode::Kind::kSequence, mark, tag, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, node(YamlNode::Kind::kMap, mark, tag, anchor));
  }
  void OnMapEnd() override { close(); }

 private:
  // A collection under construction; a map waits for the value of `key`.
  struct Open {
    YamlNode node;
    std::optional<YamlNode> key;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string what, std::string allowed) {
    const auto [line, column] = places_.place(mark);
    throw Refusal{line, column, std::move(what), std::move(allowed)};
  }

  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor) {
    if (anchor != 0) {
      refuse(mark, "anchors (&name) are not allowed in a scenario", "write the value out");
    }
    // yaml-cpp reports "?" for no tag and "!" for quoted scalars.
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, "tags (!!name) are not allowed in a scenario", "leave the tag out");
    }
    YamlNode made;
    made.kind = kind;
    std::tie(made.line, made.column) = places_.place(mark);
    return made;
  }

  void open(const YAML::Mark& mark, YamlNode collection) {
    if (open_.size() == kMaxYamlDepth) {
      refuse(mark, "the file is nested too deeply",
             "at most " + std::to_string(kMaxYamlDepth) + " levels");
    }
    open_.push_back({std::move(collection), {}});
  }

  void close() {
    YamlNode done = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode made) {
    if (open_.empty()) {
      root_ = std::move(made);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kSequence) {
      parent.node.items.push_back(std::move(made));
    } else if (!parent.key) {
      if (made.kind != YamlNode::Kind::kScalar) {
        throw Refusal{made.line, made.column, "a key must be a plain word", ""};
      }
      parent.key = std::move(made);
    } else {
      if (made.kind == YamlNode::Kind::kNull) {  // yaml-cpp marks the node after the missing value
        made.line = parent.key->line;
        made.column = parent.key->column;
      }
      parent.node.members.push_back({std::move(*parent.key), std::move(made)});
      parent.key.reset();
    }
  }

  Places& places_;
  const Surrogates& surrogates_;
  std::vector<Open> open_;
  YamlNode root_;
};

YamlTree refused(std::size_t line, std::size_t column, std::string what, std::string allowed) {
  YamlTree tree;
  tree.root.line = line;
  tree.root.column = column;
  tree.error = std::move(what);
  tree.allowed = std::move(allowed);
  return tree;
}

// The column of the first tab before the text of a line, both counted from 1.
std::optional<std::size_t> tabInIndentation(std::string_view text, std::size_t line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || text[first] != '\t') return std::nullopt;
  return first + 1;
}

}  // namespace

YamlTree parseYaml(std::string_view file) {
  const std::string text = normalized(file);
  Places places(text);
  if (const auto bad = firstBadByte(text)) {
    const auto [line, column] = places.place(*bad);
    return refused(line, column, "this byte is not text", "UTF-8 without control characters");
  }
  const Surrogates surrogates(text);
  std::istringstream stream(surrogates.masked());
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(places, surrogates);
    if (!parser.HandleNextDocument(builder)) return refused(1, 1, "the file is empty", "");
    YamlTree tree{builder.releaseRoot(), {}, {}};
    TreeBuilder second(places, surrogates);
    if (parser.HandleNextDocument(second)) {
      const YamlNode extra = second.releaseRoot();
      return refused(extra.line, extra.column, "the file holds a second YAML document",
                     "one scenario per file");
    }
    return tree;
  } catch (const Refusal& refusal) {
    return refused(refusal.line, refusal.column, refusal.what, refusal.allowed);
  } catch (const YAML::Exception& e) {
    const auto [line, column] = places.place(e.mark);
    if (const auto tab = tabInIndentation(text, line)) {
      return refused(line, *tab, "a tab in the indentation", "spaces");
    }
    return refused(line, column, "not valid YAML: " + e.msg, "");
  }
}

}  // namespace plumbline::scenario
