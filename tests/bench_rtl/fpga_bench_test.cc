// The bench on tester cards, with simulated cards that are only accessible through register buses:
// each with a time of its own, cables between their ports.
#include "bench/card/fpga_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/error.h"
#include "bench/trial/calibration.h"
#include "card/registers.h"
#include "sim/card_sim.h"
#include "tests/bench_rtl/firmware_overlay.h"
#include "tests/bench_rtl/rtl_trials.h"

namespace plumbline::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kCable = nanoseconds(800);
constexpr std::uint32_t kPortsPerCard = 2;

// Cards of two ports side by side. They share the simulated time; each card's own clock may show
// another one.
class Laboratory {
 public:
  // `cables`: from every port, counted through the cards, to the one at its other end.
  Laboratory(std::uint32_t cards, std::map<std::uint32_t, std::uint32_t> cables)
      : cables_(std::move(cables)) {
    for (std::uint32_t i = 0; i < cards; ++i)
      members_.push_back(std::make_unique<Member>(*this, i));
  }

  // Bits that registers, by their offset, do not show: a card that can less.
  using Hidden = std::map<std::uint32_t, std::uint32_t>;

  // The card as a bench opens it; after `accesses` it is gone.
  OpenCard open(std::uint32_t card, std::uint64_t accesses = ~std::uint64_t{0},
                Hidden hidden = {}) {
    return {std::make_unique<Bus>(members_.at(card)->card, accesses, std::move(hidden)),
            "slot " + std::to_string(card)};
  }

  // Sets the card's own time from now on.
  void setTime(std::uint32_t card, Picoseconds time) {
    using namespace card::regs::global;
    sim::CardSim& bus = members_.at(card)->card;
    const auto count = static_cast<std::uint64_t>(time.count());
    bus.write(kSetTimeLo, static_cast<std::uint32_t>(count));
    bus.write(kSetTimeHi, static_cast<std::uint32_t>(count >> 32U));
    bus.write(kControl, kControlSetTime.of(1));
  }

  // When the first frame of a port was on the wire, in the world's time.
  [[nodiscard]] Picoseconds firstFrame(std::uint32_t port) const { return first_.at(port); }

 private:
  struct Member final : sim::PortPeer {
    Member(Laboratory& home, std::uint32_t place) : lab(home), number(place) { card.connect(this); }
    void onFrameFromCard(std::uint32_t port, sim::FrameBytes frame,
                         Picoseconds first_bit) override {
      lab.carry(number * kPortsPerCard + port, std::move(frame), first_bit);
    }
    void advanceTo(Picoseconds now) override { lab.advance(*this, now); }

    sim::CardSim card{{.ports = kPortsPerCard}};
    Laboratory& lab;
    std::uint32_t number;
  };

  class Bus final : public card::RegisterBus {
   public:
    Bus(sim::CardSim& card, std::uint64_t accesses, Hidden hidden)
        : card_(card), left_(accesses), hidden_(std::move(hidden)) {}
    std::uint32_t read(std::uint32_t offset) override {
      use();
      const auto hidden = hidden_.find(offset);
      return card_.read(offset) & (hidden == hidden_.end() ? ~0U : ~hidden->second);
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
      use();
      card_.write(offset, value);
    }
    void wait(Picoseconds duration) override { card_.wait(duration); }
    std::vector<card::CapturedFrame> readCaptured() override { return {}; }

   private:
    void use() {
      if (left_ == 0) throw Error(ErrorKind::kTester, "the card is gone");
      --left_;
    }
    sim::CardSim& card_;
    std::uint64_t left_;
    Hidden hidden_;
  };

  void carry(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit) {
    first_.try_emplace(port, first_bit);
    const std::uint32_t to = cables_.at(port);
    members_.at(to / kPortsPerCard)
        ->card.deliver(to % kPortsPerCard, std::move(frame), first_bit + kCable);
  }

  void advance(const Member& leader, Picoseconds now) {
    if (advancing_) return;
    advancing_ = true;
    for (const auto& member : members_) {
      if (member.get() != &leader) member->card.runUntil(now);
    }
    advancing_ = false;
  }

  std::map<std::uint32_t, std::uint32_t> cables_;
  std::map<std::uint32_t, Picoseconds> first_;
  std::vector<std::unique_ptr<Member>> members_;
  bool advancing_ = false;
};

