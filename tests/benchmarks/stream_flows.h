// Streams that load a port of the card: for the tests of the whole card and for line_rate_bench.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "card/flow.h"
#include "wire/template.h"

namespace plumbline::hw_test {

// The port at the other end of a port's wire: 0 and 1 are joined, 2 and 3, …
constexpr std::uint32_t neighbour(std::uint32_t port) { return port ^ 1U; }

// Test streams: addresses of the benchmark range, one per port.
wire::StreamTemplateSpec udpStream(std::uint32_t from_port, std::uint32_t length);
wire::StreamTemplateSpec roceStream(std::uint32_t from_port, std::uint32_t length);

// The card's flow for a stream, counted in `row` and `group` at its receiver. The caller sets its
// schedule.
card::FlowConfig makeFlow(const wire::StreamTemplateSpec& stream, std::uint32_t row,
                          std::uint32_t group = 0);

// `frames` frames at `rate` of the line rate, the first at `first_due`.
void setConstantRate(card::FlowConfig& flow, Fraction rate, std::uint32_t frames,
                     Picoseconds first_due = {});

// BTH opcodes of the frames after a WRITE message's first one.
inline constexpr std::uint8_t kRcWriteMiddle = 0x07;
inline constexpr std::uint8_t kRcWriteLast = 0x08;

// WRITE messages of `frames` frames of `length` bytes on `pairs` queue pairs, each with a row of
// its own at the receiver.
card::FlowConfig writeFlow(std::uint32_t port, std::uint32_t length, std::uint32_t pairs,
                           std::uint32_t frames);
// The same with 16 queue pairs and messages of four frames; or, of a length too short for the test
// tag, SEND frames without one.
card::FlowConfig roceFlow(std::uint32_t port, std::uint32_t length);
// UET requests of RUD on `pdcs` contexts, without SES headers and test tag if the length has no
// room for them.
card::FlowConfig uetFlow(std::uint32_t port, std::uint32_t length, std::uint32_t pdcs);

}  // namespace plumbline::hw_test
