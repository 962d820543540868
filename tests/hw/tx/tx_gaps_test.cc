// The gaps that plumb_tx_gaps makes: every one against the reference, and whether they are
// exponentially distributed.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "Vplumb_tx_gaps.h"
#include "base/random.h"
#include "tests/hw/tx/ks.h"
#include "tests/hw/tx/tx_pattern.h"

namespace plumbline::test {
namespace {

constexpr std::uint64_t kPs = 1U << 16;  // Q48.16

// Drives the block as the scheduler does: primes flows, takes gaps at most every other clock.
class GapBench {
 public:
  GapBench()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Vplumb_tx_gaps>(context_.get())) {
    model_->rst_ni = 1;
    model_->eval();
    model_->rst_ni = 0;
    clocks(3);
    model_->rst_ni = 1;
    clear();
  }
  ~GapBench() { model_->final(); }

  void clocks(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      model_->clk_i = 0;
      model_->eval();
      if (model_->first_valid_o != 0) {
        first_.at(model_->first_flow_o) = model_->first_gap_o;
      }
      model_->clk_i = 1;
      model_->eval();
    }
  }

  void clear() {
    model_->clear_we_i = 1;
    for (std::uint32_t flow = 0; flow < 256; ++flow) {
      model_->clear_row_i = flow;
      clocks(1);
    }
    model_->clear_we_i = 0;
    lanes_.fill(0);
    first_.fill(0);
  }

  void writeList(std::uint32_t entry, std::uint64_t gap) {
    Row row{};
    setBits(row, 0, 64, gap);
    write(entry, row, [this](int on) { model_->list_we_i = on; });
  }
  void configure(std::uint32_t flow, const PatternConfig& pattern) {
    write(flow, pattern.row(), [this](int on) { model_->config_we_i = on; });
  }

  // Returns how many clocks it took.
  std::uint64_t prime(std::uint32_t flow) {
    model_->prime_i = 1;
    model_->prime_flow_i = flow;
    clocks(1);
    model_->prime_i = 0;
    std::uint64_t n = 1;
    for (; model_->busy_o != 0 && n < 100; ++n) clocks(1);
    return n;
  }

  // The flow's next gap; in `spacing` (at least 2) clocks the next may be taken.
  std::uint64_t take(std::uint32_t flow, std::uint64_t spacing = 2) {
    const std::uint64_t gap = first_.at(flow);
    model_->take_i = 1;
    model_->take_flow_i = flow;
    model_->take_lane_i = lanes_.at(flow);
    lanes_.at(flow) = (lanes_.at(flow) + 1) % 8;
    clocks(1);
    model_->take_i = 0;
    first_.at(flow) = model_->gap_o;
    clocks(spacing - 1);
    return gap;
  }

 private:
  template <typename Enable>
  void write(std::uint32_t row, const Row& data, Enable enable) {
    while (model_->busy_o != 0) clocks(1);
    model_->row_i = row;
    std::copy(data.begin(), data.end(), model_->row_wdata_i.data());
    enable(1);
    clocks(1);
    enable(0);
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_tx_gaps> model_;
  std::array<std::uint32_t, 256> lanes_{};
  std::array<std::uint64_t, 256> first_{};  // the gap that the scheduler keeps
};

PatternConfig exponential(std::uint64_t seed, std::uint64_t mean) {
  PatternConfig pattern;
  pattern.gap_mode = 1;
  pattern.gap_seed = seed;
  pattern.gap_mean = mean;
  return pattern;
}

// All flows at once, taken in any order and as fast as can be: each has its own sequence.
TEST(TxGaps, ExponentialGapsAreTheReferences) {
  GapBench bench;
  RandomStream random(1, "gaps");
  std::vector<GapSource> sources;
  for (std::uint32_t flow = 0; flow < 256; ++flow) {
    const PatternConfig pattern =
        exponential(random.next() | 1, random.next() >> (5 + random.below(50)));
    bench.configure(flow, pattern);
    EXPECT_LE(bench.prime(flow), 32U);
    sources.emplace_back(pattern, nullptr);
  }
  for (int i = 0; i < 200'000; ++i) {
    // Often the same flow again.
    const auto flow = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 2 : 256));
    ASSERT_EQ(bench.take(flow, 2 + random.below(2)), sources[flow].next()) << "gap " << i;
  }
}

// The uniform number's extremes: no leading zero and all of them, first and last point.
TEST(TxGaps, SmallestAndLargest) {
  for (const std::uint64_t seed : {~0ULL, 1ULL << 63, 1ULL << 32, (1ULL << 32) - 1, 1ULL,
                                   0x80000000FFFFFFFFULL, 0xFFFFFFFF00000001ULL}) {
    for (const std::uint64_t mean :
         std::initializer_list<std::uint64_t>{0, 1, kPs, (1ULL << 59) - 1}) {
      GapBench bench;
      const PatternConfig pattern = exponential(seed, mean);
      bench.configure(9, pattern);
      bench.prime(9);
      GapSource source(pattern, nullptr);
      for (int i = 0; i < 40; ++i) ASSERT_EQ(bench.take(9), source.next()) << seed << " " << mean;
    }
  }
  // The largest is 33 ln 2 times the mean; the smallest nothing, never less.
  GapBench bench;
  bench.configure(0, exponential(1, 1'000'000 * kPs));
  bench.prime(0);
  EXPECT_NEAR(static_cast<double>(bench.take(0)) / kPs, 33 * std::log(2.0) * 1e6, 2);
  bench.configure(1, exponential(~0ULL, 1'000'000 * kPs));
  bench.prime(1);
  EXPECT_LT(bench.take(1), 2 * kPs);
}

