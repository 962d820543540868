// The one exception type of the project: says what went wrong, where, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

// What kind of fault it is; decides the exit code of the command (see cli/exit_code.h).
enum class ErrorKind {
  kUsage,        // bad command line or scenario: the user can fix it
  kUnsupported,  // the bench or card cannot do what was asked
  kTester,       // the tester itself failed (card, file system, internal check)
  kInvalid,      // the measurement happened but must not be trusted
};

class Error : public std::runtime_error {
 public:
  // `what`: the fault in one sentence. `where`: file:line:column, register or frame; may be empty.
  // `remedy`: what would be right; may be empty.
  Error(ErrorKind kind, const std::string& what, std::string where = {}, std::string remedy = {});

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  ErrorKind kind_;
  std::string where_;
  std::string remedy_;
};

// The fault alone, out of the "where: fault (remedy)" of an Error: for one that passes it on with
// another place or more words.
std::string faultOf(const Error& error);

}  // namespace plumbline
