// One trial: what to send through which DUT for how long (TrialSpec), and what was seen
// (TrialResult). Declarative and bench-neutral: nothing here knows a register.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "bench/fabric_result.h"
#include "bench/samples.h"
#include "bench/transport_json.h"
#include "fabric/fabric_spec.h"
#include "stats/histogram.h"
#include "workload/workload_spec.h"

namespace plumbline::bench {

// Where a value was observed (METHODOLOGY, FACTS H.2). Values of different points are never mixed.
enum class ObservationPoint { kTester, kDutReported, kEndpointSoftware, kModelled };

// What follows the UDP header. Every frame carries the card's test tag directly behind it.
enum class Transport {
  kUdp,        // plain UDP test frame: smallest tagged frame is 64 bytes
  kRoceSend,   // RoCEv2 RC SEND Only
  kRoceWrite,  // RoCEv2 RC RDMA WRITE Only (BTH + RETH)
};

struct FrameFormat {
  Transport transport = Transport::kRoceWrite;
  bool ipv6 = false;
  std::optional<std::uint16_t> vlan_id;  // 802.1Q tag with PCP = priority
  std::uint8_t priority = 3;
  std::uint8_t dscp = 26;
  bool ect = true;
  std::uint32_t qps = 1;  // destination QPs in round robin, each with its own UDP source port
};

// Frames at a constant rate from the first to the end of the trial's duration.
struct ConstantLoad {
  Fraction rate;  // of the port's line rate, preamble and gap included (L1)
};

// `bursts` bursts of `frames` frames at minimum gap plus `extra_gap`, their starts `interval`
// apart.
struct BurstLoad {
  std::uint32_t frames = 1;
  Bytes extra_gap{0};
  std::uint32_t bursts = 1;
  Picoseconds interval{};
};

struct StreamSpec {
  std::string name;
  std::uint32_t from = 0;  // tester port = host of the DUT
  std::uint32_t to = 0;
  FrameFormat format;
  Bytes frame{64};  // including FCS
  std::variant<ConstantLoad, BurstLoad> load;
  Picoseconds start{};      // after the common start of all ports
  std::uint32_t group = 0;  // latencies of streams of one group are counted together
};

// Permission to fast-forward a trial that has more packets than this (fast_forward.h).
struct FastForwardSpec {
  std::uint64_t packets = 250'000'000;  // of data, simulated at most
};

struct TrialSpec {
  fabric::FabricSpec dut;
  std::vector<StreamSpec> streams;
  Picoseconds duration{};                     // during which constant loads send
  Picoseconds drain = microseconds(20);       // wait for residual frames afterwards
  std::optional<std::uint32_t> capture_port;  // capture every frame of this port, both directions
  std::optional<TransportSpec> transport;     // of simulated hosts
  std::optional<workload::WorkloadSpec> workload;  // of simulated hosts
  std::optional<FastForwardSpec> fast_forward;
  std::optional<SamplingSpec> sampling;  // of a trial all of whose hosts are simulated

  // Canonical JSON of everything above: equal text means equal trial. Used as the key under which
  // a result is stored and found again on resume.
  [[nodiscard]] std::string toJson() const;
};

struct StreamResult {
  std::string name;
  std::uint64_t sent_frames = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_frames = 0;  // duplicates included
  std::uint64_t received_bytes = 0;
  std::uint64_t lost = 0;  // sent and never received: exact, from sequence numbers
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  std::uint64_t stale = 0;
  std::uint64_t ce = 0;
  std::uint64_t bad_icrc = 0;
  std::uint64_t misdelivered = 0;  // received at a port other than `to`
};

struct PriorityCounters {
  std::uint64_t rx_xoff = 0;
  std::uint64_t rx_xon = 0;
  Picoseconds paused;
};

struct PortResult {
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_late = 0;
  Picoseconds tx_late_max;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t fcs_errors = 0;
  std::uint64_t icrc_errors = 0;
  std::uint64_t untagged = 0;
  std::array<PriorityCounters, 8> priority{};
};

struct GroupLatency {
  std::uint32_t group = 0;
  stats::Histogram histogram;  // one-way, first bit to first bit, ps
};

// What the DUT itself says. On a simulated DUT its observation point is kModelled.
struct DutPort {
  std::string name;  // "leaf0 port 2"
  std::uint64_t packets = 0;
  std::uint64_t drops = 0;
  Bytes max_queue;
};

struct TrialResult {
  std::string bench;  // "rtl", …
  ObservationPoint observed = ObservationPoint::kTester;
  std::vector<StreamResult> streams;  // in the order of the spec
  std::vector<PortResult> ports;
  std::vector<GroupLatency> latency;  // ascending groups that saw frames
  ObservationPoint dut_observed = ObservationPoint::kModelled;
  std::vector<DutPort> dut;
  // What the simulated fabric and hosts saw; benches that simulate all of it have it.
  std::optional<FabricResult> fabric;
  std::vector<std::string>
      faults;               // why the trial is not valid (late start, overflow, …); empty = valid
  Picoseconds card_time;    // card time that passed
  double wall_seconds = 0;  // what it took; not part of reproducible output

  [[nodiscard]] bool valid() const { return faults.empty(); }
  [[nodiscard]] std::uint64_t lost() const;  // over all streams

  [[nodiscard]] std::string toJson() const;
  // Throws Error(kTester) for text that toJson() did not write.
  static TrialResult fromJson(const std::string& text);
};

}  // namespace plumbline::bench
