#include "base/token_file.h"

#include <fstream>

#include "base/error.h"

namespace plumbline {

std::string readToken(const std::string& file) {
  std::ifstream stream(file);
  std::string token;
  if (!std::getline(stream, token) || token.empty()) {
    throw Error(ErrorKind::kUsage, "there is no token in the file", file,
                "a file whose first line is the token");
  }
  return token;
}

}  // namespace plumbline
