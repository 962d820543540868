// The user's settings, read from a scenario file and checked: plain data. Decisions of the profile
// or the procedure are not made here (those members are std::optional). docs/scenarios.md is the
// reference of the file format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "bench/trial/endpoint_spec.h"
#include "bench/trial/fpga_spec.h"
#include "bench/trial/trial.h"
#include "fabric/spec/fabric_spec.h"
#include "scenario/access.h"
#include "serving/metrics.h"
#include "serving/program.h"

namespace plumbline::scenario {

// The two sets of defaults: `quick` for seconds, `standard` with the numbers of the drafts.
enum class Profile { kQuick, kStandard };

std::string_view profileName(Profile profile);  // "quick", "standard"
std::optional<Profile> profileFromName(std::string_view name);

enum class Direction { kUnidirectional, kBidirectional };

// Traffic from one host of the DUT (= tester port) to another.
struct HostPair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  bool operator==(const HostPair&) const = default;
};

// `traffic:` frame format, and pairs of sender and receiver.
struct Traffic {
  bench::FrameFormat format;  // format.qps stays 1: the sweep over QPs is `qps` below

  // Swept values, in the order of the file. Frame sizes include the FCS; message sizes are the RDMA
  // payload of a single packet (RoCE transports only). With neither, the profile decides.
  std::optional<std::vector<Bytes>> frame_sizes;
  std::optional<std::vector<Bytes>> message_sizes;
  std::optional<std::vector<std::uint32_t>> qps;  // destination QPs per pair
  std::optional<std::vector<Direction>> directions;

  // nullopt = `all`, see Scenario::hostPairs().
  std::optional<std::vector<HostPair>> pairs;
};

// Progress of a training workload per iteration: 256 "images", 4194304 "tokens".
struct Progress {
  std::uint64_t per_iteration = 1;
  std::string unit;
};

// Duration and sampling interval of a soak.
struct Soak {
  std::optional<Picoseconds> duration;
  std::optional<Picoseconds> interval;
  std::optional<Picoseconds> flap;  // of I13.3: how long the link is down
};

// `parameters:` of the tests of the card itself.
struct CardParameters {
  std::optional<std::vector<std::string>> damage;    // kinds: words of kDamageWords
  std::optional<std::vector<double>> error_ratios;   // random errors per bit
  std::optional<std::uint32_t> damage_every;         // frame that is damaged
  std::optional<std::vector<std::uint32_t>> quanta;  // of PAUSE frames, 512 bit times each
  std::optional<std::uint32_t> storm_frames;         // PAUSE frames of a storm
  std::optional<std::vector<Picoseconds>> stagger;   // from one sender's start to the next one's
  std::optional<std::uint32_t> burst_frames;         // of every burst
  std::optional<std::uint32_t> bursts;               // of every sender
  std::optional<Fraction> background;                // load beside the bursts, of line rate
  // The same as a list, used cyclically: from one frame's due time to the next one's.
  std::optional<std::vector<Picoseconds>> background_gaps;
  std::optional<std::vector<std::string>> entropy;    // words of kEntropyWords
  std::optional<std::uint32_t> entropy_values;        // source ports where frames share them
  std::optional<std::vector<std::uint32_t>> weights;  // of queue pairs, in turn
  std::optional<std::uint32_t> message_frames;        // of every message

  bool operator==(const CardParameters&) const = default;
};

// Allowed words of `parameters.damage` (docs/card-tests.md), and of `parameters.entropy`.
inline constexpr std::array<const char*, 13> kDamageWords{
    "bit",      "bits",    "fcs",      "icrc",        "cut",         "runt",        "drop",
    "oversize", "pfc-bit", "pfc-drop", "arrival-bit", "arrival-cut", "arrival-drop"};
inline constexpr std::array<const char*, 4> kEntropyWords{"per-qp", "fixed", "round-robin",
                                                          "random"};

