#include "base/token_file.h"

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

}  // namespace plumbline