FpgaSpec calibrated() {
  FpgaSpec spec;
  spec.tx_delay = kTxOffset;
  spec.rx_delay = -kRxOffset;
  return spec;
}

std::vector<OpenCard> twoCards(Laboratory& lab) {
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0));
  cards.push_back(lab.open(1));
  return cards;
}

std::vector<OpenCard> oneCard(Laboratory& lab, std::uint64_t accesses = ~std::uint64_t{0}) {
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0, accesses));
  return cards;
}

// Two flows of different lengths, one each way.
TrialSpec bothWays() {
  TrialSpec spec = bareLinkTrial();
  spec.dut.topology.host_link_delay = kCable;
  spec.streams.push_back(streamToHost1(1000, Fraction::percent(30)));
  spec.streams[1].name = "back";
  spec.streams[1].from = 1;
  spec.streams[1].to = 0;
  spec.streams[1].group = 1;
  spec.streams[1].start = nanoseconds(77);
  return spec;
}

// Hosts 0 to 3, each sends to `to`[host].
TrialSpec allSend(const std::array<std::uint32_t, 4>& to) {
  TrialSpec spec;
  spec.dut.topology.hosts = 4;
  spec.duration = microseconds(20);
  for (std::uint32_t host = 0; host < 4; ++host) {
    StreamSpec stream = streamToHost1(512, Fraction::percent(50));
    stream.name = "from " + std::to_string(host);
    stream.from = host;
    stream.to = to[host];
    stream.group = host;
    spec.streams.push_back(stream);
  }
  return spec;
}

TEST(FpgaBench, OneTrialTwoBenches) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  FpgaBench bench(calibrated(), oneCard(lab));
  const TrialResult seen = bench.run(bothWays(), {});
  const TrialResult expected = runOnCard(bothWays());
  EXPECT_THAT(seen.faults, IsEmpty());
  EXPECT_EQ(seen.bench, "fpga");
  EXPECT_FALSE(seen.fabric);
  EXPECT_THAT(seen.dut, IsEmpty());
  ASSERT_EQ(seen.streams.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(seen.streams[i].sent_frames, 100U);
    EXPECT_EQ(seen.streams[i].sent_frames, expected.streams[i].sent_frames);
    EXPECT_EQ(seen.streams[i].received_bytes, expected.streams[i].received_bytes);
    EXPECT_EQ(seen.streams[i].lost, 0U);
    EXPECT_EQ(seen.ports[i].rx_bytes, expected.ports[i].rx_bytes);
    const stats::Histogram& one = seen.latency.at(i).histogram;
    const stats::Histogram& other = expected.latency.at(i).histogram;
    EXPECT_EQ(one.minimum(), other.minimum());
    EXPECT_EQ(one.maximum(), other.maximum());
    EXPECT_EQ(one.sumLow(), other.sumLow());
    ASSERT_EQ(one.cells().size(), other.cells().size());
    for (std::size_t cell = 0; cell < one.cells().size(); ++cell) {
      EXPECT_EQ(one.cells()[cell].bucket, other.cells()[cell].bucket);
      EXPECT_EQ(one.cells()[cell].count, other.cells()[cell].count);
    }
  }
}

// A real device does not report that it is empty: frames at the end of the drain time still count.
TEST(FpgaBench, WaitsForResidualFramesAsLongAsItIsTold) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  FpgaBench bench(calibrated(), oneCard(lab));
  TrialSpec spec = bothWays();
  spec.drain = microseconds(300);
  const TrialResult seen = bench.run(spec, {});
  EXPECT_GE(seen.card_time, spec.duration + spec.drain);
}

TEST(FpgaBench, FramesThatDoNotArriveAreLost) {
  Laboratory lab(1, {{0, 0}, {1, 1}});  // both cables lead back to their own ports
  FpgaBench bench(calibrated(), oneCard(lab));
  const TrialResult seen = bench.run(bothWays(), {});
  for (const StreamResult& stream : seen.streams) {
    EXPECT_EQ(stream.lost, stream.sent_frames);
    EXPECT_EQ(stream.misdelivered, stream.sent_frames);
  }
}

