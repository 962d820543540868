// The FIFOs between the card's clock and a MAC's: frames whole and in order, no gap inside a frame
// towards the MAC, a constant delay while the phases stay, at equal clocks and 200 ppm apart.
#include <Vplumb_mac_cross.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace plumbline {
namespace {

struct CrossBeat {
  std::uint32_t data = 0;
  bool last = false;
};

class CrossBench {
 public:
  // Periods in femtoseconds; `phase`: when the MAC's first edge comes after the card's.
  CrossBench(std::int64_t card_period_fs, std::int64_t mac_period_fs, std::int64_t phase_fs)
      : card_period_(card_period_fs), mac_period_(mac_period_fs), next_mac_(phase_fs) {
    cross_->card_rst_ni = cross_->mac_rst_ni = 0;
    cross_->eval();
    for (int i = 0; i < 3; ++i) step();
    cross_->card_rst_ni = cross_->mac_rst_ni = 1;
    cross_->eval();
    for (int i = 0; i < 8; ++i) step();
  }

  Vplumb_mac_cross& operator*() { return *cross_; }
  // What each side does: called before its edge to set its pins, after it to look at them.
  std::function<void()> card_before, card_after, mac_before, mac_after;
  [[nodiscard]] std::int64_t now() const { return now_; }
  std::int64_t card_edges = 0;

  void step() {
    auto& s = *cross_;
    if (next_mac_ < next_card_) {
      now_ = next_mac_;
      next_mac_ += mac_period_;
      edge(mac_before, mac_after, s.mac_clk_i);
    } else {
      now_ = next_card_;
      next_card_ += card_period_;
      ++card_edges;
      edge(card_before, card_after, s.card_clk_i);
    }
  }

