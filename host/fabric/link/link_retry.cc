#include "fabric/link/link_retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fabric/engine/packet.h"
#include "fabric/link/wire_clock.h"
#include "fabric/spec/spec_checks.h"

namespace plumbline::fabric {
namespace {

constexpr int kOrderedSetBits = 64;

// Probability that bit errors at `rate` destroy an ordered set.
double setLoss(double rate) { return -std::expm1(kOrderedSetBits * std::log1p(-rate)); }

Picoseconds answerTime(const LlrSpec& llr, const Link& there, const Link& back) {
  return there.delay + llr.receiver_processing + back.delay + llr.sender_processing;
}

}  // namespace

LinkRetry linkRetry(const LlrSpec& llr, const Link& there, double there_error_rate,
                    const Link& back, double back_error_rate) {
  LinkRetry retry;
  retry.question = there.delay + llr.receiver_processing;
  retry.answer = answerTime(llr, there, back);
  retry.way_back = back.delay;
  retry.init_loss = setLoss(there_error_rate);
  retry.nack_loss = setLoss(back_error_rate);
  retry.timer = llr.replay_timer.value_or(2 * retryTime(kLongestFrame, llr, there, back));
  retry.max_replays = llr.max_replays;
  if (llr.replay_buffer) retry.buffer = llr.replay_buffer->count();
  retry.data_age = llr.data_age.value_or(kNever);
  retry.init_interval = llr.init_interval;
  return retry;
}

Picoseconds retryTime(Bytes frame, const LlrSpec& llr, const Link& there, const Link& back) {
  return answerTime(llr, there, back) + WireClock(there.rate).serialization(frame.count());
}

void checkLinkRetry(const LlrSpec& llr, const Topology& topology) {
  Picoseconds longest;
  Bytes max;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& there = topology.links()[id];
    const Picoseconds time = retryTime(kLongestFrame, llr, there, topology.links()[reverse(id)]);
    longest = std::max(longest, time);
    max = std::max(max,
                   Bytes(static_cast<std::int64_t>(std::ceil(
                       static_cast<double>(there.rate.bitsPerSecond()) / 8 * time.toSeconds()))));
  }
  if (llr.replay_timer) {
    checkTime(*llr.replay_timer, longest + Picoseconds(1), kMaxDelay, "switches.llr.replay_timer");
  }
  if (llr.replay_buffer) {
    checkBytes(*llr.replay_buffer, max, kMaxBuffer, "switches.llr.replay_buffer");
  }
}

}  // namespace plumbline::fabric
