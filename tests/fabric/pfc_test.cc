// Priority flow control: headroom, pauses that travel, expire and are refreshed.
#include <gtest/gtest.h>

#include "tests/fabric/harness.h"

namespace plumbline::fabric::testing {
namespace {

constexpr std::int64_t kBitsPerSecond = 100'000'000'000;
constexpr Picoseconds kQuantum{5'120};  // 512 bits at 100 Gb/s

// Bytes that can still come in after the decision to pause, on a link of 100 Gb/s: what the link
// carries during every delay of the loop, and the frames that cannot be interrupted.
std::int64_t headroomBytes(std::int64_t own_frame, std::int64_t peer_frame, Picoseconds propagation,
                           Picoseconds interface_delay, Picoseconds response) {
  const auto carried = [](Picoseconds time) {
    return (time.count() * (kBitsPerSecond / 1'000'000'000) + 7'999) / 8'000;
  };
  constexpr std::int64_t kGapAndPreamble = 20;
  constexpr std::int64_t kPauseFrame = 64;
  const std::int64_t blocked = own_frame + kGapAndPreamble;  // in front of the PAUSE frame
  const std::int64_t pause = kPauseFrame + kGapAndPreamble;
  const std::int64_t cable = carried(2 * propagation);
  const std::int64_t interfaces = carried(interface_delay);
  const std::int64_t reaction = carried(response);
  const std::int64_t started = peer_frame + kGapAndPreamble;  // by the peer, just before it obeys
  return blocked + pause + cable + interfaces + reaction + started;
}

struct HeadroomRun {
  std::uint64_t lost = 0;
  std::uint64_t received = 0;
};

// Eight senders at line rate into one receiver over 400 m of cable each, while another host keeps
// the way back to them busy with the longest frames.
HeadroomRun runWithHeadroom(std::int64_t headroom) {
  constexpr HostId kSenders = 8;
  constexpr HostId kReceiver = 8;
  constexpr HostId kOther = 9;
  FabricSpec spec;
  spec.topology.hosts = 10;
  spec.topology.host_link_delay = microseconds(2);
  spec.switches.latency = nanoseconds(600);
  PfcSpec pfc;
  pfc.priorities = 1U << kLossless;
  pfc.xoff = Bytes(50'000);
  pfc.xon = Bytes(47'000);
  pfc.headroom = Bytes(headroom);
  pfc.response = nanoseconds(300);
  spec.switches.pfc = pfc;
  ListFabric fabric(spec, 0);
  for (HostId from = 0; from < kSenders; ++from) {
    fabric.host(from).addMany(frame(from, kReceiver, 4'096, kLossless), 300);
  }
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    fabric.host(kOther).add(frame(kOther, i % kSenders, 9'216, 0), Picoseconds(0));
  }
  fabric.drain();
  const Balance balance = fabric.expectConserved();
  EXPECT_EQ(balance.inside, 0U);
  const LinkCounters total = totalCounters(*fabric);
  EXPECT_EQ(total.dropped(), total.drops[static_cast<unsigned>(DropReason::kHeadroomFull)]);
  EXPECT_GT(total.xoff_sent, 8U);
  return {total.dropped(), fabric.host(kReceiver).arrivals().size()};
}

TEST(PfcHeadroom, LosslessWithTheComputedHeadroomLossyWithLess) {
  const std::int64_t headroom =
      headroomBytes(9'216, 4'096, microseconds(2), nanoseconds(600), nanoseconds(300));
  const HeadroomRun enough = runWithHeadroom(headroom);
  EXPECT_EQ(enough.lost, 0U);
  EXPECT_EQ(enough.received, 8U * 300U);
  EXPECT_GT(runWithHeadroom(headroom / 2).lost, 0U);
  // The bound is tight: without the share of the blocking frame and some it is not enough.
  EXPECT_GT(runWithHeadroom(headroom * 8 / 10).lost, 0U);
}

// chainSpec() that pauses kLossless.
FabricSpec losslessChain(Picoseconds delay) {
  FabricSpec spec = chainSpec(delay);
  PfcSpec pfc;
  pfc.priorities = 1U << kLossless;
  pfc.xoff = Bytes(20'000);
  pfc.xon = Bytes(15'000);
  pfc.headroom = Bytes(60'000);
  spec.switches.pfc = pfc;
  return spec;
}

TEST(Pfc, AStormPropagatesHopByHopWithoutLoss) {
  FabricSpec spec = losslessChain(nanoseconds(500));
  spec.storms.push_back({1, 1U << kLossless, microseconds(10), microseconds(60)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 2'000);
  fabric.drain();
  fabric.expectConserved();
  EXPECT_EQ(fabric.host(1).arrivals().size(), 2'000U);

  const auto first = [&](RecordKind kind, const std::string& link) {
    const auto records = fabric.log().of(kind, fabric.link(link));
    return records.empty() ? kNever : records.front().time;
  };
  // The storm stops s1, which stops s0, which stops h0.
  const Picoseconds stopped_s1 = first(RecordKind::kPaused, "s1-h1");
  EXPECT_EQ(stopped_s1, microseconds(10) + nanoseconds(50) + Picoseconds(5'120));
  const Picoseconds asked_s0 = first(RecordKind::kXoff, "s1-s0");
  const Picoseconds stopped_s0 = first(RecordKind::kPaused, "s0-s1");
  const Picoseconds asked_h0 = first(RecordKind::kXoff, "s0-h0");
  const Picoseconds stopped_h0 = first(RecordKind::kPaused, "h0-s0");
  EXPECT_LT(stopped_s1, asked_s0);
  EXPECT_EQ(stopped_s0, asked_s0 + nanoseconds(500) + Picoseconds(5'120));
  EXPECT_LT(stopped_s0, asked_h0);
  EXPECT_EQ(stopped_h0, asked_h0 + nanoseconds(50) + Picoseconds(5'120));
  // Nothing else was stopped, and everything went on in the end.
  EXPECT_EQ(fabric.log().of(RecordKind::kPaused, fabric.link("h1-s1")).size(), 0U);
  EXPECT_EQ(fabric.log().of(RecordKind::kXon, fabric.link("s0-h0")).size(),
            fabric.log().of(RecordKind::kResumed, fabric.link("h0-s0")).size());
}

// A tester's port pauses a switch port that has always something to send.
std::vector<Record> departuresAround(const FabricSpec& spec, std::uint16_t quanta,
                                     std::vector<Record>& others) {
  ListHost sender;
  RecordLog log;
  Fabric fabric(spec);
  fabric.attach(0, sender);
  fabric.observe(log);
  sender.addMany(frame(0, 1, 1'024, kLossless), 1'000);
  fabric.sendPause(1, 1U << kLossless, 1U << kLossless, quanta, microseconds(20));
  fabric.runUntil(milliseconds(1));
  EXPECT_EQ(fabric.framesInside(), 0U);
  EXPECT_EQ(fabric.framesReceived(1), 1'000U);
  const LinkId link = fabric.topology().requireLink("switch0-host1", "test");
  for (const RecordKind kind : {RecordKind::kPaused, RecordKind::kResumed}) {
    for (const Record& record : log.of(kind, link)) others.push_back(record);
  }
  return log.of(RecordKind::kDeparture, link);
}

// Two wires get free at one instant, one of them with a PAUSE frame waiting, just when a frame of
// the highest priority comes for the other: it is the next one there. The last frame of host 1
// lifts its input above xoff, and the first one's end makes it go on.
TEST(Pfc, OutputsWithAStepAtOneInstantDoNotTakeItBeforeItsTime) {
  FabricSpec spec;
  spec.topology.hosts = 4;
  PfcSpec& pfc = spec.switches.pfc.emplace();
  pfc.priorities = 1U << kLossless;
  pfc.xoff = Bytes(1'100);
  pfc.xon = Bytes(300);
  for (const Core core : {Core::kReference, Core::kWindowed}) {
    ListFabric fabric(spec, kEveryKind, {.core = core});
    fabric.host(1).add(frame(1, 0, 1'024, kLossless), Picoseconds(0));
    fabric.host(1).add(frame(1, 0, 256, kLossless), Picoseconds(0));
    fabric.host(2).add(frame(2, 1, 1'024), Picoseconds(0));
    const Picoseconds slot = frameSlot(Bytes(1'024), spec.topology.link_rate);
    fabric.host(3).add(frame(3, 0, 1'024, 7), slot);
    fabric.drain();
    EXPECT_EQ(fabric.log().of(RecordKind::kXoff).size(), 1U);
    const auto sent = fabric.log().of(RecordKind::kDeparture, fabric.link("switch0-host0"));
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(sent[1].time, sent[0].time + slot);
    EXPECT_EQ(sent[1].priority, 7U);
  }
}

TEST(Pfc, APauseThatIsNotRepeatedEndsAfterItsQuanta) {
  FabricSpec spec;
  spec.switches.pfc = PfcSpec{};
  spec.switches.pfc->response = nanoseconds(120);
  std::vector<Record> pauses;
  const auto departures = departuresAround(spec, 1'000, pauses);
  // Obeyed `response` after the last bit of the PAUSE frame.
  const Picoseconds from = microseconds(20) + nanoseconds(50 + 120) + Picoseconds(5'120);
  const Picoseconds until = from + 1'000 * kQuantum;
  ASSERT_EQ(pauses.size(), 2U);
  EXPECT_EQ(pauses[0].time, from);
  EXPECT_EQ(pauses[0].value, (1'000 * kQuantum).count());
  EXPECT_EQ(pauses[1].time, until);
  bool resumed_at_once = false;
  for (const Record& one : departures) {
    EXPECT_FALSE(one.time >= from && one.time < until) << one.time.count();
    resumed_at_once = resumed_at_once || one.time == until;
  }
  EXPECT_TRUE(resumed_at_once);
}

TEST(Pfc, RefreshesKeepASenderPaused) {
  // Two milliseconds: twelve times as long as a storm waits before it repeats its PAUSE.
  FabricSpec spec = losslessChain(nanoseconds(500));
  spec.storms.push_back({1, 1U << kLossless, microseconds(10), milliseconds(2)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 500);
  fabric.host(0).addMany(frame(0, 1, 64, 0), 50, milliseconds(1));
  fabric.drain();
  fabric.expectConserved();
  const Picoseconds from = microseconds(10) + nanoseconds(50) + Picoseconds(5'120);
  const Picoseconds until = from + milliseconds(2);
  std::uint64_t other_priority = 0;
  for (const std::string link : {"s1-h1", "s0-s1", "h0-s0"}) {
    const Picoseconds begin = fabric.log().of(RecordKind::kPaused, fabric.link(link)).front().time;
    for (const Record& one : fabric.log().of(RecordKind::kDeparture, fabric.link(link))) {
      if (one.priority == 0) {
        if (one.time < until) ++other_priority;
      } else {
        EXPECT_FALSE(one.time >= begin && one.time < until) << link << " " << one.time.count();
      }
    }
  }
  EXPECT_EQ(other_priority, 3U * 50U);
  EXPECT_EQ(fabric.log().of(RecordKind::kResumed, fabric.link("s1-h1")).size(), 1U);
  EXPECT_GE(fabric.counters("s1-h1").xoff_received, 12U);
  EXPECT_GE(fabric.counters("h0-s0").xoff_received, 11U);
  EXPECT_EQ(fabric.counters("s1-h1").paused[kLossless], milliseconds(2));
  EXPECT_EQ(fabric.host(1).arrivals().size(), 550U);
}

// Storms of one host in one priority, from 10 to 60 us and within it to 30 us, and from 50 to 90
// us: one pause. The shorter one's other priority has its own time.
TEST(Pfc, StormsThatOverlapPauseUntilTheLastOneEnds) {
  FabricSpec spec = losslessChain(nanoseconds(500));
  const PriorityMask lossless = 1U << kLossless;
  spec.storms.push_back({1, lossless, microseconds(10), microseconds(50)});
  spec.storms.push_back(
      {1, static_cast<PriorityMask>(lossless | 1U), microseconds(20), microseconds(10)});
  spec.storms.push_back({1, lossless, microseconds(50), microseconds(40)});
  ListFabric fabric(spec);
  fabric.host(0).addMany(frame(0, 1, 1'024, kLossless), 500);
  fabric.drain();
  fabric.expectConserved();
  EXPECT_EQ(fabric.counters("s1-h1").paused[kLossless], microseconds(80));
  EXPECT_EQ(fabric.counters("s1-h1").paused[0], microseconds(10));
  EXPECT_EQ(fabric.log().of(RecordKind::kResumed, fabric.link("s1-h1")).size(), 2U);
}

}  // namespace
}  // namespace plumbline::fabric::testing
