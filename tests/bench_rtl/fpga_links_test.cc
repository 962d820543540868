// The bench on tester cards with MACs of their own: simulated cards, and registers of MACs that a
// test sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/card/fpga_bench.h"
#include "card/registers.h"
#include "sim/bare_link.h"
#include "sim/card_sim.h"
#include "tests/bench_rtl/rtl_trials.h"

namespace plumbline::bench {
namespace {

namespace mac_regs = card::regs::mac;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::uint32_t kUp =
    mac_regs::kMacStatusClock.mask() | mac_regs::kMacStatusPowerGood.mask() |
    mac_regs::kMacStatusSynced.mask() | mac_regs::kMacStatusAligned.mask() |
    mac_regs::kMacStatusRxStatus.mask();
constexpr std::uint32_t kNotAligned =
    kUp & ~(mac_regs::kMacStatusAligned.mask() | mac_regs::kMacStatusRxStatus.mask());

// A MAC whose link is up when its FEC setting is the far end's, once its reset has ended.
struct TestMac {
  bool peer_rs_fec = true;
  bool signal = true;
  bool up = true;
  std::uint32_t control = 0xF07;
  std::map<std::uint32_t, std::uint32_t> latched;  // by offset
  std::map<std::uint32_t, std::uint32_t> counters;
  std::map<std::uint32_t, std::uint32_t> per_command;  // what is counted from one to the next

  std::uint32_t read(std::uint32_t offset) {
    switch (offset) {
      case mac_regs::kMacId:
        return mac_regs::kMacIdValue;
      case mac_regs::kMacControl:
        return control;
      case mac_regs::kMacStatus:
        return up ? kUp : kNotAligned;
      case mac_regs::kMacLanes:
        return up ? 0xFFFFF : 0;
      default:
        return latched[offset];
    }
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    if (offset == mac_regs::kMacControl) control = value;
    if (offset == mac_regs::kMacReset) {
      const bool rs_fec = (control & mac_regs::kMacControlRxRsfec.mask()) != 0;
      up = value == 0 && signal && rs_fec == peer_rs_fec;
      ++resets;
    }
    if (offset == mac_regs::kMacCommand) {
      for (const auto& [counter, more] : per_command) counters[counter] += more;
      if ((value & mac_regs::kMacCommandSnapshot.mask()) != 0) latched = counters;
      if ((value & mac_regs::kMacCommandClear.mask()) != 0) counters.clear();
    }
  }
  int resets = 0;
};

// A card of two ports with a cable between them, and its two MACs.
class CardWithMacs {
 public:
  std::vector<OpenCard> open() {
    std::vector<OpenCard> cards;
    cards.push_back({std::make_unique<Bus>(*this), "slot 0"});
    return cards;
  }

  std::array<TestMac, 2> macs;

 private:
  class Bus final : public card::RegisterBus {
   public:
    explicit Bus(CardWithMacs& home) : home_(home) {}
    std::uint32_t read(std::uint32_t offset) override {
      if (TestMac* mac = macAt(offset)) return mac->read(offset % mac_regs::kSize);
      return home_.card_.read(offset);
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
      if (TestMac* mac = macAt(offset)) return mac->write(offset % mac_regs::kSize, value);
      home_.card_.write(offset, value);
    }
    // The bring-up waits for as long as MACs take, in which nothing happens on this card.
    void wait(Picoseconds duration) override {
      if (duration < microseconds(100)) home_.card_.wait(duration);
    }
    std::vector<card::CapturedFrame> readCaptured() override { return {}; }

   private:
    TestMac* macAt(std::uint32_t offset) {
      const std::uint32_t place = (offset - mac_regs::kBase) / mac_regs::kSize;
      return offset >= mac_regs::kBase && place < home_.macs.size() ? &home_.macs.at(place)
                                                                    : nullptr;
    }
    CardWithMacs& home_;
  };

