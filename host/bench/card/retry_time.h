// What a link-level retry takes on a bare link of the card (on one of the simulated fabric:
// fabric::retryTime()), and what retries leave of a line: computed, to put next to what was
// measured.
#pragma once

#include "base/units.h"

namespace plumbline::bench {

struct RetryTime {
  Picoseconds least;
  Picoseconds most;
};

// Time from the end of a damaged frame at the receiver to the end of its good copy there, when the
// line is free in both directions: the NACK's way, the sender's, the copy's (docs/card.md,
// "Link-level retry"). It depends on where clock and columns of the line stand to each other; the
// shortest and the longest of all these phases. `frame` with FCS, `delay` of the link one way. Of
// the simulated card's MACs at its line rate.
RetryTime retryOnFreeLine(Bytes frame, Picoseconds delay);

// Go-back-N: frames that take `slot` each, of which every one is attempted in vain `failures` times
// on average, and every failure costs the time `wasted` from the frame's beginning to that of its
// repetition. Share of the line that is left for good frames, 0 to 1.
double goBackNShare(double failures, Picoseconds slot, Picoseconds wasted);

}  // namespace plumbline::bench
