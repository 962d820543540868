// plumb_crc32, as it is in hardware and as in simulated cards, against a bitwise CRC-32: every
// value and every latency.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vplumb_crc32.h"
#include "Vplumb_crc32_in_c.h"
#include "base/random.h"

namespace {

using plumbline::RandomStream;

constexpr std::uint64_t kLatency = 7;
constexpr std::size_t kBeatBytes = 64;
constexpr std::uint32_t kFcsInit = 0xFFFFFFFF;
constexpr std::uint32_t kIcrcInit = 0xDEBB20E3;

// The definition of the CRC, bit by bit.
std::uint32_t bitwiseCrc(std::uint32_t state, const std::uint8_t* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    state ^= data[i];
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1) ^ ((state & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return state;
}

template <typename Model>
class Crc32Bench {
 public:
  Crc32Bench()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Model>(context_.get())) {
    model_->clk_i = 0;
    model_->rst_ni = 0;
    model_->valid_i = 0;
    for (int edge = 0; edge < 4; ++edge) {
      model_->eval();
      model_->clk_i = !model_->clk_i;
    }
    model_->rst_ni = 1;
    idle(2);
  }

  // Sends the bytes as one frame; before every beat a bubble with probability bubbles / 16.
  void send(const std::vector<std::uint8_t>& frame, std::uint32_t expected, RandomStream& random,
            std::uint64_t bubbles) {
    for (std::size_t at = 0; at < frame.size(); at += kBeatBytes) {
      while (random.below(16) < bubbles) {
        garbage(random);
        model_->valid_i = 0;
        clock();
      }
      beat(frame, at, random);
    }
    pending_.push_back({.cycle = cycle_ - 1 + kLatency, .crc = expected});
  }

  // Sends only the first `beats` beats of the frame: it is cut off by the next one.
  void sendBeginning(const std::vector<std::uint8_t>& frame, std::size_t beats,
                     RandomStream& random) {
    for (std::size_t i = 0; i < beats; ++i) {
      beat(frame, i * kBeatBytes, random);
    }
  }

  void idle(int clocks) {
    model_->valid_i = 0;
    for (int i = 0; i < clocks; ++i) {
      clock();
    }
  }

  // Lets everything come out; afterwards every frame must have been answered.
  void finish() {
    idle(kLatency + 2);
    EXPECT_TRUE(pending_.empty());
  }

  [[nodiscard]] std::uint64_t cycles() const { return cycle_; }
  [[nodiscard]] std::uint64_t results() const { return results_; }

 private:
  struct Expected {
    std::uint64_t cycle;
    std::uint32_t crc;
  };

  void garbage(RandomStream& random) {
    for (std::size_t word = 0; word < kBeatBytes / 4; ++word) {
      model_->data_i[word] = static_cast<std::uint32_t>(random.next());
    }
    model_->first_i = random.below(2) != 0;
    model_->last_i = random.below(2) != 0;
    model_->bytes_i = static_cast<std::uint8_t>(random.below(128));
  }

  void beat(const std::vector<std::uint8_t>& frame, std::size_t at, RandomStream& random) {
    garbage(random);  // what lies behind the end of the frame must not matter
    const std::size_t size = std::min(kBeatBytes, frame.size() - at);
    std::memcpy(&model_->data_i[0], frame.data() + at, size);
    model_->first_i = at == 0;
    model_->last_i = at + size == frame.size();
    model_->bytes_i = static_cast<std::uint8_t>(size);
    model_->valid_i = 1;
    clock();
  }

  void clock() {
    model_->eval();
    const bool due = !pending_.empty() && pending_.front().cycle == cycle_;
    ASSERT_EQ(model_->crc_valid_o != 0, due) << "cycle " << cycle_;
    if (due) {
      ASSERT_EQ(model_->crc_o, pending_.front().crc) << "cycle " << cycle_;
      pending_.pop_front();
      ++results_;
    }
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    ++cycle_;
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::deque<Expected> pending_;
  std::uint64_t cycle_ = 0;
  std::uint64_t results_ = 0;
};

std::vector<std::uint8_t> randomFrame(RandomStream& random, std::size_t size) {
  std::vector<std::uint8_t> frame(size);
  for (auto& byte : frame) {
    byte = static_cast<std::uint8_t>(random.next());
  }
  return frame;
}

// The frame as the user of the block sends it: zero before `start`, the initial value in the first
// four bytes from there.
std::vector<std::uint8_t> prepared(std::vector<std::uint8_t> frame, std::size_t start,
                                   std::uint32_t init) {
  std::fill(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(start), std::uint8_t{0});
  for (std::size_t i = 0; i < 4 && start + i < frame.size(); ++i) {
    frame[start + i] ^= static_cast<std::uint8_t>(init >> (8 * i));
  }
  return frame;
}

template <typename Model>
void sendFcsFrame(Crc32Bench<Model>& bench, RandomStream& random, std::size_t size,
                  std::uint64_t bubbles) {
  const auto frame = randomFrame(random, size);
  bench.send(prepared(frame, 0, kFcsInit), bitwiseCrc(kFcsInit, frame.data(), size), random,
             bubbles);
}

template <typename Model>
class PlumbCrc32 : public testing::Test {};
using Models = testing::Types<Vplumb_crc32, Vplumb_crc32_in_c>;
TYPED_TEST_SUITE(PlumbCrc32, Models, );

TYPED_TEST(PlumbCrc32, KnownValue) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(1, "crc");
  const std::vector<std::uint8_t> digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  bench.send(prepared(digits, 0, kFcsInit), ~0xCBF43926U, random, 0);
  bench.finish();
}

TYPED_TEST(PlumbCrc32, EveryLengthTo300) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(2, "crc");
  for (std::size_t size = 4; size <= 300; ++size) {
    sendFcsFrame(bench, random, size, 0);
  }
  // Shorter than the initial value: the register as defined, started at zero.
  for (std::size_t size = 1; size < 4; ++size) {
    const auto frame = randomFrame(random, size);
    bench.send(frame, bitwiseCrc(0, frame.data(), size), random, 0);
  }
  bench.finish();
}