 private:
  template <typename Clock>
  void edge(const std::function<void()>& before, const std::function<void()>& after, Clock& clock) {
    if (before) before();
    cross_->eval();
    if (after) after();  // what is on the pins when the edge comes
    clock = 1;
    cross_->eval();
    clock = 0;
    cross_->eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vplumb_mac_cross> cross_ = std::make_unique<Vplumb_mac_cross>(context_.get());
  std::int64_t card_period_;
  std::int64_t mac_period_;
  std::int64_t next_card_ = 0;
  std::int64_t next_mac_;
  std::int64_t now_ = 0;
};

constexpr std::int64_t kPeriod = 3'103'030;  // [fs]

// Frames of 1 to 256 beats from the card to a MAC that takes a beat in every clock, and from one
// that gives two in three.
void crossFrames(std::int64_t mac_period, std::int64_t phase, std::uint32_t seed) {
  CrossBench bench(kPeriod, mac_period, phase);
  std::mt19937 random(seed);
  std::deque<CrossBeat> to_mac;
  std::deque<CrossBeat> to_card;
  std::deque<CrossBeat> expected_at_mac;
  std::deque<CrossBeat> expected_at_card;
  std::uint32_t number = 0;
  for (int frame = 0; frame < 300; ++frame) {
    const int beats = frame % 3 == 0 ? 256 : 1 + static_cast<int>(random() % 20);
    for (int beat = 1; beat <= beats; ++beat) {
      to_mac.push_back({number++, beat == beats});
      to_card.push_back({number++, beat == beats});
    }
  }
  expected_at_mac = to_mac;
  expected_at_card = to_card;

  int idle = 0;
  int third = 0;
  bool inside = false;
  bench.card_before = [&] {
    auto& s = *bench;
    s.s_tvalid_i = !to_mac.empty() && idle == 0;
    if (s.s_tvalid_i != 0) {
      s.s_beat_i = to_mac.front().data;
      s.s_tlast_i = to_mac.front().last;
    } else if (idle > 0) {
      --idle;
    }
  };
  bench.card_after = [&] {
    auto& s = *bench;
    if (s.s_tvalid_i != 0 && s.s_tready_o != 0) {
      if (to_mac.front().last) idle = static_cast<int>(random() % 4);
      to_mac.pop_front();
    }
    if (s.m_tvalid_o != 0) {
      ASSERT_FALSE(expected_at_card.empty());
      ASSERT_EQ(s.m_beat_o, expected_at_card.front().data);
      ASSERT_EQ(s.m_tlast_o != 0, expected_at_card.front().last);
      expected_at_card.pop_front();
    }
  };
  bench.mac_before = [&] {
    auto& s = *bench;
    s.tx_tready_i = 1;
    s.rx_tvalid_i = !to_card.empty() && third % 3 != 0;
    ++third;
    if (s.rx_tvalid_i != 0) {
      s.rx_beat_i = to_card.front().data;
      s.rx_tlast_i = to_card.front().last;
      to_card.pop_front();
    }
  };
  bench.mac_after = [&] {
    auto& s = *bench;
    ASSERT_EQ(s.rx_overflow_o, 0);
    if (s.tx_tvalid_o != 0) {
      ASSERT_FALSE(expected_at_mac.empty());
      ASSERT_EQ(s.tx_beat_o, expected_at_mac.front().data);
      inside = s.tx_tlast_o == 0;
      expected_at_mac.pop_front();
    } else {
      ASSERT_FALSE(inside) << "a gap inside a frame";
    }
  };
  for (int i = 0; i < 400'000 && !(expected_at_mac.empty() && expected_at_card.empty()); ++i) {
    bench.step();
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_TRUE(expected_at_mac.empty());
  EXPECT_TRUE(expected_at_card.empty());
}

TEST(MacCross, FramesPassWholeWithoutGapsAtAnyPhaseAndAt200Ppm) {
  std::uint32_t seed = 1;
  for (const std::int64_t mac_period : {kPeriod, kPeriod + 620, kPeriod - 620}) {
    for (const std::int64_t phase : {1, 100'000, 1'000'000, 1'551'515, 2'500'000, 3'103'000}) {
      crossFrames(mac_period, phase, seed++);
      ASSERT_FALSE(::testing::Test::HasFailure()) << mac_period << " fs, phase " << phase;
    }
  }
}

// With equal frequencies each phase has one delay, the same for frames of every length, in both
// directions; it is 3 to 6 clocks.
TEST(MacCross, TheDelayIsConstant) {
  for (std::int64_t phase = 50'000; phase < kPeriod; phase += 250'000) {
    CrossBench bench(kPeriod, kPeriod, phase);
    std::mt19937 random(3);
    std::set<std::int64_t> to_mac;
    std::set<std::int64_t> to_card;
    std::int64_t sent = -1;
    std::int64_t given = -1;
    int wait = 0;
    int pause = 0;
    int beat = 0;
    int beats = 1;  // of the frame: 1 to 4 in turns
    bench.card_before = [&] {
      auto& s = *bench;
      s.s_tvalid_i = wait == 0;
      s.s_tlast_i = beat + 1 == beats;
    };
    bench.card_after = [&] {
      auto& s = *bench;
      if (s.s_tvalid_i != 0) {
        if (beat == 0) sent = bench.now();
        if (++beat == beats) {
          beat = 0;
          beats = beats % 4 + 1;
          wait = 20 + static_cast<int>(random() % 9);
        }
      } else {
        --wait;
      }
      if (s.m_tvalid_o != 0) to_card.insert(bench.now() - given);
    };
    bench.mac_before = [&] {
      auto& s = *bench;
      s.tx_tready_i = 1;
      s.rx_tvalid_i = pause == 0;
      s.rx_tlast_i = 1;
    };
    bool first = true;
    bench.mac_after = [&] {
      auto& s = *bench;
      if (s.tx_tvalid_o != 0) {
        if (first) to_mac.insert(bench.now() - sent);
        first = s.tx_tlast_o != 0;
      }
      if (s.rx_tvalid_i != 0) {
        given = bench.now();
        pause = 20 + static_cast<int>(random() % 7);
      } else {
        --pause;
      }
    };
    for (int i = 0; i < 4'000; ++i) bench.step();
    ASSERT_EQ(to_mac.size(), 1U) << phase;
    ASSERT_EQ(to_card.size(), 1U) << phase;
    EXPECT_GE(*to_mac.begin(), 3 * kPeriod);
    EXPECT_LE(*to_mac.begin(), 6 * kPeriod);
    EXPECT_GE(*to_card.begin(), 3 * kPeriod);
    EXPECT_LE(*to_card.begin(), 5 * kPeriod);
  }
}

}  // namespace
}  // namespace plumbline
