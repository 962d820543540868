#include "transport/stream/stream_protocol.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "base/error.h"
#include "tests/transport/test_network.h"
#include "transport/nic.h"

namespace plumbline::transport {
namespace {

using transport_test::Action;
using transport_test::Rule;
using transport_test::Sent;
using transport_test::TestNetwork;

constexpr BitRate kWireRate = gigabitsPerSecond(100);
constexpr Picoseconds kDelay = nanoseconds(500);

// Hosts that run the streams of one plan over wires without contention.
class Hosts {
 public:
  Hosts(std::vector<PlainStream> streams, std::uint32_t hosts, const StreamOptions& options = {})
      : plan_(std::make_shared<StreamPlan>(std::move(streams), kWireRate)) {
    for (HostId host = 0; host < hosts; ++host) {
      HostContext context;
      context.self = host;
      context.rate = kWireRate;
      std::vector<std::unique_ptr<Protocol>> protocols;
      auto protocol = std::make_unique<StreamProtocol>(context, plan_, options);
      protocols_.push_back(protocol.get());
      protocols.push_back(std::move(protocol));
      nics_.push_back(std::make_unique<Nic>(nullptr, std::move(protocols)));
      endpoints_.push_back(nics_.back().get());
    }
    network_ = std::make_unique<TestNetwork>(endpoints_, kWireRate, kDelay);
  }

  TestNetwork& network() { return *network_; }
  StreamProtocol& at(HostId host) { return *protocols_[host]; }
  std::vector<StreamOutcome> outcomes() const {
    return collectStreams(*plan_, {protocols_.begin(), protocols_.end()});
  }

