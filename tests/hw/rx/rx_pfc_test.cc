// Pause state of plumb_rx against exact arithmetic in ps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"

namespace plumbline::test {
namespace {

// From the last beat to the clock edge at which the frame counts as recognised: descriptor, and one
// clock more. paused_o follows what then is by two clocks.
constexpr std::uint64_t kRecognised = kDescriptorLatency + 1;
constexpr std::uint64_t kOutputDelay = 2;

using Quanta = std::array<std::uint16_t, 8>;

// All pauses from the frames' times of recognition.
class ReferencePause {
 public:
  explicit ReferencePause(std::uint64_t byte_time) : byte_time_(byte_time) {}

  void receive(std::uint64_t time, std::uint8_t enabled, const Quanta& quanta) {
    for (std::size_t p = 0; p < 8; ++p) {
      if ((enabled >> p & 1U) == 0) continue;
      advance(p, time);
      auto& [counters, until, since] = priorities_[p];
      if (quanta[p] == 0) {
        ++counters.xon;
        until = time;
      } else {
        ++counters.xoff;
        until = time + quanta[p] * 64ULL * byte_time_;
      }
      since = time;
    }
  }
  // Whether paused at `time`, at or after the last frame.
  [[nodiscard]] bool paused(std::size_t p, std::uint64_t time) const {
    return time < priorities_[p].until;
  }
  PriorityCounters countersAt(std::size_t p, std::uint64_t time) {
    advance(p, time);
    return priorities_[p].counters;
  }

 private:
  struct Priority {
    PriorityCounters counters;
    std::uint64_t until = 0;
    std::uint64_t since = 0;  // counted until then
  };
  void advance(std::size_t p, std::uint64_t time) {
    auto& [counters, until, since] = priorities_[p];
    const std::uint64_t end = std::min(time, until);
    if (end > since) counters.paused_ps += end - since;
    since = std::max(since, time);
  }

  std::uint64_t byte_time_;
  std::array<Priority, 8> priorities_;
};

// Sends frames and compares paused_o in every clock with the reference.
class PauseTest {
 public:
  explicit PauseTest(std::uint32_t byte_time = 80) : reference_(byte_time) {
    bench_.setByteTime(byte_time);
    bench_.idle(1);
    checked_ = bench_.cycle();
  }

  void send(std::uint8_t enabled, const Quanta& quanta) {
    const std::uint64_t last = bench_.send(makePfc(enabled, quanta));
    pending_.push_back({.cycle = last + kRecognised, .enabled = enabled, .quanta = quanta});
  }
  // Runs and compares.
  void run(std::uint64_t clocks) {
    bench_.idle(clocks);
    for (; checked_ < bench_.cycle(); ++checked_) {
      const std::uint64_t edge = checked_ - kOutputDelay;
      while (!pending_.empty() && pending_.front().cycle <= edge) {
        const Frame frame = pending_.front();
        pending_.erase(pending_.begin());
        reference_.receive(bench_.timeOf(frame.cycle), frame.enabled, frame.quanta);
      }
      for (std::size_t p = 0; p < 8; ++p) {
        ASSERT_EQ((bench_.paused_log[checked_] >> p & 1U) != 0,
                  reference_.paused(p, bench_.timeOf(edge)))
            << "priority " << p << " cycle " << checked_;
      }
    }
  }
  void expectCounters() {
    for (std::uint32_t p = 0; p < 8; ++p) {
      EXPECT_EQ(bench_.priority(p),
                reference_.countersAt(p, bench_.timeOf(bench_.cycle() - kOutputDelay)))
          << "priority " << p;
    }
  }
  RxBench& bench() { return bench_; }

 private:
  struct Frame {
    std::uint64_t cycle;
    std::uint8_t enabled;
    Quanta quanta;
  };