// `parameters:` replaces the profile's defaults; a report lists each such deviation.
// `parameters.experts` of the tests of mixtures of experts (I7.1 to I7.4).
struct ExpertParameters {
  std::optional<std::vector<std::string>> models;          // words of kExpertModelWords
  std::optional<std::vector<std::uint32_t>> batches;       // tokens of a rank
  std::optional<std::vector<std::string>> routings;        // words of MoeProgram::routing
  std::optional<std::uint32_t> experts, top_k, redundant;  // of the model "m5"
  std::optional<Bytes> dispatch;                           // of a token, of the model "m5"
  std::optional<std::uint32_t> layers;                     // simulated MoE layers of a step (I10.2)
  std::optional<std::vector<std::string>> nics;            // words of kExpertNicWords (I7.4)
  std::uint32_t ranks_per_server = 8;
  BitRate intra_rate = gigabitsPerSecond(3600);  // of a rank inside its server, one way
  Picoseconds overhead = microseconds(45);       // of a dispatch, outside the network: model input
};
// The rows of the inference draft's table 7; m5 is the scenario's own.
inline constexpr std::array<const char*, 5> kExpertModelWords{"m1", "m2", "m3", "m4", "m5"};

// I7.2: the draft's modes, and skews known from practice. "token-drop" is uniform with a capacity.
inline constexpr std::array<const char*, 6> kExpertRoutingWords{
    "top-k", "expert-choice", "token-drop", "aux-loss", "zipf", "lognormal"};

// I7.4: dispatches and KV transfers on the same NICs, or on neighbouring ones.
inline constexpr std::array<const char*, 2> kExpertNicWords{"shared", "separate"};

struct Parameters {
  std::optional<std::uint32_t> repetitions;
  std::optional<Picoseconds> duration;         // of one trial
  std::optional<Picoseconds> drain;            // wait for residual frames after a trial
  std::optional<Fraction> resolution;          // throughput search: last step, share of line rate
  std::optional<std::vector<Fraction>> loads;  // latency: share of line rate (L1)
  std::optional<std::vector<std::uint32_t>> incast_ratios;  // burst: senders per receiver
  std::optional<std::uint32_t> max_burst;                   // burst: longest one tried [frames]

  // Inference tests.
  std::optional<std::vector<std::uint32_t>> prompts;   // tokens
  std::optional<std::vector<double>> rates;            // requests per second
  std::optional<std::vector<Fraction>> prefix_shares;  // of the requests (I9.2)
  std::optional<std::vector<std::uint32_t>> prefixes;  // tokens of a common prefix (I9.2)
  std::optional<std::uint32_t> tenants;                // serving systems (I10.3)
  std::optional<std::uint32_t> output;                 // tokens of an answer (I10.2)
  std::optional<std::vector<std::uint32_t>> nodes;     // servers of a cluster (I12.1)
  std::optional<std::uint32_t> packet_nodes;  // largest number simulated by packets (I12.1)
  Picoseconds stall = milliseconds(100);      // longer gaps count as stalls (I10.2)

  // Tests on simulated hosts.
  std::optional<std::vector<Bytes>> sizes;  // messages, or buffers of collectives
  std::optional<std::vector<std::uint32_t>> ranks;
  std::optional<std::vector<std::uint32_t>> flows;    // QPs or PDCs per pair, or flows in all
  std::optional<std::vector<std::string>> balancing;  // words of kBalancingWords
  std::optional<std::vector<Picoseconds>> compute;    // compute phase of an iteration
  std::optional<std::uint32_t> iterations;
  std::optional<Progress> progress;
  Soak soak;
  ExpertParameters experts;

  CardParameters card;
};

// Allowed words of `parameters.balancing`: strategies that tests compare.
inline constexpr std::array<const char*, 4> kBalancingWords{"ecmp", "ecmp-qp", "flowlet", "spray"};

// `dut_metrics:` source of the metrics that a DUT reports during a soak
// (suite/framework/dut_metrics.h): a program and its arguments, run for every sample, or a file in
// the scenario's folder, read at the end.
struct DutMetricsSource {
  std::vector<std::string> command;  // empty: `file`
  std::string file;
};

// `limits:` the only basis of a verdict. Every KPI named `kpi` of the run must be at most (kAtMost)
// or at least (kAtLeast) `bound`.
enum class LimitSense { kAtMost, kAtLeast };

struct Limit {
  std::string kpi;  // "latency_p99_ns": name of a results::Kpi, the unit is its suffix
  LimitSense sense = LimitSense::kAtMost;
  double bound = 0;
};