 private:
  std::shared_ptr<const StreamPlan> plan_;
  std::vector<StreamProtocol*> protocols_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::vector<fabric::Endpoint*> endpoints_;
  std::unique_ptr<TestNetwork> network_;
};

PlainStream constant(HostId from, HostId to, std::int64_t percent, Picoseconds end,
                     Bytes frame = Bytes(64)) {
  PlainStream stream;
  stream.from = from;
  stream.to = to;
  stream.frame = frame;
  stream.load = ConstantRate{Fraction::percent(percent)};
  stream.end = end;
  return stream;
}

TEST(StreamProtocol, SendsOnTheGridAndEverythingArrives) {
  Hosts hosts({constant(0, 1, 30, microseconds(10))}, 2);
  hosts.network().run();
  const auto& log = hosts.network().log();
  ASSERT_EQ(log.size(), 447U);  // ceil(10 us / 22.4 ns)
  for (std::size_t n = 0; n < log.size(); ++n) {
    ASSERT_EQ(log[n].time, Picoseconds(22'400) * static_cast<std::int64_t>(n));
    ASSERT_EQ(log[n].packet.extra & 0xFFFFFFFFFFULL, n);
    ASSERT_EQ(protocolOf(log[n].packet.opcode), ProtocolId::kStream);
  }
  const StreamOutcome outcome = hosts.outcomes()[0];
  EXPECT_EQ(outcome.sent.frames, 447U);
  EXPECT_EQ(outcome.sent.late, 0U);
  EXPECT_EQ(outcome.received.frames, 447U);
  EXPECT_EQ(outcome.received.bytes, 447U * 64);
  EXPECT_EQ(outcome.lost(), 0U);
  const stats::Histogram& latency = hosts.at(1).latency()[0].histogram;
  EXPECT_EQ(latency.count(), 447U);
  EXPECT_EQ(latency.minimum(), 500'000U);
  EXPECT_EQ(latency.maximum(), 500'000U);
}

// Fractions of a picosecond: departures never before the due time and less than 1 ps after it.
TEST(StreamProtocol, RoundsDueTimesUpWithoutDrift) {
  Hosts hosts({constant(0, 1, 90, microseconds(100))}, 2);
  hosts.network().run();
  const FineTime period = finePeriod(Bytes(64), kWireRate, Fraction::percent(90));
  std::int64_t n = 0;
  for (const Sent& sent : hosts.network().log()) {
    const FineTime error = fineTime(sent.time) - n++ * period;
    ASSERT_GE(error, 0);
    ASSERT_LT(error, FineTime{1} << kFineBits);
  }
  EXPECT_EQ(hosts.outcomes()[0].sent.late_max, Picoseconds(0));
}

// Two streams due at the same times: the lower number first, the other as soon as the wire is free.
TEST(StreamProtocol, StreamsOfOneHostShareTheWireInTheOrderOfDueTimes) {
  Hosts hosts({constant(0, 1, 50, nanoseconds(100)), constant(0, 2, 50, nanoseconds(100))}, 3);
  hosts.network().run();
  const auto& log = hosts.network().log();
  ASSERT_EQ(log.size(), 16U);
  for (std::size_t n = 0; n < log.size(); ++n) {
    EXPECT_EQ(log[n].time, Picoseconds(6720) * static_cast<std::int64_t>(n));
    EXPECT_EQ(log[n].packet.aux, n % 2);
  }
  EXPECT_EQ(hosts.outcomes()[0].sent.late_max, Picoseconds(0));
  EXPECT_EQ(hosts.outcomes()[1].sent.late_max, Picoseconds(6720));
  EXPECT_EQ(hosts.outcomes()[1].sent.late, 0U);
}

TEST(StreamProtocol, CountsLateFramesBeyondTheThreshold) {
  std::vector<PlainStream> streams{constant(0, 1, 50, microseconds(1), Bytes(1500)),
                                   constant(0, 1, 10, nanoseconds(100))};
  streams[1].start = nanoseconds(1);  // after the first stream's first frame, 121.6 ns long
  Hosts hosts(streams, 2);
  hosts.network().run();
  const StreamOutcome outcome = hosts.outcomes()[1];
  EXPECT_EQ(outcome.sent.frames, 2U);
  EXPECT_EQ(outcome.sent.late, 2U);
  EXPECT_EQ(outcome.sent.late_max, nanoseconds(1216) / 10 - nanoseconds(1));
}

// A frame of 1500 B keeps the wire for 121.6 ns. Frames of the other stream are due after 1 ns and
// 68.2 ns, and it ends after 100 ns.
TEST(StreamProtocol, GivesUpWhatIsLateAtTheEndOfAStream) {
  std::vector<PlainStream> streams{constant(0, 1, 50, nanoseconds(200), Bytes(1500)),
                                   constant(0, 1, 10, nanoseconds(100))};
  streams[1].start = nanoseconds(1);
  Hosts hosts(streams, 2, {.stops_at_end = true});
  hosts.network().run();
  EXPECT_EQ(hosts.outcomes()[0].sent.frames, 1U);
  EXPECT_EQ(hosts.outcomes()[0].sent.given_up, 0U);
  EXPECT_EQ(hosts.outcomes()[1].sent.frames, 0U);
  EXPECT_EQ(hosts.outcomes()[1].sent.given_up, 2U);
}

TEST(StreamProtocol, PhasesAndGroupsAreKeptApart) {
  std::vector<PlainStream> streams{constant(0, 2, 10, microseconds(2)),
                                   constant(1, 2, 20, microseconds(2))};
  streams[1].start = nanoseconds(333);
  streams[1].group = 5;
  Hosts hosts(streams, 3);
  hosts.network().run();
  EXPECT_EQ(hosts.network().sent([](const fabric::Packet& p) { return p.aux == 1; })[0].time,
            nanoseconds(333));
  ASSERT_EQ(hosts.at(2).latency().size(), 2U);
  EXPECT_EQ(hosts.at(2).latency()[0].histogram.count(), 30U);  // ceil(2000 / 67.2)
  EXPECT_EQ(hosts.at(2).latency()[1].group, 5U);
  EXPECT_EQ(hosts.at(2).latency()[1].histogram.count(), 50U);  // ceil(1667 / 33.6)
}

TEST(StreamProtocol, QueuePairsTakeTurnsWithAHashAndSequenceOfTheirOwn) {
  PlainStream stream = constant(0, 1, 100, nanoseconds(200));
  stream.qps = 4;
  Hosts hosts({stream}, 2);
  hosts.network().run();
  const auto& log = hosts.network().log();
  ASSERT_EQ(log.size(), 30U);
  std::set<std::uint32_t> hashes;
  for (std::size_t n = 0; n < log.size(); ++n) {
    EXPECT_EQ(log[n].packet.connection, log[0].packet.connection + n % 4);
    EXPECT_EQ(log[n].packet.psn, n / 4);
    EXPECT_EQ(log[n].packet.flow_hash, log[n % 4].packet.flow_hash);
    hashes.insert(log[n].packet.flow_hash);
  }
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(StreamProtocol, AccountsForEveryFrameThatTheNetworkHarms) {
  Hosts hosts({constant(0, 1, 25, microseconds(5))}, 2);
  const auto any = [](const fabric::Packet&) { return true; };
  const auto rule = [&](std::uint64_t first, std::uint64_t count, Action action,
                        Picoseconds extra = {}) {
    Rule made;
    made.matches = [first, count](const fabric::Packet& packet) {
      const std::uint64_t n = packet.extra & 0xFFFFFFFFFFULL;
      return n >= first && n < first + count;
    };
    made.count = count;
    made.action = action;
    made.extra = extra;
    hosts.network().add(made);
  };
  rule(10, 3, Action::kDrop);
  rule(20, 2, Action::kMark);
  rule(30, 1, Action::kTrim);
  rule(40, 2, Action::kDuplicate, nanoseconds(1));
  rule(50, 1, Action::kDelay, nanoseconds(100));
  rule(185, 2, Action::kDrop);  // the last two of 187
  hosts.network().run();
  ASSERT_EQ(hosts.network().sent(any).size(), 187U);
  const StreamOutcome outcome = hosts.outcomes()[0];
  EXPECT_EQ(outcome.lost(), 6U);
  EXPECT_EQ(outcome.received.trimmed, 1U);
  EXPECT_EQ(outcome.received.duplicate, 2U);
  EXPECT_EQ(outcome.received.out_of_order, 1U);
  EXPECT_EQ(outcome.received.ce, 2U);
  EXPECT_EQ(outcome.received.frames, 187U - 6 + 2);
  const EndpointStats& stats = hosts.at(1).stats();
  EXPECT_EQ(stats.payload_received, 64U * 181);
  EXPECT_EQ(stats.duplicates, 2U);
  EXPECT_EQ(stats.latency.count(), 181U);
  EXPECT_EQ(stats.latency.maximum(), 600'000U);
}

// A pause from 1 us to 2 us of the first stream's priority only: its slots in between are given
// up, and no frame follows after the end; the other stream is not affected.
TEST(StreamProtocol, GivesUpTheSlotsOfAPausedPriority) {
  std::vector<PlainStream> streams{constant(0, 1, 25, microseconds(3)),
                                   constant(0, 1, 25, microseconds(3))};
  streams[1].priority = 4;
  streams[1].start = Picoseconds(13'440);
  Hosts hosts(streams, 2);
  hosts.network().pause(microseconds(1), 0, 1U << 3);
  hosts.network().pause(microseconds(2), 0, 0);
  hosts.network().run();
  const auto first = hosts.network().sent([](const fabric::Packet& p) { return p.aux == 0; });
  const auto outcomes = hosts.outcomes();
  // Slots k * 26.88 ns: 38 (k = 0 to 37) begin before 1 us, k = 38 to 74 while it is paused.
  EXPECT_EQ(outcomes[0].sent.given_up, 37U);
  ASSERT_EQ(first.size(), 112U - 37);
  EXPECT_EQ(first[37].time, Picoseconds(26'880) * 37);
  EXPECT_EQ(first[38].time, Picoseconds(26'880) * 75);
  EXPECT_EQ(first.back().time, Picoseconds(26'880) * 111);
  EXPECT_EQ(outcomes[1].sent.given_up, 0U);
  EXPECT_EQ(outcomes[1].sent.frames, 112U);
  EXPECT_EQ(outcomes[1].sent.late_max, Picoseconds(0));
}

TEST(StreamProtocol, FlowsAreStreams) {
  Hosts hosts({constant(0, 1, 25, microseconds(1)), constant(1, 0, 25, microseconds(1))}, 2);
  hosts.network().run();
  std::vector<FlowStats> flows;
  hosts.at(0).appendFlows(flows);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[0].packets_sent, 38U);
  EXPECT_EQ(flows[0].first_sent, Picoseconds(0));
  EXPECT_EQ(flows[1].flow, 1U);
  EXPECT_EQ(flows[1].payload_received, 38U * 64);
}

TEST(StreamProtocol, CountsWhatIsNotForIt) {
  Hosts hosts({constant(0, 1, 25, microseconds(1))}, 2);
  fabric::Packet stray;
  stray.destination = 0;
  hosts.at(1).receive(stray, Picoseconds(0));
  stray.destination = 1;
  stray.aux = 7;
  hosts.at(1).receive(stray, Picoseconds(0));
  EXPECT_EQ(hosts.at(1).misdelivered(), 2U);
  EXPECT_EQ(hosts.at(1).stats().data_received, 0U);
}

TEST(StreamProtocol, RefusesMessages) {
  Hosts hosts({constant(0, 1, 25, microseconds(1))}, 2);
  EXPECT_THROW(hosts.at(0).post({}, Picoseconds(0)), Error);
}

TEST(StreamPlan, RefusesWhatCannotBeSent) {
  const auto refused = [](auto change) {
    PlainStream stream = constant(0, 1, 50, microseconds(1));
    change(stream);
    EXPECT_THROW(StreamPlan({stream}, kWireRate), Error);
  };
  refused([](PlainStream& s) { s.to = 0; });
  refused([](PlainStream& s) { s.frame = Bytes(63); });
  refused([](PlainStream& s) { s.frame = Bytes(9217); });
  refused([](PlainStream& s) { s.priority = 8; });
  refused([](PlainStream& s) { s.qps = 0; });
  refused([](PlainStream& s) { s.start = Picoseconds(-1); });
  refused([](PlainStream& s) { s.load = ConstantRate{Fraction()}; });
  refused([](PlainStream& s) { s.load = PoissonRate{Fraction::percent(101)}; });
  refused([](PlainStream& s) { s.load = FrameBursts{0, Bytes(0), 1, {}}; });
  refused([](PlainStream& s) { s.load = OnOffRate{Fraction::one(), Picoseconds(0), {}}; });
}

}  // namespace
}  // namespace plumbline::transport
