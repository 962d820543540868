// How much of a trial the wire of a tester's port was taken.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Share [%] of the trial's duration in which `bytes` in `frames`, with preamble and minimum gap,
// were on a wire of `line` rate. Ports count a frame when it begins: of one that is on the wire
// when the duration ends only the part before counts, so that the share is 100 at most. `to`:
// frames that the streams towards `port` brought, else those that the streams from `port` sent;
// what was queued on the way to a port arrives when the duration is over and is not in its share
// either.
double wireSharePercent(const bench::TrialSpec& spec, std::uint32_t port, bool to,
                        std::uint64_t frames, std::uint64_t bytes, BitRate line);

}  // namespace plumbline::suite
