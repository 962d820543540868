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

std::string faultOf(const Error& error) {
  std::string fault = error.what();
  const std::string before = error.where() + ": ";
  const std::string behind = " (" + error.remedy() + ")";
  if (!error.where().empty() && fault.starts_with(before)) fault.erase(0, before.size());
  // An Error that was passed on may carry its remedy twice.
  while (!error.remedy().empty() && fault.ends_with(behind)) {
    fault.resize(fault.size() - behind.size());
  }
  return fault;
}

}  // namespace plumbline
