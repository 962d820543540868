// The first frame of a stream as the card will send it, made in software: for inspection before the
// run, and as an oracle for captures.
#pragma once

#include <vector>

#include "card/flow.h"

namespace plumbline::session {

// Complete with tag (sequence 0), ICRC and FCS. The departure time in the tag is the flow's first
// due time, counted from the common start of the trial.
std::vector<std::uint8_t> firstFrame(const card::FlowConfig& flow);

}  // namespace plumbline::session
