// Virtual output queues: whom a busy output makes wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::uint32_t kQueuedLength = 1'000;
constexpr Picoseconds kQueuedSlot{81'600};  // 1,020 bytes at 100 Gb/s
// First bit sent to last bit received through an idle switch with default delays.
constexpr Picoseconds kUnloadedLastBit = nanoseconds(50 + 600 + 50) + Picoseconds(160'000);

constexpr HostId kBusy = 4;  // output that all inputs want
constexpr HostId kIdle = 5;  // output that host 0 alone wants
constexpr std::uint32_t kInputs = 4;

FabricSpec sixHosts(bool voq) {
  FabricSpec spec;
  spec.topology.hosts = 6;
  spec.switches.buffer_per_port = Bytes(100'000'000);
  spec.switches.voq = voq;
  return spec;
}

// When each frame of a switch with one queue per input would have left, were they all there at
// slot 0: of host 0's, every other one is for the idle output. The busy output serves inputs in
// turn. By input and place: the slot.
std::vector<std::int64_t> inputQueuedSlots(std::uint32_t frames) {
  std::array<std::deque<HostId>, kInputs> queues;
  for (std::uint32_t i = 0; i < frames; ++i) {
    for (std::uint32_t input = 0; input < kInputs; ++input) {
      queues.at(input).push_back(input == 0 && i % 2 == 1 ? kIdle : kBusy);
    }
  }
  std::vector<std::int64_t> idle_slots;
  std::uint32_t turn = 0;
  for (std::int64_t slot = 0; !queues[0].empty(); ++slot) {
    const bool idle_output_served = queues[0].front() == kIdle;
    if (idle_output_served) idle_slots.push_back(slot);
    for (std::uint32_t tried = 0; tried < kInputs; ++tried) {
      auto& queue = queues.at((turn + tried) % kInputs);
      if (queue.empty() || queue.front() != kBusy) continue;
      queue.pop_front();
      turn = (turn + tried + 1) % kInputs;
      break;
    }
    if (idle_output_served) queues[0].pop_front();
  }
  return idle_slots;
}

// Four inputs at line rate; every other frame of the first one is for an output that nobody else
// wants. With one queue per input these would wait for the frames in front of them; here they do
// not, be the queues of an output one or one per input.
TEST(Voq, FramesForAnIdleOutputDoNotWaitBehindThoseForABusyOne) {
  constexpr std::uint32_t kFrames = 400;
  const std::vector<std::int64_t> blocked = inputQueuedSlots(kFrames);
  ASSERT_EQ(blocked.size(), kFrames / 2);
  // That is what it costs: the last one waits for its 199 predecessors' turns among four inputs.
  EXPECT_GT(blocked.back(), std::int64_t{kFrames} * 3 / 2);

  for (const bool voq : {true, false}) {
    ListFabric fabric(sixHosts(voq));
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      for (HostId from = 0; from < kInputs; ++from) {
        const HostId to = from == 0 && i % 2 == 1 ? kIdle : kBusy;
        fabric.host(from).add(frame(from, to, kQueuedLength), Picoseconds(0));
      }
    }
    fabric.drain();
    EXPECT_EQ(fabric.expectConserved().dropped, 0U);
    const auto& arrivals = fabric.host(kIdle).arrivals();
    ASSERT_EQ(arrivals.size(), kFrames / 2);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const auto sent = kQueuedSlot * (2 * static_cast<std::int64_t>(i) + 1);
      EXPECT_EQ(arrivals[i].time, sent + kUnloadedLastBit) << i;
    }
    // The busy output was busy all the time, as work conservation wants it.
    const auto& busy = fabric.host(kBusy).arrivals();
    ASSERT_EQ(busy.size(), kFrames * 7 / 2);
    EXPECT_EQ(busy.back().time,
              kUnloadedLastBit + kQueuedSlot * (static_cast<std::int64_t>(busy.size()) - 1));
  }
}

