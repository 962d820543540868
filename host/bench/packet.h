// What the simulated switches see of a frame of the card.
#pragma once

#include <cstdint>

#include "fabric/fabric.h"
#include "wire/frame.h"

namespace plumbline::bench {

// Hash of the fields that ECMP looks at: addresses, protocol and UDP ports. Equal for frames of one
// flow whatever else differs.
std::uint64_t flowHash(const wire::DecodedFrame& frame);

// Priority of a frame: PCP when it is tagged, else the class of its DSCP (its top three bits).
std::uint8_t priorityOf(const wire::DecodedFrame& frame);

// The packet for `frame` to `destination`, without a cookie.
fabric::Packet packetOf(const wire::DecodedFrame& frame, fabric::HostId destination);

}  // namespace plumbline::bench
