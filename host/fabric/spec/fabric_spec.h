// What a simulated device under test is made of: plain data, filled from a scenario. The models
// behind the parameters are described, with sources, in docs/fabric-model.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/spec/load_balancing.h"

namespace plumbline::fabric {

enum class TopologyKind {
  kLink,          // two hosts, one bare link between them; no switch
  kSingleSwitch,  // `hosts` hosts on one switch
  kClos2,         // topology A: `leaves` × `spines`, `hosts_per_leaf` hosts on each leaf
  kClos3,         // topology B: `pods` pods, each a clos2 of its own; `superspines` above them
  kRail,          // topology C: `servers` servers of `rails` NICs; NIC r of every server hangs on a
                  // leaf of rail r. Host number = server * rails + rail
  kPools,         // topology C': prefill and decode servers on separate leaves
  kGraph,         // nodes and links as listed in `graph`
};

// kGraph. Hosts are numbered in the order of the list, switches as well.
struct GraphSpec {
  std::vector<std::string> hosts;
  std::vector<std::string> switches;
  struct Cable {
    std::string a;
    std::string b;
    BitRate rate = gigabitsPerSecond(100);
    Picoseconds delay = nanoseconds(250);
  };
  std::vector<Cable> cables;
};

struct TopologySpec {
  TopologyKind kind = TopologyKind::kSingleSwitch;
  std::uint32_t hosts = 2;           // kSingleSwitch
  std::uint32_t leaves = 2;          // kClos2; kClos3: per pod
  std::uint32_t spines = 2;          // kClos2, kRail, kPools; kClos3: per pod
  std::uint32_t hosts_per_leaf = 2;  // kClos2, kClos3, kPools
  std::uint32_t pods = 2;            // kClos3
  // kClos3: a multiple of `spines`; superspine u is cabled to spine (u mod spines) of every pod.
  std::uint32_t superspines = 2;
  std::uint32_t servers = 2;           // kRail
  std::uint32_t rails = 8;             // kRail: NICs of a server
  std::uint32_t servers_per_leaf = 2;  // kRail: a rail has ceil(servers / servers_per_leaf) leaves
  std::uint32_t prefill_leaves = 1;  // kPools: leaves of the prefill pool, then of the decode pool
  std::uint32_t decode_leaves = 1;
  GraphSpec graph;                             // kGraph
  BitRate link_rate = gigabitsPerSecond(100);  // of hosts' links
  BitRate fabric_rate{};                       // between switches; 0 = link_rate
  std::uint32_t uplinks = 1;  // parallel cables between a leaf and a spine, spine and superspine
  Picoseconds host_link_delay = nanoseconds(50);     // propagation, > 0
  Picoseconds fabric_link_delay = nanoseconds(250);  // propagation, > 0

