// Log lines of a server program.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace plumbline {

// Writes lines to a descriptor whose reader may be slow, absent or closed, without ever blocking
// the program. A line that cannot be written now is dropped, and the next one that can states how
// many were. Any thread may write.
class LogLines {
 public:
  // Most bytes of a line. A pipe that is writable accepts this many at once.
  static constexpr std::size_t kLongest = 4096;

  // `descriptor` must stay open. SIGPIPE must be ignored, as installInterruptHandlers() does.
  explicit LogLines(int descriptor) : descriptor_(descriptor) {}

  // Text from others in the line is made printable and cut to 400 columns.
  void write(std::string_view line);

 private:
  // Whether the descriptor has accepted it.
  [[nodiscard]] bool taken(std::string_view text) const;

  int descriptor_;
  std::mutex mutex_;
  std::uint64_t dropped_ = 0;
};

}  // namespace plumbline
