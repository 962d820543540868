// Files below a directory, for names from untrusted sources: no absolute path, no "..", no symbolic
// link on the way, no device and no pipe.
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
  // A path that opens the same file again, even if its name has changed; valid during the object's
  // lifetime.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

// The regular file `name` below `directory` ("" is the working directory). Nothing, and an `error`
// for openFault(), when it does not exist, cannot be read, or the name leads outside. Only ENOENT
// means that it could exist.
std::optional<OpenFile> openBelow(const std::string& directory, const std::string& name,
                                  int& error);
// A regular file by its path. Follows links, and does not block on a pipe without a writer.
std::optional<OpenFile> openRegular(const std::string& path, int& error);
// The data of a pipe (a shell's <(command)) until its end, but at most `most` bytes; nothing if it
// is no pipe, or lasts longer than `seconds`.
std::optional<std::string> readPipe(const std::string& path, std::size_t max, int seconds);
// "it leads through a symbolic link"
std::string openFault(int error);

}  // namespace plumbline
