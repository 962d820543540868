// The error that an action throws.
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumbline {

// The Error that `act()` throws; fails the test when it throws none.
template <typename Act>
Error errorOf(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing is thrown";
  return {ErrorKind::kInvalid, "none"};
}

}  // namespace plumbline