// Host 0 sends one frame in eleven slots, three others at line rate, all to one output. Returns the
// longest time that one of host 0's waited.
Picoseconds worstWaitOfALightInput(bool voq) {
  constexpr std::uint32_t kLight = 20;
  ListFabric fabric(sixHosts(voq));
  for (std::uint32_t i = 0; i < kLight; ++i) {
    Packet packet = frame(0, kBusy, kQueuedLength);
    packet.stamp = static_cast<std::uint64_t>((kQueuedSlot * (11 * i + 5)).count());
    fabric.host(0).add(packet, Picoseconds(static_cast<std::int64_t>(packet.stamp)));
  }
  for (HostId from = 1; from < kInputs; ++from) {
    fabric.host(from).addMany(frame(from, kBusy, kQueuedLength), 200);
  }
  fabric.drain();
  EXPECT_EQ(fabric.expectConserved().dropped, 0U);
  Picoseconds worst;
  for (const auto& arrival : fabric.host(kBusy).arrivals()) {
    if (arrival.packet.source != 0) continue;
    const Picoseconds sent(static_cast<std::int64_t>(arrival.packet.stamp));
    worst = std::max(worst, arrival.time - sent - kUnloadedLastBit);
  }
  return worst;
}

TEST(Voq, ALightInputWaitsForAFrameOfEachOther) {
  // One frame of each of the three others at most, the one in transmission among them ...
  EXPECT_LE(worstWaitOfALightInput(true), kQueuedSlot * 3);
  EXPECT_GE(worstWaitOfALightInput(true), kQueuedSlot * 2);
  // ... where a common queue makes it wait for everything that came before: two frames more per
  // slot, after up to 200 slots.
  EXPECT_GT(worstWaitOfALightInput(false), kQueuedSlot * 350);
}

// Inputs that send 1:2:4 to one output, all of them more than a third of it.
TEST(Voq, BackloggedInputsShareAlikeWhateverTheySend) {
  constexpr HostId kSenders = 7;  // 0 on its own; 1 and 2; 3 to 6: by leaf
  GraphBuilder graph(8, 4);
  for (HostId from = 0; from < kSenders; ++from) {
    const int leaf = from == 0 ? 1 : from < 3 ? 2 : 3;
    graph.cable("h" + std::to_string(from), "s" + std::to_string(leaf), gigabitsPerSecond(100),
                nanoseconds(50));
  }
  for (int leaf = 1; leaf < 4; ++leaf) {
    // As fast as the leaf's hosts together, so that the leaf does not shape them.
    graph.cable("s0", "s" + std::to_string(leaf), gigabitsPerSecond(100 << (leaf - 1)),
                nanoseconds(50));
  }
  graph.cable("s0", "h7", gigabitsPerSecond(100), nanoseconds(50));
  for (const bool voq : {true, false}) {
    FabricSpec spec = graph.spec();
    spec.switches.buffer_per_port = Bytes(100'000'000);
    spec.switches.voq = voq;
    ListFabric fabric(spec);
    for (HostId from = 0; from < kSenders; ++from) {
      fabric.host(from).addMany(frame(from, kSenders, kQueuedLength), 1'000);
    }
    fabric->runUntil(kQueuedSlot * 1'000);
    fabric.expectConserved();
    std::array<std::int64_t, 3> frames{};  // by input of s0
    std::int64_t total = 0;
    for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link("s0-h7"))) {
      if (one.time < kQueuedSlot * 100) continue;
      const HostId from = one.packet.source;
      ++frames.at(from == 0 ? 0 : from < 3 ? 1 : 2);
      ++total;
    }
    EXPECT_GE(total, 899);
    for (std::size_t input = 0; input < 3; ++input) {
      // A third each; first come, first served: as they send.
      const double share = voq ? 1.0 / 3 : static_cast<double>(1 << input) / 7;
      EXPECT_NEAR(static_cast<double>(frames.at(input)), share * static_cast<double>(total),
                  voq ? 1 : 7)
          << "input " << input << (voq ? ", in turn" : ", first come, first served");
    }
  }
}

}  // namespace
}  // namespace plumbline::fabric::testing
