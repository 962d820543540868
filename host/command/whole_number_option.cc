#include "command/whole_number_option.h"

#include <fmt/format.h>

#include "base/whole_number.h"

namespace plumbline::command {

void restrictToWholeNumbers(CLI::Option& option, std::uint64_t min, std::uint64_t max) {
  option.transform(CLI::Validator(
      [min, max](std::string& text) {
        const WholeNumber number = wholeNumber(text);
        if (!number.value) return fmt::format("\"{}\": {}", text, number.fault);
        if (*number.value < min || *number.value > max) {
          return fmt::format("{} is out of range ({} to {})", text, min, max);
        }
        // CLI11 converts the number without its zeros in front, the same in every notation.
        text = std::to_string(*number.value);
        return std::string();
      },
      ""));
}

}  // namespace plumbline::command