TEST(FpgaBench, ProgressCountsWhatTheCardsCountNowAndThen) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  FpgaBench bench(calibrated(), oneCard(lab));
  TrialProgress last;
  TrialHooks hooks;
  hooks.progress = [&](const TrialProgress& now) {
    EXPECT_GE(now.frames_sent, last.frames_sent);
    last = now;
  };
  TrialSpec spec = bothWays();
  spec.duration = milliseconds(2);
  const TrialResult seen = bench.run(spec, hooks);
  EXPECT_GT(last.frames_sent, 1000U);
  EXPECT_LE(last.frames_sent, seen.ports[0].tx_frames + seen.ports[1].tx_frames);
  EXPECT_GT(last.frames_received, 1000U);
  EXPECT_LE(last.frames_received, seen.ports[0].rx_frames + seen.ports[1].rx_frames);
  EXPECT_EQ(last.done, last.total);
}

TEST(FpgaBench, CardsOfDifferentTimesStartTogether) {
  Laboratory lab(2, {{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  lab.setTime(0, seconds(1));
  lab.setTime(1, seconds(3000));
  FpgaBench bench(calibrated(), twoCards(lab));
  const TrialResult seen = bench.run(allSend({2, 3, 0, 1}), {});
  EXPECT_THAT(seen.faults, IsEmpty());
  for (const StreamResult& stream : seen.streams) {
    EXPECT_GT(stream.sent_frames, 200U);
    EXPECT_EQ(stream.lost, 0U);
    EXPECT_EQ(stream.received_frames, stream.sent_frames);
  }
  EXPECT_EQ(lab.firstFrame(0), lab.firstFrame(1));
  // A register access of the simulated card takes some tens of nanoseconds, a comparison of two
  // clocks takes six accesses.
  EXPECT_LT(std::abs((lab.firstFrame(2) - lab.firstFrame(0)).count()), nanoseconds(500).count());
  EXPECT_THAT(seen.latency, IsEmpty()) << "times of two cards cannot be subtracted";
  EXPECT_THAT(bench.capabilities().unobserved,
              ElementsAre(Field(&Unobserved::what, "latency between ports of different cards")));
}

TEST(FpgaBench, LatencyWithinEachOfTwoCardsIsThere) {
  Laboratory lab(2, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  lab.setTime(1, seconds(42));
  FpgaBench bench(calibrated(), twoCards(lab));
  EXPECT_EQ(bench.capabilities().max_ports, 4U);
  const TrialResult seen = bench.run(allSend({1, 0, 3, 2}), {});
  EXPECT_THAT(seen.faults, IsEmpty());
  ASSERT_EQ(seen.latency.size(), 4U);
  for (const GroupLatency& group : seen.latency) {
    EXPECT_NEAR(static_cast<double>(group.histogram.minimum()), static_cast<double>(kCable.count()),
                sim::kClockPeriodMax.count());
  }
}

// A card's bus fails at some access, while loading, sending or reading: the trial ends with Error.
TEST(FpgaBench, ACardThatDisappearsIsAFaultOfTheTester) {
  for (const std::uint64_t accesses : {400U, 900U, 1200U}) {
    Laboratory lab(1, {{0, 1}, {1, 0}});
    FpgaBench bench(calibrated(), oneCard(lab, accesses));
    try {
      static_cast<void>(bench.run(bothWays(), {}));
      ADD_FAILURE() << "the trial ended with only " << accesses << " accesses";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kTester);
      EXPECT_STREQ(error.what(), "the card is gone");
    }
  }
}

TEST(FpgaBench, SaysWhatItCannotDo) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  const FpgaBench bench(FpgaSpec(), oneCard(lab));
  TrialSpec spec = bothWays();
  EXPECT_THAT(bench.refusals(spec), IsEmpty());
  spec.capture_port = 0;
  EXPECT_THAT(bench.refusals(spec),
              ElementsAre("no captures: the card has no path to the host's memory"));
  spec = bothWays();
  spec.departures = 3;
  EXPECT_THAT(bench.refusals(spec), ElementsAre(HasSubstr("recording departures")));
  spec = bothWays();
  spec.streams[0].to = 2;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 3;
  EXPECT_THAT(bench.refusals(spec), ElementsAre("the trial uses 3 hosts, the bench has 2 ports"));
  spec = bothWays();
  spec.workload.emplace();
  EXPECT_THAT(bench.refusals(spec), Contains(HasSubstr("simulated hosts")));
}

TEST(FpgaBench, CanWhatItsCardCan) {
  using namespace card::regs::global;
  Laboratory lab(1, {{0, 1}, {1, 0}});
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0, ~std::uint64_t{0},
                           {{kFeatures, kFeaturesPatterns.of(1) | kFeaturesDamage.of(1)}}));
  const FpgaBench bench(FpgaSpec(), std::move(cards));
  EXPECT_FALSE(bench.capabilities().patterns);
  EXPECT_FALSE(bench.capabilities().damage);
  EXPECT_TRUE(bench.capabilities().pfc_send);
  TrialSpec spec = bothWays();
  spec.damage = {{0, card::DamageDirection::kSent, card::DamageRule()}};
  EXPECT_THAT(bench.refusals(spec), Contains(HasSubstr("damage")));
}

