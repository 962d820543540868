#include "base/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace plumbline {
namespace {

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Of the Unicode blocks: the combining marks and invisible characters, and what East Asian fonts
// draw two columns wide.
constexpr std::array<CodePointRange, 5> kNoColumn{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};
constexpr std::array<CodePointRange, 10> kTwoColumns{{{0x1100, 0x115F},
                                                      {0x2E80, 0x303E},
                                                      {0x3041, 0xA4CF},
                                                      {0xAC00, 0xD7A3},
                                                      {0xF900, 0xFAFF},
                                                      {0xFE30, 0xFE6F},
                                                      {0xFF00, 0xFF60},
                                                      {0x1F300, 0x1F6FF},
                                                      {0x1F900, 0x1F9FF},
                                                      {0x20000, 0x3FFFD}}};

template <std::size_t kCount>
bool within(const std::array<CodePointRange, kCount>& ranges, std::uint32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [point](const CodePointRange& range) {
    return range.first <= point && point <= range.last;
  });
}

struct Character {
  std::size_t bytes;
  std::size_t columns;
};

// The first character of `text`, which is not empty.
Character firstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80U            ? 1
                            : (lead >> 5U) == 0x06U ? 2
                            : (lead >> 4U) == 0x0EU ? 3
                            : (lead >> 3U) == 0x1EU ? 4
                                                    : 1;
  if (bytes == 1 || bytes > text.size()) return {1, 1};
  std::uint32_t point = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {1, 1};
    point = point << 6U | (next & 0x3FU);
  }
  if (within(kNoColumn, point)) return {bytes, 0};
  return {bytes, within(kTwoColumns, point) ? std::size_t{2} : std::size_t{1}};
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character character = firstCharacter(text);
    columns += character.columns;
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string_view firstColumns(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Character character = firstCharacter(text.substr(bytes));
    used += character.columns;
    if (used > columns) break;
    bytes += character.bytes;
  }
  return text.substr(0, bytes);
}

std::string clippedText(std::string_view text, std::size_t columns) {
  if (displayWidth(text) <= columns) return std::string(text);
  std::string_view kept = firstColumns(text, columns - 1);
  if (text[kept.size()] != ' ') {
    const std::size_t space = kept.rfind(' ');
    if (space != std::string_view::npos && 2 * space >= kept.size()) kept = kept.substr(0, space);
  }
  const std::size_t last = kept.find_last_not_of(" ,;:(");
  return std::string(kept.substr(0, last + 1)) + "…";
}

std::vector<std::string> wrappedText(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  const auto append = [&](std::string_view word) {
    const std::size_t width = displayWidth(word);
    const std::size_t gap = used > 0 ? 1 : 0;
    if (used + gap + width <= columns) {
      lines.back().append(gap, ' ').append(word);
      used += gap + width;
      return;
    }
    if (used > 0) lines.emplace_back();
    std::size_t left = width;  // columns of `word`; measured once, however long it is
    while (left > columns) {
      // A character that is wider than the line is kept whole.
      const std::size_t bytes =
          std::max(firstColumns(word, columns).size(), firstCharacter(word).bytes);
      lines.back() = word.substr(0, bytes);
      left -= displayWidth(lines.back());
      word.remove_prefix(bytes);
      used = columns;
      if (word.empty()) return;
      lines.emplace_back();
    }
    lines.back() = word;
    used = left;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) append(text.substr(0, end));
    if (end < text.size() && text[end] == '\n') {
      lines.emplace_back();
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace plumbline
