#include "kpi/kpi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

namespace plumbline::kpi {
namespace {

using testing::EndsWith;
using testing::Not;

TEST(Kpi, IsDeclaredOnceWithMeaningAndRange) {
  std::set<std::string> names;
  for (const Declaration& one : declarations()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name << " is declared twice";
    EXPECT_FALSE(one.meaning.empty()) << one.name;
    EXPECT_THAT(one.meaning, Not(EndsWith("."))) << one.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(one.meaning.front()))) << one.name;
    EXPECT_LT(one.min, one.max) << one.name;
    EXPECT_EQ(find(one.name), &one);
  }
  EXPECT_EQ(find("busbw"), nullptr);
}

// Whoever writes a limit reads the unit from the name.
TEST(Kpi, HasItsUnitAsSuffix) {
  const std::map<std::string, std::string> suffixes{
      {"ns", "_ns"},   {"us", "_us"},    {"ms", "_ms"},           {"Gb/s", "_gbps"}, {"B", "bytes"},
      {"ppm", "_ppm"}, {"/s", "_per_s"}, {"packets/s", "_per_s"}, {"GB/s", "_per_s"}};
  for (const Declaration& one : declarations()) {
    const auto suffix = suffixes.find(one.unit);
    if (suffix != suffixes.end()) {
      EXPECT_THAT(one.name, EndsWith(suffix->second));
    }
    for (const auto& [unit, end] : suffixes) {
      if (end == "_per_s" || !one.name.ends_with(end)) continue;
      EXPECT_EQ(one.unit, unit) << one.name;
    }
  }
}

TEST(Kpi, SaysWhatALimitMayBe) {
  EXPECT_EQ(find("efficiency_percent")->rangeText(), "0 to 100 (%, no sign)");
  EXPECT_EQ(find("latency_p99_ns")->rangeText(), "0 to 1000000000000 (ns)");
  EXPECT_EQ(find("burst_frames")->rangeText(), "0 to 16777216 (frames)");
  EXPECT_EQ(find("link_jfi")->rangeText(), "0 to 1");
}

// A clock makes times, rates, and ratios of times uncertain, but no counts.
TEST(Kpi, SaysWhatItIsComputedFrom) {
  EXPECT_EQ(basisOf(*find("latency_p99_ns")), Basis::kTimeOneWay);
  EXPECT_EQ(basisOf(*find("round_trip_p99_ns")), Basis::kTime);
  EXPECT_EQ(basisOf(*find("phase_error_ns")), Basis::kTimeAcross);
  EXPECT_EQ(basisOf(*find("busbw_gbps")), Basis::kTimes);
  EXPECT_EQ(basisOf(*find("pfc_per_s")), Basis::kTimes);
  EXPECT_EQ(basisOf(*find("jct_ratio")), Basis::kTimes);
  EXPECT_EQ(basisOf(*find("loss_ppm")), Basis::kCounts);
  EXPECT_EQ(basisOf(*find("burst_frames")), Basis::kCounts);
  EXPECT_EQ(basisOf(*find("link_mmr")), Basis::kCounts);
}

TEST(Kpi, OfOlderResultsHaveTodaysName) {
  EXPECT_EQ(currentName("max_queue_bytes"), "queue_max_bytes");
  EXPECT_EQ(currentName("link_jfi"), "link_jfi");
}

TEST(Kpi, StatisticsAreDeclared) {
  for (const std::string& name : statistics("latency", "ns"))
    EXPECT_NE(find(name), nullptr) << name;
  EXPECT_EQ(statistics("latency", "ns").size(), 7u);
}

}  // namespace
}  // namespace plumbline::kpi
