// The lines of a text, one after the other, however long the text is: memory for one line only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "base/hash64.h"

namespace plumbline {

// What was read of a text: `bytes` from its beginning, and hash64() of them.
struct TextExtent {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

// Lines end with a newline, with a carriage return before it or not; a byte order mark at the
// beginning of the text is passed over.
class TextLines {
 public:
  // Longer lines are no lines of a table: their file is something else.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 16;  // bytes

  explicit TextLines(std::istream& text) : text_(text) {}

  // Goes on to the next line; false when there is none.
  bool next();

  // Of the line gone on to: its text without its end, and its number from 1.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  // It is longer than kMaxLine, of which line() has the beginning. Nothing can be read behind it.
  [[nodiscard]] bool tooLong() const { return too_long_; }
  // It ends with the text, not with a newline.
  [[nodiscard]] bool torn() const { return torn_; }

  // Of what was gone through so far.
  [[nodiscard]] TextExtent extent() const { return {bytes_, hash_.value()}; }

 private:
  // Of the text, what has not been gone through yet; false when nothing more can be had.
  bool fetch();

  std::istream& text_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::string_view line_;
  std::size_t number_ = 0;
  bool too_long_ = false;
  bool torn_ = false;
  std::uint64_t bytes_ = 0;
  Hash64 hash_;
};

}  // namespace plumbline
