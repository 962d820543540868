#include "base/log_lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/printable.h"

namespace plumbline {
namespace {

constexpr std::size_t kColumns = 400;
// Columns alone do not bound a line: some characters have none.
constexpr std::size_t kBytesOfOthers = 1000;

}  // namespace

void LogLines::write(std::string_view line) {
  const std::string text = printableName(line.substr(0, kBytesOfOthers), kColumns) + "\n";
  const std::scoped_lock lock(mutex_);
  if (dropped_ > 0) {
    if (!taken(fmt::format("{} lines before this one could not be written\n", dropped_))) {
      ++dropped_;
      return;
    }
    dropped_ = 0;
  }
  if (!taken(text)) ++dropped_;
}

bool LogLines::taken(std::string_view text) const {
  pollfd waiting{descriptor_, POLLOUT, 0};
  if (poll(&waiting, 1, 0) != 1 || (waiting.revents & POLLOUT) == 0) return false;
  return ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace plumbline
