// The event frame to be sent: its bytes by beats, its length, and the time of its departure.
#include <Vplumb_event_tx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/random.h"
#include "base/units.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

constexpr std::int64_t kTxTsOffset = 4711;
constexpr std::uint64_t kCardOffset = 1'000'000'007;

std::uint64_t txEdgeAt(std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<Int128>(n) * 102400 / 33);
}

class EventTxTest : public testing::Test {
 protected:
  EventTxTest() {
    event_->ts_offset_i = static_cast<std::uint32_t>(kTxTsOffset);
    event_->offset_i = kCardOffset;
  }

  void tick() {
    event_->now_i = txEdgeAt(n_);
    event_.tick();
    ++n_;
    event_->word_we_i = 0;
    event_->send_i = 0;
    event_->ready_i = 0;
    event_->taken_i = 0;
    event_->first_i = 0;
  }
  void idle(std::uint64_t clocks) {
    for (std::uint64_t i = 0; i < clocks; ++i) tick();
  }
  void send(std::uint32_t bytes) {
    event_->send_i = 1;
    event_->bytes_i = static_cast<std::uint8_t>(bytes);
    tick();
  }
  void takeAtTheGate(std::uint64_t wait) {
    for (std::uint64_t i = 0; i < wait; ++i) {
      ASSERT_NE(event_->valid_o, 0);
      tick();
    }
    event_->ready_i = 1;
    tick();
    ASSERT_EQ(event_->valid_o, 0);
  }
  // A frame passes behind the link-level retry.
  void passRetry(std::uint64_t departure, std::uint32_t beats) {
    for (std::uint32_t i = 0; i < beats; ++i) {
      event_->taken_i = 1;
      // Only the first beat's departure counts.
      event_->taken_departure_i = i == 0 ? departure : random_.next();
      tick();
    }
  }
  // A frame's first beat crosses to the MAC at the edge that ends this clock.
  std::uint64_t cross(std::uint64_t departure) {
    event_->first_i = 1;
    event_->departure_i = departure;
    tick();
    return txEdgeAt(n_);
  }

  rtl::Clocked<Vplumb_event_tx> event_;
  RandomStream random_{1, "event frames"};
  std::uint64_t n_ = 1000;
};

TEST_F(EventTxTest, WordsMakeBeats) {
  std::array<std::uint32_t, 32> words{};
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(random_.next());
    event_->word_we_i = 1;
    event_->word_i = static_cast<std::uint8_t>(i);
    event_->data_i = words[i];
    tick();
  }
  for (std::uint32_t beat = 0; beat < 2; ++beat) {
    event_->send_i = 1;
    tick();
    event_->beat_i = static_cast<std::uint8_t>(beat);
    event_.settle();
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(rtl::bitsOf(event_->beat_data_o, 32 * i, 32), words[16 * beat + i]);
    }
  }
}

TEST_F(EventTxTest, LengthsAreThoseAllowed) {
  for (std::uint32_t bytes = 0; bytes < 256; ++bytes) {
    send(bytes);
    EXPECT_EQ(event_->length_o, std::clamp(bytes, 60U, 128U) + 4);
    takeAtTheGate(1);
    const std::uint64_t departure = txEdgeAt(n_ + 50);
    passRetry(departure, 1);
    idle(4);
    cross(departure);
    idle(5);
    ASSERT_EQ(event_->busy_o, 0);
  }
}

// Model of the wire or crossing, whichever is later: frames in time, up to a clock early on a busy
// wire, and displaced ones.
TEST_F(EventTxTest, TimeIsTheDepartureOrTheCrossingIfItIsLater) {
  std::uint32_t sent = 0;
  for (int round = 0; round < 2000; ++round) {
    send(60 + static_cast<std::uint32_t>(random_.below(69)));
    takeAtTheGate(random_.below(20));
    idle(30 + random_.below(20));
    const std::uint64_t path = 4 + random_.below(3);
    const std::uint64_t crossing = txEdgeAt(n_ + 1 + path + 1);
    const std::uint64_t displaced = random_.below(3) == 0 ? random_.below(40'000) : 0;
    const std::uint64_t early = random_.below(2) == 0 ? random_.below(3103) : 0;
    const std::uint64_t model = crossing - displaced + (displaced == 0 ? early : 0);
    const std::uint64_t departure = model + static_cast<std::uint64_t>(kTxTsOffset);
    passRetry(departure, 1);
    // Other frames cross meanwhile.
    for (std::uint64_t i = 0; i < path; ++i) {
      if (random_.below(2) == 0) {
        cross(departure + 1 + random_.below(1'000'000));
      } else {
        tick();
      }
      ASSERT_NE(event_->busy_o, 0);
    }
    ASSERT_EQ(cross(departure), crossing);
    ASSERT_EQ(event_->sent_o, sent);
    idle(3);
    ++sent;
    ASSERT_EQ(event_->sent_o, sent);
    ASSERT_EQ(event_->busy_o, 0);
    ASSERT_EQ(event_->lost_o, 0);
    const std::uint64_t expected = std::max(model, crossing) + kTxTsOffset;
    ASSERT_NEAR(static_cast<double>(static_cast<std::int64_t>(event_->local_o - expected)), 0.0,
                2.0);
    if (displaced == 0) {
      ASSERT_EQ(event_->local_o, departure);
    }
    ASSERT_EQ(event_->time_o, event_->local_o + kCardOffset);
  }
}

TEST_F(EventTxTest, AFrameThatNeverCrossesIsLost) {
  send(60);
  takeAtTheGate(3);
  passRetry(txEdgeAt(n_ + 5), 2);
  // The time in which the MAC takes nothing does not count.
  event_->stalled_i = 1;
  idle(200'000);
  EXPECT_NE(event_->busy_o, 0);
  event_->stalled_i = 0;
  idle(65'000);
  EXPECT_NE(event_->busy_o, 0);
  idle(600);
  EXPECT_EQ(event_->busy_o, 0);
  EXPECT_NE(event_->lost_o, 0);
  EXPECT_EQ(event_->sent_o, 0u);
  // The next one is sent as usual.
  send(60);
  EXPECT_EQ(event_->lost_o, 0);
  takeAtTheGate(0);
  const std::uint64_t departure = txEdgeAt(n_ + 9);
  passRetry(departure, 1);
  idle(4);
  cross(departure);
  idle(4);
  EXPECT_EQ(event_->sent_o, 1u);
}

TEST_F(EventTxTest, ASecondRequestIsIgnored) {
  send(60);
  send(100);
  EXPECT_EQ(event_->length_o, 64);
  takeAtTheGate(0);
  send(100);
  EXPECT_EQ(event_->valid_o, 0);
  EXPECT_EQ(event_->length_o, 64);
}

}  // namespace
}  // namespace plumbline