TYPED_TEST(PlumbCrc32, LengthsTo9216WithBubbles) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(3, "crc");
  for (std::size_t size = 301; size <= 9216; size += 1 + random.below(30)) {
    sendFcsFrame(bench, random, size, random.below(8));
  }
  sendFcsFrame(bench, random, 9215, 0);
  sendFcsFrame(bench, random, 9216, 0);
  bench.finish();
}

TYPED_TEST(PlumbCrc32, OneBeatFramesEveryClock) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(4, "crc");
  const std::uint64_t before = bench.cycles();
  for (int i = 0; i < 2000; ++i) {
    sendFcsFrame(bench, random, 4 + random.below(61), 0);
  }
  EXPECT_EQ(bench.cycles() - before, 2000U);
  bench.finish();
  EXPECT_EQ(bench.results(), 2000U);
}

TYPED_TEST(PlumbCrc32, CoverageStartingInsideTheFirstBeat) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(5, "crc");
  for (int i = 0; i < 500; ++i) {
    const std::size_t start = random.below(61);
    const std::size_t size = start + 4 + random.below(400);
    const auto frame = randomFrame(random, size);
    bench.send(prepared(frame, start, kIcrcInit),
               bitwiseCrc(kIcrcInit, frame.data() + start, size - start), random, random.below(4));
  }
  bench.finish();
}

TYPED_TEST(PlumbCrc32, FrameCutOffLeavesNoTrace) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(6, "crc");
  for (int i = 0; i < 200; ++i) {
    bench.sendBeginning(randomFrame(random, 500), 1 + random.below(7), random);
    sendFcsFrame(bench, random, 4 + random.below(300), random.below(2) * 4);
  }
  bench.finish();
}

// Back-to-back frames of the greatest length; prints what one instance costs in simulation.
TYPED_TEST(PlumbCrc32, LongFramesBackToBack) {
  Crc32Bench<TypeParam> bench;
  RandomStream random(7, "crc");
  const auto frame = randomFrame(random, 9216);
  const std::uint32_t expected = bitwiseCrc(kFcsInit, frame.data(), frame.size());
  const auto sent = prepared(frame, 0, kFcsInit);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t before = bench.cycles();
  for (int i = 0; i < 1000; ++i) {
    bench.send(sent, expected, random, 0);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double rate = static_cast<double>(bench.cycles() - before) / seconds.count();
  std::printf("%.2f million beats per second\n", rate / 1e6);
  bench.finish();
  EXPECT_EQ(bench.results(), 1000U);
}

}  // namespace
