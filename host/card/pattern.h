// Features of a flow beyond one frame at a constant period: drawn or listed gaps, queue pairs in
// turns, messages of several frames (docs/card.md, "Patterns" and "Messages").
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/units.h"
#include "card/rate.h"
#include "card/registers.h"

namespace plumbline::card {

// Entries of a port's gap list and of its queue pair list, shared by its flows.
inline constexpr std::uint32_t kGapEntries = 4096;
inline constexpr std::uint32_t kQueuePairEntries = 4096;

// Every burst uses the flow's period.
struct ConstantGaps {};

// A Poisson stream: gaps drawn by the card from an exponential distribution, the same ones for the
// same seed. `mean` is below 2^43 ps.
struct ExponentialGaps {
  FinePeriod mean;
  std::uint64_t seed = 0;
};

// The gaps from one frame's due time to the next, in order and cyclically; each is used `repeat`
// times (1 to 65535). A burst of gaps.size() * repeat + 1 frames restarts the list with every
// burst.
struct GapList {
  std::vector<FinePeriod> gaps;
  std::uint32_t repeat = 1;
};

using Gaps = std::variant<ConstantGaps, ExponentialGaps, GapList>;

// A ramp: gaps of frames of `frame` bytes (with FCS) whose rate goes from `from` to `to` of the
// line rate in `steps` equal steps of the rate (both ends included), `frames` gaps each. Throws
// Error(kUsage) for rates that framePeriod() refuses, or a number of steps other than 2 to
// kGapEntries.
GapList rateRamp(Bytes frame, BitRate line, Fraction from, Fraction to, std::uint32_t steps,
                 std::uint32_t frames);

// A RoCEv2 queue pair, or a packet delivery context of UET.
struct QueuePair {
  std::uint32_t number = 0;  // destination QP; for UET SPDCID << 16 | DPDCID
  std::uint32_t first_psn = 0;
};

struct QueuePairs {
  std::vector<QueuePair> pairs;
  // Order of turns, as indices of `pairs`, cyclically; empty: each once, in order. A pair with more
  // turns gets a larger share.
  std::vector<std::uint32_t> turns;
  // A turn is one frame (interleaving the messages of all pairs); false: one message.
  bool by_frame = false;
  // Pair i is counted in receive row FlowConfig::row + i, by its own frame numbers.
  bool row_per_pair = false;
};

// A frame of a message after its first.
struct MessagePart {
  std::vector<std::uint8_t> head;  // as FlowConfig's
  std::uint32_t length = 64;
  std::uint32_t payload_offset = 0;
  std::uint32_t tag_offset = 0;
};

// Messages of `frames` frames (2 to 65535): the flow's own, then `middle` ones, then `last`.
struct Message {
  std::uint32_t frames = 2;
  MessagePart middle;
  MessagePart last;
};

// Frames sent of a queue pair, from an entry of the queue pair list as read back.
std::uint64_t sentOf(const regs::TableRow& row);

}  // namespace plumbline::card
