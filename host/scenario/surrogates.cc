#include "scenario/surrogates.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace plumbline::scenario {
namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX
constexpr unsigned kFirstPrivate = 0xE000;
constexpr unsigned kLastPrivate = 0xF8FF;

// The code of the escape \uXXXX that `text` begins with.
std::optional<unsigned> escapeAt(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  unsigned code = 0;
  for (const char c : text.substr(2, kEscape - 2)) {
    const auto digit = static_cast<unsigned char>(c);
    if (std::isxdigit(digit) == 0) return std::nullopt;
    code = code * 16 + static_cast<unsigned>(
                           std::isdigit(digit) != 0 ? digit - '0' : std::tolower(digit) - 'a' + 10);
  }
  return code;
}

bool isSurrogate(unsigned code) { return code >= 0xD800 && code <= 0xDFFF; }
bool isHigh(unsigned code) { return code < 0xDC00; }

std::string utf8(unsigned code) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (code < 0x10000) {
    return {byte(0xE0U | (code >> 12U)), byte(0x80U | ((code >> 6U) & 0x3FU)),
            byte(0x80U | (code & 0x3FU))};
  }
  return {byte(0xF0U | (code >> 18U)), byte(0x80U | ((code >> 12U) & 0x3FU)),
          byte(0x80U | ((code >> 6U) & 0x3FU)), byte(0x80U | (code & 0x3FU))};
}

// "\uE000"
std::string escapeOf(unsigned code) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += kDigits[(code >> shift) & 0xFU];
  return text;
}

// The private characters that `text` has, as they are or as escapes of any form.
std::vector<bool> privateCharactersIn(std::string_view text) {
  std::vector<bool> used(kLastPrivate - kFirstPrivate + 1, false);
  const auto note = [&used](unsigned code) {
    if (code >= kFirstPrivate && code <= kLastPrivate) used[code - kFirstPrivate] = true;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if ((lead == 0xEE || lead == 0xEF) && at + 2 < text.size()) {
      note((lead & 0xFU) << 12U | (static_cast<unsigned char>(text[at + 1]) & 0x3FU) << 6U |
           (static_cast<unsigned char>(text[at + 2]) & 0x3FU));
    } else if (lead == '\\') {
      if (const auto code = escapeAt(text.substr(at))) note(*code);
      // \U0000E000
      constexpr std::string_view kLong = "\\U0000";
      if (text.substr(at).starts_with(kLong)) {
        const std::string as_short = "\\u" + std::string(text.substr(at + kLong.size(), 4));
        if (const auto code = escapeAt(as_short)) note(*code);
      }
    }
  }
  return used;
}

}  // namespace

Surrogates::Surrogates(std::string text) : text_(std::move(text)) {
  for (std::size_t at = text_.find("\\u"); at != std::string::npos;
       at = text_.find("\\u", at + 1)) {
    const auto code = escapeAt(std::string_view(text_).substr(at));
    if (code && isSurrogate(*code)) escapes_.push_back({at, text_.substr(at, kEscape), *code});
  }
  if (escapes_.empty()) return;
  const std::vector<bool> used = privateCharactersIn(text_);
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) {  // all 6,400 of them: the parser reports what it does not understand
    escapes_.clear();
    return;
  }
  const auto mask = kFirstPrivate + static_cast<unsigned>(free - used.begin());
  mask_ = utf8(mask);
  mask_escape_ = escapeOf(mask);
  for (const Escape& escape : escapes_) text_.replace(escape.offset, kEscape, mask_escape_);
}

bool Surrogates::restore(std::size_t begin, std::string& value, std::size_t& fault) const {
  if (escapes_.empty()) return true;
  auto next = std::lower_bound(escapes_.begin(), escapes_.end(), begin,
                               [](const Escape& one, std::size_t at) { return one.offset < at; });
  std::string whole;
  std::string_view rest = value;
  // The mask occurs only at the escapes' own places: as the character where the parser decoded it,
  // otherwise as written.
  const auto take = [&](std::string_view form) {
    if (!rest.starts_with(form)) return false;
    rest.remove_prefix(form.size());
    return true;
  };
  while (!rest.empty() && next != escapes_.end()) {
    if (take(mask_escape_)) {
      whole += (next++)->text;
    } else if (take(mask_)) {
      const Escape& high = *next++;
      const bool pair = isHigh(high.code) && next != escapes_.end() && !isHigh(next->code) &&
                        next->offset == high.offset + kEscape && take(mask_);
      if (!pair) {
        fault = high.offset;
        return false;
      }
      whole += utf8(0x10000 + ((high.code - 0xD800) << 10U) + (next->code - 0xDC00));
      ++next;
    } else {
      const std::size_t end =
          std::min(rest.find_first_of(std::string{mask_[0], '\\'}, 1), rest.size());
      whole += rest.substr(0, end);
      rest.remove_prefix(end);
    }
  }
  value = whole + std::string(rest);
  return true;
}

}  // namespace plumbline::scenario
