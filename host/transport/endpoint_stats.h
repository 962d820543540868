// Counters of an endpoint. Observation point: endpoint software (modelled).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "stats/histogram.h"

namespace plumbline::transport {

enum class ProtocolId : std::uint8_t;  // protocol.h

// Of one host and protocol since the beginning. Every data packet sent is counted once at its
// sender, every packet that arrives at its receiver.
struct EndpointStats {
  std::uint64_t data_sent = 0;         // data packets, retransmissions included
  std::uint64_t bytes_sent = 0;        // their frame bytes
  std::uint64_t retransmitted = 0;     // data packets sent again
  std::uint64_t control_sent = 0;      // ACK, NACK, CNP, credit, READ requests, …
  std::uint64_t data_received = 0;     // data packets, duplicates included, trimmed ones not
  std::uint64_t payload_received = 0;  // bytes, each byte of a message once: goodput
  std::uint64_t duplicates = 0;
  // Data packets that arrived before one sent earlier. Of services without recovery (UC, UUD),
  // after one sent later: a missing packet may be lost.
  std::uint64_t out_of_order = 0;
  std::uint64_t discarded = 0;    // arrived, but the service discards it (go-back-N)
  std::uint64_t ce_received = 0;  // of data_received, those with CE
  std::uint64_t trimmed_received = 0;
  std::uint64_t cnp_sent = 0;
  std::uint64_t cnp_received = 0;
  std::uint64_t nack_received = 0;  // sequence NAKs and UET NACKs
  std::uint64_t timeouts = 0;
  std::uint64_t messages_completed = 0;  // by their poster; unacknowledged services: sent
  std::uint64_t messages_failed = 0;
  // UET with receiver credit: nominal bytes that destinations granted, and nominal bytes of the
  // data that arrived at them, each packet once.
  std::uint64_t credit_granted = 0;
  std::uint64_t credited_bytes = 0;
  Picoseconds first_nack = fabric::kNever;    // arrival of the first of nack_received
  Picoseconds first_resent = fabric::kNever;  // first bit of the first of `retransmitted`
  stats::Histogram latency;  // one-way of data packets, first bit to first bit [ps]

  void merge(const EndpointStats& other);
};

// Of one flow (QP, PDC or stream) at the sender of its data, or at their receiver: one of the two
// halves is zero. The data of a READ flow from the responder to the poster.
struct FlowStats {
  ProtocolId protocol{};     // each protocol numbers its flows itself
  bool posts_data = false;   // messages whose data leave here were posted here
  bool posts_reads = false;  // READs were posted here
  bool gave_up = false;      // messages that were posted here
  fabric::HostId peer = 0;
  std::uint32_t flow = 0;  // number within the pair
  // Receiver of an unacknowledged service: of all messages up to this number (Completion::number)
  // the last packet, or a later one of the flow, has arrived. 0: of none is that known.
  std::uint32_t passed = 0;
  std::uint64_t payload_acknowledged = 0;  // bytes; unacknowledged services: sent
  std::uint64_t packets_sent = 0;          // retransmissions included
  std::uint64_t packets_retransmitted = 0;
  std::uint64_t payload_received = 0;
  std::uint64_t ce_received = 0;              // data packets with CE
  Picoseconds first_posted = fabric::kNever;  // first message of either kind
  Picoseconds first_sent = fabric::kNever;    // first data frame (sender)
  // Last completion, of a message given up as well (sender); last frame sent (sender of a stream);
  // last arrival of payload (receiver).
  Picoseconds last_done{};
};

}  // namespace plumbline::transport
