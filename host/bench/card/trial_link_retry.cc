#include "bench/card/trial_link_retry.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumbline::bench {
namespace {

// INIT is repeated until it is answered; several round trips of any link that fits on a table.
constexpr Picoseconds kInitTime = milliseconds(1);
constexpr Picoseconds kInitStep = microseconds(2);

}  // namespace

TrialLinkRetry::TrialLinkRetry(CardSet& cards, const TrialSpec& spec,
                               const std::vector<std::uint32_t>& hosts)
    : cards_(cards), spec_(spec), hosts_(hosts) {}

void TrialLinkRetry::bringUp() {
  if (!on()) return;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    cards_.port(port).linkRetry().configure(spec_.link_retry->config);
  }
  const Picoseconds limit = cards_.now() + kInitTime;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    while (cards_.port(port).linkRetry().status().tx != card::LlrTxState::kAdvance) {
      if (cards_.now() > limit) {
        throw Error(ErrorKind::kTester, "link-level retry does not come up",
                    fmt::format("port {}", hosts_[port]));
      }
      cards_.runUntil(cards_.now() + kInitStep);
    }
  }
}

bool TrialLinkRetry::settled() {
  for (std::uint32_t port = 0; on() && port < hosts_.size(); ++port) {
    if (cards_.port(port).linkRetry().status().outstanding > 0) return false;
  }
  return true;
}

std::uint64_t TrialLinkRetry::crossedFrames(std::uint32_t port) {
  const card::LlrCounters counters = cards_.port(port).linkRetry().counters();
  return counters.expected_good + counters.expected_poisoned;
}

void TrialLinkRetry::collect(TrialResult& result) {
  for (std::uint32_t port = 0; on() && port < hosts_.size(); ++port) {
    LinkRetryOutcome outcome;
    outcome.counters = cards_.port(port).linkRetry().counters();
    outcome.damaged = cards_.port(port).retryLatency(card::RetryCause::kDamaged);
    outcome.missing = cards_.port(port).retryLatency(card::RetryCause::kMissing);
    const std::uint64_t timed = outcome.damaged.count() + outcome.missing.count();
    if (timed != outcome.counters.rx_replay) {
      result.faults.push_back(fmt::format("port {}: {} retries, but times of {}", hosts_[port],
                                          outcome.counters.rx_replay, timed));
    }
    result.ports[hosts_[port]].link_retry = std::move(outcome);
  }
}

}  // namespace plumbline::bench
