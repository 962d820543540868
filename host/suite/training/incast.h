// The tests of congestion (T6.4, T6.5, T7.2, T7.3): N hosts send to one, all beginning together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  // Senders send messages back to back until this time; 0: one message each.
  Picoseconds until{};
  // QPs or PDCs of every sender; each has a share of the message.
  std::uint32_t flows = 1;
  // Number of senders that begin at time zero while the others join later; nothing: all begin
  // together.
  std::uint32_t early = 0;
  Picoseconds join_at{};
  // A flow to another host that shares switches and links with the incast: between hosts on the
  // leaves of a sender and of the receiver.
  bool victim = false;
};

// Host 0 receives; senders are the last hosts of the fabric but one (and that one, too, where all
// others send and there is no victim), in a Clos on other leaves first. Jobs in this order: senders
// that begin at once, senders that join (if any), the victim (if any). Senders with an end time
// post a message before the previous one is complete.
bench::TrialSpec incastTrial(const TestConfig& config, const Incast& incast);
// Why the DUT has too few hosts for `incast`; nothing if it has enough.
std::optional<std::string> incastRefusal(const TestConfig& config, const Incast& incast);
// Why PFC of the DUT does not act on the data of `variant`; nothing if it does.
std::optional<std::string> pfcRefusal(const TestConfig& config, const Variant& variant);
double incastHops(const TestConfig& config, const Incast& incast);

// Numbers of senders for which the fabric has hosts, besides two for a victim.
std::vector<std::uint32_t> senderSweep(const TestConfig& config, Numbers& numbers,
                                       const std::vector<std::uint32_t>& standard,
                                       const std::vector<std::uint32_t>& quick);

// Joining senders in the profile `standard` where trials may end early (mayEndEarly()): they join
// after kEarlyJoining, and the trial ends when goodput is stationary since then, but not before
// kMinIncastTime, within which the slowest of the published settings that converge do so, and after
// kMaxIncastTime at the latest. Otherwise at a quarter of the duration, which is then kept.
inline constexpr Picoseconds kEarlyJoining = milliseconds(100);
inline constexpr Picoseconds kMinIncastTime = milliseconds(1000);
inline constexpr Picoseconds kMaxIncastTime = milliseconds(4000);
// Of parameters.duration, or kMaxIncastTime; nothing for the profile's own.
std::optional<Picoseconds> sharingDuration(const TestConfig& config);
Picoseconds joiningTime(const TestConfig& config, Picoseconds duration);
void endSharingEarly(const TestConfig& config, const Incast& incast, bench::TrialSpec& spec);
// End of the senders' traffic in a trial of `incast`.
Picoseconds sendersEnd(const Incast& incast, const bench::TrialResult& trial);
// incastHops() of a trial that ends as early as it may, or of one that may not end early.
double sharingHops(const TestConfig& config, const Incast& incast);

// Share of the receiver's link that payload took [%]: until the last sender was done, or, for
// senders with an end time, up to the last sample before it (the trial must have samples).
double incastGoodputPercent(const TestConfig& config, const Incast& incast,
                            const bench::TrialResult& trial);

// Sampling interval for which a window of convergenceOf() is 100 us long, the step of DCQCN's
// timers, and holds forty full packets of each flow, so that whole packets do not look unfair.
// Longer for long trials, whose samples would otherwise have more than two million numbers.
Picoseconds sharingSampling(const TestConfig& config, const Incast& incast);

// Whether all flows of the incast share fairly again after the others joined, from the trial's
// samples.
Convergence joiningConvergence(const Incast& incast, const bench::TrialResult& trial);

// Table columns of convergence: the time until flows have settled, the share of fair windows, the
// length of a window. `incasts` are those of the design's points. A point with a single flow, or
// whose senders stop before the windows that convergence must hold are over, shows none: an anomaly
// says so.
std::vector<Figure> convergenceFigures(const TestConfig& config, const Design& design,
                                       std::vector<Incast> incasts, ResultBuilder& builder);
inline constexpr const char* kConvergenceNote =
    "Convergence is from the joining until every flow is within 10 % of the mean rate and stays so "
    "until the senders stop: 0 where all were from the first window on. Rates are means over the "
    "rate window; fair time is the share of windows after the "
    "joining in which all flows are within 10 %.";

}  // namespace plumbline::suite
