// Surrogate pairs in the escapes of JSON: "\ud83d\ude00" is one character, as RFC 8259 (section 7)
// says and every JSON library writes it. YAML has no such pairs, and its parser refuses them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::scenario {

// Filters the text between the file and its parser. Escapes of surrogates are passed to the parser
// as escapes of a character that the text does not contain, of the same length, so that all
// positions stay the same; afterwards restore() puts the original into each value.
class Surrogates {
 public:
  explicit Surrogates(std::string text);

  // The text for the parser.
  [[nodiscard]] const std::string& masked() const { return text_; }

  // Whether `value`, which begins at or after offset `begin` of the text, has complete pairs. Sets
  // it to the file's text; otherwise `fault` is the offset of an unpaired half.
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
