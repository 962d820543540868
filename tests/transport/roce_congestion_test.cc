// CNPs, and DCQCN's pacing of a QP, on recorded traffic.
#include <gtest/gtest.h>

#include <memory>

#include "base/random.h"
#include "tests/transport/dcqcn_reference.h"
#include "tests/transport/roce_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::DcqcnSpec;
using transport::RoceService;
using transport::RoceSpec;
using transport::Verb;

RoceSpec dcqcnSpec(const DcqcnSpec& dcqcn, RoceService service = RoceService::kRc) {
  RoceSpec spec;
  spec.service = service;
  spec.path_mtu = 1024;
  spec.dcqcn = dcqcn;
  return spec;
}

// Marks a data packet with probability `percent`.
void markAtRandom(RoceHosts& hosts, std::uint64_t percent, std::uint64_t seed) {
  auto random = std::make_shared<RandomStream>(seed, "marks");
  hosts.network->setHook([random, percent](fabric::Packet& packet, Picoseconds, Picoseconds&) {
    if (!RoceHosts::isData(packet) || random->below(100) >= percent) return Action::kDeliver;
    packet.ce = true;
    return Action::kMark;
  });
}

std::int64_t lastBit(const Sent& frame) {
  return (frame.time + kDelay).count() + frame.packet.length * kByte;
}

// Per QP: the first marked packet, then the first one at least an interval later, and so on. The
// reverse wire carries almost nothing, so that each CNP leaves at once or behind one frame.
TEST(RoceCongestion, CnpSpacing) {
  for (const std::int64_t interval_us : {0, 4, 50}) {
    SCOPED_TRACE(interval_us);
    DcqcnSpec dcqcn = DcqcnSpec::paper();
    dcqcn.cnp_interval = microseconds(interval_us);
    dcqcn.min_rate = gigabitsPerSecond(20);
    RoceHosts hosts(dcqcnSpec(dcqcn, RoceService::kUc));
    markAtRandom(hosts, 30, 5);
    for (std::uint32_t flow = 0; flow < 3; ++flow) {
      hosts.applications[0].postAt(Picoseconds{0}, write(1'000'000, flow));
    }
    hosts.network->run();
    std::vector<std::int64_t> allowed(3, 0);
    std::vector<std::int64_t> expected;
    std::uint64_t marked = 0;
    for (const Sent& frame : hosts.network->sent(RoceHosts::isData)) {
      if (frame.action != Action::kMark) continue;
      ++marked;
      const std::uint32_t flow = frame.packet.connection & 0xFF;
      if (lastBit(frame) < allowed[flow]) continue;
      expected.push_back(lastBit(frame));
      allowed[flow] = lastBit(frame) + interval_us * 1'000'000;
    }
    const auto cnps = hosts.network->sent(RoceHosts::isCnp);
    ASSERT_EQ(cnps.size(), expected.size());
    ASSERT_GT(cnps.size(), 5U);
    for (std::size_t i = 0; i < cnps.size(); ++i) {
      EXPECT_EQ(cnps[i].time.count(), expected[i]);
      EXPECT_EQ(cnps[i].packet.length, 78);
      EXPECT_EQ(cnps[i].packet.priority, 6);
      EXPECT_FALSE(cnps[i].packet.ect);
      EXPECT_EQ(cnps[i].packet.destination, 0);
    }
    EXPECT_EQ(hosts.roce[1]->stats().ce_received, marked);
    EXPECT_EQ(hosts.roce[1]->stats().cnp_sent, expected.size());
    EXPECT_EQ(hosts.roce[0]->stats().cnp_received, expected.size());
  }
}

