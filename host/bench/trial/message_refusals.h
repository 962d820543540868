// What benches whose streams are messages (Capabilities::messages) cannot do.
#pragma once

#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// Payload of a stream's first frame: without the headers that its format has on the wire.
Bytes firstPayload(const StreamSpec& stream);
// Frames of a stream's message, and its bytes: the payload of all of them together.
std::uint32_t messageFrames(const StreamSpec& stream);
Bytes messageBytes(const StreamSpec& stream);

// Why messages between endpoints' software cannot be such a trial, one sentence each.
std::vector<std::string> messageRefusals(const TrialSpec& spec, const Capabilities& capabilities);

}  // namespace plumbline::bench
