// Files below a directory, for names that somebody else chose: no absolute path, no "..", no
// symbolic link on the way, no device and no pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace plumbline {

// An open regular file.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;

  [[nodiscard]] std::uint64_t size() const;  // [bytes]
  // A path at which the same file is opened again, whatever its name means by then; as long as the
  // object lives.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

// The regular file `name` below `directory` ("" is the working directory); nothing, and the `error`
// that openFault() has words for, when there is none, it cannot be read, or the name leads
// elsewhere. ENOENT alone says that there could be one.
std::optional<OpenFile> openBeneath(const std::string& directory, const std::string& name,
                                    int& error);
// A regular file by its path. Links are followed, and nothing waits for a pipe's other end.
std::optional<OpenFile> openRegular(const std::string& path, int& error);
// What comes through a pipe (a shell's <(command)) until its end, but at most `most` bytes; nothing
// for what is no pipe, and for one that goes on for longer than `seconds`.
std::optional<std::string> readPipe(const std::string& path, std::size_t most, int seconds);
// "it leads through a symbolic link"
std::string openFault(int error);

}  // namespace plumbline
