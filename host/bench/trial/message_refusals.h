// Limits of benches whose streams are messages (Capabilities::messages).
#pragma once

#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// Payload of a stream's first frame: without the headers of its format on the wire.
Bytes firstPayload(const StreamSpec& stream);
// Frames of a stream's message, and its bytes: the total payload of these frames.
std::uint32_t messageFrames(const StreamSpec& stream);
Bytes messageBytes(const StreamSpec& stream);

// Why endpoint software cannot carry out such a trial with messages, one sentence each.
std::vector<std::string> messageRefusals(const TrialSpec& spec, const Capabilities& capabilities);

}  // namespace plumbline::bench
