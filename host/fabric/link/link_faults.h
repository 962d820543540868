// Outages and bit errors of one direction of a link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/engine/schedule.h"

namespace plumbline::fabric {

// Outages come from a script and bit errors from a random stream of the link's own, so the fate of
// a frame is known when it is sent. Questions about outages are asked in ascending order of time.
class LinkFaults {
 public:
  // `bit_error_rate`: per bit. `seed`: of the link's random streams.
  LinkFaults(std::vector<Outage> outages, double bit_error_rate, std::uint64_t seed);

  [[nodiscard]] bool none() const { return outages_.empty() && bit_error_rate_ <= 0; }
  [[nodiscard]] double bitErrorRate() const { return bit_error_rate_; }

  // Whether an outage overlaps [from, until]. It is then nextOutage().
  [[nodiscard]] bool outageIn(Picoseconds from, Picoseconds until);
  // The outages that had not ended at the `from` of the last outageIn(), ascending.
  [[nodiscard]] std::span<const Outage> upcoming() const {
    return std::span(outages_).subspan(next_outage_);
  }
  [[nodiscard]] const Outage& nextOutage() const { return outages_[next_outage_]; }

  // Whether a bit error hits a frame of `length` bytes that is sent now. To be asked once per
  // frame.
  [[nodiscard]] bool damages(std::int64_t length);

 private:
  void drawError();

  std::vector<Outage> outages_;
  std::size_t next_outage_ = 0;
  double bit_error_rate_;
  std::int64_t bits_to_error_ = INT64_MAX;
  RandomStream random_;
};

}  // namespace plumbline::fabric
