// The project's only exception type: fault, place and remedy.
#pragma once

#include <stdexcept>
#include <string>

namespace plumbline {

// Kind of fault; determines the exit code of the command (see cli/exit_code.h).
enum class ErrorKind {
  kUsage,        // bad command line or scenario: the user can fix it
  kUnsupported,  // not supported by the bench or card
  kTester,       // the tester itself failed (card, file system, internal check)
  kInvalid,      // the measurement was made but is invalid
};

class Error : public std::runtime_error {
 public:
  // `what`: the fault in one sentence. `where`: file:line:column, register or frame; may be empty.
  // `remedy`: allowed values or a solution; may be empty.
  Error(ErrorKind kind, const std::string& what, std::string where = {}, std::string remedy = {});

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  ErrorKind kind_;
  std::string where_;
  std::string remedy_;
};

// The fault alone, from the "where: fault (remedy)" of an Error: for passing it on with another
// place or more words.
std::string faultOf(const Error& error);

}  // namespace plumbline
