// Receiver credit: the pacer's spacing, its turns, the source's account, and 32 senders at once.
#include "transport/congestion/rccc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "tests/transport/uet_hosts.h"

namespace plumbline::transport_test {
namespace {

using transport::ControlType;
using transport::RcccPacer;
using transport::RcccSource;
using transport::UetCongestionControl;
using transport::UetSpec;
using transport::Verb;

TEST(RcccPacer, SpacingIsGrantOverPacedRateToThePicosecond) {
  // 16384 · 8 bit / (100 Gb/s · 0.99) = 1,323,959.59… ps
  const RcccPacer pacer(gigabitsPerSecond(100), Bytes(16'384), Fraction::percent(99));
  EXPECT_EQ(pacer.spacing(16'384), Picoseconds(1'323'960));
  const RcccPacer full(gigabitsPerSecond(400), Bytes(16'384), Fraction::one());
  EXPECT_EQ(full.spacing(16'384), Picoseconds(327'680));
  EXPECT_EQ(full.spacing(256), Picoseconds(5'120));
}

TEST(RcccPacer, ServesSourcesInTurnUpToTheirTargets) {
  RcccPacer pacer(gigabitsPerSecond(100), Bytes(16'384), Fraction::percent(99));
  EXPECT_EQ(pacer.nextAt(), fabric::kNever);
  pacer.request(0, 100, false);  // 64 + 36 units
  pacer.request(1, 64, false);
  pacer.request(0, 90, false);  // an older target changes nothing
  Picoseconds now = microseconds(3);
  const auto first = pacer.next(now);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->source, 0U);
  EXPECT_EQ(first->credit, 64U);
  EXPECT_FALSE(pacer.next(now + Picoseconds(1'323'959)));
  EXPECT_EQ(pacer.nextAt(), now + Picoseconds(1'323'960));
  now = pacer.nextAt();
  const auto second = pacer.next(now);
  EXPECT_EQ(second->source, 1U);
  EXPECT_EQ(second->credit, 64U);
  now = pacer.nextAt();
  const auto third = pacer.next(now);
  EXPECT_EQ(third->source, 0U);
  EXPECT_EQ(third->credit, 100U);
  EXPECT_EQ(pacer.nextAt(), fabric::kNever);
  // A grant of 36 units holds up the next one for 36 units' time only: 744,727.27… ps.
  pacer.request(1, 65, false);
  EXPECT_EQ(pacer.nextAt(), now + Picoseconds(744'728));
}

TEST(RcccPacer, RepeatsWhatWasGivenWhenASourceHasWaited) {
  RcccPacer pacer(gigabitsPerSecond(100), Bytes(16'384), Fraction::percent(99));
  pacer.request(5, 10, false);
  EXPECT_EQ(pacer.next(Picoseconds(0))->credit, 10U);
  pacer.request(5, 10, false);
  EXPECT_EQ(pacer.nextAt(), fabric::kNever);
  pacer.request(5, 10, true);
  const auto again = pacer.next(pacer.nextAt());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->source, 5U);
  EXPECT_EQ(again->credit, 10U);
}

TEST(RcccPacer, CountersWrapAt24Bits) {
  RcccPacer pacer(gigabitsPerSecond(100), Bytes(1 << 20), Fraction::one());  // 4096 units a grant
  RcccSource source(1 << 30, 0);
  source.stopSpeculating();
  std::uint32_t target = 0;
  Picoseconds now{0};
  for (int i = 0; i < 5'000; ++i) {  // 20,480,000 units: once round
    target = (target + 4096) & 0xFFFFFF;
    pacer.request(0, target, false);
    now = std::max(now, pacer.nextAt());
    const auto grant = pacer.next(now);
    ASSERT_TRUE(grant);
    ASSERT_EQ(grant->credit, target);
    const std::int64_t before = source.unspent();
    source.onCredit(grant->credit);
    ASSERT_EQ(source.unspent() - before, 1 << 20);
    source.spend(1 << 20);
  }
}

TEST(RcccSource, AsksForItsBacklogBeyondWhatItHas) {
  RcccSource source(225'000, 0);
  EXPECT_TRUE(source.speculating());
  EXPECT_TRUE(source.maySend());
  // Speculative credit covers the backlog, but before the first answer one MTU is requested.
  EXPECT_EQ(source.target(10'000, 4204, std::nullopt, 1), (4204U + 255) / 256);
  EXPECT_EQ(source.target(0, 4204, std::nullopt, 1), 0U);
  source.spend(100'000);
  EXPECT_EQ(source.target(500'000, 4204, std::nullopt, 1), (100'000U + 255) / 256);
  source.onCredit(64);
  EXPECT_FALSE(source.speculating());
  EXPECT_EQ(source.unspent(), 16'384);  // the speculative rest is gone
  EXPECT_EQ(source.target(500'000, 4204, std::nullopt, 1), 64 + (225'000U - 16'384 + 255) / 256);
  EXPECT_EQ(source.target(500'000, 4204, std::nullopt, 4),
            64 + (225'000U / 4 - 16'384 + 255) / 256);
  EXPECT_EQ(source.target(500'000, 4204, 50'000, 1), 64 + (50'000U - 16'384 + 255) / 256);
  EXPECT_EQ(source.target(16'384, 4204, std::nullopt, 1), 64U);
  source.onCredit(60);  // overtaken
  EXPECT_EQ(source.unspent(), 16'384);
  source.spend(20'000);  // the last packet overdraws
  EXPECT_FALSE(source.maySend());
  source.onCredit(64 + 64);
  EXPECT_EQ(source.unspent(), 16'384 - 20'000 + 16'384);
  source.onCredit(64 + 64 + 4096);
  EXPECT_EQ(source.unspent(), 225'000 + 255);  // capped
}

// Requests are rounded up to 256 B. Over a thousand grants of a window that is no multiple of it,
// what was granted is what was spent and what is left.
TEST(RcccSource, NothingOfAGrantIsLost) {
  RcccSource source(13'950, 0);
  source.stopSpeculating();
  std::int64_t granted = 0;
  std::int64_t spent = 0;
  std::uint32_t credit = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t target = source.target(1'000'000, 4204, std::nullopt, 1);
    granted += std::int64_t{target - credit} * 256;
    credit = target;
    source.onCredit(target);
    while (source.maySend()) {
      source.spend(4204);
      spent += 4204;
    }
  }
  EXPECT_EQ(granted, spent + source.unspent());
  EXPECT_GT(granted, 13'000'000);
}

// However much it has overdrawn and however many destinations share the NIC, what it asks for is
// enough for a packet: a source that may not send cannot ask again with data.
TEST(RcccSource, WhatItAsksForPermitsAPacket) {
  RandomStream random(1, "rccc/permits");
  for (int i = 0; i < 1'000; ++i) {
    RcccSource source(static_cast<std::int64_t>(4204 + random.below(300'000)), 0xFFFF00);
    const std::uint64_t rounds = 1 + random.below(30);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      while (source.maySend()) source.spend(static_cast<std::int64_t>(109 + random.below(4096)));
      const auto backlog = static_cast<std::int64_t>(1 + random.below(1'000'000));
      const auto sharers =
          static_cast<std::uint32_t>(1 + random.below(random.below(2) ? 8 : 9'999));
      const std::uint32_t target = source.target(
          backlog, 4204, random.below(2) ? std::optional<std::int64_t>(8408) : std::nullopt,
          sharers);
      source.onCredit(target);
      ASSERT_TRUE(source.maySend()) << sharers;
      ASSERT_EQ(source.target(1, 4204, std::nullopt, sharers), target) << "a byte is covered";
    }
  }
}

// 32 senders of 16 MiB to one receiver. The test network has no queue, so data beyond credit would
// show as arrivals faster than the wire.
TEST(Rccc, ThirtyTwoSendersFinishTogether) {
  for (const UetCongestionControl control :
       {UetCongestionControl::kRccc, UetCongestionControl::kNsccRccc}) {
    UetSpec spec;
    spec.congestion_control = control;
    spec.trimming = false;
    UetHosts hosts(spec, 33);
    constexpr std::uint64_t kBytes = 16 << 20;
    for (std::uint32_t host = 1; host <= 32; ++host) {
      hosts.applications[host].postAt(Picoseconds(0), {0, 0, Verb::kWrite, kBytes, host});
    }
    hosts.network->run();
    Picoseconds first = fabric::kNever;
    Picoseconds last{0};
    for (std::uint32_t host = 1; host <= 32; ++host) {
      ASSERT_EQ(hosts.applications[host].completions.size(), 1U);
      const Picoseconds done = hosts.applications[host].completions[0].time;
      first = std::min(first, done);
      last = std::max(last, done);
    }
    EXPECT_LE((last - first).count(), last.count() / 100);
    // All of it at 99 % of the wire, minus the 32 speculative windows of 225,000 bytes that needed
    // no grant: nominal bytes are 4204 for 4096.
    const double nominal = 32.0 * static_cast<double>(kBytes) * 4204 / 4096;
    EXPECT_LE(last.toSeconds(), nominal * 8 / 99e9 * 1.01 + 20e-6);
    EXPECT_GE(last.toSeconds(), (nominal - 32 * 225'000.0) * 8 / 99e9);
  }
}

TEST(Rccc, GrantsLeaveAtThePacersSpacing) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kRccc;
  UetHosts hosts(spec, 3);
  hosts.applications[1].postAt(Picoseconds(0), {0, 0, Verb::kWrite, 8 << 20, 0});
  hosts.applications[2].postAt(Picoseconds(0), {0, 0, Verb::kWrite, 8 << 20, 0});
  hosts.network->run();
  const auto credits = hosts.network->sent(
      [](const fabric::Packet& p) { return UetHosts::isControl(p, ControlType::kCredit); });
  ASSERT_GT(credits.size(), 500U);
  // In the steady state both request more than a grant. A credit may wait for an ACK in
  // transmission (at most 78 + 20 byte times), so the spacing holds on average, and per pair within
  // that.
  const std::size_t begin = 100;
  const std::size_t end = 400;
  for (std::size_t i = begin; i < end; ++i) {
    const Picoseconds gap = credits[i + 1].time - credits[i].time;
    EXPECT_NEAR(static_cast<double>(gap.count()), 1'323'960.0, 98 * 80.0) << i;
    EXPECT_NE(credits[i].packet.destination, credits[i + 1].packet.destination);
  }
  const Picoseconds total = credits[end].time - credits[begin].time;
  EXPECT_NEAR(static_cast<double>(total.count()), 300 * 1'323'960.0, 98 * 80.0);
}

TEST(Rccc, LostCreditsAndRequestsAreAskedForAgain) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kRccc;
  spec.rto = microseconds(100);
  spec.max_rto_retries = 15;
  UetHosts hosts(spec);
  Rule rule;
  rule.matches = [](const fabric::Packet& p) {
    return UetHosts::isControl(p, ControlType::kCredit);
  };
  rule.first = 3;
  rule.count = 25;  // those of the first window, and of repeated requests
  hosts.network->add(rule);
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 2 << 20, 0});
  hosts.network->run();
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_FALSE(hosts.applications[0].completions[0].event.failed);
  EXPECT_FALSE(hosts.network
                   ->sent([](const fabric::Packet& p) {
                     return UetHosts::isControl(p, ControlType::kCreditRequest);
                   })
                   .empty());
}

// Messages whose credit is used up to the last byte have to ask for more before they may send. 8 of
// the 5,000-byte messages, 5,216 nominal bytes each, are 163 units of 256 bytes.
TEST(Rccc, MessagesOneAfterAnotherWaitForNoTimer) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kRccc;
  UetHosts hosts(spec);
  constexpr int kMessages = 200;
  const Picoseconds apart = microseconds(20);
  for (int i = 0; i < kMessages; ++i) {
    hosts.applications[0].postAt(apart * i,
                                 {1, 0, Verb::kWrite, 5000, static_cast<std::uint32_t>(i)});
  }
  hosts.network->run();
  ASSERT_EQ(hosts.applications[0].completions.size(), std::size_t{kMessages});
  for (int i = 0; i < kMessages; ++i) {
    // At most four crossings (request, grant, data, ACK), the frames and a grant's spacing.
    const Picoseconds taken =
        hosts.applications[0].completions[static_cast<std::size_t>(i)].time - apart * i;
    EXPECT_LT(taken, kWire * 4 + bytes(6000) + microseconds(2)) << i;
  }
  EXPECT_FALSE(hosts.network
                   ->sent([](const fabric::Packet& p) {
                     return UetHosts::isControl(p, ControlType::kCreditRequest);
                   })
                   .empty());
}

// The first window is lost as a whole. The PDC waited for NSCC's window when its speculative credit
// was discarded, and has to ask for credit all the same.
TEST(Rccc, WithNsccAsksForCreditAfterAFirstWindowThatIsLost) {
  for (const bool for_ever : {false, true}) {
    UetSpec spec;
    spec.congestion_control = UetCongestionControl::kNsccRccc;
    spec.rto = microseconds(100);
    spec.max_rto_retries = 3;
    UetHosts hosts(spec);
    hosts.network->setHook([&](fabric::Packet&, Picoseconds now, Picoseconds&) {
      return for_ever || now < microseconds(150) ? Action::kDrop : Action::kDeliver;
    });
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 2 << 20, 0});
    hosts.network->run(milliseconds(100));
    ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
    EXPECT_EQ(hosts.applications[0].completions[0].event.failed, for_ever);
    EXPECT_LE(hosts.applications[0].completions[0].time, spec.rto * 32);
  }
}

// All credit after the first is lost: the requests come `rto` apart, then twice as long and so on.
TEST(Rccc, GivesUpADestinationThatGrantsNothing) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kRccc;
  spec.rto = microseconds(100);
  spec.max_rto_retries = 3;
  UetHosts hosts(spec);
  hosts.network->setHook([](fabric::Packet& p, Picoseconds now, Picoseconds&) {
    const bool lost = now > microseconds(30) && UetHosts::isControl(p, ControlType::kCredit);
    return lost ? Action::kDrop : Action::kDeliver;
  });
  hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 2 << 20, 0});
  const Picoseconds end = hosts.network->run(milliseconds(100));
  ASSERT_EQ(hosts.applications[0].completions.size(), 1U);
  EXPECT_TRUE(hosts.applications[0].completions[0].event.failed);
  // The timer that was set when the PDC began to wait, and 1 + 2 + 4 + 8 times `rto`.
  const Picoseconds failed = hosts.applications[0].completions[0].time;
  EXPECT_GE(failed, spec.rto * 15);
  EXPECT_LE(failed, spec.rto * 17);
  EXPECT_LT(end, milliseconds(100));
}

// A PDC closes while the next message is posted, a moment earlier or later. Both ends go on
// counting credit where they were, so the message takes what a first one takes and is granted no
// more.
TEST(Rccc, CreditIsCountedOnOverAClosedPdc) {
  UetSpec spec;
  spec.congestion_control = UetCongestionControl::kRccc;
  spec.base_rtt = microseconds(3);
  const auto run = [&spec](Picoseconds second, std::uint64_t& granted) {
    UetHosts hosts(spec);
    hosts.applications[0].postAt(Picoseconds(0), {1, 0, Verb::kWrite, 4 << 20, 0});
    hosts.applications[0].postAt(second, {1, 0, Verb::kWrite, 500'000, 1});
    hosts.network->run();
    EXPECT_EQ(hosts.applications[0].completions.size(), 2U);
    granted = hosts.uet[1]->stats().credit_granted;
    return std::make_pair(hosts.applications[0].completions.at(0).time,
                          hosts.applications[0].completions.at(1).time - second);
  };
  std::uint64_t granted = 0;
  const Picoseconds done = run(milliseconds(5), granted).first;
  const std::uint64_t nominal = (1024 + 123) * 4204U + 1U * (500'000 - 122 * 4096 + 108);
  EXPECT_LE(granted, nominal);
  for (std::int64_t step = -20; step <= 100; ++step) {
    const Picoseconds second = done + spec.close_after + nanoseconds(100) * step;
    const Picoseconds taken = run(second, granted).second;
    // On its own: 123 frames at 99 % of the wire, and a round trip for the request.
    EXPECT_LE(taken, bytes(123 * 4242) * 100 / 99 + kWire * 6) << step;
    EXPECT_LE(granted, nominal) << step;
  }
}

// One of two sources dies. What it had asked for is a window at most, so the other one has the
// receiver's whole pace soon.
TEST(Rccc, ASourceThatDiesGivesTheReceiversPaceBack) {
  for (const UetCongestionControl control :
       {UetCongestionControl::kRccc, UetCongestionControl::kNsccRccc}) {
    UetSpec spec;
    spec.congestion_control = control;
    spec.base_rtt = microseconds(3);
    spec.rto = microseconds(100);
    UetHosts hosts(spec, 3);
    const Picoseconds dies = microseconds(100);
    hosts.network->setHook([&](fabric::Packet& p, Picoseconds now, Picoseconds&) {
      return p.source == 1 && now >= dies ? Action::kDrop : Action::kDeliver;
    });
    hosts.applications[1].postAt(Picoseconds(0), {0, 0, Verb::kWrite, 8 << 20, 0});
    hosts.applications[2].postAt(Picoseconds(0), {0, 0, Verb::kWrite, 8 << 20, 0});
    hosts.network->run(milliseconds(100));
    const auto granted = hosts.network->sent([&](const fabric::Packet& p) {
      return UetHosts::isControl(p, ControlType::kCredit) && p.destination == 1;
    });
    ASSERT_FALSE(granted.empty());
    std::uint32_t before = 0;
    for (const Sent& credit : granted) {
      if (credit.time < dies + kWire * 2) before = static_cast<std::uint32_t>(credit.packet.extra);
    }
    // 1.5 times 37,500 bytes, and the packet that may overdraw.
    const auto after = static_cast<std::uint32_t>(granted.back().packet.extra) - before;
    EXPECT_LE(after, (56'250U + 4204 + 255) / 256);
    ASSERT_EQ(hosts.applications[2].completions.size(), 1U);
    const double rest = (8 << 20) - 100e-6 * 100e9 / 8 / 2;
    EXPECT_LE(hosts.applications[2].completions[0].time.toSeconds(),
              100e-6 + rest * 4204 / 4096 * 8 / 99e9 * 1.02 + 20e-6);
  }
}

}  // namespace
}  // namespace plumbline::transport_test
