// Surrogate pairs in the escapes of JSON: "\ud83d\ude00" is one character, as RFC 8259 (section 7)
// says and every JSON library writes it. YAML has no such pairs, and its parser refuses them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::scenario {

// Stands between the text of a file and its parser. Escapes of surrogates are written to the parser
// as escapes of a character that the text does not have, of the same length, so that all places
// stay as they are; afterwards restore() puts into each value what the file says.
class Surrogates {
 public:
  explicit Surrogates(std::string text);

  // What the parser is to read.
  [[nodiscard]] const std::string& masked() const { return text_; }

  // Whether `value`, which begins at or behind offset `begin` of the text, is whole. Sets it to
  // what the file says; else `fault` is the offset of a half of a pair that stands alone.
  bool restore(std::size_t begin, std::string& value, std::size_t& fault) const;

 private:
  struct Escape {
    std::size_t offset;
    std::string text;  // "\ud83d"
    unsigned code;
  };

  std::string text_;
  std::string mask_;         // the character, in UTF-8
  std::string mask_escape_;  // and as an escape
  std::vector<Escape> escapes_;
};

}  // namespace plumbline::scenario
