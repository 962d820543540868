// plumb_cmac_shim: every beat once, in order and in time, whatever the MAC does; flagged frames are
// damaged; the receive timestamp is corrected as the MAC's guide says.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "Vplumb_cmac_shim.h"
#include "base/random.h"

namespace {

using plumbline::RandomStream;

constexpr std::size_t kWords = 16;  // of 32 bits, one beat
constexpr std::uint64_t kRxClocks = 5;
constexpr std::int64_t kFillPs = 3103;       // a clock
constexpr std::int64_t kRxOffsetPs = -5120;  // as the model is built
constexpr std::size_t kLanes = 20;

struct Beat {
  std::array<std::uint32_t, kWords> data{};
  std::uint64_t keep = 0;
  bool last = false;
  std::uint64_t preamble = 0;

  bool operator==(const Beat&) const = default;
};

Beat randomBeat(RandomStream& random, bool last) {
  Beat beat;
  for (std::uint32_t& word : beat.data) word = static_cast<std::uint32_t>(random.next());
  const std::uint64_t bytes = last ? 1 + random.below(64) : 64;
  beat.keep = bytes == 64 ? ~0ULL : (1ULL << bytes) - 1;
  beat.last = last;
  beat.preamble = random.next() >> 8;
  return beat;
}

// `width` bits at `offset` of a pin wider than 64 bits.
template <typename Pin>
void setBits(Pin& pin, std::size_t offset, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t bit = offset + i;
    const std::uint32_t mask = 1U << bit % 32;
    if ((value >> i & 1U) != 0) {
      pin[bit / 32] |= mask;
    } else {
      pin[bit / 32] &= ~mask;
    }
  }
}

class ShimBench {
 public:
  ShimBench()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Vplumb_cmac_shim>(context_.get())) {
    model_->clk_i = 0;
    model_->rst_ni = 0;
    model_->s_tvalid_i = 0;
    model_->rx_axis_tvalid_i = 0;
    model_->tx_axis_tready_i = 0;
    for (int i = 0; i < 3; ++i) clock();
    model_->rst_ni = 1;
    model_->eval();
  }

  Vplumb_cmac_shim& pins() { return *model_; }

  void clock() {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }

  void offer(const Beat& beat) {
    for (std::size_t i = 0; i < kWords; ++i) model_->s_tdata_i[i] = beat.data[i];
    model_->s_tkeep_i = beat.keep;
    model_->s_tlast_i = beat.last;
    model_->s_preamble_i = beat.preamble;
    model_->s_tvalid_i = 1;
  }

  void receive(const Beat& beat, bool error) {
    for (std::size_t i = 0; i < kWords; ++i) model_->rx_axis_tdata_i[i] = beat.data[i];
    model_->rx_axis_tkeep_i = beat.keep;
    model_->rx_axis_tlast_i = beat.last;
    model_->rx_axis_terror_i = error;
    model_->rx_preamble_i = beat.preamble;
    model_->rx_axis_tvalid_i = 1;
  }

  Beat sent() const {
    Beat beat;
    for (std::size_t i = 0; i < kWords; ++i) beat.data[i] = model_->tx_axis_tdata_o[i];
    beat.keep = model_->tx_axis_tkeep_o;
    beat.last = model_->tx_axis_tlast_o != 0;
    beat.preamble = model_->tx_preamble_o;
    return beat;
  }

  Beat received() const {
    Beat beat;
    for (std::size_t i = 0; i < kWords; ++i) beat.data[i] = model_->m_tdata_o[i];
    beat.keep = model_->m_tkeep_o;
    beat.last = model_->m_tlast_o != 0;
    beat.preamble = model_->m_preamble_o;
    return beat;
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_cmac_shim> model_;
};

// How often the card offers a beat and the MAC takes one, in sixteenths.
struct Pressure {
  std::uint64_t offers;
  std::uint64_t takes;
};

class ShimTx : public testing::TestWithParam<Pressure> {};

