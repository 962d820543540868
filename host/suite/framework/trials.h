// Trials that several procedures use, and their streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/trial.h"
#include "scenario/scenario.h"
#include "suite/framework/frame_size.h"
#include "suite/framework/profile.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Latency group of a load trial for one direction of a pair (its place in Load::pairs). Each has
// one of its own, as far as the bench has groups and up to 64 pairs; the pairs beyond share the
// last two.
std::uint32_t groupOf(const bench::Capabilities& bench, std::size_t pair, bool reverse);
constexpr bool isReverseGroup(std::uint32_t group) { return group % 2 == 1; }

// A load on pairs of hosts.
struct Load {
  std::vector<scenario::HostPair> pairs;
  scenario::Direction direction = scenario::Direction::kUnidirectional;
  SizePoint size;
  std::uint32_t qps = 1;
  Fraction rate;  // of line rate (L1) per sending host, shared evenly by its streams
};

// All pairs of the scenario at `rate`.
Load fullLoad(const TestConfig& config, scenario::Direction direction, const SizePoint& size,
              std::uint32_t qps, Fraction rate);

// All pairs send for `duration`. Streams begin at phases within one frame slot that are drawn anew
// for every repetition (and are the same at every rate), like the random phases of a real start.
bench::TrialSpec loadTrial(const TestConfig& config, const Load& load, Picoseconds duration,
                           Picoseconds drain, std::uint32_t repetition);

// The seed of a repetition: that of repetition 0 is `seed`. Repetitions of different seeds have
// nothing in common, so that runs with the seeds 1 and 2 are independent of each other.
std::uint64_t seedOf(std::uint64_t seed, std::uint32_t repetition);

// The trial of another repetition: the same with other seeds, of the switches' hashes, of the
// workload's random choices, of bit errors and of drawn gaps. Repetition 0 has the seeds of `spec`.
bench::TrialSpec withSeedsOf(bench::TrialSpec spec, std::uint32_t repetition);

// Share of its planned frames that a sender sent in time, 0 to 1: for the slowest sender of `spec`.
// Frames delayed by PFC leave later and were not offered at the trial's rate. Constant loads and
// bursts; line rate of the senders' ports.
double sentInTime(const bench::TrialSpec& spec, const bench::TrialResult& trial, BitRate line);
// Slots that senders gave up because of pauses, over all streams and ports.
std::uint64_t slotsGivenUp(const bench::TrialResult& trial);

// A phase in [0, range) of `stream` in a repetition, from the scenario's seed.
Picoseconds drawPhase(std::uint64_t seed, std::uint32_t repetition, std::uint32_t stream,
                      Picoseconds range);

// PlannedTrial::hop_cost of streams alone, which have no transport to simulate; a few fit into the
// processor's caches.
double streamHopCost(const bench::TrialSpec& spec);

// Frames that cross a link in a trial of streams alone, for Plan::packet_hops; 0 on a bench whose
// cost does not depend on them.
double frameHops(const TestConfig& config, const bench::TrialSpec& spec);

// Adds packet-hops to the plan.
void addHops(double hops, double cost, Plan& plan);

// Adds to the plan the cost of `trials` trials like `spec`, which send for `sending` in total.
void addCardTime(const TestConfig& config, const bench::TrialSpec& spec, Picoseconds sending,
                 std::uint64_t trials, Plan& plan);

// Rate `step` of a search with `steps` steps up to line rate.
Fraction rateOfStep(std::uint64_t step, std::uint32_t steps);

// "1024 B, 4 QPs, bidirectional"; "1 QP".
std::string qpsText(std::uint32_t qps);

// Adds the bench's refusals for a planned trial; none when it can run.
void addRefusals(const TestConfig& config, const PlannedTrial& trial, Plan& plan);
// Throws Error(kUnsupported) with the plan's refusals, if it has any.
void requireRunnable(const Procedure& procedure, const Plan& plan);

}  // namespace plumbline::suite