  sim::CardSim card_{{.ports = 2}};
  sim::BareLink link_{card_, 0, 1, nanoseconds(800)};
};

FpgaSpec specWith(card::MacFec fec) {
  FpgaSpec spec;
  spec.tx_delay = spec.rx_delay = Picoseconds();
  spec.fec = fec;
  return spec;
}

TrialSpec shortTrial() {
  TrialSpec spec = bareLinkTrial();
  spec.duration = microseconds(10);
  return spec;
}

TEST(FpgaLinks, ATrialHasTheErrorsOfItsOwnTimeOnly) {
  CardWithMacs card;
  card.macs[1].counters[mac_regs::kFecCodewordsLo] = 1'000'000;
  card.macs[1].counters[mac_regs::kFecSymbolErrors + 8] = 70;
  card.macs[1].per_command = {{mac_regs::kFecCodewordsLo, 5'000},
                              {mac_regs::kFecCorrectedLo, 3},
                              {mac_regs::kFecSymbolErrors + 8, 4}};
  FpgaBench bench(specWith(card::MacFec::kEither), card.open());
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(Pair("Link of card port 1", "up, with RS-FEC")));
  EXPECT_EQ(card.macs[1].resets, 0) << "a link that is up is left alone";
  const TrialResult seen = bench.run(shortTrial(), {});
  EXPECT_THAT(seen.faults, IsEmpty());
  ASSERT_TRUE(seen.ports[1].link);
  EXPECT_TRUE(seen.ports[1].link->rs_fec);
  EXPECT_EQ(seen.ports[1].link->counted.fec_codewords, 5'000U);
  EXPECT_EQ(seen.ports[1].link->counted.fec_corrected, 3U);
  EXPECT_EQ(seen.ports[1].link->counted.fec_symbol_errors[2], 4U);
  EXPECT_EQ(seen.ports[0].link->counted, card::MacCounters{});
  EXPECT_EQ(TrialResult::fromJson(seen.toJson()).ports[1].link, seen.ports[1].link);
}

TEST(FpgaLinks, AreBroughtUpWithTheFecOfTheFarEnd) {
  CardWithMacs card;
  for (TestMac& mac : card.macs) {
    mac.up = false;
    mac.peer_rs_fec = false;
  }
  FpgaBench bench(specWith(card::MacFec::kEither), card.open());
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(Pair("Link of card port 0", "up, without FEC")));
  const TrialResult seen = bench.run(shortTrial(), {});
  ASSERT_TRUE(seen.ports[0].link);
  EXPECT_FALSE(seen.ports[0].link->rs_fec);
}

TEST(FpgaLinks, AnotherFecThanAskedForIsChanged) {
  CardWithMacs card;
  card.macs[0].control = 0x007;
  FpgaBench bench(specWith(card::MacFec::kOn), card.open());
  EXPECT_GT(card.macs[0].resets, 0);
  EXPECT_EQ(card.macs[1].resets, 0);
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(Pair("Link of card port 0", "up, with RS-FEC")));
}

TEST(FpgaLinks, WithoutALinkNoTrialBegins) {
  CardWithMacs card;
  card.macs[1].signal = card.macs[1].up = false;
  FpgaBench bench(specWith(card::MacFec::kEither), card.open());
  EXPECT_THAT(bench.capabilities().configuration,
              Contains(Pair("Link of card port 1", HasSubstr("down: no lane has block lock"))));
  try {
    bench.run(shortTrial(), {});
    FAIL() << "a trial without a link";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
    EXPECT_THAT(error.what(), HasSubstr("the link is down: no lane has block lock"));
  }
}

TEST(FpgaLinks, ALinkThatWasLostMakesATrialInvalid) {
  CardWithMacs card;
  card.macs[1].per_command = {{mac_regs::kAlignmentLosses, 1}, {mac_regs::kLocalFaults, 2}};
  FpgaBench bench(specWith(card::MacFec::kEither), card.open());
  const TrialResult seen = bench.run(shortTrial(), {});
  EXPECT_THAT(seen.faults,
              Contains(HasSubstr("port 1: the link was lost during the trial: 1 losses of "
                                 "alignment, 2 local faults, 0 remote faults")));
}

TEST(FpgaLinks, AMacThatRanDryMakesATrialInvalid) {
  CardWithMacs card;
  card.macs[0].per_command = {{mac_regs::kTxUnderflows, 7}};
  FpgaBench bench(specWith(card::MacFec::kEither), card.open());
  EXPECT_THAT(bench.run(shortTrial(), {}).faults,
              Contains(HasSubstr("port 0: the MAC ran dry inside a frame in 7 clocks")));
}

}  // namespace
}  // namespace plumbline::bench
