#include "base/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Like the kernel's RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, one part of the path at a time, for
// older kernels. `relative` has no "..".
int walk(int directory, const fs::path& relative, int flags) {
  int at = ::dup(directory);
  for (auto part = relative.begin(); part != relative.end() && at >= 0; ++part) {
    const bool last = std::next(part) == relative.end();
    const int next =
        ::openat(at, part->c_str(), O_NOFOLLOW | (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC));
    const int code = errno;
    ::close(at);
    errno = code;
    at = next;
  }
  return at;
}

int openResolved(int directory, const fs::path& relative) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kReadFlags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long opened = ::syscall(SYS_openat2, directory, relative.c_str(), &how, sizeof how);
  if (opened >= 0) return static_cast<int>(opened);
  if (errno != ENOSYS && errno != EPERM) return -1;
  return walk(directory, relative, kReadFlags);
}

std::optional<OpenFile> regular(int descriptor, int& error) {
  if (descriptor < 0) {
    error = errno;
    return std::nullopt;
  }
  OpenFile file(descriptor);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    error = EINVAL;
    return std::nullopt;
  }
  return file;
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::uint64_t OpenFile::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) return 0;
  return static_cast<std::uint64_t>(about.st_size);
}

std::string OpenFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

std::optional<OpenFile> openBelow(const std::string& directory, const std::string& name,
                                  int& error) {
  const fs::path relative(name);
  bool leaves = relative.is_absolute() || relative.empty() || name.find('\0') != std::string::npos;
  for (const fs::path& part : relative) leaves = leaves || part == ".." || part.empty();
  if (leaves) {
    error = EXDEV;
    return std::nullopt;
  }
  const int top =
      ::open(directory.empty() ? "." : directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (top < 0) {
    error = ENOTDIR;
    return std::nullopt;
  }
  const int opened = openResolved(top, relative);
  const int code = errno;
  ::close(top);
  errno = code;
  return regular(opened, error);
}

std::optional<OpenFile> openRegular(const std::string& path, int& error) {
  return regular(::open(path.c_str(), kReadFlags), error);
}

std::optional<std::string> readPipe(const std::string& path, std::size_t max, int seconds) {
  using Clock = std::chrono::steady_clock;
  const int pipe = ::open(path.c_str(), kReadFlags);
  struct stat about {};
  std::string text;
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  bool ended = false;
  const bool is_pipe = pipe >= 0 && ::fstat(pipe, &about) == 0 && S_ISFIFO(about.st_mode);
  while (is_pipe && !ended && Clock::now() < until) {
    pollfd look{pipe, POLLIN, 0};
    if (::poll(&look, 1, 100) <= 0) continue;
    std::array<char, 65536> part{};
    const ssize_t count = ::read(pipe, part.data(), std::min(part.size(), max - text.size()));
    ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
  }
  if (pipe >= 0) ::close(pipe);
  return ended ? std::optional(std::move(text)) : std::nullopt;
}

std::string openFault(int error) {
  switch (error) {
    case ELOOP:
      return "it leads through a symbolic link";
    case EXDEV:
      return "it leads out of the directory";
    case EINVAL:
      return "it is no regular file";
    default:
      return std::generic_category().message(error);
  }
}

}  // namespace plumbline
