#include "card/pattern.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumbline::card {

GapList rateRamp(Bytes frame, BitRate line, Fraction from, Fraction to, std::uint32_t steps,
                 std::uint32_t frames) {
  if (steps < 2 || steps > kGapEntries) {
    throw Error(ErrorKind::kUsage, fmt::format("a ramp of {} steps", steps), {},
                fmt::format("2 to {}", kGapEntries));
  }
  GapList ramp;
  ramp.repeat = frames;
  ramp.gaps.reserve(steps);
  const std::int64_t range = to.partsPerTrillion() - from.partsPerTrillion();
  for (std::uint32_t step = 0; step < steps; ++step) {
    // Below 10^12 * 4096: fits.
    const std::int64_t added = range * static_cast<std::int64_t>(step) / (steps - 1);
    ramp.gaps.push_back(
        framePeriod(frame, line, Fraction::partsPerTrillion(from.partsPerTrillion() + added)));
  }
  return ramp;
}

std::uint64_t sentOf(const regs::TableRow& row) { return regs::qp_table::kSent.get(row); }

}  // namespace plumbline::card
