// The exception for refusals of the server's parts: caught in one place, where it becomes an
// answer.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "control/api_types.h"

namespace plumbline::control {

class Refused final : public std::exception {
 public:
  explicit Refused(Refusal refusal) : refusal_(std::move(refusal)) {}
  Refused(int status, std::string what, std::string where = {}, std::string remedy = {})
      : refusal_{status, std::move(what), std::move(where), std::move(remedy), {}} {}

  [[nodiscard]] const Refusal& refusal() const { return refusal_; }
  [[nodiscard]] const char* what() const noexcept override { return refusal_.what.c_str(); }

 private:
  Refusal refusal_;
};

}  // namespace plumbline::control
