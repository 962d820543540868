// The frames of a stream as the card sends them: headers, and the fields that change from frame to
// frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "card/flow.h"

namespace plumbline::bench {

// Queue pairs of a stream that the card can distinguish; streams never share one.
inline constexpr std::uint32_t kQueuePairsPerStream = 4096;

// Smallest frame that holds the headers of stream number `index` and a test tag.
std::uint32_t minimumFrame(const StreamSpec& stream, std::uint32_t index);

// Why the stream's headers, entropy or queue pairs are invalid; nothing when they are valid. For a
// frame of at least minimumFrame().
std::optional<std::string> headerRefusal(const StreamSpec& stream, std::uint32_t index);

// Bytes of the stream's first `frames` frames, FCS included.
std::uint64_t bytesSent(const StreamSpec& stream, std::uint64_t frames);

// The parts of the flow that follow from the frame: templates and field offsets, queue pairs,
// message, entropy, priority.
card::FlowConfig flowOf(const StreamSpec& stream, std::uint32_t index);

}  // namespace plumbline::bench