  // Number of host ports; at most 2^32 - 1, whatever the fields say.
  [[nodiscard]] std::uint32_t hostCount() const;
  // Rate of links between switches.
  [[nodiscard]] BitRate fabricRate() const;
};

enum class Forwarding { kStoreAndForward, kCutThrough };

// Buffer shared by all ports of a switch. A lossy frame is admitted while its queue (port and
// priority) holds at most alpha × (free shared bytes); `reserve_per_port` is taken before that.
struct SharedBufferSpec {
  Bytes total{32'000'000};  // reserves and PFC headroom included
  Fraction alpha = Fraction::one();
  Bytes reserve_per_port{0};
};

// RED on the instantaneous queue of a port and priority: no mark up to kmin,
// probability rising linearly to pmax at kmax, every ECT frame above. kmin = kmax is a step.
struct EcnSpec {
  std::uint8_t priorities = 0xFF;  // bit per priority
  Bytes kmin{100'000};
  Bytes kmax{400'000};
  Fraction pmax = Fraction::percent(20);
  bool at_dequeue = false;  // decide when the frame leaves, on what is then behind it
};

// SONiC-like PFC watchdog, polling.
struct WatchdogSpec {
  Picoseconds poll = milliseconds(100);
  Picoseconds detection = milliseconds(200);
  Picoseconds restoration = milliseconds(200);
  enum class Action { kDrop, kForward } action = Action::kDrop;
};

struct PfcSpec {
  std::uint8_t priorities = 0x08;  // lossless priorities, bit each
  Bytes xoff{100'000};             // per input port and priority
  Bytes xon{97'000};
  // When set, xoff is this share of the free shared buffer, and xon is `xoff - xon` of above below
  // it. Needs a shared buffer.
  std::optional<Fraction> dynamic_alpha;
  Bytes headroom{100'000};                // per input port and priority, above xoff
  std::uint16_t quanta = 0xFFFF;          // in a PAUSE frame; one is 512 bit times of the link
  Picoseconds response = nanoseconds(0);  // a receiver of PAUSE obeys this long after its last bit
  std::optional<WatchdogSpec> watchdog;
};

// Packet trimming: a trimmable frame that finds its queue above `threshold`, or no
// room, is cut to `keep` bytes and queued at `priority`.
struct TrimSpec {
  Bytes threshold{150'000};
  Bytes keep{64};             // frame bytes that remain, FCS included
  std::uint8_t priority = 5;  // of trimmed frames
  Bytes limit{150'000};       // of the trimmed frames' queue
};

// A virtual channel that is not just a priority: the priorities that use it, and its credit limit.
struct VirtualChannelSpec {
  std::uint8_t priorities = 0x08;  // bit each
  std::uint32_t credits = 2048;
};

// Credit-based flow control on links between switches and towards hosts.
struct CbfcSpec {
  std::uint8_t channels = 0x08;  // lossless priorities, bit each
  std::uint32_t credits = 2048;  // credit limit per channel
  // How priorities are mapped to virtual channels: each of `channels` that is named here, at most
  // once, to that channel; each of the others to one of its own, with `credits`.
  std::vector<VirtualChannelSpec> virtual_channels{};
  Bytes credit_size{128};                       // power of two, 32 to 2048
  std::int32_t packet_overhead = 0;             // bytes added per frame before rounding, -16 to 127
  Bytes update_spacing{6'400};                  // freed bytes between two CF_Updates, at least
  Picoseconds update_period = microseconds(1);  // at most this long until freed credits are told
  Picoseconds processing = nanoseconds(100);    // from the last bit of an update to its effect
  // CC_Update: this long after the first frame that the receiver was not told of, the sender tells
  // what it has consumed, so that credits of lost frames come back. 0 = never.
  Picoseconds consumed_period = microseconds(256);
};

// Link-level retry on every link: go-back-N with this time from the end of a damaged
// frame at the receiver to the NACK's first bit, and from the NACK's arrival to the replay's start.
struct LlrSpec {
  Picoseconds receiver_processing = nanoseconds(50);
  Picoseconds sender_processing = nanoseconds(50);
  // Time without progress after which a sender replays unasked, since NACKs and ACKs can be lost:
  // longer than the retry of a longest frame takes on any link. Nothing: twice that, of each link.
  std::optional<Picoseconds> replay_timer{};
  // Replays without progress before what is outstanding is given up, 0 to 254. Nothing: no limit.
  std::optional<std::uint32_t> max_replays{};
  // From a damaged frame on a frame starts while fewer bytes than these are outstanding: at least
  // what any link carries in a retry. Nothing: no limit.
  std::optional<Bytes> replay_buffer{};
  // The longest time that a cable may be down without loss (PCS_LOST_TIMEOUT): meanwhile nothing
  // starts, and then what was under way is sent again. Nothing: what is under way is lost.
  std::optional<Picoseconds> pcs_lost{};
  // Age, from its first transmission on, at which a frame is given up with all that is outstanding
  // (DATA_AGE_TIMEOUT). Nothing: any.
  std::optional<Picoseconds> data_age{};
  // Time from an INIT to the next one, since an INIT or its ECHO can be lost.
  Picoseconds init_interval = microseconds(5);
};

// Bit errors, independent of each other, on one direction of cables.
struct BitErrorSpec {
  std::string link;  // "leaf0-spine1" = from leaf0 to spine1; "*" = every link; "hosts" = links
                     // from and to hosts; "fabric" = links between switches
  double rate = 0;   // 0 to 1e-3
};

struct SwitchSpec {
  // Of each output port, all priorities together; a frame that does not fit is dropped. Replaced by
  // `shared_buffer` when that is set.
  Bytes buffer_per_port{1'000'000};
  std::optional<SharedBufferSpec> shared_buffer;
  Picoseconds latency = nanoseconds(600);  // > 0; first bit in (cut-through) or last bit in (store
                                           // and forward) to first bit out of an idle switch
  Forwarding forwarding = Forwarding::kStoreAndForward;
  // 0 = strict priority (a higher number first, before all weighted ones); above 0 = DWRR share.
  std::array<std::uint16_t, 8> weights{};
  Bytes dwrr_quantum{1'600};  // per round and unit of weight
  bool voq = false;           // queues per input as well, served in turn within a priority
  std::vector<EcnSpec> ecn;   // the first that names a priority holds for it
  std::optional<PfcSpec> pfc;
  std::optional<TrimSpec> trim;
  std::optional<CbfcSpec> cbfc;
  std::optional<LlrSpec> llr;
  LoadBalancingSpec load_balancing;
};

enum class ImpairmentKind { kDrop, kDuplicate, kDelay };

// A scripted misbehaviour: acts on the `frame`-th frame (from 0) that is sent into the fabric by
// `host`; at most one per frame. Duplicate puts a copy right behind the frame, delay holds the
// frame back by `delay`, so that later ones overtake it. Used to prove the tester's own accounting.
struct Impairment {
  ImpairmentKind kind = ImpairmentKind::kDrop;
  std::uint32_t host = 0;
  std::uint64_t frame = 0;
  Picoseconds delay{};  // kDelay only, > 0
};

// A link (both directions) or a switch (all its links) that is down from `down` to `up`. Any
// number, also for one element (a flap), as long as times of one element do not overlap.
struct FailureSpec {
  std::string
      element;  // "leaf0-spine1" (the first such cable; "leaf0-spine1#1" the second) or "spine1"
  Picoseconds down{};
  std::optional<Picoseconds> up;  // nothing = never
};

// How often a storm repeats its PAUSE frame: after half of the longest pause, which is 65,535
// times 512 bit times (`quantum`).
constexpr Picoseconds stormRefresh(Picoseconds quantum) { return quantum * 0xFFFF / 2; }

// A host that sends PAUSE for `priorities` from `start` on for `duration`, refreshed before it
// expires: a slow receiver, or a PFC storm.
struct PauseStormSpec {
  std::uint32_t host = 0;
  std::uint8_t priorities = 0x08;
  Picoseconds start{};
  Picoseconds duration{};
};

struct FabricSpec {
  TopologySpec topology;
  SwitchSpec switches;
  std::vector<Impairment> impairments;
  std::vector<BitErrorSpec> bit_errors;
  std::vector<FailureSpec> failures;
  // From a change of a link's state until all switches route by it.
  Picoseconds convergence = microseconds(100);
  std::vector<PauseStormSpec> storms;
  std::uint64_t seed = 1;
  // Number of a draw of what is random in time (bit errors, lost ordered sets, marks, random spray,
  // entropies of sprayed packets). Another draw is another time at the same fabric: its hashes are
  // those of the seed.
  std::uint64_t draw = 0;

  // Of what is random in time. Draws of different seeds have nothing in common; draw 0 has the
  // seed itself.
  [[nodiscard]] std::uint64_t drawSeed() const;
  // Number of host ports the topology has.
  [[nodiscard]] std::uint32_t hostCount() const;
};

// Most host ports a topology may have.
inline constexpr std::uint32_t kMaxHosts = 8192;
// Most switches on any tier of a clos.
inline constexpr std::uint32_t kMaxSwitchesPerTier = 1024;

// Throws Error(kUsage) for the first field of `spec` that is out of its range; `where` is the
// field's name ("topology.leaves"), the remedy says what is allowed.
void validate(const FabricSpec& spec);

}  // namespace plumbline::fabric
