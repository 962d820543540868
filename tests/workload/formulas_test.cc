#include "workload/formulas.h"

#include <gtest/gtest.h>

namespace plumbline::workload {
namespace {

TEST(Formulas, AlgoFactorsOfEightRanks) {
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kAllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kReduceScatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kAllToAll, 8), 0.875);
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kBroadcast, 8), 1);
  EXPECT_DOUBLE_EQ(algoFactor(CollectiveKind::kAllReduce, 1), 0);
}

// Rails of 8 ranks in two servers of four: a ring of 2 over a quarter of the buffer.
TEST(Formulas, BytesOverTheFabric) {
  CollectiveSpec spec;
  spec.bytes = 10'000'000;
  EXPECT_DOUBLE_EQ(fabricBytes(spec, 8), 17.5e6);
  spec.algorithm = Algorithm::kHierarchical;
  spec.ranks_per_server = 4;
  EXPECT_DOUBLE_EQ(fabricBytes(spec, 8), 2.5e6);
  EXPECT_DOUBLE_EQ(fabricBytes(spec, 4), 0);
}

// The worked example of nccl-tests' definitions: n = 8, 1 GB in 10 ms is 175 GB/s.
TEST(Formulas, BusBandwidthOfTheWorkedExample) {
  const Picoseconds time = milliseconds(10);
  EXPECT_DOUBLE_EQ(algorithmBandwidth(1'000'000'000, time), 8e11);
  EXPECT_DOUBLE_EQ(busBandwidth(CollectiveKind::kAllReduce, 8, 1'000'000'000, time), 8 * 175e9);
}

// 1 GB, 8 ranks, 400 Gb/s: 8e9 * 1.75 / 4e11 = 35 ms; with C = 10 ms and 100 iterations 4.5 s.
TEST(Formulas, RooflineAndJctRatio) {
  EXPECT_DOUBLE_EQ(
      idealSeconds(CollectiveKind::kAllReduce, 8, 1'000'000'000, gigabitsPerSecond(400)), 0.035);
  const double roofline = rooflineSeconds(100, milliseconds(10), CollectiveKind::kAllReduce, 8,
                                          1'000'000'000, gigabitsPerSecond(400));
  EXPECT_DOUBLE_EQ(roofline, 4.5);
  EXPECT_DOUBLE_EQ(jctRatio(milliseconds(4950), roofline), 1.1);
}

TEST(Formulas, OverlapAndInterference) {
  // 100 ms of computing, 40 ms of communication, of which 30 ms are hidden.
  EXPECT_DOUBLE_EQ(overlapFraction(milliseconds(110), milliseconds(100), milliseconds(40)), 0.75);
  EXPECT_DOUBLE_EQ(overlapFraction(milliseconds(140), milliseconds(100), milliseconds(40)), 0);
  EXPECT_DOUBLE_EQ(overlapFraction(milliseconds(100), milliseconds(100), milliseconds(40)), 1);
  EXPECT_DOUBLE_EQ(interferenceFactor(milliseconds(150), milliseconds(120)), 1.25);
}

}  // namespace
}  // namespace plumbline::workload
