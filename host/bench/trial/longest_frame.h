// The longest data frames of a transport and of a trial, and their payload.
#pragma once

#include "base/units.h"
#include "bench/json/transport_json.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// A full data packet with all its headers and FCS: for RoCE the first of a Write (with RETH), for
// UET a request of its service.
Bytes longestFrame(const TransportSpec& transport);

// Payload of such a packet.
Bytes packetPayload(const TransportSpec& transport);

// Of the frames that the hosts and the streams of a trial send; zero for a trial without either.
Bytes longestFrame(const TrialSpec& spec);

}  // namespace plumbline::bench
