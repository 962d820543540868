#include "joined_card.h"

#include <gtest/gtest.h>

namespace plumbline::hw_test {

card::LlrConfig retryConfig() {
  card::LlrConfig config;
  config.replay_count_max = card::kLlrMaxReplays + 1;
  config.init_interval = microseconds(10);
  return config;
}

JoinedCard::JoinedCard(std::uint32_t length, Fraction rate, std::uint32_t frames, Picoseconds delay,
                       std::uint32_t senders)
    : card(2), link(card.sim, 0, 1, delay) {
  for (std::uint32_t port = 0; port < senders; ++port) {
    card::FlowConfig flow = makeFlow(udpStream(port, length), 0);
    setConstantRate(flow, rate, frames);
    card.driver.loadFlows(port, {&flow, 1});
  }
}

void JoinedCard::bringUp(const card::LlrConfig& config) {
  for (std::uint32_t port = 0; port < 2; ++port) card.driver.linkRetry(port).configure(config);
  card.sim.runUntil(card.sim.now() + microseconds(20));
  for (std::uint32_t port = 0; port < 2; ++port) {
    ASSERT_EQ(card.driver.linkRetry(port).status().tx, card::LlrTxState::kAdvance);
  }
}

void JoinedCard::finish(Picoseconds limit) {
  card.finish(microseconds(10));
  const Picoseconds end = card.sim.now() + limit;
  const auto outstanding = [&] {
    return card.driver.linkRetry(0).status().outstanding +
           card.driver.linkRetry(1).status().outstanding;
  };
  while (outstanding() > 0 && card.sim.now() < end) card.sim.wait(microseconds(10));
  EXPECT_EQ(outstanding(), 0U);
  card.sim.wait(microseconds(5));
}

void JoinedCard::expectAllReceivedOnce(std::uint64_t frames) {
  for (std::uint32_t port = 0; port < 2; ++port) {
    const card::RxFlow flow = card.driver.rxFlow(port, 0);
    EXPECT_EQ(flow.frames, frames) << "port " << port;
    EXPECT_EQ(flow.lost + flow.duplicate + flow.out_of_order + flow.stale, 0U) << "port " << port;
    EXPECT_EQ(card.driver.linkRetry(port).status().outstanding, 0U) << "port " << port;
  }
}

}  // namespace plumbline::hw_test
