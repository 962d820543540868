#include "base/exponential.h"

#include <cstdint>

namespace plumbline {

Picoseconds exponentialGap(RandomStream& random, Picoseconds mean) {
  __extension__ using UInt128 = unsigned __int128;
  // A descending run u1 >= u2 >= … of uniform numbers has odd length with probability e^-u1.
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = random.next();
    std::uint64_t last = first;
    bool odd = true;
    for (std::uint64_t next = random.next(); next <= last; next = random.next()) {
      last = next;
      odd = !odd;
    }
    if (odd) {
      const auto unit = static_cast<UInt128>(mean.count());
      const UInt128 scaled = unit * whole + (unit * first >> 64);
      return Picoseconds(static_cast<std::int64_t>(scaled));
    }
  }
}

}  // namespace plumbline