TEST_P(ShimTx, EveryBeatOnceInOrderAndHeldUntilTaken) {
  ShimBench bench;
  auto& pins = bench.pins();
  RandomStream random(7, "shim tx");
  std::deque<Beat> under_way;
  bool offering = false;
  Beat offered;
  std::uint64_t accepted = 0;
  std::uint64_t taken = 0;
  bool held = false;
  Beat held_beat;
  for (int i = 0; i < 50'000; ++i) {
    if (!offering && random.below(16) < GetParam().offers) {
      offered = randomBeat(random, random.below(4) == 0);
      bench.offer(offered);
      offering = true;
    }
    pins.s_tvalid_i = offering;
    pins.tx_axis_tready_i = random.below(16) < GetParam().takes;
    pins.eval();
    if (held) {
      ASSERT_NE(pins.tx_axis_tvalid_o, 0) << "withdrawn in clock " << i;
      ASSERT_EQ(bench.sent(), held_beat) << "changed in clock " << i;
    }
    held = pins.tx_axis_tvalid_o != 0 && pins.tx_axis_tready_i == 0;
    held_beat = bench.sent();
    if (pins.tx_axis_tvalid_o != 0 && pins.tx_axis_tready_i != 0) {
      ASSERT_FALSE(under_way.empty());
      ASSERT_EQ(bench.sent(), under_way.front()) << "beat " << taken;
      under_way.pop_front();
      ++taken;
    }
    if (offering && pins.s_tready_o != 0) {
      under_way.push_back(offered);
      offering = false;
      ++accepted;
    }
    bench.clock();
  }
  EXPECT_LE(under_way.size(), 2U);
  EXPECT_EQ(accepted, taken + under_way.size());
  // Two registers cost no throughput: the slower side decides.
  const double share = static_cast<double>(std::min(GetParam().offers, GetParam().takes)) / 16;
  EXPECT_GT(static_cast<double>(taken), 50'000 * share * (share < 1 ? 0.7 : 0.9999));
}

INSTANTIATE_TEST_SUITE_P(Pressures, ShimTx,
                         testing::Values(Pressure{16, 16}, Pressure{16, 9}, Pressure{9, 16},
                                         Pressure{10, 10}, Pressure{16, 1}, Pressure{2, 16}));

TEST(ShimRx, BeatsComeAfterFiveClocksAndFlaggedFramesAreDamaged) {
  ShimBench bench;
  auto& pins = bench.pins();
  RandomStream random(11, "shim rx");
  struct Due {
    std::uint64_t clock;
    Beat beat;
  };
  std::deque<Due> due;
  std::uint64_t flagged = 0;
  for (std::uint64_t clock = 0; clock < 30'000; ++clock) {
    pins.rx_axis_tvalid_i = 0;
    if (random.below(5) != 0) {
      Beat beat = randomBeat(random, random.below(3) == 0);
      // The flag counts with the last beat only.
      const bool error = random.below(3) == 0;
      bench.receive(beat, error);
      if (error && beat.last) {
        std::size_t bytes = 0;
        while (bytes < 64 && (beat.keep >> bytes & 1U) != 0) ++bytes;
        beat.data[(bytes - 1) / 4] ^= 0x80U << 8 * ((bytes - 1) % 4);
        ++flagged;
      }
      due.push_back({clock + kRxClocks, beat});
    }
    pins.eval();
    if (!due.empty() && due.front().clock == clock) {
      ASSERT_NE(pins.m_tvalid_o, 0) << "clock " << clock;
      ASSERT_EQ(bench.received(), due.front().beat) << "clock " << clock;
      due.pop_front();
    } else {
      ASSERT_EQ(pins.m_tvalid_o, 0) << "clock " << clock;
    }
    bench.clock();
  }
  EXPECT_GT(flagged, 1'000U);
}

TEST(ShimRx, TimestampIsCorrectedByTheFillOfTheFramesLane) {
  ShimBench bench;
  auto& pins = bench.pins();
  RandomStream random(13, "shim time");
  std::array<std::int64_t, kLanes> fill{};
  std::array<std::uint32_t, kLanes> pcs_lane{};
  for (int round = 0; round < 200; ++round) {
    // PCS lanes arrive on any physical lane; fills stand still while the link is up.
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      pcs_lane[lane] = lane;
      fill[lane] = static_cast<std::int64_t>(random.below(128));
    }
    for (std::size_t lane = kLanes - 1; lane > 0; --lane) {
      std::swap(pcs_lane[lane], pcs_lane[random.below(lane + 1)]);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      setBits(pins.rx_fill_i, 7 * lane, 7, static_cast<std::uint64_t>(fill[lane]));
      setBits(pins.rx_pcsl_number_i, 5 * lane, 5, pcs_lane[lane]);
    }
    std::vector<std::uint64_t> expected;
    for (std::uint64_t clock = 0; clock < 40 + kRxClocks; ++clock) {
      pins.rx_axis_tvalid_i = clock < 40;
      if (clock < 40) {
        bench.receive(randomBeat(random, true), false);
        const std::size_t lane = random.below(kLanes);
        pins.rx_pcslane_i = pcs_lane[lane];
        pins.rx_timestamp_i = random.next();
        expected.push_back(
            pins.rx_timestamp_i +
            static_cast<std::uint64_t>((fill[lane] - fill[0]) * kFillPs + kRxOffsetPs));
      }
      pins.eval();
      if (clock >= kRxClocks) {
        ASSERT_NE(pins.m_tvalid_o, 0);
        ASSERT_EQ(pins.m_timestamp_o, expected[clock - kRxClocks]) << "round " << round;
      }
      bench.clock();
    }
  }
}

}  // namespace
