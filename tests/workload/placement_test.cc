#include "workload/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "workload/pattern.h"

namespace plumbline::workload {
namespace {

using Hosts = std::vector<HostId>;

JobSpec job(PlacementRule rule, std::uint32_t ranks, HostId first = 0) {
  JobSpec made;
  made.name = "job";
  made.placement.rule = rule;
  made.placement.ranks = ranks;
  made.placement.first = first;
  return made;
}

TEST(Placement, ContiguousWrapsAround) {
  EXPECT_EQ(placeJobs({job(PlacementRule::kContiguous, 4, 6)}, 8)[0], (Hosts{6, 7, 0, 1}));
}

TEST(Placement, StridedFillsResidueByResidue) {
  JobSpec strided = job(PlacementRule::kStrided, 5);
  strided.placement.stride = 3;
  EXPECT_EQ(placeJobs({strided}, 8)[0], (Hosts{0, 3, 6, 1, 4}));
}

TEST(Placement, InterleavedTakesOneHostPerLeaf) {
  JobSpec interleaved = job(PlacementRule::kInterleaved, 6);
  interleaved.placement.hosts_per_leaf = 4;
  EXPECT_EQ(placeJobs({interleaved}, 16)[0], (Hosts{0, 4, 8, 12, 1, 5}));
}

TEST(Placement, LaterJobsTakeWhatIsFree) {
  JobSpec interleaved = job(PlacementRule::kInterleaved, 4);
  interleaved.placement.hosts_per_leaf = 4;
  const auto placed = placeJobs({interleaved, job(PlacementRule::kContiguous, 4)}, 8);
  EXPECT_EQ(placed[0], (Hosts{0, 4, 1, 5}));
  EXPECT_EQ(placed[1], (Hosts{2, 3, 6, 7}));
}

TEST(Placement, RandomIsAPermutationOfItsSeed) {
  JobSpec random = job(PlacementRule::kRandom, 100);
  const auto one = placeJobs({random}, 100)[0];
  EXPECT_EQ(std::set<HostId>(one.begin(), one.end()).size(), 100U);
  EXPECT_EQ(placeJobs({random}, 100)[0], one);
  random.placement.seed = 2;
  EXPECT_NE(placeJobs({random}, 100)[0], one);
}

TEST(Placement, ExplicitHostsMayBeShared) {
  JobSpec by_name = job(PlacementRule::kExplicit, 0);
  by_name.placement.hosts = {5, 2};
  const auto placed = placeJobs({job(PlacementRule::kContiguous, 8), by_name}, 8);
  EXPECT_EQ(placed[1], (Hosts{5, 2}));
}

TEST(Placement, RefusesWhatCannotBe) {
  EXPECT_THROW(placeJobs({job(PlacementRule::kContiguous, 9)}, 8), Error);
  EXPECT_THROW(placeJobs({job(PlacementRule::kContiguous, 0)}, 8), Error);
  EXPECT_THROW(placeJobs({job(PlacementRule::kContiguous, 2, 8)}, 8), Error);
  EXPECT_THROW(placeJobs({job(PlacementRule::kRandom, 5), job(PlacementRule::kRandom, 4)}, 8),
               Error);
  JobSpec bad = job(PlacementRule::kStrided, 2);
  bad.placement.stride = 0;
  EXPECT_THROW(placeJobs({bad}, 8), Error);
  bad = job(PlacementRule::kInterleaved, 2);
  bad.placement.hosts_per_leaf = 0;
  EXPECT_THROW(placeJobs({bad}, 8), Error);
  bad = job(PlacementRule::kExplicit, 2);
  bad.placement.hosts = {1, 8};
  EXPECT_THROW(placeJobs({bad}, 8), Error);
  bad.placement.hosts = {1, 1};
  EXPECT_THROW(placeJobs({bad}, 8), Error);
}

using Pairs = std::vector<std::pair<Rank, Rank>>;

TEST(Pattern, PairsShiftIncast) {
  MessageProgram program;
  EXPECT_EQ(pairsOf(program, 5, 1, "j"), (Pairs{{0, 1}, {2, 3}}));
  program.bidirectional = true;
  EXPECT_EQ(pairsOf(program, 4, 1, "j"), (Pairs{{0, 1}, {1, 0}, {2, 3}, {3, 2}}));
  program.bidirectional = false;
  program.pattern = Pattern::kShift;
  program.shift = 2;
  EXPECT_EQ(pairsOf(program, 4, 1, "j"), (Pairs{{0, 2}, {1, 3}, {2, 0}, {3, 1}}));
  program.pattern = Pattern::kIncast;
  EXPECT_EQ(pairsOf(program, 3, 1, "j"), (Pairs{{1, 0}, {2, 0}}));
}

// Uniform over the nine derangements of four ranks: chi-square with 8 degrees of freedom stays
// below its 99.9 % quantile, 26.1.
TEST(Pattern, RandomPermutationsHaveNoFixedPointAndAreUniform) {
  MessageProgram program;
  program.pattern = Pattern::kRandomPermutation;
  std::map<Pairs, int> seen;
  constexpr int kDraws = 9000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const Pairs pairs = pairsOf(program, 4, static_cast<std::uint64_t>(seed), "j");
    std::set<Rank> targets;
    for (const auto& [from, to] : pairs) {
      EXPECT_NE(from, to);
      targets.insert(to);
    }
    ASSERT_EQ(targets.size(), 4U);
    ++seen[pairs];
  }
  ASSERT_EQ(seen.size(), 9U);
  double chi_square = 0;
  for (const auto& [pairs, count] : seen) chi_square += (count - 1000.) * (count - 1000.) / 1000;
  EXPECT_LT(chi_square, 26.1);
}

TEST(Pattern, RefusesPairsThatDoNotExist) {
  MessageProgram program;
  EXPECT_THROW(pairsOf(program, 1, 1, "j"), Error);
  program.pattern = Pattern::kShift;
  program.shift = 4;
  EXPECT_THROW(pairsOf(program, 4, 1, "j"), Error);
  program.pattern = Pattern::kExplicit;
  program.pairs = {{0, 4}};
  EXPECT_THROW(pairsOf(program, 4, 1, "j"), Error);
}

}  // namespace
}  // namespace plumbline::workload
