// A chain of two switches whose middle cable has bit errors or is down at times, and LLR on it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {

inline constexpr std::uint32_t kLongLength = 4'096;
inline constexpr Picoseconds kLongSerialization{327'680};  // at 100 Gb/s
inline constexpr std::uint32_t kFrames = 20'000;

// chainSpec() with bit errors between the switches.
inline FabricSpec noisyChain(double rate) {
  FabricSpec spec = chainSpec();
  spec.bit_errors = {{"s0-s1", rate}};
  spec.switches.buffer_per_port = Bytes(100'000'000);
  return spec;
}

inline void expectInOrder(ListFabric& fabric) {
  const auto& arrivals = fabric.host(1).arrivals();
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    ASSERT_LT(arrivals[i - 1].packet.psn, arrivals[i].packet.psn);
  }
}

// All that host 0 sent, each frame once.
inline void expectAllInOrder(ListFabric& fabric, std::size_t frames) {
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  EXPECT_EQ(fabric.host(1).arrivals().size(), frames);
  expectInOrder(fabric);
}

// Answer to a frame: from its end to the replay that its NACK asks for.
inline constexpr Picoseconds kAnswer = 2 * kChainDelay + nanoseconds(50 + 50);
inline constexpr Picoseconds kTimer = microseconds(7);

// When frame `n`, sent by its host at `n` times `spacing`, leaves the first switch.
inline Picoseconds departureOf(std::uint32_t n, Picoseconds spacing) {
  return spacing * n + nanoseconds(50 + 600) + kLongSerialization;
}

// noisyChain() with LLR, NACKs being destroyed by `back_rate`.
inline FabricSpec retryingChain(double rate, double back_rate) {
  FabricSpec spec = noisyChain(rate);
  if (back_rate > 0) spec.bit_errors.push_back({"s1-s0", back_rate});
  spec.switches.llr.emplace().replay_timer = kTimer;
  return spec;
}

// retryingChain() without bit errors, its middle cable being down at times; LLR waits for up to
// 3 us.
inline constexpr Picoseconds kLongest = microseconds(3);
inline constexpr Picoseconds kLongSlot = Picoseconds(80) * (kLongLength + 20);

inline FabricSpec flappingChain(const std::vector<std::pair<Picoseconds, Picoseconds>>& outages) {
  FabricSpec spec = retryingChain(0, 0);
  spec.switches.llr->pcs_lost = kLongest;
  spec.convergence = seconds(1);
  for (const auto& [down, up] : outages) spec.failures.push_back({"s0-s1", down, up});
  return spec;
}

}  // namespace plumbline::fabric::testing
