// Marking of switches against NSCC's target delay.
#include "suite/framework/nscc_marking.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace plumbline::suite {
namespace {

using ::testing::HasSubstr;

// With trimming the target is 0.75 of the base round trip of 4 us: 3 us, 37,500 B at 100 Gb/s.
bench::TrialSpec nsccAt(std::optional<Bytes> kmin) {
  bench::TrialSpec spec;
  spec.dut.topology.link_rate = gigabitsPerSecond(100);
  transport::UetSpec uet;
  uet.base_rtt = microseconds(4);
  spec.transport = uet;
  // The first rule for priority 0 holds.
  spec.dut.switches.ecn = {{.priorities = 0x08, .kmin = Bytes(1)}};
  if (kmin) spec.dut.switches.ecn.push_back({.priorities = 0x01, .kmin = *kmin});
  return spec;
}

bench::TrialResult trimming(std::uint64_t trimmed) {
  bench::TrialResult trial;
  trial.fabric.emplace();
  trial.fabric->total.trimmed = trimmed;
  trial.fabric->endpoints.data_sent = 1'000;
  return trial;
}

std::string noted(const bench::TrialSpec& spec, std::uint64_t trimmed) {
  NsccMarking marking;
  marking.add(spec, trimming(trimmed), "the trial");
  const auto anomaly = marking.anomaly();
  return anomaly ? anomaly->what + " @ " + anomaly->where : std::string();
}

TEST(NsccMarking, BeginsBelowTheQueueOfTheTargetDelay) {
  EXPECT_EQ(noted(nsccAt(Bytes(37'499)), 10), "");
  const std::string late = noted(nsccAt(Bytes(37'500)), 10);
  EXPECT_THAT(late,
              HasSubstr("a queueing delay of 3 us, 37.5 kB at 100 Gb/s, and the switches mark "
                        "its packets from 37.5 kB on"));
  EXPECT_THAT(late, HasSubstr("in 1 trial, at most 1 % of the packets sent in one. That is a "
                              "possible cause"));
  EXPECT_THAT(late, HasSubstr("@ the trial"));
  EXPECT_THAT(noted(nsccAt(std::nullopt), 10), HasSubstr("the switches do not mark its packets"));
}

// 3 us are 75 kB at the 200 Gb/s of the port that is full, which the marks come before.
TEST(NsccMarking, TheRateIsThatOfTheLongestQueue) {
  bench::TrialResult trial = trimming(10);
  for (const std::int64_t gigabits : {100, 200}) {
    bench::LinkLoad& link = trial.fabric->links.emplace_back();
    link.name = fmt::format("leaf0-{}G", gigabits);
    link.rate = gigabitsPerSecond(gigabits);
    link.max_queue_bytes = static_cast<std::uint64_t>(1'000 * gigabits);
  }
  NsccMarking early;
  early.add(nsccAt(Bytes(74'999)), trial, "the trial");
  EXPECT_FALSE(early.anomaly());
  NsccMarking late;
  late.add(nsccAt(Bytes(75'000)), trial, "the trial");
  ASSERT_TRUE(late.anomaly());
  EXPECT_THAT(late.anomaly()->what, HasSubstr("75 kB at 200 Gb/s (the longest queue was that of "
                                              "leaf0-200G), and the switches mark its packets from "
                                              "75 kB on"));
}

TEST(NsccMarking, IsNoAnomalyWithoutLossOrWithoutNscc) {
  EXPECT_EQ(noted(nsccAt(Bytes(40'000)), 0), "");
  bench::TrialSpec credit = nsccAt(Bytes(40'000));
  std::get<transport::UetSpec>(*credit.transport).congestion_control =
      transport::UetCongestionControl::kNone;
  EXPECT_EQ(noted(credit, 10), "");
  bench::TrialSpec roce = nsccAt(Bytes(40'000));
  roce.transport = transport::RoceSpec();
  EXPECT_EQ(noted(roce, 10), "");
}

TEST(NsccMarking, TheTrialWithTheLargestShareIsNamed) {
  NsccMarking marking;
  marking.add(nsccAt(Bytes(40'000)), trimming(10), "first");
  marking.add(nsccAt(Bytes(50'000)), trimming(244), "second");
  marking.add(nsccAt(Bytes(60'000)), trimming(20), "third");
  const auto anomaly = marking.anomaly();
  ASSERT_TRUE(anomaly);
  EXPECT_THAT(anomaly->what, HasSubstr("from 50 kB on"));
  EXPECT_THAT(anomaly->what, HasSubstr("in 3 trials, at most 24.4 %"));
  EXPECT_EQ(anomaly->where, "second");
}

}  // namespace
}  // namespace plumbline::suite
