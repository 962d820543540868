// The tests of congestion (T6.4, T6.5, T7.2, T7.3): N hosts send to one, all beginning together.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/trial.h"
#include "suite/fabric_test.h"
#include "suite/figures.h"
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
// first. Jobs
// in this order: those that begin at once, those that join (if any), the victim (if any).
bench::TrialSpec incastTrial(const TestConfig& config, const Incast& incast);
double incastHops(const TestConfig& config, const Incast& incast);

// Numbers of senders that the fabric has hosts for, a victim's two kept free.
std::vector<std::uint32_t> senderSweep(const TestConfig& config, Numbers& numbers,
                                       const std::vector<std::uint32_t>& standard,
                                       const std::vector<std::uint32_t>& quick);

// Share of the receiver's link that payload took until the last sender was done [%].
double incastGoodputPercent(const TestConfig& config, const Incast& incast,
                            const bench::TrialResult& trial);

// Interval of samples for which a window of convergenceTime() holds forty full packets of each of
// `flows` that share a link fairly, so that whole packets do not look unfair.
Picoseconds fairSampling(const TestConfig& config, std::uint32_t flows);

// Time until all flows share fairly again after the others joined [us], from the trial's samples;
// nothing if they never did.
std::optional<double> joiningConvergence(const Incast& incast, const bench::TrialResult& trial);

}  // namespace plumbline::suite
