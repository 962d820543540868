// The clock that testers agree on a common start by.
#pragma once

#include <chrono>
#include <cstdint>

namespace plumbline::control {

// Nanoseconds since 1970 UTC, as this machine had them when the object was made; from then on it
// runs with the machine's steady clock. Whoever sets the machine's clock later does not move it.
// Two of one machine differ by what that clock was set in between, and by less than a microsecond
// otherwise.
class HostClock {
 public:
  // `shift` puts it wrong on purpose: a test then knows what must be found.
  explicit HostClock(std::chrono::nanoseconds shift = {});

  [[nodiscard]] std::int64_t nowNs() const;

 private:
  std::int64_t from_steady_ns_;
};

}  // namespace plumbline::control
