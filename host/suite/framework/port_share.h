// Utilisation of a tester port's wire during a trial.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Share [%] of the trial's duration in which `bytes` in `frames`, with preamble and minimum gap,
// occupied a wire of `line` rate. Ports count a frame when it begins: a frame on the wire at the
// end of the duration counts with its part before, so that the share is at most 100. `to`: frames
// that arrived from the streams towards `port`, else those that the streams from `port` sent;
// frames that were queued on their way arrive after the duration and do not count either.
double wireSharePercent(const bench::TrialSpec& spec, std::uint32_t port, bool to,
                        std::uint64_t frames, std::uint64_t bytes, BitRate line);

}  // namespace plumbline::suite
