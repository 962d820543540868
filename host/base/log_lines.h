// Lines that a program which serves others writes about them.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace plumbline {

// Writes lines to a descriptor that others may read slowly, not at all, or have closed: none of
// that holds the program up. A line that cannot be written now is dropped, and the next one that
// can says how many were. Any thread may write.
class LogLines {
 public:
  // Bytes of a line at most. A pipe that takes anything takes as many at once.
  static constexpr std::size_t kLongest = 4096;

  // `descriptor` must stay open. SIGPIPE must be ignored, as takeOverInterrupts() does.
  explicit LogLines(int descriptor) : descriptor_(descriptor) {}

  // Text of others in the line is made printable and cut to 400 columns.
  void write(std::string_view line);

 private:
  // Whether the descriptor has taken it.
  [[nodiscard]] bool taken(std::string_view text) const;

  int descriptor_;
  std::mutex mutex_;
  std::uint64_t dropped_ = 0;
};

}  // namespace plumbline
