#include "tests/transport/test_network.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline::transport_test {
namespace {

// Sends `count` frames of 1000 bytes from time zero on, and writes down its calls.
class Probe final : public fabric::Endpoint {
 public:
  Probe(std::uint16_t self, std::uint16_t peer, int count)
      : self_(self), peer_(peer), left_(count) {
    if (count > 0) setWakeAt(Picoseconds{0});
  }
  void receive(const fabric::Packet& packet, Picoseconds now) override {
    calls += "r" + std::to_string(now.count()) + " ";
    lengths.push_back(packet.length);
    marked += packet.ce ? 1 : 0;
  }
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override {
    if (left_ == 0 || (paused & 1U) != 0) return false;
    --left_;
    calls += "t" + std::to_string(now.count()) + " ";
    packet = {.destination = peer_, .source = self_, .length = 1000};
    return true;
  }
  void wake(Picoseconds now) override {
    calls += "w" + std::to_string(now.count()) + " ";
    setWakeAt(fabric::kNever);
  }

  std::string calls;
  std::vector<int> lengths;
  int marked = 0;

 private:
  std::uint16_t self_;
  std::uint16_t peer_;
  int left_;
};

bool any(const fabric::Packet& packet) { return packet.length > 0; }

// At 100 Gb/s a frame of 1000 bytes lasts 80,000 ps, its slot 81,600 ps.
TEST(TestNetwork, SendsBackToBackAndDeliversLastBits) {
  Probe a(0, 1, 2);
  Probe b(1, 0, 0);
  TestNetwork network({&a, &b}, gigabitsPerSecond(100), nanoseconds(500));
  EXPECT_EQ(network.run(), Picoseconds{661'600});
  EXPECT_EQ(a.calls, "w0 t0 t81600 ");
  EXPECT_EQ(b.calls, "r580000 r661600 ");
  ASSERT_EQ(network.log().size(), 2U);
  EXPECT_EQ(network.log()[1].time, Picoseconds{81'600});
}

TEST(TestNetwork, PauseHoldsAndResumes) {
  Probe a(0, 1, 2);
  Probe b(1, 0, 0);
  TestNetwork network({&a, &b}, gigabitsPerSecond(100), nanoseconds(500));
  network.pause(Picoseconds{1000}, 0, 1);
  network.pause(Picoseconds{300'000}, 0, 0);
  network.run();
  EXPECT_EQ(a.calls, "w0 t0 t300000 ");
}

TEST(TestNetwork, ScriptActsOnTheNthMatch) {
  Probe a(0, 1, 6);
  Probe b(1, 0, 0);
  TestNetwork network({&a, &b}, gigabitsPerSecond(100), nanoseconds(500));
  network.add({.matches = any, .first = 0, .action = Action::kDrop});
  network.add({.matches = any, .first = 0, .action = Action::kMark});
  network.add({.matches = any, .first = 0, .action = Action::kTrim, .trimmed_length = 100});
  network.add({.matches = any, .first = 0, .action = Action::kDuplicate, .extra = nanoseconds(1)});
  network.add({.matches = any, .first = 0, .action = Action::kDelay, .extra = microseconds(1)});
  network.run();
  // Frames start every 81,600 ps; the first is lost, the third is short, the fourth comes twice,
  // the fifth behind the sixth.
  EXPECT_EQ(b.calls, "r661600 r671200 r824800 r825800 r988000 r1906400 ");
  EXPECT_EQ(b.lengths, (std::vector<int>{1000, 100, 1000, 1000, 1000, 1000}));
  EXPECT_EQ(b.marked, 1);
}

TEST(TestNetwork, HookSeesWhatNoRulePicked) {
  Probe a(0, 1, 3);
  Probe b(1, 0, 0);
  TestNetwork network({&a, &b}, gigabitsPerSecond(100), nanoseconds(500));
  network.add({.matches = any, .first = 1, .action = Action::kDrop});
  int seen = 0;
  network.setHook([&seen](fabric::Packet& packet, Picoseconds, Picoseconds&) {
    ++seen;
    packet.ce = true;
    return Action::kMark;
  });
  network.run();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(b.marked, 2);
}

// Requests to be woken again at once, for ever.
class Restless final : public fabric::Endpoint {
 public:
  Restless() { setWakeAt(Picoseconds{0}); }
  void receive(const fabric::Packet&, Picoseconds) override {}
  bool transmit(Picoseconds, fabric::PriorityMask, fabric::Packet&) override { return false; }
  void wake(Picoseconds now) override { setWakeAt(now); }
};

TEST(TestNetwork, EndpointThatNeverRestsIsAFault) {
  Restless restless;
  TestNetwork network({&restless}, gigabitsPerSecond(100), nanoseconds(500));
  EXPECT_THROW(network.run(), std::runtime_error);
}

}  // namespace
}  // namespace plumbline::transport_test
