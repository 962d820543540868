#include "base/token_file.h"

#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "base/text_lines.h"

namespace plumbline {

std::string readToken(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  TextLines lines(stream);
  std::string token = lines.next() && !lines.tooLong() ? std::string(lines.line()) : std::string();
  if (token.empty()) {
    throw Error(ErrorKind::kUsage, "there is no token in the file", file,
                "a file whose first line is the token");
  }
  return token;
}

std::vector<std::string> tokenWarnings(const std::string& file) {
  // 16 characters of base 64 are 96 bits.
  constexpr std::size_t kLongEnough = 16;
  std::vector<std::string> warnings;
  const std::size_t length = readToken(file).size();
  struct stat about {};
  if (::stat(file.c_str(), &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    warnings.push_back(file + ": other users of this machine can read the token (chmod 600)");
  }
  if (length < kLongEnough) {
    warnings.push_back(file + ": a token of " + std::to_string(length) +
                       " characters can be guessed (16 or more, as `openssl rand -base64 24` "
                       "makes them)");
  }
  return warnings;
}

}  // namespace plumbline