// The test that runs the file's own transport and workload and reports their numbers; it runs
// alone, on the bench that simulates the hosts.
inline constexpr std::string_view kFreeProcedure = "free";
inline constexpr std::string_view kSimulatedHosts = "sim";
// Value of `bench`: on the simulated card and on simulated hosts, side by side.
inline constexpr std::string_view kSimulatedCard = "rtl";
inline constexpr std::string_view kCompareBenches = "compare";
// Whether a bench runs on ordinary hosts: only such benches read `endpoint:`.
bool isEndpointBench(std::string_view bench);
// Of a bench: whether its DUT is simulated.
bool simulatesDut(std::string_view bench);

// `sweep:` a key of the file, "dut.switch.buffer_per_port", and its values as written there. See
// scenario/sweep.h.
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;
};

// A file that a scenario names, and its contents when the scenario was read.
struct InputFile {
  std::string name;  // as the scenario has it
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  // hash64() of what was read

  bool operator==(const InputFile&) const = default;
};

// `serving:` the system of the inference tests. The window's length is `parameters.duration`, or
// the profile's.
struct ServingSection {
  ServingSection();  // CFG B of the inference draft on H100

  serving::ServingProgram program;  // its load: `workload`, or the test's
  std::optional<serving::WorkloadSpec> workload;
  // Members of `workload` that the file has not: they are the test's.
  struct LeftOut {
    bool arrivals = false;
    bool prompt = false;
    bool output = false;
  };
  LeftOut left_out;
  serving::SloSpec slo;
  std::optional<Picoseconds> warmup;
  std::optional<Picoseconds> drain;
};

struct Scenario {
  std::string file;  // as the user named it, for messages
  std::string text;  // the whole file: stored with the run, identifies it on resume
  Access access;     // rights with which the files that it names are opened
  // Files that it names, in their order: their contents are part of a run's identity.
  std::vector<InputFile> files;
  std::string name;
  std::vector<std::string> tests;  // "T5.1", … in the order of the file, at least one
  // Where the file names them, from 1: for messages about what they need.
  std::size_t tests_line = 0;
  std::size_t tests_column = 0;
  std::string bench = "rtl";
  Profile profile = Profile::kQuick;

  fabric::TopologySpec topology;
  fabric::SwitchSpec switches;  // meaningless for TopologyKind::kLink
  std::vector<fabric::BitErrorSpec> bit_errors;
  std::vector<fabric::FailureSpec> failures;
  Picoseconds convergence = fabric::FabricSpec().convergence;
  std::vector<fabric::PauseStormSpec> storms;
  // `dut.identification`: free text for the report, in the order of the file.
  std::vector<std::pair<std::string, std::string>> identification;

  // Transport of simulated hosts; nothing = the test decides.
  std::optional<bench::TransportSpec> transport;
  // Workload of the simulated hosts; `test: free` only. Its seed is unused, see workloadSpec().
  std::optional<workload::WorkloadSpec> workload;
  // The serving system of inference tests; nothing = their own.
  std::optional<ServingSection> serving;
  // Permission to predict part of it without simulating packets; `test: free` only.
  std::optional<bench::FastForwardSpec> fast_forward;
  // What carries messages between ordinary hosts; endpoint benches only.
  std::optional<bench::EndpointSpec> endpoint;
  // The cards of the bench `fpga`, the only one that reads it.
  std::optional<bench::FpgaSpec> fpga;
  Traffic traffic;
  Parameters parameters;
  std::optional<DutMetricsSource> dut_metrics;
  std::vector<Limit> limits;
  std::uint64_t seed = 1;
  // Not empty: the file is a sweep. All members above are then its first point.
  std::vector<SweepAxis> sweep;

  // The simulated DUT: from the members above and the seed, without impairments.
  [[nodiscard]] fabric::FabricSpec fabricSpec() const;

  // The workload with the scenario's seed; without jobs when there is none.
  [[nodiscard]] workload::WorkloadSpec workloadSpec() const;

  // The pairs of `traffic.pairs`: the list of the file, or for `all` every host of the lower half
  // to its counterpart in the upper half (host i to host i + floor(n/2)), which in a clos2 crosses
  // the spines. With an odd number of hosts the last one idles. Each pair once, in its forward
  // direction; a bidirectional procedure adds the reverse.
  [[nodiscard]] std::vector<HostPair> hostPairs() const;
};

// Whether kFreeProcedure is among the tests.
bool isFree(const Scenario& scenario);

}  // namespace plumbline::scenario
