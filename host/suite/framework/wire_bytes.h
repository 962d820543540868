// Bytes of messages on a link, by the headers of their transport.
#pragma once

#include <cstdint>

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Bytes of a message of this size on the sender's link: frames of all packets with preamble and gap
// [B], without acknowledgements.
std::int64_t wireBytesOf(const bench::TransportSpec& transport, Bytes message);

// Payload of full packets in the middle of a message over their bytes on the link, preamble and gap
// included: the largest share of the line rate that payload can have.
double payloadShareOf(const bench::TransportSpec& transport);

}  // namespace plumbline::suite