TEST(RoceCongestion, OffMeansLineRateAndSilence) {
  RoceSpec spec;
  RoceHosts hosts(spec);
  markAtRandom(hosts, 100, 1);
  hosts.applications[0].postAt(Picoseconds{0}, write(409'600));
  hosts.network->run();
  EXPECT_TRUE(hosts.network->sent(RoceHosts::isCnp).empty());
  EXPECT_EQ(hosts.roce[1]->stats().ce_received, 100U);
  const auto data = hosts.network->sent(RoceHosts::isData);
  for (std::size_t i = 1; i < data.size(); ++i) {
    EXPECT_EQ((data[i].time - data[i - 1].time).count(), (data[i - 1].packet.length + 20) * kByte);
  }
}

// Without any CNP, for requests, READ responses and retransmissions alike; at line rate no frame is
// late.
TEST(RoceCongestion, MaxRateHoldsBeforeTheFirstCnp) {
  for (const std::int64_t gigabits : {0, 1, 10, 100, 400}) {
    SCOPED_TRACE(gigabits);
    DcqcnSpec dcqcn = DcqcnSpec::paper();
    dcqcn.enabled = true;
    dcqcn.max_rate = gigabitsPerSecond(gigabits);
    const std::int64_t byte = kByte * (gigabits == 0 || gigabits > 100 ? 1 : 100 / gigabits);
    for (const Verb verb : {Verb::kWrite, Verb::kRead}) {
      RoceHosts hosts(dcqcnSpec(dcqcn));
      hosts.network->add({.matches = RoceHosts::isData, .first = 7, .action = Action::kDrop});
      hosts.applications[0].postAt(Picoseconds{0},
                                   {.to = 1, .flow = 4, .verb = verb, .bytes = 102'400});
      hosts.network->run();
      ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
      const auto data = hosts.network->sent(RoceHosts::isData);
      ASSERT_GT(data.size(), 100U);
      std::size_t back_to_back = 0;
      for (std::size_t i = 1; i < data.size(); ++i) {
        const std::int64_t gap = (data[i].time - data[i - 1].time).count();
        const std::int64_t paid = (data[i - 1].packet.length + 20) * byte;
        EXPECT_GE(gap, paid) << i;
        back_to_back += gap == paid ? 1 : 0;
      }
      EXPECT_GE(back_to_back, 99U);
      const std::uint32_t sender = verb == Verb::kRead ? 1 : 0;
      EXPECT_EQ(hosts.roce[sender]->rateOf(1 - sender, 4, milliseconds(1)), 8e12 / byte);
    }
  }
}

// QPs are limited one by one: ten of a tenth of the line fill it.
TEST(RoceCongestion, MaxRateIsThatOfAQp) {
  DcqcnSpec dcqcn = DcqcnSpec::paper();
  dcqcn.enabled = true;
  dcqcn.max_rate = gigabitsPerSecond(10);
  RoceHosts hosts(dcqcnSpec(dcqcn, RoceService::kUc));
  for (std::uint32_t flow = 0; flow < 10; ++flow) {
    hosts.applications[0].postAt(Picoseconds{0}, write(102'400, flow));
  }
  hosts.network->run();
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 1000U);
  // Their first frames are longer than the others, by the RETH.
  EXPECT_LE((data.back().time - data.front().time).count(), 999 * (1024 + 62 + 20 + 16) * kByte);
}

// Every departure of a QP, from the frames before it and the CNPs that had arrived by then.
TEST(RoceCongestion, DeparturesFollowTheEquations) {
  struct Case {
    const char* name;
    DcqcnSpec dcqcn;
    std::uint64_t percent;
  };
  DcqcnSpec fast = DcqcnSpec::paper();
  fast.increase_period = microseconds(3);
  fast.increase_bytes = 50'000;
  fast.cnp_interval = microseconds(10);
  fast.decrease_interval = microseconds(10);
  fast.min_rate = BitRate(50'000'000);
  DcqcnSpec limited = fast;
  limited.max_rate = gigabitsPerSecond(30);
  for (const Case& c :
       {Case{"paper", DcqcnSpec::paper(), 1}, Case{"nvidia", DcqcnSpec::nvidia(), 1},
        Case{"hpcc", DcqcnSpec::hpcc(), 2}, Case{"fast", fast, 20}, Case{"limited", limited, 20}}) {
    SCOPED_TRACE(c.name);
    RoceHosts hosts(dcqcnSpec(c.dcqcn, RoceService::kUc));
    markAtRandom(hosts, c.percent, 11);
    hosts.applications[0].postAt(Picoseconds{0}, write(std::uint64_t{1} << 30));
    hosts.network->run(milliseconds(6));

    std::vector<std::int64_t> cnps;
    for (const Sent& cnp : hosts.network->sent(RoceHosts::isCnp)) cnps.push_back(lastBit(cnp));
    const auto data = hosts.network->sent(RoceHosts::isData);
    ASSERT_GT(data.size(), 100U);
    ASSERT_GT(cnps.size(), 10U);
    DcqcnReference reference(c.dcqcn, static_cast<double>(kRate.bitsPerSecond()));
    std::size_t next_cnp = 0;
    std::int64_t slowed = 0;
    for (std::size_t i = 0; i + 1 < data.size(); ++i) {
      const std::int64_t start = data[i].time.count();
      reference.sent(data[i].packet.length, start);
      const std::int64_t wire = data[i].packet.length + 20;
      std::int64_t from = start;
      std::int64_t paid = 0;
      for (;;) {
        paid = std::max(from, start + reference.gap(wire));
        const std::int64_t cnp = next_cnp < cnps.size() ? cnps[next_cnp] : INT64_MAX;
        const std::int64_t timer = reference.active ? reference.increase_timer : INT64_MAX;
        if (paid <= timer && paid < cnp) break;
        from = std::min(cnp, timer);
        reference.runUntil(from);
        if (cnp == from) {
          reference.cnp(cnp);
          ++next_cnp;
        }
      }
      slowed += paid > start + wire * kByte ? 1 : 0;
      ASSERT_NEAR(static_cast<double>(data[i + 1].time.count()), static_cast<double>(paid), 2.0)
          << "frame " << i + 1;
    }
    EXPECT_GT(slowed, static_cast<std::int64_t>(data.size() / 2));
    const Picoseconds end = data.back().time;
    reference.runUntil(end.count());
    EXPECT_NEAR(hosts.roce[0]->rateOf(1, 0, end), reference.rc, 1e-6 * reference.rc);
  }
}

// Two QPs of one wire, one of them at half the line rate: a frame of it waits for its time, then
// perhaps for one frame of the other, which uses the remaining rate.
TEST(RoceCongestion, PacedQpLeavesTheWireToOthers) {
  DcqcnSpec dcqcn = DcqcnSpec::paper();
  dcqcn.increase_period = seconds(1);
  dcqcn.increase_bytes = 0;
  RoceHosts hosts(dcqcnSpec(dcqcn, RoceService::kUc));
  hosts.network->add({.matches =
                          [](const fabric::Packet& packet) {
                            return RoceHosts::isData(packet) && (packet.connection & 0xFF) == 0;
                          },
                      .action = Action::kMark});
  hosts.applications[0].postAt(Picoseconds{0}, write(1 << 24, 0));
  hosts.applications[0].postAt(Picoseconds{0}, write(1 << 26, 1));
  hosts.network->run(milliseconds(1));
  EXPECT_DOUBLE_EQ(hosts.roce[0]->rateOf(1, 0, milliseconds(1)), 50e9);
  const auto data = hosts.network->sent(RoceHosts::isData);
  const std::int64_t slot = (1024 + 62 + 20) * kByte;
  std::int64_t last_of_slow = 0;
  for (std::size_t i = 1; i < data.size(); ++i) {
    const std::int64_t wire = (data[i - 1].packet.length + 20) * kByte;
    EXPECT_EQ((data[i].time - data[i - 1].time).count(), wire);
    if ((data[i].packet.connection & 0xFF) != 0) continue;
    const std::int64_t start = data[i].time.count();
    if (last_of_slow > microseconds(5).count()) {
      EXPECT_GE(start - last_of_slow, 2 * slot);
      EXPECT_LE(start - last_of_slow, 3 * slot);
    }
    last_of_slow = start;
  }
  EXPECT_GT(last_of_slow, microseconds(999).count());
}

// The reader's CNPs slow down a READ's responses.
TEST(RoceCongestion, ReadResponsesArePacedToo) {
  DcqcnSpec dcqcn = DcqcnSpec::paper();
  dcqcn.increase_period = seconds(1);
  dcqcn.increase_bytes = 0;
  RoceHosts hosts(dcqcnSpec(dcqcn));
  hosts.network->add({.matches = RoceHosts::isData, .action = Action::kMark});
  hosts.applications[0].postAt(Picoseconds{0},
                               {.to = 1, .flow = 4, .verb = Verb::kRead, .bytes = 102'400});
  hosts.network->run();
  EXPECT_EQ(hosts.roce[0]->stats().cnp_sent, 1U);
  EXPECT_EQ(hosts.roce[1]->stats().cnp_received, 1U);
  EXPECT_DOUBLE_EQ(hosts.roce[1]->rateOf(0, 4, milliseconds(1)), 50e9);
  const auto data = hosts.network->sent(RoceHosts::isData);
  ASSERT_EQ(data.size(), 100U);
  EXPECT_EQ((data[98].time - data[97].time).count(), (1024 + 62 + 20) * kByte * 2);
  EXPECT_EQ(hosts.applications[0].completions.size(), 1U);
}

}  // namespace
}  // namespace plumbline::transport_test
