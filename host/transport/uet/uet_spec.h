// Parameters of the Ultra Ethernet endpoint model: plain data, filled from a scenario. Equations
// and sources are in docs/model/uet.md; "A.6.2" and the like are sections of the fact sheet it
// names.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace plumbline::transport {

// How packets of a message are delivered (UE transport, packet delivery sublayer).
enum class UetService : std::uint8_t {
  kRod,   // reliable, ordered: go-back-N, one path
  kRud,   // reliable, unordered: every packet tracked by itself, any path
  kRudi,  // reliable, unordered, idempotent: no PDC, every packet answered
  kUud,   // unreliable, unordered: sent and forgotten
};

enum class UetCongestionControl : std::uint8_t {
  kNone,      // a fixed window per destination
  kNscc,      // network signals, window at the source (A.6.2)
  kRccc,      // credit of the destination (A.6.3)
  kNsccRccc,  // both must permit
  kSwift,     // delay, window at the source (Kumar et al. 2020); no part of UET
};

// How the entropy value (UDP source port) of a packet is chosen (A.6.4). From kBitmap on the choice
// depends on feedback about packets.
enum class UetEntropyPolicy : std::uint8_t {
  kConstant,    // one value per PDC; what ROD always does
  kOblivious,   // walk round the set, XOR with a new value in every pass
  kRandom,      // independent for every packet
  kRoundRobin,  // walk round the set
  kBitmap,      // walk round the set, skipping values under a penalty
  kReps,        // reuse values of packets that came through unmarked
};

struct UetEntropySpec {
  UetEntropyPolicy policy = UetEntropyPolicy::kOblivious;
  std::uint16_t set_size = 256;     // values to choose from; power of two, 1 to 32768
  std::uint8_t reps_buffer = 8;     // cached values of kReps, 1 to 64
  std::uint16_t reps_explore = 16;  // packets on random values at the start and after freezing
  Picoseconds reps_freezing = milliseconds(10);  // how long after a timeout
  std::uint8_t bitmap_ecn_penalty = 1;           // kBitmap: rounds that a value is skipped
  std::uint8_t bitmap_nack_penalty = 4;
  std::uint8_t bitmap_max_penalty = 15;  // limit, and the penalty of a timeout
};

// Factors of NSCC (A.6.2). Rate, base RTT and MTU of the network are added at run time.
struct NsccSpec {
  Bytes reference_bdp{150'000};  // 100 Gb/s × 12 µs
  Picoseconds reference_rtt = microseconds(12);
  std::optional<Picoseconds> target_qdelay;  // 0.75 base RTT with trimming, else 1.0
  double alpha = 4.0;                        // × MTU·scaling_a·scaling_b / target_qdelay
  double fair_increase = 5.0;                // × MTU·scaling_a
  double eta = 0.15;                         // × MTU·scaling_a
  double fast_increase = 0.25;               // × scaling_a
  double gamma = 0.8;
  double max_md_jump = 0.5;
  double delay_gain = 0.0125;                 // weight of a sample in avg_delay
  std::uint8_t qa_gate = 3;                   // quick adapt below max_wnd / 2^gate
  double qa_threshold = 4.0;                  // × target_qdelay
  double adjust_bytes = 8.0;                  // × MTU
  std::optional<Picoseconds> adjust_period;   // base RTT
  Picoseconds zero_qdelay = microseconds(1);  // queueing delay up to this counts as none
  double max_window = 1.5;                    // × BDP; also the initial window
};

// Receiver credit (A.6.3).
struct RcccSpec {
  Bytes grant{16'384};                    // most that one grant gives; multiple of 256
  Fraction pace = Fraction::percent(99);  // share of the link rate at which credit is granted
  double max_window = 1.5;                // × BDP; also the speculative credit at the start
};

// Factors of Swift.
struct SwiftSpec {
  std::optional<Picoseconds> target_qdelay;  // base RTT
  double flow_range = 0.5;                   // × target_qdelay: most that flow scaling adds
  double flow_min_window = 0.1;              // packets, up to which the full range is added
  double flow_max_window = 100;              // packets, from which on nothing is added
  double additive_increase = 1;              // × MTU per round trip
  double beta = 0.8;                         // of the multiplicative decrease
  double max_mdf = 0.5;                      // most that one decrease takes
  double max_window = 1.5;                   // × BDP; also the initial window
};

// Cost of opening PDCs for an initiator (A.5.1: the first packets open them, without a handshake;
// the sources give neither table sizes nor times).
struct PdcSetupSpec {
  // Time for which the NIC fills in the context of a PDC before its first packet; one at a time.
  // Our choice.
  Picoseconds context_time = nanoseconds(100);
  // PDCs without an answer of their target at a time; others wait. Our choice.
  std::uint32_t max_pending = 256;
};

struct UetSpec {
  static constexpr Picoseconds kMaxRto = seconds(8);