// Independent draws of the exponential distribution, for several seeds.
TEST(TxGaps, KolmogorovSmirnovAndMean) {
  constexpr std::size_t kDraws = 400'000;
  constexpr std::uint64_t kMean = 123'456 * kPs;
  GapBench bench;
  for (std::uint32_t flow = 0; flow < 4; ++flow) {
    bench.configure(flow, exponential(mix64(flow), kMean));
    bench.prime(flow);
    std::vector<double> draws;
    for (std::size_t i = 0; i < kDraws; ++i) {
      draws.push_back(static_cast<double>(bench.take(flow)) / static_cast<double>(kMean));
    }
    const double mean = std::accumulate(draws.begin(), draws.end(), 0.0) / kDraws;
    const double error = 1 / std::sqrt(static_cast<double>(kDraws));  // of that mean
    EXPECT_NEAR(mean, 1, 3 * error);
    double together = 0;
    for (std::size_t i = 1; i < kDraws; ++i) together += (draws[i] - 1) * (draws[i - 1] - 1);
    EXPECT_NEAR(together / kDraws, 0, 4 * error) << "each gap depends on the one before";
    const double ks = ksExponential(std::move(draws));
    EXPECT_LT(ks, kKsOnePercent);
    RecordProperty("ks_" + std::to_string(flow), std::to_string(ks));
    RecordProperty("mean_" + std::to_string(flow), std::to_string(mean));
  }
}

// The mean of the distribution itself, over every mantissa: the reference's, which the block's
// gaps are.
TEST(TxGaps, MeanOverAllMantissas) {
  constexpr std::uint64_t kMean = 1ULL << 40;
  PatternConfig pattern = exponential(0, kMean);
  double sum = 0;
  constexpr std::uint64_t kMantissas = 1U << 22;
  for (std::uint64_t mantissa = 0; mantissa < kMantissas; ++mantissa) {
    pattern.gap_seed = 1ULL << 63 | mantissa << 10;  // no leading zero
    sum += static_cast<double>(GapSource(pattern, nullptr).next());
  }
  // n leading zeros, 2^-(n+1) of all, add n ln 2; 32 of them 2^-32 of all.
  double zeros = 32 * std::exp2(-32);
  for (int n = 1; n < 32; ++n) zeros += n * std::exp2(-n - 1);
  const double mean = sum / kMantissas / static_cast<double>(kMean) + zeros * std::log(2.0);
  EXPECT_NEAR(mean, 1, 2e-5);
}

TEST(TxGaps, ListsRepeatAndGoRound) {
  GapBench bench;
  RandomStream random(2, "list");
  std::vector<std::uint64_t> list(4096);
  for (std::uint32_t i = 0; i < 4096; ++i) bench.writeList(i, list[i] = random.next());
  std::vector<GapSource> sources;
  for (std::uint32_t flow = 0; flow < 32; ++flow) {
    PatternConfig pattern;
    pattern.gap_mode = 2;
    // One entry, a few, some across the list's end, all.
    pattern.gap_count = flow == 0 ? 4096 : static_cast<std::uint32_t>(1 + random.below(20));
    if (flow == 1) pattern.gap_count = 1;
    pattern.gap_base = static_cast<std::uint32_t>(flow % 4 == 1 ? 4090 : random.below(4096));
    pattern.gap_repeat = static_cast<std::uint32_t>(1 + random.below(3));
    if (flow == 2) pattern.gap_repeat = 65535;
    bench.configure(flow, pattern);
    bench.prime(flow);
    sources.emplace_back(pattern, &list);
  }
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(bench.take(0), sources[0].next()) << "gap " << i;
    ASSERT_EQ(bench.take(2), sources[2].next()) << "gap " << i;
    ASSERT_EQ(bench.take(2), sources[2].next()) << "gap " << i;
    ASSERT_EQ(bench.take(2), sources[2].next()) << "gap " << i;
    ASSERT_EQ(bench.take(2), sources[2].next()) << "gap " << i;
    const auto flow = static_cast<std::uint32_t>(3 + random.below(29));
    ASSERT_EQ(bench.take(flow), sources[flow].next()) << "gap " << i << " of flow " << flow;
  }
}

// A flow under way is not primed again; a cleared one begins anew; one without gaps never begins.
TEST(TxGaps, PrimedOnce) {
  GapBench bench;
  const PatternConfig pattern = exponential(77, 1000 * kPs);
  bench.configure(5, pattern);
  bench.prime(5);
  GapSource source(pattern, nullptr);
  for (int i = 0; i < 21; ++i) ASSERT_EQ(bench.take(5), source.next());
  bench.clocks(20);
  EXPECT_LE(bench.prime(5), 3U);
  for (int i = 0; i < 21; ++i) ASSERT_EQ(bench.take(5), source.next());
  bench.clocks(20);
  bench.clear();
  EXPECT_LE(bench.prime(5), 3U) << "a cleared flow has no gaps";
  bench.configure(5, pattern);
  bench.prime(5);
  source = GapSource(pattern, nullptr);
  for (int i = 0; i < 21; ++i) ASSERT_EQ(bench.take(5), source.next());
}

}  // namespace
}  // namespace plumbline::test
