// Received event frames: which frames are taken, their bytes and times, and what finds no slot.
#include <Vplumb_event_rx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/random.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

using FrameOctets = std::vector<std::uint8_t>;

constexpr std::int64_t kRxTsOffset = -5134;
constexpr std::size_t kKept = 128;

void put16(FrameOctets& frame, std::size_t at, std::uint32_t value) {
  frame[at] = static_cast<std::uint8_t>(value >> 8);
  frame[at + 1] = static_cast<std::uint8_t>(value);
}

// A frame of random bytes with the EtherType.
FrameOctets ethernetFrame(RandomStream& random, std::size_t length, std::uint32_t type) {
  FrameOctets frame(length);
  for (auto& byte : frame) byte = static_cast<std::uint8_t>(random.next());
  put16(frame, 12, type);
  return frame;
}

FrameOctets udp4Frame(RandomStream& random, std::size_t length, std::uint32_t port) {
  FrameOctets frame = ethernetFrame(random, length, 0x0800);
  frame[14] = 0x45;
  put16(frame, 20, 0x4000);  // don't fragment
  frame[23] = 17;
  put16(frame, 36, port);
  return frame;
}

FrameOctets udp6Frame(RandomStream& random, std::size_t length, std::uint32_t port) {
  FrameOctets frame = ethernetFrame(random, length, 0x86DD);
  frame[14] = static_cast<std::uint8_t>(0x60 | (frame[14] & 15));
  frame[20] = 17;
  put16(frame, 56, port);
  return frame;
}

struct Sent {
  FrameOctets bytes;
  std::uint64_t time = 0;  // local, of the first beat
  bool event = false;
  bool good = true;
};

struct Kept {
  FrameOctets bytes;  // all of them
  std::uint64_t local = 0;
  std::uint64_t card = 0;
};

class EventRxTest : public testing::Test {
 protected:
  EventRxTest() {
    event_->ethernet_i = 1;
    event_->udp_i = 1;
    event_->ts_offset_i = static_cast<std::uint32_t>(kRxTsOffset);
  }

  // One clock; a verdict comes in it if one is due.
  void tick() {
    event_->desc_valid_i = 0;
    if (!waiting_.empty() && waiting_.front().due <= clock_) {
      const Waiting& verdict = waiting_.front();
      event_->desc_valid_i = 1;
      event_->desc_good_i = verdict.sent.good ? 1 : 0;
      event_->desc_length_i = static_cast<std::uint16_t>(verdict.sent.bytes.size());
      event_->desc_time_i = verdict.card;
      event_.settle();
      EXPECT_EQ(event_->event_o != 0, verdict.sent.event);
      if (verdict.sent.good && verdict.sent.event) {
        expected_.push_back({verdict.sent.bytes,
                             verdict.sent.time + static_cast<std::uint64_t>(kRxTsOffset),
                             verdict.card});
      }
      waiting_.pop_front();
    }
    event_.tick();
    event_->rx_tvalid_i = 0;
    event_->take_i = 0;
    event_->clear_i = 0;
    ++clock_;
  }
  void idle(std::uint64_t clocks) {
    for (std::uint64_t i = 0; i < clocks; ++i) tick();
  }
  // All beats of a frame, with a gap of up to `most_gap` clocks before each but the first.
  void send(Sent sent, std::uint64_t most_gap = 0) {
    sent.time = random_.next();
    for (std::size_t at = 0; at < sent.bytes.size(); at += 64) {
      if (at != 0 && most_gap != 0) idle(random_.below(most_gap + 1));
      event_->rx_tvalid_i = 1;
      event_->rx_tlast_i = at + 64 >= sent.bytes.size() ? 1 : 0;
      event_->rx_time_i = at == 0 ? sent.time : random_.next();
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t byte = at + i;
        const std::uint32_t value = byte < sent.bytes.size()
                                        ? sent.bytes[byte]
                                        : static_cast<std::uint32_t>(random_.below(256));
        rtl::setBits(event_->rx_tdata_i, static_cast<std::uint32_t>(8 * i), 8, value);
      }
      if (event_->rx_tlast_i != 0) {
        const std::uint64_t after = std::max(last_due_ + 1, clock_ + 3 + random_.below(12));
        waiting_.push_back({sent, after, random_.next()});
        last_due_ = after;
      }
      tick();
    }
  }
  // Reads the first frame and frees its slot.
  void takeAndCompare() {
    ASSERT_GT(event_->level_o, 0);
    ASSERT_FALSE(expected_.empty());
    const Kept kept = expected_.front();
    expected_.pop_front();
    const std::size_t length = kept.bytes.size() - 4;
    idle(6);
    EXPECT_EQ(event_->length_o, length);
    EXPECT_EQ(event_->time_o, kept.card);
    EXPECT_EQ(event_->local_o, kept.local);
    for (std::size_t word = 0; word < 32; ++word) {
      event_->word_i = static_cast<std::uint8_t>(word);
      idle(2);
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at = 4 * word + i;
        if (at >= std::min(length, kKept)) break;
        ASSERT_EQ(event_->data_o >> (8 * i) & 0xFF, kept.bytes[at]) << "byte " << at;
      }
    }
    event_->word_i = 0;
    event_->take_i = 1;
    tick();
  }
  // A frame of any kind: three of four are event frames.
  Sent anyFrame() {
    const std::size_t length = 64 + random_.below(200);
    Sent sent;
    sent.event = true;
    switch (random_.below(8)) {
      case 0:
      case 1:
        sent.bytes = ethernetFrame(random_, length, 0x88F7);
        break;
      case 2:
        sent.bytes = udp4Frame(random_, length, 319);
        break;
      case 3:
        sent.bytes = udp4Frame(random_, length, 320);
        break;
      case 4:
        sent.bytes = udp6Frame(random_, length, 319);
        break;
      case 5:
        sent.bytes = udp6Frame(random_, length, 320);
        break;
      default:
        sent.bytes = ethernetFrame(random_, length, 0x88F6);
        sent.event = false;
    }
    return sent;
  }

  struct Waiting {
    Sent sent;
    std::uint64_t due = 0;
    std::uint64_t card = 0;
  };

  rtl::Clocked<Vplumb_event_rx> event_;
  RandomStream random_{1, "event frames"};
  std::deque<Waiting> waiting_;
  std::deque<Kept> expected_;
  std::uint64_t clock_ = 0;
  std::uint64_t last_due_ = 0;
};