// A MAC fills up shorter frames: what would be cut below that is refused, at the sender only.
TEST(FpgaBench, FramesCutShorterThanTheMacSendsAreRefused) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0, ~std::uint64_t{0}, {}));
  const FpgaBench bench(FpgaSpec(), std::move(cards));
  TrialSpec spec = bothWays();
  card::DamageRule rule{.kind = card::DamageKind::kTruncate};
  const auto refused = [&](std::uint32_t bytes, card::DamageDirection direction) {
    rule.bytes = bytes;
    spec.damage = {{0, direction, rule}};
    return bench.refusals(spec);
  };
  EXPECT_THAT(refused(60, card::DamageDirection::kSent), IsEmpty());
  EXPECT_THAT(refused(59, card::DamageDirection::kSent),
              ElementsAre(HasSubstr("frames cut to 59 bytes")));
  EXPECT_THAT(refused(30, card::DamageDirection::kReceived), IsEmpty());
}

TEST(FpgaBench, CardsThatDifferAreRefused) {
  using namespace card::regs::global;
  Laboratory lab(2, {});
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0));
  cards.push_back(lab.open(1, ~std::uint64_t{0}, {{kFeatures, kFeaturesPatterns.of(1)}}));
  try {
    const FpgaBench bench(FpgaSpec(), std::move(cards));
    ADD_FAILURE() << "two kinds of cards are one tester";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(error.where(), "card 1");
  }
}

// Its ports would have another rate.
TEST(FpgaBench, ACardOfAnotherWidthIsRefused) {
  using namespace card::regs::global;
  Laboratory lab(1, {});
  std::vector<OpenCard> cards;
  cards.push_back(lab.open(0, ~std::uint64_t{0}, {{kCapability, kCapabilityDataBytes.of(64)}}));
  try {
    const FpgaBench bench(FpgaSpec(), std::move(cards));
    ADD_FAILURE() << "a card without a datapath";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("0 bytes per clock"));
  }
}

TEST(FpgaBench, ACardThatIsNotCalibratedSaysSo) {
  Laboratory lab(1, {{0, 1}, {1, 0}});
  FpgaBench bench(FpgaSpec(), oneCard(lab));
  EXPECT_THAT(bench.capabilities().unobserved,
              ElementsAre(AllOf(Field(&Unobserved::what, "latency from port to port"),
                                Field(&Unobserved::why, HasSubstr("fpga.tx_delay")))));
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(std::pair<std::string, std::string>(
                  "MAC of the card", "sending not calibrated, receiving not calibrated")));
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(std::pair<std::string, std::string>("Card 0", "slot 0")));
  // The measured latency includes the MAC's delays: those of the simulated one, to a clock.
  const TrialResult seen = bench.run(bothWays(), {});
  const std::int64_t expected = (kCable + kTxOffset - kRxOffset).count();
  EXPECT_NEAR(static_cast<double>(seen.latency.at(0).histogram.minimum()),
              static_cast<double>(expected), sim::kClockPeriodMax.count());
}

TEST(FpgaBench, WithoutCardsItOnlySaysWhatItIs) {
  FpgaBench bench;
  EXPECT_EQ(bench.capabilities().name, "fpga");
  EXPECT_FALSE(bench.capabilities().simulated_dut);
  EXPECT_THAT(bench.refusals(bothWays()), IsEmpty());
  EXPECT_THROW(bench.run(bothWays(), {}), Error);
}

// Two cards whose firmware follows one clock.
class CommonClock {
 public:
  CommonClock() {
    ptp(0).role = firmware::kPtpMaster;
    ptp(0).state = firmware::kPtpSends;
    ptp(1).role = firmware::kPtpSlave;
    ptp(1).state = firmware::kPtpLocked;
    ptp(1).master_low = 1;
    ptp(1).uncertainty_ps = 5'000;
    for (ShownFirmware& one : firmware) {
      one.shared.ports = kPortsPerCard;
      one.shared.ptp.has_time = 1;
    }
  }