  RxBench bench_;
  ReferencePause reference_;
  std::vector<Frame> pending_;
  std::uint64_t checked_ = 0;
};

TEST(RxPfc, OnePauseRunsOutToTheClockAndCountsItsExactTime) {
  for (const std::uint16_t quanta : {1, 2, 3, 100, 1000}) {
    PauseTest test;
    Quanta all{};
    all[3] = quanta;
    test.send(0x08, all);
    test.run(20 + quanta * 5120ULL * 33 / 102400 + 20);
    EXPECT_EQ(test.bench().priority(3),
              (PriorityCounters{.xoff = 1, .xon = 0, .paused_ps = quanta * 5120ULL}));
    test.expectCounters();
  }
}

TEST(RxPfc, ResumeEndsAPause) {
  PauseTest test;
  test.send(0xFF, {9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000});
  test.run(100);
  EXPECT_EQ(test.bench().paused(), 0xFF);
  test.send(0x21, {});
  test.run(30);
  EXPECT_EQ(test.bench().paused(), 0xDE);
  test.expectCounters();
  // Once more: nothing to end, still an XON.
  test.send(0x21, {});
  test.run(30);
  EXPECT_EQ(test.bench().priority(0).xon, 2U);
  test.expectCounters();
}

TEST(RxPfc, RefreshReplacesWhatIsLeft) {
  PauseTest test;
  Quanta quanta{};
  for (int i = 0; i < 20; ++i) {
    quanta[1] = static_cast<std::uint16_t>(i % 3 == 0 ? 60 : 5);  // longer, and shorter
    test.send(0x02, quanta);
    test.run(25);
  }
  test.run(200);
  EXPECT_EQ(test.bench().paused(), 0);
  test.expectCounters();
}

TEST(RxPfc, FramesInEveryClock) {
  PauseTest test;
  for (std::uint16_t i = 0; i < 64; ++i) {
    test.send(static_cast<std::uint8_t>(i * 37),
              {i, static_cast<std::uint16_t>(i + 1), 3, 0, 500, i, 1, 0});
  }
  test.run(1000);
  test.expectCounters();
}

TEST(RxPfc, RandomFramesOfAllPriorities) {
  for (const std::uint32_t byte_time : {80, 40, 10, 800}) {
    PauseTest test(byte_time);
    RandomStream random(byte_time, "pfc");
    for (int i = 0; i < 400; ++i) {
      Quanta quanta{};
      for (auto& q : quanta)
        q = static_cast<std::uint16_t>(random.below(4) ? random.below(150) : 0);
      test.send(static_cast<std::uint8_t>(random.next()), quanta);
      test.run(random.below(300));
    }
    test.run(3000);
    test.expectCounters();
  }
}

TEST(RxPfc, LongestPause) {
  PauseTest test;
  test.send(0x80, {0, 0, 0, 0, 0, 0, 0, 0xFFFF});
  test.run(20 + 65535ULL * 5120 * 33 / 102400 + 5);
  EXPECT_EQ(test.bench().priority(7).paused_ps, 65535ULL * 5120);
  test.expectCounters();
}

TEST(RxPfc, OnlyTheLowByteOfTheVectorEnables) {
  PauseTest test;
  wire::Buffer frame = makePfc(0x00, {10, 10, 10, 10, 10, 10, 10, 10});
  frame[16] = 0xFF;
  refreshFcs(frame);
  test.bench().send(frame);
  test.run(50);
  test.expectCounters();
}

TEST(RxPfc, SettingTheCardTimeLeavesPausesAlone) {
  for (const std::uint64_t time : {std::uint64_t{5}, std::uint64_t{1} << 60}) {
    RxBench bench;
    bench.idle(1000);
    bench.send(makePfc(0x01, {200}));
    bench.idle(50);
    ASSERT_EQ(bench.paused(), 1);
    bench.jumpTo(time);
    bench.idle(200);
    EXPECT_EQ(bench.paused(), 1);
    bench.idle(200);
    EXPECT_EQ(bench.paused(), 0);
    EXPECT_EQ(bench.priority(0).paused_ps, 200U * 5120);
  }
}

TEST(RxPfc, ClearZeroesTheCountersAndNotThePause) {
  RxBench bench;
  bench.send(makePfc(0x01, {0xFFFF}));
  bench.idle(100);
  bench.clear();
  const std::uint64_t cleared = bench.now();
  EXPECT_EQ(bench.paused(), 1);
  EXPECT_EQ(bench.priority(0), PriorityCounters{});
  bench.idle(1000);
  EXPECT_EQ(bench.paused(), 1);
  EXPECT_NEAR(static_cast<double>(bench.priority(0).paused_ps),
              static_cast<double>(bench.now() - cleared), 3.0);
}

}  // namespace
}  // namespace plumbline::test