  UetService service = UetService::kRud;

  // Encapsulation (A.1.1).
  std::uint16_t mtu_payload = 4096;  // bytes, 256 to 8192
  bool crc = false;                  // 4-byte UET trailer
  bool ipv6 = false;
  std::uint8_t data_priority = 0;     // traffic class of data
  std::uint8_t control_priority = 6;  // of ACK, NACK and control packets
  bool ecn = true;                    // data is sent as ECT
  bool trimming = true;               // data may be trimmed; also sets NSCC's target delay

  // PDCs (A.5).
  std::uint16_t mp_range = 1024;   // PSNs that may be outstanding; multiple of 128 on the wire
  std::uint32_t max_pdcs = 65535;  // open at a time, in either role, per host; ids have 16 bits
  std::optional<PdcSetupSpec> pdc_setup;   // without it, opening a PDC costs nothing
  std::optional<std::uint32_t> start_psn;  // of every PDC; random by default
  // An idle PDC is closed after this time; fabric::kNever: never.
  Picoseconds close_after = microseconds(100);
  Picoseconds linger = milliseconds(1);  // time for which a closed PDC's id stays reserved
  // Time after which a target forgets a peer that should have closed; RUDI, UUD: that fell silent.
  Picoseconds target_expiry = milliseconds(200);
  Picoseconds no_pdc_retry = microseconds(20);  // wait after NACK NO_PDC_AVAIL

  // Acknowledgement (A.5.3, A.5.4).
  std::uint32_t ack_trigger_bytes = 16'384;  // ACK_Gen_Trigger
  std::uint32_t ack_min_add_bytes = 1'024;   // ACK_Gen_Min_Pkt_Add
  // Time after which a target acknowledges data that no other rule has acknowledged: the source may
  // have stopped after a packet that was not meant to be its last. Our choice; 0 = wait for more.
  Picoseconds ack_delay = microseconds(4);
  bool ack_on_ecn = true;             // ACK_On_ECN
  bool ack_per_packet = false;        // Enb_ACK_Per_Pkt
  std::uint8_t receiver_penalty = 0;  // rcv_cwnd_pend that targets report, 0 to 127

  // Loss.
  Picoseconds rto = milliseconds(1);  // RTO_Init_Time; doubles with every timeout in a row
  std::uint8_t max_rto_retries = 5;   // Max_RTO_Retx_Cnt, 0 to 15; one more fails the PDC
  std::uint8_t max_nack_retries = 0;  // of one packet; 0 = no limit
  // RUD: a packet counts as lost when one that was sent this many packets later is acknowledged. 0
  // = never (wait for a NACK or the timeout).
  std::uint16_t loss_gap = 256;

  // Congestion management.
  UetCongestionControl congestion_control = UetCongestionControl::kNscc;
  Picoseconds base_rtt = microseconds(12);  // of the idle network, ACK included
  double fixed_window = 1.5;                // × BDP; kNone, and RUDI always
  NsccSpec nscc;
  RcccSpec rccc;
  SwiftSpec swift;
  UetEntropySpec entropy;
};

// Throws Error(kUsage) for the first field out of range; `where` is the field's name.
void validate(const UetSpec& spec);

}  // namespace plumbline::transport
