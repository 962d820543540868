// Computed duration of a link-level retry on a bare link of the card (for links of the simulated
// fabric: fabric::retryTime()), and the throughput that retries leave: for comparison with
// measurements.
#pragma once

#include "base/units.h"

namespace plumbline::bench {

struct RetryTime {
  Picoseconds min;
  Picoseconds max;
};

// Time from the end of a damaged frame at the receiver to the end of its good copy there, on a line
// that is free in both directions: the NACK's way, the sender's reaction, the copy's way
// (docs/card.md, "Link-level retry"). It depends on the phase between clock and columns of the
// line: the shortest and the longest over all phases. `frame` includes the FCS, `delay` is one way.
// For the simulated card's MACs at their line rate.
RetryTime retryOnFreeLine(Bytes frame, Picoseconds delay);

// Share of the line, 0 to 1, that go-back-N leaves for good frames. A frame takes `slot`; each
// fails `failures` times on average, and each failure costs `wasted`, from the frame's beginning to
// that of its repetition.
double goBackNShare(double failures, Picoseconds slot, Picoseconds wasted);

}  // namespace plumbline::bench
