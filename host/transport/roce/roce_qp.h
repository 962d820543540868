// State of a RoCE endpoint: of a queue pair, of an open message, of a READ to answer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "transport/application.h"
#include "transport/roce/roce_pool.h"

namespace plumbline::transport {

// Packets of a QP are numbered from 0 with 64 bits; PSNs are these numbers modulo 2^24.
using PacketNumber = std::int64_t;

// A message at its poster, until it is complete. Has the packet numbers [first, end); for a READ,
// those of its responses.
struct OpenMessage {
  std::uint64_t bytes = 0;
  Picoseconds posted;
  PacketNumber first = 0;
  PacketNumber end = 0;
  std::uint32_t tag = 0;
  std::uint32_t following = kNone;  // the QP's next message
  Verb verb = Verb::kWrite;
};

// A READ request at the responder, until its last response has been sent.
struct ReadJob {
  PacketNumber next = 0;
  PacketNumber end = 0;
  std::uint64_t bytes_left = 0;
  std::uint32_t following = kNone;
  bool started = false;
  bool repeated = false;  // requested again after a loss
};

// Packets of one QP that arrived before their predecessors, by number modulo the size.
struct ReorderBuffer {
  struct Slot {
    std::uint64_t extra = 0;
    std::uint32_t aux = 0;
    std::uint8_t code = 0;
    bool present = false;
  };
  std::vector<Slot> slots;
  std::uint32_t count = 0;
};

// Both halves of a queue pair: it sends (requests and READ responses) and receives. The sending
// half comes first, with the fields that every packet needs at the beginning.
struct alignas(64) Qp {
  enum class State : std::uint8_t {
    kIdle,   // nothing to send, or the window is closed
    kReady,  // in the round
    kPaced,  // in the heap of QPs that must not send yet
  };

  PacketNumber next = 0;            // to send
  PacketNumber acknowledged = 0;    // everything below is at the receiver
  PacketNumber highest = 0;         // everything below was sent at least once
  PacketNumber posted = 0;          // everything below belongs to a message
  PacketNumber awaited = -1;        // the last packet that requested an ACK
  Picoseconds deadline = kNever;    // when the answer is overdue
  Picoseconds timer_at = kNever;    // of its entry in the heap of timeouts
  Picoseconds eligible{};           // must not send before
  Picoseconds started{};            // its last data frame
  std::uint32_t started_bytes = 0;  // of which, with preamble and gap
  std::uint32_t head = kNone;       // oldest open message
  std::uint32_t cursor = kNone;     // the message that `next` belongs to
  std::uint32_t tail = kNone;       // newest
  std::uint32_t job_head = kNone;
  std::uint32_t job_tail = kNone;
  std::uint32_t rate = kNone;  // DCQCN state; none while it sends at line rate
  std::uint32_t flow_hash = 0;
  std::uint16_t peer = 0;
  std::uint8_t flow = 0;
  State state = State::kIdle;
  bool posts_data = false;  // SENDs or WRITEs
  bool posts_reads = false;
  bool failed = false;
  bool recovering = false;     // READ responses were requested again, no progress since
  std::uint32_t timeouts = 0;  // in a row
  std::uint64_t lost = 0;      // selective repeat: bit i = retransmit lost_base + i
  PacketNumber lost_base = 0;
  PacketNumber judged = 0;  // loss of the packets below has been decided

  std::uint64_t packets_sent = 0;
  std::uint64_t packets_retransmitted = 0;
  std::uint64_t payload_done = 0;   // of messages that are done
  Picoseconds first_sent = kNever;  // data
  Picoseconds last_completion{};
  std::uint64_t read_bytes = 0;  // of the READ whose responses are arriving

  PacketNumber expected = 0;
  std::uint64_t message_bytes = 0;  // of the message that is arriving
  std::uint64_t payload_received = 0;
  Picoseconds cnp_allowed{};
  Picoseconds last_arrival{};  // of payload
  std::uint32_t reorder = kNone;
  bool nak_sent = false;    // for `expected`
  bool nak_wanted = false;  // the queued acknowledgement must be a NAK
  bool ack_queued = false;
  bool ack_after_read = false;  // an ACK waits for READ responses that must precede it
  bool cnp_queued = false;
  bool in_message = false;  // UC: all its packets so far have arrived
  bool received = false;    // ever
  std::uint64_t ce_received = 0;
};

}  // namespace plumbline::transport
