// The protocol in its corners: initialisation, lost messages, wrap, limits, flush, link loss.
#include <gtest/gtest.h>

#include <vector>

#include "tests/hw/llr/llr_link.h"
#include "wire/crc.h"

namespace plumbline::test {
namespace {

constexpr std::uint32_t kInit = 1;
constexpr std::uint32_t kAdvance = 2;
constexpr std::uint32_t kFlush = 4;
constexpr std::uint32_t kAck = 1;
constexpr std::uint32_t kNack = 2;
constexpr std::uint32_t kInitMessage = 3;
constexpr std::uint32_t kEcho = 4;

// A link whose side 1 checks that numbers come in order; sources are filled by add().
class LlrProtocol : public testing::Test {
 protected:
  void start(const LlrSettings& left, const LlrSettings& right) {
    link_ = std::make_unique<LlrLink>(left, right, kHundredMetres);
    link_->on_received = [this](int side, const SinkFrame& frame) {
      if (side != 1) return;
      EXPECT_EQ(numberOf(frame.bytes), received_);
      ++received_;
    };
    link_->saw_frame = [this](int side, const LineFrame& frame) {
      if (side == 0) line_.push_back(frame);
    };
    link_->saw_set = [this](int side, const OrderedSet& set, std::int64_t edge) {
      sets_[static_cast<std::size_t>(side)].push_back({set, edge});
    };
  }
  void add(std::uint64_t count, std::size_t length = 256) {
    for (std::uint64_t i = 0; i < count; ++i) {
      link_->source[0].push_back({numberedFrame(added_++, length), false, false});
    }
  }
  void drain(std::int64_t limit = 50'000) {
    link_->runUntil([this] { return link_->quiet(); }, limit);
  }

