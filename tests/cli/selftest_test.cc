// The self test against testers that are not sound: each fault must be found.
#include "cli/selftest.h"

#include <gtest/gtest.h>

#include "tests/session/fake_bench.h"

namespace plumbline::cli {
namespace {

constexpr std::uint64_t kFrames = 2977;  // 64-byte slots of 6720 ps that begin within 20 us

// Results of a correct tester.
bench::TrialResult sound(const bench::TrialSpec& spec) {
  const bool scripted = !spec.dut.impairments.empty();
  bench::TrialResult result;
  for (const auto& stream : spec.streams) {
    bench::StreamResult s;
    s.name = stream.name;
    s.sent_frames = s.received_frames = scripted ? 100 : kFrames;
    if (scripted) s.lost = s.duplicate = s.out_of_order = 1;
    result.streams.push_back(s);
  }
  bench::PortResult port;
  port.tx_frames = port.rx_frames = kFrames;
  result.ports = {port, port};
  bench::GroupLatency group;
  group.histogram.record(100'000 - 3'104, kFrames);
  group.histogram.record(100'000 + 3'104, kFrames);
  result.latency = {group};
  return result;
}

bool passes(const std::function<void(bench::TrialResult&)>& change) {
  session::FakeBench bench([&](const bench::TrialSpec& spec) {
    bench::TrialResult result = sound(spec);
    change(result);
    return result;
  });
  const auto loopback = checkLoopback(bench);
  const auto accounting = checkAccounting(bench);
  return allPassed(loopback) && allPassed(accounting);
}

TEST(Selftest, PassesASoundTester) {
  EXPECT_TRUE(passes([](bench::TrialResult&) {}));
}

TEST(Selftest, FindsEveryFault) {
  using Result = bench::TrialResult;
  EXPECT_FALSE(passes([](Result& r) { r.faults = {"late start"}; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.clear(); }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().sent_frames -= 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().received_frames -= 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().lost += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().duplicate += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().out_of_order += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().misdelivered += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.streams.back().stale += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.ports[1].tx_frames += 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.ports[1].rx_frames -= 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.ports[0].tx_late = 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.ports[0].fcs_errors = 1; }));
  EXPECT_FALSE(passes([](Result& r) { r.latency.clear(); }));
  EXPECT_FALSE(passes([](Result& r) { r.latency[0].histogram.record(100'000); }));
  EXPECT_FALSE(passes([](Result& r) {
    r.latency[0].histogram = {};
    r.latency[0].histogram.record(100'000 + 3'105, 2 * kFrames);
  }));
}

TEST(Selftest, NoChecksIsNoPass) { EXPECT_FALSE(allPassed({})); }

}  // namespace
}  // namespace plumbline::cli
