#include "base/error.h"

#include <utility>

namespace plumbline {
namespace {

std::string compose(const std::string& what, const std::string& where, const std::string& remedy) {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& what, std::string where, std::string remedy)
    : std::runtime_error(compose(what, where, remedy)),
      kind_(kind),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

}  // namespace plumbline
