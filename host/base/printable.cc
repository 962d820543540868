#include "base/printable.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/text_width.h"

namespace plumbline {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

// The code point at the beginning of `text`, in its shortest form only.
CodePoint codePointAt(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t value = first & (0xffU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0U) != 0x80) return {};
    value = value << 6U | (byte(at) & 0x3fU);
  }
  constexpr std::uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kMin[length] || value > 0x10ffff || surrogate) return {};
  return {value, length};
}

bool isHarmless(std::uint32_t value) {
  if (value < 0x20 || (value >= 0x7f && value < 0xa0)) return false;
  // Marks, embeddings, overrides and isolates of direction; line and paragraph separators.
  const bool direction = value == 0x61c || value == 0x200e || value == 0x200f ||
                         (value >= 0x2028 && value <= 0x202e) ||
                         (value >= 0x2066 && value <= 0x2069);
  return !direction && value != 0xfeff;
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = codePointAt(text);
    const bool kept = lines && (point.value == '\n' || point.value == '\t') && point.bytes > 0;
    if (point.bytes == 0) {
      plain += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (kept || isHarmless(point.value)) {
      plain += text.substr(0, point.bytes);
    } else if (point.value < 0x80) {
      plain += fmt::format("\\x{:02x}", point.value);
    } else {
      plain += fmt::format("\\u{:04x}", point.value);
    }
    text.remove_prefix(point.bytes);
  }
  return plain;
}

std::string printableName(std::string_view text, std::size_t columns) {
  // Reads no more than can be shown: at most four bytes per character, ten per mark.
  const std::string_view head = text.substr(0, columns * 16);
  return clippedText(printable(head), columns);
}

}  // namespace plumbline