TEST_F(EventRxTest, FramesOfEveryKindWithTheirTimes) {
  std::uint32_t count = 0;
  for (int round = 0; round < 400; ++round) {
    // At most four event frames at a time, as close as they come.
    std::uint32_t events = 0;
    while (events < 1 + random_.below(4)) {
      Sent sent = anyFrame();
      sent.good = random_.below(4) != 0;
      if (sent.event) ++events;
      if (sent.event && sent.good) ++count;
      send(std::move(sent), round % 2 == 0 ? 0 : 3);
      if (round % 3 == 0) idle(random_.below(5));
    }
    idle(30);
    ASSERT_EQ(event_->level_o, expected_.size());
    while (!expected_.empty()) takeAndCompare();
    idle(3);
    ASSERT_EQ(event_->level_o, 0);
  }
  EXPECT_EQ(event_->count_o, count);
  EXPECT_EQ(event_->lost_o, 0u);
}

TEST_F(EventRxTest, WhatIsNoEventFrame) {
  const auto notTaken = [this](FrameOctets bytes) {
    send({.bytes = std::move(bytes), .event = false});
    idle(30);
    EXPECT_EQ(event_->level_o, 0);
  };
  FrameOctets frame = udp4Frame(random_, 90, 319);
  frame[14] = 0x46;
  notTaken(frame);  // options
  frame = udp4Frame(random_, 90, 319);
  frame[21] = 1;
  notTaken(frame);  // a fragment
  frame = udp4Frame(random_, 90, 319);
  frame[20] = 0x20;
  notTaken(frame);  // the first of several
  frame = udp4Frame(random_, 90, 319);
  frame[23] = 6;
  notTaken(frame);
  notTaken(udp4Frame(random_, 90, 318));
  notTaken(udp6Frame(random_, 90, 321));
  frame = udp6Frame(random_, 90, 320);
  frame[20] = 0;
  notTaken(frame);  // hop-by-hop options
  event_->udp_i = 0;
  notTaken(udp4Frame(random_, 90, 319));
  notTaken(udp6Frame(random_, 90, 319));
  send({.bytes = ethernetFrame(random_, 64, 0x88F7), .event = true});
  idle(30);
  EXPECT_EQ(event_->level_o, 1);
  takeAndCompare();
  event_->ethernet_i = 0;
  event_->udp_i = 1;
  notTaken(ethernetFrame(random_, 64, 0x88F7));
}

TEST_F(EventRxTest, TheFifthIsLostAndBadOnesFreeTheirSlots) {
  for (int round = 0; round < 50; ++round) {
    event_->clear_i = 1;
    idle(2);
    expected_.clear();
    std::uint32_t good = 0;
    for (int i = 0; i < 12; ++i) {
      Sent sent{.bytes = ethernetFrame(random_, 64 + random_.below(100), 0x88F7), .event = true};
      sent.good = random_.below(3) != 0;
      if (sent.good) ++good;
      send(std::move(sent));
      idle(25);  // the verdict is there
    }
    const std::uint32_t kept = std::min(good, 4U);
    ASSERT_EQ(event_->level_o, kept);
    ASSERT_EQ(event_->count_o, good);
    ASSERT_EQ(event_->lost_o, good - kept);
    expected_.resize(kept);
    while (!expected_.empty()) takeAndCompare();
  }
}

TEST_F(EventRxTest, ClearFreesWhatWasJudgedOnly) {
  for (int i = 0; i < 3; ++i) {
    send({.bytes = ethernetFrame(random_, 64, 0x88F7), .event = true});
    idle(25);
  }
  expected_.clear();
  // The fourth is in the middle of its way.
  send({.bytes = ethernetFrame(random_, 100, 0x88F7), .event = true});
  event_->clear_i = 1;
  tick();
  EXPECT_EQ(event_->level_o, 0);
  idle(30);
  ASSERT_EQ(event_->level_o, 1);
  takeAndCompare();
}

}  // namespace
}  // namespace plumbline
