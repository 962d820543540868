// The lines of a text, one after the other, however long the text is: memory for one line only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "base/hash64.h"

namespace plumbline {

// The part of a text that was read: `bytes` from its beginning, and hash64() of them.
struct TextExtent {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

// Lines end with a newline, optionally preceded by a carriage return; a byte order mark at the
// beginning of the text is skipped.
class TextLines {
 public:
  // Longest line: a file with longer ones is no table.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 16;  // bytes

  explicit TextLines(std::istream& text) : text_(text) {}

  // Advances to the next line; false at the end.
  bool next();

  // The current line: its text without its end, and its number from 1.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  // It is longer than kMaxLine; line() has its beginning. Nothing can be read after it.
  [[nodiscard]] bool tooLong() const { return too_long_; }
  // It ends with the text, without a newline.
  [[nodiscard]] bool torn() const { return torn_; }

  // The part read so far.
  [[nodiscard]] TextExtent extent() const { return {bytes_, hash_.value()}; }

 private:
  // Reads more of the text; false at the end.
  bool fetch();

  std::istream& text_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the rest in the buffer
  std::string_view line_;
  std::size_t number_ = 0;
  bool too_long_ = false;
  bool torn_ = false;
  std::uint64_t bytes_ = 0;
  Hash64 hash_;
};

}  // namespace plumbline
