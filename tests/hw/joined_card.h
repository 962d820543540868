// Two ports of the card back to back on a bare link, for what two ends of a link do with each
// other: link-level retry, credits.
#pragma once

#include <cstdint>

#include "card/link_retry.h"
#include "sim/bare_link.h"
#include "test_card.h"

namespace plumbline::hw_test {

inline constexpr Picoseconds kLinkDelay = nanoseconds(1000);

// Retries without end, initialised quickly.
card::LlrConfig retryConfig();

// Ports 0 and 1 joined; each (or with one sender, port 0) has a flow towards the other, which is
// counted in row 0 and group 0 there.
struct JoinedCard {
  JoinedCard(std::uint32_t length, Fraction rate, std::uint32_t frames,
             Picoseconds delay = kLinkDelay, std::uint32_t senders = 2);

  // Link-level retry at both ends, initialised.
  void bringUp(const card::LlrConfig& config = retryConfig());
  // Runs until the schedules are over and every frame is acknowledged; a test failure if that takes
  // more than `limit` after the end of the schedules.
  void finish(Picoseconds limit = milliseconds(2));
  // What both ports sent came once each and in order, and nothing is outstanding any more.
  void expectAllReceivedOnce(std::uint64_t frames);

  TestCard card;
  sim::BareLink link;
};

}  // namespace plumbline::hw_test