  struct SeenSet {
    OrderedSet set;
    std::int64_t edge;
  };
  std::unique_ptr<LlrLink> link_;
  std::uint64_t added_ = 0;
  std::uint64_t received_ = 0;
  std::vector<LineFrame> line_;
  std::array<std::vector<SeenSet>, 2> sets_;
};

TEST_F(LlrProtocol, InitialisationCarriesNumberAndData) {
  for (const bool low_first : {false, true}) {
    sets_[0].clear();
    sets_[1].clear();
    start({.init_data_low_first = low_first, .init_seq = 0xABCDE, .init_data = 0x1234}, {});
    link_->bringUp();
    ASSERT_FALSE(sets_[0].empty());
    const OrderedSet& init = sets_[0].front().set;
    EXPECT_EQ(init.type, kInitMessage);
    EXPECT_TRUE(init.marked);
    EXPECT_EQ(init.seq, 0xABCDEU);
    EXPECT_EQ(init.d5, low_first ? 0x34U : 0x12U);
    EXPECT_EQ(init.d6, low_first ? 0x12U : 0x34U);
    // The answer says the same.
    bool answered = false;
    for (const SeenSet& seen : sets_[1]) {
      if (seen.set.type != kEcho) continue;
      answered = true;
      EXPECT_EQ(seen.set.seq, init.seq);
      EXPECT_EQ(seen.set.d5, init.d5);
      EXPECT_EQ(seen.set.d6, init.d6);
    }
    EXPECT_TRUE(answered);
    EXPECT_EQ(link_->counters(0).tx_init, 1U);
    EXPECT_EQ(link_->counters(1).rx_init, 1U);
    EXPECT_EQ(link_->counters(0).rx_echo, 1U);
  }
}

TEST_F(LlrProtocol, InitIsRepeatedUntilAMatchingEchoComes) {
  start({.init_interval = 800}, {});
  int echoes = 0;
  link_->on_set = [&](int side, std::uint64_t& word) {
    OrderedSet set = OrderedSet::of(word);
    if (side != 1 || set.type != kEcho) return true;
    ++echoes;
    if (echoes == 1) return false;
    if (echoes <= 3) {
      set.d6 ^= 1;
      word = set.word();
    }
    return true;
  };
  link_->bringUp();
  EXPECT_EQ(link_->counters(0).tx_init, 4U);
  EXPECT_EQ(link_->counters(0).rx_echo, 3U);
  std::vector<std::int64_t> at;
  for (const SeenSet& seen : sets_[0]) {
    if (seen.set.type == kInitMessage) at.push_back(seen.edge);
  }
  ASSERT_EQ(at.size(), 4U);
  for (std::size_t i = 1; i < at.size(); ++i) EXPECT_EQ(at[i] - at[i - 1], 801);
  add(20);
  drain();
  EXPECT_EQ(received_, 20U);
}

TEST_F(LlrProtocol, AnInitSentInVainDoesNotResetTheReceiverLater) {
  // Short interval: several INITs are under way when the first ECHO comes.
  start({.init_interval = 20}, {});
  add(300);
  link_->bringUp();
  drain();
  EXPECT_EQ(received_, 300U);
  EXPECT_GT(link_->counters(0).tx_init, 3U);
  EXPECT_EQ(link_->counters(0).tx_replay, 0U);
}

TEST_F(LlrProtocol, BeforeInitialisationFramesAreTreatedAsAsked) {
  for (const std::uint32_t action : {0U, 1U, 2U}) {
    added_ = received_ = 0;
    line_.clear();
    start({.init_action = action}, {});
    bool silent = true;
    link_->on_set = [&](int, std::uint64_t&) { return !silent; };
    link_->clocks(2);
    add(5);
    link_->clocks(500);
    EXPECT_EQ(link_->txState(0), kInit);
    if (action == 0) {  // discarded
      EXPECT_TRUE(link_->source[0].empty());
      EXPECT_TRUE(line_.empty());
      EXPECT_EQ(link_->counters(0).tx_discarded, 5U);
      received_ = 5;
    } else if (action == 1) {  // blocked
      EXPECT_EQ(link_->source[0].size(), 5U);
      EXPECT_TRUE(line_.empty());
      EXPECT_TRUE(link_->hold(0));
    } else {  // sent without LLR
      ASSERT_EQ(line_.size(), 5U);
      for (const LineFrame& frame : line_) EXPECT_EQ(frame.preamble, kOrdinaryPreamble);
      EXPECT_EQ(received_, 5U);
      EXPECT_FALSE(link_->hold(0));
    }
    silent = false;
    link_->bringUp();
    add(5);
    drain();
    EXPECT_EQ(received_, 10U);
    EXPECT_EQ(link_->counters(0).tx_ok, action == 1 ? 10U : 5U);
  }
}

TEST_F(LlrProtocol, EligibleFramesBeforeAnyInitAreDropped) {
  start({.tx_enable = true, .rx_enable = true}, {.rx_enable = false});
  link_->on_set = [](int side, std::uint64_t&) { return side == 0; };
  link_->clocks(100);
  link_->inject(0,
                OrderedSet{.type = kEcho, .seq = 0, .d5 = 0x12, .d6 = 0x34, .marked = true}.word());
  link_->clocks(100);
  ASSERT_EQ(link_->txState(0), kAdvance);
  link_->configure(1, {});
  add(3);
  link_->clocks(1000);
  EXPECT_EQ(received_, 0U);
  EXPECT_EQ(link_->counters(1).rx_discarded, 3U);
  EXPECT_EQ(link_->counters(1).tx_nack, 0U);
}

TEST_F(LlrProtocol, ControlFramesAreEligibleOnlyIfConfigured) {
  for (const bool eligible : {false, true}) {
    added_ = received_ = 0;
    line_.clear();
    start({.mac_control_eligible = eligible}, {});
    link_->bringUp();
    for (std::uint64_t i = 0; i < 6; ++i) {
      link_->source[0].push_back({numberedFrame(i, 64), i % 2 == 0, false});
    }
    drain();
    EXPECT_EQ(received_, 6U);
    ASSERT_EQ(line_.size(), 6U);
    for (std::size_t i = 0; i < line_.size(); ++i) {
      EXPECT_EQ(line_[i].eligible(), eligible || i % 2 == 1);
    }
  }
}

TEST_F(LlrProtocol, TheNumberIsInThePreambleAndWraps) {
  start({.init_seq = 0xFFFF0}, {});
  link_->bringUp();
  // An error on either side of the wrap, and one whose NACK names the last number before it.
  std::vector<std::uint32_t> hit{0xFFFFE, 0x00000, 0x00004};
  link_->on_frame = [&](int side, LineFrame& frame) {
    if (side == 0 && !hit.empty() && frame.seq() == hit.front()) {
      hit.erase(hit.begin());
      return LlrLink::Fate::kDamage;
    }
    return LlrLink::Fate::kPass;
  };
  // A few at a time, so that no error falls on a frame that is sent in vain.
  while (added_ < 64) {
    add(4);
    drain();
  }
  EXPECT_EQ(received_, 64U);
  EXPECT_TRUE(hit.empty());
  ASSERT_GE(line_.size(), 64U);
  // D1 holds the upper four bits above the mark, then the middle and the low byte.
  EXPECT_EQ(line_.front().preamble, 0xD5555555F0FFF7U);
  EXPECT_EQ(link_->counters(0).tx_replay, 3U);
  EXPECT_EQ(link_->counters(1).expected_good, 64U);
}

TEST_F(LlrProtocol, LostAcksAreMadeUpForByLaterOnes) {
  start({}, {});
  link_->bringUp();
  int acks = 0;
  link_->on_set = [&](int side, std::uint64_t& word) {
    return side != 1 || OrderedSet::of(word).type != kAck || ++acks % 3 == 0;
  };
  add(400);
  drain();
  EXPECT_EQ(received_, 400U);
  EXPECT_GT(acks, 20);
}

TEST_F(LlrProtocol, ALostLastAckIsAskedForByAReplay) {
  start({.replay_timer = 1500}, {});
  link_->bringUp();
  bool lose = true;
  link_->on_set = [&](int side, std::uint64_t& word) {
    return side != 1 || OrderedSet::of(word).type != kAck || !lose;
  };
  add(3);
  link_->runUntil([&] { return link_->txState(0) == 3; }, 5000);
  lose = false;
  drain();
  EXPECT_EQ(received_, 3U);
  EXPECT_EQ(link_->counters(0).tx_replay, 1U);
  EXPECT_EQ(link_->counters(0).tx_replay_frames, 3U);
  EXPECT_EQ(link_->counters(1).duplicate_seq, 3U);
  EXPECT_EQ(link_->counters(1).tx_nack, 0U);
}

TEST_F(LlrProtocol, ALostNackIsMadeUpForByTheReplayTimer) {
  start({.replay_timer = 1500}, {});
  link_->bringUp();
  int nacks = 0;
  link_->on_set = [&](int side, std::uint64_t& word) {
    return side != 1 || OrderedSet::of(word).type != kNack || ++nacks != 1;
  };
  std::uint64_t sent = 0;
  link_->on_frame = [&](int side, LineFrame&) {
    return side == 0 && sent++ == 4 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
  };
  add(10);
  drain();
  EXPECT_EQ(received_, 10U);
  EXPECT_EQ(nacks, 1);
  EXPECT_EQ(link_->counters(0).rx_nack, 0U);
  EXPECT_EQ(link_->counters(0).tx_replay, 1U);
  EXPECT_EQ(link_->counters(1).rx_discarded, 5U);
}

TEST_F(LlrProtocol, TooManyReplaysWithoutProgressFlush) {
  start({.re_init_on_flush = false, .replay_timer = 1000, .replay_count_max = 2}, {});
  link_->bringUp();
  std::uint64_t attempts = 0;
  bool broken = true;
  link_->on_frame = [&](int side, LineFrame& frame) {
    if (side != 0 || frame.seq() < 2 || !broken) return LlrLink::Fate::kPass;
    attempts += frame.seq() == 2 ? 1 : 0;
    return LlrLink::Fate::kDamage;
  };
  add(5);
  link_->runUntil([&] { return link_->txState(0) == kFlush; }, 20'000);
  EXPECT_EQ(received_, 2U);
  EXPECT_EQ(attempts, 3U);  // the first and two replays
  EXPECT_EQ(link_->counters(0).tx_replay, 2U);
  EXPECT_EQ(link_->counters(0).flushed, 3U);
  EXPECT_EQ(link_->outstanding(0), 0U);
  // It stays there until told.
  add(2);
  link_->clocks(3000);
  EXPECT_EQ(link_->txState(0), kFlush);
  EXPECT_EQ(link_->source[0].size(), 2U);
  broken = false;
  received_ = 5;  // three are gone
  link_->pulseReInit(0);
  drain();
  EXPECT_EQ(received_, 7U);
}

TEST_F(LlrProtocol, TheReplayCountStartsAgainWithProgress) {
  start({.re_init_on_flush = false, .replay_count_max = 1}, {});
  link_->bringUp();
  link_->on_frame = [&](int side, LineFrame& frame) {
    return side == 0 && !frame.replay && frame.seq() % 20 == 7 ? LlrLink::Fate::kDamage
                                                               : LlrLink::Fate::kPass;
  };
  while (added_ < 200) {
    add(20);
    drain();
  }
  EXPECT_EQ(received_, 200U);
  EXPECT_EQ(link_->counters(0).tx_replay, 10U);
  EXPECT_EQ(link_->counters(0).flushed, 0U);
}

TEST_F(LlrProtocol, AShortLinkFlapLosesNothing) {
  start({.replay_timer = 1500, .pcs_lost = 3000}, {.pcs_lost = 3000});
  link_->bringUp();
  bool up = true;
  link_->on_frame = [&](int, LineFrame&) {
    return up ? LlrLink::Fate::kPass : LlrLink::Fate::kLose;
  };
  link_->on_set = [&](int, std::uint64_t&) { return up; };
  add(2000);
  link_->clocks(3000);
  up = false;
  link_->setLinkUp(0, false);
  link_->setLinkUp(1, false);
  link_->clocks(20);  // the frame in hand
  const std::size_t sent = line_.size();
  link_->clocks(2900);
  EXPECT_LE(line_.size(), sent + 1);
  EXPECT_TRUE(link_->hold(0));
  up = true;
  link_->setLinkUp(0, true);
  link_->setLinkUp(1, true);
  drain(200'000);
  EXPECT_EQ(received_, 2000U);
  EXPECT_EQ(link_->counters(0).flushed, 0U);
  EXPECT_EQ(link_->counters(0).tx_init, 1U);
}

TEST_F(LlrProtocol, ALongLinkFlapFlushesAndInitialisesAgain) {
  start({.init_seq = 500, .pcs_lost = 3000}, {.pcs_lost = 3000});
  link_->bringUp();
  bool up = true;
  link_->on_frame = [&](int, LineFrame&) {
    return up ? LlrLink::Fate::kPass : LlrLink::Fate::kLose;
  };
  link_->on_set = [&](int, std::uint64_t&) { return up; };
  add(2000);
  link_->clocks(3000);
  up = false;
  link_->setLinkUp(0, false);
  link_->setLinkUp(1, false);
  link_->clocks(2990);
  EXPECT_EQ(link_->txState(0), kAdvance);
  link_->clocks(50);
  EXPECT_EQ(link_->txState(0), kFlush);
  const std::uint64_t flushed = link_->counters(0).flushed;
  EXPECT_GT(flushed, 0U);
  // What was sent and not received is gone for good, no more: the rest comes in order.
  received_ = added_ - link_->source[0].size();
  link_->clocks(500);
  up = true;
  link_->setLinkUp(0, true);
  link_->setLinkUp(1, true);
  link_->runUntil([&] { return link_->txState(0) == kAdvance; }, 10'000);
  EXPECT_EQ(link_->counters(0).tx_init, 2U);
  drain(200'000);
  EXPECT_EQ(received_, 2000U);
  EXPECT_EQ(link_->counters(0).tx_replay, 0U);
}

TEST_F(LlrProtocol, OldDataIsFlushed) {
  start({.re_init_on_flush = false, .replay_timer = 0, .data_age = 4000}, {});
  link_->bringUp();
  // With ACKs nothing grows old, however long it goes on.
  add(1500);
  drain();
  EXPECT_EQ(received_, 1500U);
  EXPECT_EQ(link_->counters(0).flushed, 0U);
  link_->on_set = [](int side, std::uint64_t&) { return side == 0; };
  const std::int64_t began = link_->edge();
  add(2);
  link_->runUntil([&] { return link_->txState(0) == kFlush; }, 10'000);
  EXPECT_NEAR(static_cast<double>(link_->edge() - began), 4000, 6);
  EXPECT_EQ(link_->counters(0).flushed, 2U);
}

TEST_F(LlrProtocol, MessagesOutsideTheWindowAreErrors) {
  start({.init_seq = 100, .replay_timer = 0}, {});
  link_->bringUp();
  link_->on_set = [](int side, std::uint64_t&) { return side == 0; };
  add(4);
  link_->clocks(500);
  ASSERT_EQ(link_->outstanding(0), 4U);
  const auto say = [&](std::uint32_t type, std::uint32_t seq) {
    link_->inject(0, OrderedSet{.type = type, .seq = seq, .marked = true}.word());
    link_->clocks(10);
  };
  say(kAck, 104);  // not sent yet
  say(kAck, 98);   // before what was acknowledged last
  say(kNack, 104);
  EXPECT_EQ(link_->counters(0).seq_error, 3U);
  EXPECT_EQ(link_->outstanding(0), 4U);
  EXPECT_EQ(link_->counters(0).tx_replay, 0U);
  say(kAck, 99);  // what INIT stands for
  say(kAck, 101);
  EXPECT_EQ(link_->outstanding(0), 2U);
  say(kAck, 101);  // again
  EXPECT_EQ(link_->counters(0).seq_error, 3U);
  EXPECT_EQ(link_->outstanding(0), 2U);
  say(kAck, 103);
  EXPECT_EQ(link_->outstanding(0), 0U);
  // Sets without their marks are no messages.
  OrderedSet broken{.type = kNack, .seq = 103, .marked = false};
  link_->inject(0, broken.word());
  link_->inject(0, OrderedSet{.type = kNack, .seq = 103, .marked = true}.word() ^ 1);
  link_->clocks(10);
  EXPECT_EQ(link_->counters(0).rx_ctl_bad, 2U);
  EXPECT_EQ(link_->counters(0).rx_nack, 1U);
}

TEST_F(LlrProtocol, LimitsOfFramesAndBytes) {
  start({.max_frames = 7, .replay_timer = 0}, {});
  link_->bringUp();
  bool silent = true;
  link_->on_set = [&](int side, std::uint64_t&) { return side == 0 || !silent; };
  add(20, 64);
  link_->clocks(1000);
  EXPECT_EQ(line_.size(), 7U);
  EXPECT_EQ(link_->outstanding(0), 7U);
  EXPECT_TRUE(link_->hold(0));
  link_->inject(0, OrderedSet{.type = kAck, .seq = 2, .marked = true}.word());
  link_->clocks(200);
  EXPECT_EQ(line_.size(), 10U);
  silent = false;
  link_->inject(0, OrderedSet{.type = kAck, .seq = 9, .marked = true}.word());
  drain();
  EXPECT_EQ(received_, 20U);

  // 1000 bytes: a fourth frame of 300 starts, a fifth does not.
  added_ = received_ = 0;
  line_.clear();
  start({.max_bytes = 1000, .replay_timer = 0}, {});
  link_->bringUp();
  silent = true;
  link_->on_set = [&](int side, std::uint64_t&) { return side == 0 || !silent; };
  add(9, 300);
  link_->clocks(1000);
  EXPECT_EQ(line_.size(), 4U);
  silent = false;
  link_->inject(0, OrderedSet{.type = kAck, .seq = 0, .marked = true}.word());
  drain();
  EXPECT_EQ(received_, 9U);
}

TEST_F(LlrProtocol, TheBufferItselfIsALimit) {
  start({.max_frames = 500'000, .max_bytes = 1'000'000'000, .replay_timer = 0}, {});
  link_->bringUp();
  bool silent = true;
  link_->on_set = [&](int side, std::uint64_t&) { return side == 0 || !silent; };
  // 4096 beats of 64 bytes; room for a largest frame (144 beats) is kept free.
  add(60, 9216);
  link_->clocks(20'000);
  EXPECT_EQ(line_.size(), 28U);
  EXPECT_EQ(link_->outstanding(0), 28U);
  // The whole buffer can be replayed.
  link_->inject(0, OrderedSet{.type = kNack, .seq = 0xFFFFF, .marked = true}.word());
  link_->clocks(20'000);
  EXPECT_EQ(link_->counters(0).tx_replay_frames, 28U);
  silent = false;
  link_->inject(0, OrderedSet{.type = kAck, .seq = 27, .marked = true}.word());
  drain(100'000);
  EXPECT_EQ(received_, 60U);
  // Frames of one beat: as many as the table holds, less one.
  added_ = received_ = 0;
  line_.clear();
  start({.max_frames = 500'000, .max_bytes = 1'000'000'000, .replay_timer = 0}, {});
  link_->bringUp();
  silent = true;
  link_->on_set = [&](int side, std::uint64_t&) { return side == 0 || !silent; };
  add(4200, 64);
  link_->clocks(15'000);
  EXPECT_EQ(line_.size(), 4096U - 144U - 2U + 1U);
}

TEST_F(LlrProtocol, AcksKeepTheirDistance) {
  start({}, {.ack_spacing = 200});
  link_->bringUp();
  add(500);
  drain();
  std::int64_t before = -1000;
  int acks = 0;
  for (const SeenSet& seen : sets_[1]) {
    if (seen.set.type != kAck) continue;
    EXPECT_GE(seen.edge - before, 200);
    EXPECT_TRUE(before < 0 || seen.edge - before < 250 || acks == 0);
    before = seen.edge;
    ++acks;
  }
  // One every 201 clocks while frames of 276 bytes with their gap (7.1 clocks) come.
  EXPECT_NEAR(acks, 500 * 7.1 / 201, 3);
}

TEST_F(LlrProtocol, PoisonedFramesCountAsReceived) {
  start({}, {});
  link_->bringUp();
  for (std::uint64_t i = 0; i < 10; ++i) {
    wire::Buffer frame = numberedFrame(i, 200 + i);
    const bool poisoned = i % 3 == 1;
    if (poisoned) {
      for (std::size_t k = frame.size() - wire::kFcsSize; k < frame.size(); ++k) {
        frame[k] = static_cast<std::uint8_t>(~frame[k]);
      }
    }
    link_->source[0].push_back({frame, false, poisoned});
  }
  drain();
  EXPECT_EQ(received_, 10U);
  EXPECT_EQ(link_->counters(0).tx_poisoned, 3U);
  EXPECT_EQ(link_->counters(0).tx_ok, 7U);
  EXPECT_EQ(link_->counters(1).rx_poisoned, 3U);
  EXPECT_EQ(link_->counters(1).expected_poisoned, 3U);
  EXPECT_EQ(link_->counters(1).expected_good, 7U);
  EXPECT_EQ(link_->counters(1).rx_bad, 0U);
  EXPECT_EQ(link_->counters(1).tx_nack, 0U);
}

TEST_F(LlrProtocol, ADamagedPreambleIsADamagedFrame) {
  start({}, {});
  link_->bringUp();
  std::uint64_t sent = 0;
  link_->on_frame = [&](int side, LineFrame& frame) {
    if (side == 0 && !frame.replay) {
      if (sent == 3) frame.preamble ^= 1ULL << 30;   // neither ordinary nor eligible
      if (sent == 20) frame.preamble ^= 1ULL << 16;  // another number: behind
      if (sent == 40) frame.preamble ^= 1ULL << 15;  // far ahead
      ++sent;
    }
    return LlrLink::Fate::kPass;
  };
  while (added_ < 60) {
    add(20);
    drain();
  }
  EXPECT_EQ(received_, 60U);
  EXPECT_EQ(link_->counters(1).rx_bad, 1U);
  EXPECT_EQ(link_->counters(0).tx_replay, 3U);
}

TEST_F(LlrProtocol, OrdinaryFramesPassGoodOrBadAndOfAnyLength) {
  start({}, {});
  link_->bringUp();
  std::vector<SinkFrame> got;
  link_->on_received = [&](int, SinkFrame frame) { got.push_back(std::move(frame)); };
  link_->on_frame = [](int, LineFrame& frame) {
    return frame.bytes.size() == 100 ? LlrLink::Fate::kDamage : LlrLink::Fate::kPass;
  };
  for (const std::size_t length : {64U, 100U, 9216U, 9300U, 20'000U, 65U}) {
    link_->source[0].push_back({numberedFrame(0, length), true, false});
  }
  link_->runUntil([&] { return got.size() == 6; }, 20'000);
  ASSERT_EQ(got.size(), 6U);
  EXPECT_EQ(got[0].bytes.size(), 64U);
  EXPECT_FALSE(wire::fcsOk(got[1].bytes));
  EXPECT_EQ(got[2].bytes, numberedFrame(0, 9216));
  EXPECT_EQ(got[3].bytes.size(), 9300U);
  // Cut, yet still longer than any frame may be.
  EXPECT_EQ(got[4].bytes.size(), 146U * 64U);
  EXPECT_EQ(got[5].bytes, numberedFrame(0, 65));
}

TEST_F(LlrProtocol, AnEligibleFrameThatIsTooLongIsDamaged) {
  start({.replay_count_max = 3}, {});
  link_->bringUp();
  bool stretch = true;
  link_->on_frame = [&](int side, LineFrame& frame) {
    if (side == 0 && frame.seq() == 2 && stretch) {
      stretch = false;
      frame.bytes = numberedFrame(2, 12'000);
    }
    return LlrLink::Fate::kPass;
  };
  add(3);
  drain();
  EXPECT_EQ(received_, 3U);
  EXPECT_EQ(link_->counters(1).expected_bad, 1U);
  EXPECT_EQ(link_->counters(0).tx_replay, 1U);
}

TEST_F(LlrProtocol, SetsOfOthersShareTheWay) {
  start({}, {});
  link_->bringUp();
  constexpr std::uint64_t kCredits = 0x0030'2016'4433'104B;
  int seen = 0;
  link_->saw_set = [&](int side, const OrderedSet& set, std::int64_t) {
    if (side == 1 && set.type == 0x10) ++seen;
  };
  add(300);
  for (int i = 0; i < 20; ++i) {
    link_->offerSet(1, kCredits);
    link_->clocks(50);
  }
  drain();
  EXPECT_EQ(seen, 20);
  EXPECT_EQ(received_, 300U);
}

}  // namespace
}  // namespace plumbline::test
