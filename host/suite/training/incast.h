// The tests of congestion (T6.4, T6.5, T7.2, T7.3): N hosts send to one, all beginning together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/convergence.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {

struct Incast {
  Variant variant;
  std::uint32_t senders = 2;
  Bytes message{std::int64_t{1} << 20};  // from every sender
  // Senders send such messages one after the other until then; 0: one message each.
  Picoseconds until{};
  // QPs or PDCs of every sender; each has a share of the message.
  std::uint32_t flows = 1;
  // Fewer than `senders` begin at once and the others join then; nothing: all begin together.
  std::uint32_t early = 0;
  Picoseconds join_at{};
  // A flow that does not go to the congested host but shares switches and links on its way:
  // between hosts on the leaves of a sender and of the receiver.
  bool victim = false;
};

// Host 0 receives; senders are the last hosts of the fabric but one, in a Clos on other leaves
// first. Jobs in this order: those that begin at once, those that join (if any), the victim (if
// any). Senders that go on until some time post a message before the one under way is done.
bench::TrialSpec incastTrial(const TestConfig& config, const Incast& incast);
double incastHops(const TestConfig& config, const Incast& incast);

// Numbers of senders that the fabric has hosts for, a victim's two kept free.
std::vector<std::uint32_t> senderSweep(const TestConfig& config, Numbers& numbers,
                                       const std::vector<std::uint32_t>& standard,
                                       const std::vector<std::uint32_t>& quick);

// Senders that join others in the profile `standard` where trials may end early (mayEndEarly()):
// they join after kEarlyJoining, and the trial ends when goodput is stationary since then, but not
// before kLeastSharing, in which the slowest of the published settings that converge do so, and
// after kMostSharing at the latest. Else at a quarter of the duration, which is then kept.
inline constexpr Picoseconds kEarlyJoining = milliseconds(100);
inline constexpr Picoseconds kLeastSharing = milliseconds(1000);
inline constexpr Picoseconds kMostSharing = milliseconds(4000);
// Of parameters.duration, or kMostSharing; nothing where the profile's own counts.
std::optional<Picoseconds> sharingDuration(const TestConfig& config);
Picoseconds joiningTime(const TestConfig& config, Picoseconds duration);
void endSharingEarly(const TestConfig& config, const Incast& incast, bench::TrialSpec& spec);
// Until when senders sent in a trial of `incast`.
Picoseconds sendersEnd(const Incast& incast, const bench::TrialResult& trial);
// incastHops() of the time that such a trial is expected to take.
double sharingHops(const TestConfig& config, const Incast& incast);

// Share of the receiver's link that payload took [%]: until the last sender was done, or, where
// senders go on until some time, up to the last sample before it (the trial must have samples).
double incastGoodputPercent(const TestConfig& config, const Incast& incast,
                            const bench::TrialResult& trial);

// Interval of samples by which a window of convergenceOf() is 100 us long, the step of DCQCN's
// timers, and holds forty full packets of each flow, so that whole packets do not look unfair.
// Longer in trials so long that their samples would have more than two million numbers.
Picoseconds sharingSampling(const TestConfig& config, const Incast& incast);

// Whether all flows of the incast share fairly again after the others joined, from the trial's
// samples.
Convergence joiningConvergence(const Incast& incast, const bench::TrialResult& trial);

// What the tables of the tests that look for convergence say of it: the time until flows have
// settled, the share of windows that are fair, the length of a window. `incasts` are those of the
// design's points.
std::vector<Figure> convergenceFigures(std::vector<Incast> incasts);
inline constexpr const char* kConvergenceNote =
    "Convergence is from the joining until every flow is within 10 % of the mean rate and stays so "
    "until the senders stop: 0 where all were from the first window on. Rates are means over the "
    "rate window; fair time is the share of windows after the "
    "joining in which all flows are within 10 %.";

}  // namespace plumbline::suite