  std::vector<OpenCard> open(Laboratory& lab) {
    std::vector<OpenCard> cards = twoCards(lab);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      cards[i].bus = std::make_unique<FirmwareOverlay>(std::move(cards[i].bus), firmware.at(i));
    }
    return cards;
  }
  firmware::PtpStatus& ptp(std::size_t card) { return firmware.at(card).shared.ptp; }

  std::array<ShownFirmware, 2> firmware;
};

FpgaSpec keptByFirmware() {
  FpgaSpec spec = calibrated();
  spec.time = CardTime::kFirmware;
  return spec;
}

TEST(FpgaBench, FirmwareThatKeepsACommonTimeGivesLatencyBetweenCards) {
  Laboratory lab(2, {{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  CommonClock clock;
  FpgaBench bench(keptByFirmware(), clock.open(lab));
  EXPECT_EQ(bench.capabilities().clock_offset, nanoseconds(15)) << "three times 5 ns";
  EXPECT_EQ(bench.capabilities().latency_offset, nanoseconds(15));
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(std::pair<std::string, std::string>("Firmware of card 1",
                                                           "version 1.2.3, interface 1.1")));
  EXPECT_THAT(
      bench.capabilities().unobserved,
      Contains(Field(&Unobserved::what, "asymmetry of the paths between the cards' clocks")));
  const TrialResult seen = bench.run(allSend({2, 3, 0, 1}), {});
  EXPECT_THAT(seen.faults, IsEmpty());
  ASSERT_EQ(seen.latency.size(), 4U);
  for (const GroupLatency& group : seen.latency) {
    // Both cards count one time in this laboratory: the cable, to a clock.
    EXPECT_NEAR(static_cast<double>(group.histogram.minimum()), 800'000, 3'200);
    EXPECT_NEAR(static_cast<double>(group.histogram.maximum()), 800'000, 3'200);
  }
}

TEST(FpgaBench, AClockThatLostItsMasterMakesTheTrialInvalid) {
  Laboratory lab(2, {{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  CommonClock clock;
  FpgaBench bench(keptByFirmware(), clock.open(lab));
  TrialHooks hooks;
  hooks.progress = [&](const TrialProgress&) { clock.ptp(1).state = firmware::kPtpHoldover; };
  EXPECT_THAT(bench.run(allSend({2, 3, 0, 1}), hooks).faults,
              Contains(HasSubstr("card 1: the card has no common time with the others")));
}

TEST(FpgaBench, CardsThatOnlySayThatTheirTimesAgreeAreRefused) {
  Laboratory lab(2, {{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  lab.setTime(1, seconds(3000));
  CommonClock clock;
  EXPECT_THROW(FpgaBench(keptByFirmware(), clock.open(lab)), Error);
}

TEST(FpgaBench, FirmwareLeavesTheMacsToTheBenchForAsLongAsItIsOpen) {
  using Modes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // port, LinkMode
  Laboratory lab(2, {{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  CommonClock clock;
  firmware::PortStatus* ports = clock.firmware[1].shared.port;
  ports[0].has_mac = ports[1].has_mac = 1;
  ports[1].link.mode = firmware::kLinkHeld;
  clock.firmware[0].shared.port[0].has_mac = 1;
  clock.firmware[0].shared.port[0].link.mode = firmware::kLinkReleased;
  const auto modes = [&](std::size_t card) {
    Modes set;
    for (const auto& command : clock.firmware.at(card).commands) {
      if (command[0] == firmware::kSetLink) set.emplace_back(command[1], command[2]);
    }
    return set;
  };
  Modes expected{{0, firmware::kLinkReleased}, {1, firmware::kLinkReleased}};
  {
    FpgaBench bench(keptByFirmware(), clock.open(lab));
    EXPECT_EQ(modes(1), expected);
  }
  expected.insert(expected.end(), {{0, firmware::kLinkRun}, {1, firmware::kLinkHeld}});
  EXPECT_EQ(modes(1), expected);
  EXPECT_THAT(modes(0), IsEmpty()) << "left to the host before";
}

}  // namespace
}  // namespace plumbline::bench
