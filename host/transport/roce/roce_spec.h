// Parameters of a RoCEv2 endpoint: plain data, filled from a scenario. The equations behind the
// parameters are in docs/model/roce.md.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::transport {

// Reliable and unreliable connection.
enum class RoceService : std::uint8_t { kRc, kUc };

// How an RC receiver treats a packet that arrives before its predecessor.
enum class RoceRecovery : std::uint8_t {
  kGoBackN,          // discards it; the sender repeats the missing packet and all that follow
  kSelectiveRepeat,  // keeps it and reports which packets it has (vendor feature)
};

// DCQCN of sender (reaction point) and receiver (notification point). Defaults are the paper's.
struct DcqcnSpec {
  bool enabled = false;  // off: line rate, and no CNP is sent
  // Notification point: at most one CNP per QP in this time. 0 = one for every marked packet.
  Picoseconds cnp_interval = microseconds(50);

  // Reaction point. CNPs within this time after the last effective one have no effect.
  Picoseconds decrease_interval = microseconds(50);
  double initial_alpha = 1.0;
  double g = 1.0 / 256;         // gain of alpha
  double min_alpha = 0.0;       // alpha never decays below
  double cut_weight = 0.5;      // Rc falls by alpha * cut_weight ("gd")
  double min_cut_factor = 0.5;  // but at most to this share of itself in one cut
  Picoseconds alpha_period = microseconds(55);
  Picoseconds increase_period = microseconds(55);
  std::int64_t increase_bytes = 10'000'000;  // byte counter; 0 = no byte counter
  std::uint32_t fast_recovery_steps = 5;     // F
  BitRate additive_increase{40'000'000};
  BitRate hyper_increase{200'000'000};
  bool scaled_hyper_increase = false;  // the k-th hyper step in a row adds k times as much
  BitRate min_rate{10'000'000};
  BitRate max_rate{};        // 0 = line rate
  BitRate first_cnp_rate{};  // the first CNP sets this rate instead of cutting; 0 = it cuts
  // Every cut sets the target rate to the rate before it. If false, only a cut after an increase by
  // the byte counter does, or, with the second flag, after one by the timer.
  bool clamp_target = true;
  bool clamp_target_after_timer = true;

  static DcqcnSpec paper();   // Zhu et al., SIGCOMM 2015, 40 Gb/s
  static DcqcnSpec nvidia();  // defaults of ConnectX NICs
  static DcqcnSpec hpcc();    // defaults of the HPCC authors' simulator
};

// Connection management over the wire: REQ, REP and RTU of the InfiniBand connection manager, UD
// packets with a MAD of 256 bytes between the QPs 1 of both hosts (InfiniBand Architecture vol. 1,
// ch. 12 and 13; Annex A17). Docs: docs/model/roce.md, "Connection management".
struct RoceCmSpec {
  // Time that a host's driver and firmware need for one step of one connection: creating the QP
  // before REQ; creating it and bringing it to RTS before REP; bringing it to RTS after REP. A host
  // executes one step at a time, in order of arrival.
  Picoseconds processing = microseconds(500);
  Picoseconds response_timeout = nanoseconds(std::int64_t{4096} << 20);  // of a REQ
  std::uint32_t retries = 15;       // of a REQ, until the connection fails
  std::uint8_t priority = 0;        // of the management packets
  std::uint32_t max_qps = 131'072;  // of a host; a REQ beyond is rejected (REJ)
};

struct RoceSpec {
  RoceService service = RoceService::kRc;
  RoceRecovery recovery = RoceRecovery::kGoBackN;

  // Frames.
  std::uint32_t path_mtu = 4096;  // payload of a full packet: 256, 512, 1024, 2048 or 4096
  bool vlan = false;              // 802.1Q tag
  bool ipv6 = false;
  bool ect = true;  // data and ACKs may be marked; CNPs never
  std::uint8_t data_priority = 3;
  std::uint8_t ack_priority = 3;
  std::uint8_t cnp_priority = 6;
  // Every data packet of a QP has an entropy value of its own, instead of one value for the QP.
  bool spray = false;
  // All QPs between two hosts have one UDP source port, hence one 5-tuple: only switches that also
  // hash the destination QP distinguish them. If false, each QP has its own port.
  bool shared_source_port = false;

  // RC.
  std::uint32_t first_psn = 0;  // of every QP
  // Packets that request an ACK: every n-th, the last one of a message, and the one that closes the
  // window. 0 = without every n-th.
  std::uint32_t ack_every = 16;
  std::uint32_t window_packets = 0;  // outstanding per QP; 0 = 2^22, half of what PSNs allow
  // Bytes of a selective NAK's bitmap beyond an ACK's frame, and the number of packets that a
  // receiver keeps.
  std::uint32_t selective_nak_bytes = 8;
  std::uint32_t reorder_packets = 1024;  // a power of two, 64 or more
  // Selective repeat: a packet counts as lost when one sent more than this many packets later has
  // arrived.
  std::uint32_t reorder_tolerance = 0;
  Picoseconds ack_timeout = localAckTimeout(8);
  bool exponential_backoff = true;                    // each timeout in a row doubles the next one,
  Picoseconds max_ack_timeout = localAckTimeout(14);  // up to this
  std::uint32_t retry_count = 7;                      // timeouts in a row; one more fails the QP

  // Setup of a QP when its first message is posted. Without `cm`: out of band, over a network that
  // is not modelled, which takes `setup_time`; 0 = QPs exist before the trial begins.
  Picoseconds setup_time{};
  std::optional<RoceCmSpec> cm;

  DcqcnSpec dcqcn;

  // The InfiniBand time of a "local ACK timeout" code 1 to 31.
  static constexpr Picoseconds localAckTimeout(unsigned code) {
    return nanoseconds(std::int64_t{4096} << code);
  }
};

// Throws Error(kUsage) naming the parameter and its limits.
void validate(const DcqcnSpec& spec);
void validate(const RoceCmSpec& spec);
void validate(const RoceSpec& spec);

}  // namespace plumbline::transport
