// What the simulated switches see of a frame of the card.
#pragma once

#include <cstdint>

#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "wire/frame.h"

namespace plumbline::bench {

// DSCPs of packet trimming. The Ultra Ethernet specification leaves them to the operator; the
// switches of the simulated DUT are configured with these.
inline constexpr std::uint8_t kTrimmableDscp = 26;  // of packets that may be trimmed
inline constexpr std::uint8_t kTrimmedDscp = 27;    // of packets that were

// Packet::opcode of the card's frames: distinct from all opcodes of simulated hosts.
inline constexpr std::uint8_t kCardFrameOpcode = 0xC0;

// Hash of the fields that ECMP uses: addresses, protocol and UDP ports. Equal for frames of one
// flow whatever else differs.
std::uint64_t flowHash(const wire::DecodedFrame& frame);

// Priority of a frame: PCP when it is tagged, else the class of its DSCP (its top three bits).
std::uint8_t priorityOf(const wire::DecodedFrame& frame);
// The same for the frames of a stream.
std::uint8_t priorityOf(const FrameFormat& format);

// The packet for `frame` to `destination`, without a cookie. `connection` and `psn` come from the
// BTH; zero in a frame without one.
fabric::Packet packetOf(const wire::DecodedFrame& frame, fabric::HostId destination);

}  // namespace plumbline::bench
