#include "base/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "base/work.h"

namespace plumbline {

std::string readFile(const std::filesystem::path& file, std::uint64_t max) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(file, error);
  if (error) throw Error(ErrorKind::kUsage, "the file cannot be read", file.string());
  if (!regular) throw Error(ErrorKind::kUsage, "this is no file", file.string(), "a file");
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  // The size is that of now: a file may grow.
  while (stream && text.size() <= max) {
    checkWork();
    const std::size_t held = text.size();
    text.resize(held + kPiece);
    stream.read(text.data() + held, static_cast<std::streamsize>(kPiece));
    text.resize(held + static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  }
  if (text.size() > max) {
    throw Error(ErrorKind::kUsage, "the file is too long", file.string(),
                fmt::format("at most {} bytes", max));
  }
  if (!stream.eof()) throw Error(ErrorKind::kUsage, "the file cannot be read", file.string());
  return text;
}

}  // namespace plumbline
