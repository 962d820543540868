// A packet simulator with minimal features, as a reference for the full model's speed: see
// docs/simulation-speed.md. It shares no code with the model.
#pragma once

#include <cstdint>
#include <vector>

namespace plumbline::minimal {

// Fixed network: 128 hosts, 16 on each of 8 leaves, every leaf with a link to each of 16 spines;
// 400 Gb/s and 1 us everywhere, 600 ns in a switch, store-and-forward. Every data packet carries
// 4096 bytes.
constexpr std::uint32_t kHosts = 128;
constexpr std::uint32_t kHostsPerLeaf = 16;
constexpr std::uint32_t kPayload = 4096;

struct Message {
  std::uint16_t from = 0;
  std::uint16_t to = 0;
  std::uint32_t packets = 0;
};

struct Outcome {
  bool finished = false;           // every packet of every message acknowledged
  std::int64_t end_ps = 0;         // arrival of the last acknowledgement
  std::uint64_t hops = 0;          // packets of any kind that crossed a link
  std::uint64_t data_sent = 0;     // by hosts, including retransmissions
  std::uint64_t delivered = 0;     // data packets that arrived whole
  std::uint64_t sequence_sum = 0;  // of their places in their messages
  std::uint64_t trimmed = 0;       // data packets that a switch cut
  std::uint64_t marked = 0;        // data packets that a switch marked
  std::uint64_t answers = 0;       // ACKs and NACKs that arrived
};

// Sends the messages, those of a host in the order of the list and at most `at_once` of a host at a
// time, until all are acknowledged or no packet moves any more. All begin at time 0.
Outcome run(const std::vector<Message>& messages, std::uint32_t at_once);

// The messages of scenarios/bench/: `senders` hosts on all leaves in turn to host 0; from every
// host to the host of the same place on the next leaf; from every host to every other one, those
// after itself first.
std::vector<Message> incast(std::uint32_t senders, std::uint32_t packets);
std::vector<Message> permutation(std::uint32_t packets);
std::vector<Message> allToAll(std::uint32_t packets);

}  // namespace plumbline::minimal
