// The clock with which testers agree on a common start.
#pragma once

#include <chrono>
#include <cstdint>

namespace plumbline::control {

// Nanoseconds since 1970 UTC, by this machine's clock when the object was made; from then on it
// runs with the machine's steady clock. Setting the machine's clock later does not affect it. Two
// objects of one machine differ by changes of that clock in between, and by less than a microsecond
// otherwise.
class HostClock {
 public:
  // `shift` sets it wrong on purpose, for tests.
  explicit HostClock(std::chrono::nanoseconds shift = {});

  [[nodiscard]] std::int64_t nowNs() const;

 private:
  std::int64_t from_steady_ns_;
};

}  // namespace plumbline::control
