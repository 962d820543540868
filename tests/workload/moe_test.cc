#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.h"
#include "tests/workload/rank_network.h"
#include "workload/ideal_time.h"
#include "workload/moe_plan.h"
#include "workload/moe_routing.h"
#include "workload/spec_fields.h"
#include "workload/workload.h"

namespace plumbline::workload {
namespace {

using workload_test::kNetwork;
using workload_test::RankNetwork;

constexpr std::array kDrawnRoutings{MoeRouting::kUniform,   MoeRouting::kZipf,
                                    MoeRouting::kLognormal, MoeRouting::kHot,
                                    MoeRouting::kAuxLoss,   MoeRouting::kExpertChoice};

WorkloadSpec moeJob(const MoeProgram& program, std::uint32_t ranks) {
  WorkloadSpec spec;
  JobSpec& job = spec.jobs.emplace_back();
  job.name = "moe";
  job.placement.ranks = ranks;
  job.program = program;
  return spec;
}

struct Ran {
  JobResult result;
  std::vector<workload_test::Posted> log;
};

Ran runMoe(const MoeProgram& program, std::uint32_t ranks, Picoseconds jitter = {},
           std::uint32_t flows = 1) {
  WorkloadSpec spec = moeJob(program, ranks);
  spec.jobs[0].flows = flows;
  Workload workload(spec, ranks);
  RankNetwork network(workload, ranks, kNetwork, jitter);
  network.run();
  EXPECT_TRUE(workload.finished());
  return {workload.results()[0], network.log()};
}

std::vector<std::uint64_t> loadsOf(const LayerRouting& routing, std::uint32_t experts) {
  std::vector<std::uint64_t> loads(experts);
  for (const std::uint32_t expert : routing.experts) ++loads[expert];
  return loads;
}

double cvOf(const std::vector<std::uint64_t>& loads) {
  double sum = 0;
  double squares = 0;
  for (const std::uint64_t load : loads) {
    sum += static_cast<double>(load);
    squares += static_cast<double>(load * load);
  }
  return std::sqrt(squares * static_cast<double>(loads.size()) / (sum * sum) - 1);
}

// ln of n over k.
double lnChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// The rows of the draft's table 7 with B = 128 in BF16: B k H P by hand.
TEST(Moe, BytesOfTheDraftsConfigurations) {
  struct Row {
    std::uint32_t experts, k, hidden, ranks;
    std::uint64_t egress;
  };
  for (const Row& row : {Row{8, 2, 4096, 8, 2'097'152}, Row{64, 4, 7168, 16, 7'340'032},
                         Row{256, 2, 7168, 32, 3'670'016}, Row{256, 8, 7168, 32, 14'680'064}}) {
    MoeProgram program;
    program.experts = row.experts;
    program.top_k = row.k;
    program.dispatch_bytes = std::uint64_t{row.hidden} * 2;
    program.combine_bytes = 0;
    program.ranks_per_server = 1;
    const auto [result, log] = runMoe(program, row.ranks);
    EXPECT_DOUBLE_EQ(result.moe->dispatch.logical_bytes,
                     static_cast<double>(row.egress) * row.ranks);
    // Every copy that is not a rank's own is a message, of one token.
    std::uint64_t posted = 0;
    for (const std::uint64_t bytes : result.bytes_posted) posted += bytes;
    EXPECT_DOUBLE_EQ(result.moe->dispatch.fabric_bytes, static_cast<double>(posted));
    EXPECT_EQ(posted, result.total.messages_posted * program.dispatch_bytes);
    EXPECT_EQ(posted, result.total.bytes_arrived);
    EXPECT_DOUBLE_EQ(result.moe->dispatch.intra_bytes, 0);
    EXPECT_EQ(result.moe->selections, std::uint64_t{128} * row.k * row.ranks);
    EXPECT_EQ(result.moe->dropped, 0U);
    EXPECT_TRUE(result.moe->combine.durations.empty());
  }
}

// Of N ranks in servers of eight, a uniform selection is for another server with (N - 8) / N.
TEST(Moe, RemoteShareOfUniformRouting) {
  for (const std::uint32_t ranks : {16U, 32U, 64U}) {
    const MoePlan plan(MoeProgram{}, ranks, 7, "moe");
    const MoeTraffic& traffic = plan.traffic(0);
    const auto all = static_cast<double>(traffic.selections);
    const double share = (ranks - 8.0) / ranks;
    EXPECT_NEAR(static_cast<double>(traffic.fabric_copies) / all, share,
                4 * std::sqrt(share * (1 - share) / all))
        << ranks;
    // The rest stays: with the rank itself 1 / N.
    EXPECT_NEAR(static_cast<double>(traffic.intra_copies) / all, 7.0 / ranks,
                4 * std::sqrt(7.0 / ranks / all));
    EXPECT_GT(traffic.busiest_over_mean, 1.0);
    EXPECT_LT(traffic.busiest_over_mean, 1.15);
  }
}

// n (1 - C(E - E/n, k) / C(E, k)) different servers, of which (n - 1) / n are others.
TEST(Moe, CopiesOfNormalModeAreTheDistinctServers) {
  for (const auto& [servers, by_hand] :
       {std::pair{2U, 1.00}, std::pair{4U, 2.71}, std::pair{8U, 4.63}}) {
    MoeProgram program;
    program.mode = MoeMode::kNormal;
    program.tokens = 512;
    const std::uint32_t ranks = servers * 8;
    const MoePlan plan(program, ranks, 3, "moe");
    const double each = 256.0 / servers;
    const double expected = servers * (1 - std::exp(lnChoose(256 - each, 8) - lnChoose(256, 8))) *
                            (servers - 1) / servers;
    EXPECT_NEAR(expected, by_hand, 0.005);
    const double tokens = 512.0 * ranks;
    // A token's number of servers varies by less than one.
    EXPECT_NEAR(static_cast<double>(plan.traffic(0).fabric_copies) / tokens, expected,
                4 / std::sqrt(tokens));
    for (std::uint32_t from = 0; from < ranks; ++from) {
      for (std::uint32_t to = 0; to < ranks; ++to) {
        const bool rail = from % 8 == to % 8 && from / 8 != to / 8;
        EXPECT_TRUE(rail || plan.copies(0, from, to) == 0) << from << " " << to;
      }
    }
  }
}

TEST(Moe, RanksOfOneServerSendNothingOverTheFabric) {
  for (const MoeMode mode : {MoeMode::kNormal, MoeMode::kLowLatency}) {
    MoeProgram program;
    program.mode = mode;
    const auto [result, log] = runMoe(program, 8);
    EXPECT_TRUE(log.empty());
    EXPECT_DOUBLE_EQ(result.moe->dispatch.fabric_bytes, 0);
    EXPECT_EQ(result.moe->round_trips, std::vector<Picoseconds>(1));
    EXPECT_FALSE(result.moe->pair_cv.has_value());
    EXPECT_GT(result.moe->dispatch.intra, Picoseconds());
  }
}

// Selections that are kept and dropped are B k N together, whatever the routing; no token has an
// expert twice.
TEST(Moe, SelectionsAreConserved) {
  for (const MoeRouting kind : kDrawnRoutings) {
    for (const Fraction capacity : {Fraction(), Fraction::percent(125), Fraction::percent(50)}) {
      MoeProgram program;
      program.routing = kind;
      program.tokens = 32;
      program.capacity = capacity;
      const LayerRouting routing = routeLayer(program, 16, 1, "moe", 0);
      EXPECT_EQ(routing.experts.size() + routing.dropped, 32U * 8 * 16);
      for (std::uint32_t token = 0; token < 32 * 16; ++token) {
        const auto own = routing.of(token);
        EXPECT_EQ(std::set(own.begin(), own.end()).size(), own.size());
      }
      if (capacity > Fraction()) {
        // 32 x 8 x 16 / 256 = 16 on average.
        const std::uint64_t max = capacity == Fraction::percent(125) ? 20 : 8;
        EXPECT_EQ(expertCapacity(program, 16), max);
        const auto loads = loadsOf(routing, 256);
        EXPECT_LE(*std::max_element(loads.begin(), loads.end()), max);
        // An expert with dropped selections is full.
        if (routing.dropped > 0) {
          EXPECT_EQ(*std::max_element(loads.begin(), loads.end()), max);
        }
      } else {
        EXPECT_EQ(routing.dropped, 0U);
      }
    }
  }
}

TEST(Moe, ExpertChoiceMakesAllExpertsReceiveTheSame) {
  MoeProgram program;
  program.routing = MoeRouting::kExpertChoice;
  const LayerRouting routing = routeLayer(program, 32, 5, "moe", 0);
  EXPECT_EQ(loadsOf(routing, 256), std::vector<std::uint64_t>(256, 128));
  // Tokens are chosen by 0, 1, 2, … experts: 8 on average.
  std::set<std::size_t> counts;
  for (std::uint32_t token = 0; token < 128 * 32; ++token) counts.insert(routing.of(token).size());
  EXPECT_GT(counts.size(), 5U);
  // 100 tokens of 3 ranks, 2 of 7 experts: 600 = 85 x 7 + 5.
  program.experts = 7;
  program.top_k = 2;
  program.tokens = 100;
  EXPECT_EQ(loadsOf(routeLayer(program, 3, 5, "moe", 0), 7),
            (std::vector<std::uint64_t>{86, 86, 86, 86, 86, 85, 85}));
}

TEST(Moe, AuxiliaryLossEvensTheLoadOut) {
  MoeProgram program;
  const double uniform = cvOf(loadsOf(routeLayer(program, 16, 1, "moe", 0), 256));
  EXPECT_GT(uniform, 0.08);  // binomial: 1 / sqrt(64) = 0.125
  program.routing = MoeRouting::kAuxLoss;
  const double even = cvOf(loadsOf(routeLayer(program, 16, 1, "moe", 0), 256));
  EXPECT_LE(even, 0.05);
  EXPECT_GT(even, 0.04);  // no more balanced than requested
  program.load_cv = Fraction();
  EXPECT_EQ(loadsOf(routeLayer(program, 16, 1, "moe", 0), 256),
            std::vector<std::uint64_t>(256, 64));
}

// Of one selection the probabilities are the weights.
TEST(Moe, OneSelectionFollowsTheWeights) {
  MoeProgram program;
  program.top_k = 1;
  program.tokens = 4096;
  const double n = 4096.0 * 8;
  program.routing = MoeRouting::kHot;
  const auto hot = loadsOf(routeLayer(program, 8, 1, "moe", 0), 256);
  EXPECT_NEAR(static_cast<double>(std::accumulate(hot.begin(), hot.begin() + 32, 0ULL)) / n, 0.9,
              4 * std::sqrt(0.9 * 0.1 / n));
  program.routing = MoeRouting::kZipf;
  double harmonic = 0;
  for (int e = 1; e <= 256; ++e) harmonic += 1.0 / e;
  const auto zipf = loadsOf(routeLayer(program, 8, 1, "moe", 0), 256);
  for (const int e : {1, 2, 10}) {
    const double p = 1 / (e * harmonic);
    EXPECT_NEAR(static_cast<double>(zipf[e - 1]) / n, p, 4 * std::sqrt(p / n));
  }
  // The logarithms of 64 groups' loads scatter by sigma, which 64 values determine to 9 %.
  program.routing = MoeRouting::kLognormal;
  program.lognormal_sigma = 0.5;
  const auto lognormal = loadsOf(routeLayer(program, 64, 1, "moe", 0), 256);
  double sum = 0;
  double squares = 0;
  for (int group = 0; group < 64; ++group) {
    const auto begin = lognormal.begin() + group * 4;
    const double ln = std::log(static_cast<double>(std::accumulate(begin, begin + 4, 0ULL)));
    sum += ln;
    squares += ln * ln;
  }
  EXPECT_NEAR(std::sqrt(squares / 64 - sum * sum / 64 / 64), 0.5, 0.5 * 0.36);
}

// The busiest of 32 ranks with 256 experts in their order, top 8 of Zipf weights: computed
// separately, 4.34 and 11.67 times the mean. Random placement separates the hot experts.
TEST(Moe, SkewOfZipfRouting) {
  MoeProgram program;
  program.routing = MoeRouting::kZipf;
  for (const auto& [exponent, expected] : {std::pair{0.5, 4.34}, std::pair{1.0, 11.67}}) {
    program.zipf_exponent = exponent;
    program.placement = ExpertPlacement::kContiguous;
    const double contiguous = MoePlan(program, 32, 1, "moe").traffic(0).busiest_over_mean;
    EXPECT_NEAR(contiguous, expected, 0.03 * expected);
    program.placement = ExpertPlacement::kRandom;
    EXPECT_LT(MoePlan(program, 32, 1, "moe").traffic(0).busiest_over_mean, contiguous / 2);
  }
}

TEST(Moe, ReplicasShareTheLoadOfTheHeaviestExperts) {
  MoeProgram program;
  program.experts = 4;
  program.top_k = 1;
  program.ranks_per_server = 1;
  program.routing = MoeRouting::kMatrix;
  program.tokens = 60;
  // All tokens of five ranks to expert 2, which gets both replicas; the last two ranks have them.
  program.redundant = 2;
  for (int rank = 0; rank < 6; ++rank) {
    for (const std::uint32_t count : {0U, 0U, 60U, 0U}) program.matrix.push_back(count);
  }
  const ExpertMap map(program, 6, 1, "moe");
  EXPECT_EQ(map.ranksOf(2).size(), 3U);
  EXPECT_EQ(std::vector(map.ranksOf(2).begin(), map.ranksOf(2).end()),
            (std::vector<std::uint32_t>{2, 4, 5}));
  const MoePlan plan(program, 6, 1, "moe");
  // 20 tokens of each rank on each of the three; a third of six ranks' on the mean of six: twice.
  for (const std::uint32_t to : {2U, 4U, 5U}) EXPECT_EQ(plan.copies(0, 0, to), 20U);
  EXPECT_DOUBLE_EQ(plan.traffic(0).busiest_over_mean, 2);
}

TEST(Moe, MatrixIsDealtExactly) {
  MoeProgram program;
  program.routing = MoeRouting::kMatrix;
  program.experts = 3;
  program.top_k = 2;
  program.tokens = 4;
  program.matrix = {4, 3, 1, 0, 0, 2};
  const LayerRouting routing = routeLayer(program, 2, 1, "moe", 0);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    std::vector<std::uint32_t> counts(3);
    for (std::uint32_t token = rank * 4; token < rank * 4 + 4; ++token) {
      EXPECT_LE(routing.of(token).size(), 2U);
      for (const std::uint32_t expert : routing.of(token)) ++counts[expert];
    }
    EXPECT_TRUE(std::equal(counts.begin(), counts.end(), program.matrix.begin() + rank * 3));
  }
}

// 100 Gb/s, 1 us each way.
MoeProgram twoRanks() {
  MoeProgram program;
  program.routing = MoeRouting::kMatrix;
  program.experts = 2;
  program.top_k = 1;
  program.tokens = 10;
  program.ranks_per_server = 1;
  program.dispatch_bytes = 12'500;
  program.combine_bytes = 25'000;
  program.compute = microseconds(5);
  program.between = microseconds(3);
  program.matrix = {0, 10, 10, 0};
  return program;
}

// Ten tokens of 12.5 kB (1 us) each way: 10 us + 1 us. Then 5 us of computing, and ten results of
// 25 kB back: 20 us + 1 us; and 3 us to the next layer.
TEST(Moe, TimesWithoutContention) {
  MoeProgram program = twoRanks();
  program.layers = 3;
  for (const bool pair : {false, true}) {
    program.messages = pair ? MoeMessages::kPair : MoeMessages::kToken;
    const auto [result, log] = runMoe(program, 2);
    EXPECT_EQ(log.size(), pair ? 12U : 120U);
    const MoeResult& moe = *result.moe;
    EXPECT_EQ(moe.dispatch.durations, std::vector<Picoseconds>(3, microseconds(11)));
    EXPECT_EQ(moe.combine.durations, std::vector<Picoseconds>(3, microseconds(21)));
    EXPECT_EQ(moe.round_trips, std::vector<Picoseconds>(3, microseconds(11 + 5 + 21)));
    ASSERT_EQ(result.iterations.size(), 3U);
    EXPECT_EQ(result.iterations[2].start, microseconds(2 * 40));
    EXPECT_EQ(result.completionTime(), microseconds(2 * 40 + 37));
    EXPECT_EQ(moe.dispatch.wait, Picoseconds());
    EXPECT_DOUBLE_EQ(moe.dispatch.fabric_bytes, 250'000);
    EXPECT_DOUBLE_EQ(moe.dispatch.logical_bytes, 250'000);
    EXPECT_EQ(result.bytes_posted, std::vector<std::uint64_t>(2, 3 * 375'000));
  }
}

// All tokens of both ranks to rank 1. Rank 0 receives nothing: it is ready for the combine at once,
// 5 us after its dispatch began, and waits 5.5 us on average with rank 1, which is the last.
TEST(Moe, TimesOfUnequalRanks) {
  MoeProgram program = twoRanks();
  program.matrix = {0, 10, 0, 10};
  const JobResult result = runMoe(program, 2).result;
  const MoeResult& moe = *result.moe;
  EXPECT_EQ(moe.dispatch.durations, std::vector<Picoseconds>(1, microseconds(11)));
  EXPECT_EQ(moe.combine.durations, std::vector<Picoseconds>(1, microseconds(11 + 21)));
  EXPECT_EQ(moe.round_trips, std::vector<Picoseconds>(1, microseconds(11 + 5 + 21)));
  EXPECT_EQ(moe.dispatch.rank_time.minimum(), 0U);
  EXPECT_EQ(moe.dispatch.rank_time.maximum(), 11'000'000U);
  EXPECT_EQ(moe.dispatch.wait, nanoseconds(5'500));
  EXPECT_DOUBLE_EQ(moe.dispatch.fabric_bytes, 125'000);
  EXPECT_DOUBLE_EQ(moe.dispatch.logical_bytes, 250'000);
  EXPECT_DOUBLE_EQ(moe.combine.fabric_bytes, 250'000);
  EXPECT_EQ(result.bytes_posted, (std::vector<std::uint64_t>{125'000, 250'000}));
  EXPECT_DOUBLE_EQ(moe.busiest_over_mean, 2);
  // Ten copies one way and none the other.
  EXPECT_DOUBLE_EQ(moe.pair_cv.value(), 1);
}

// Layers at fixed times: 40 us apart, though each takes 11 us.
TEST(Moe, LayersBeginWithTheirPeriods) {
  MoeProgram program = twoRanks();
  program.combine_bytes = 0;
  program.between = {};
  program.layers = 4;
  program.period = microseconds(40);
  const JobResult apart = runMoe(program, 2).result;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    EXPECT_EQ(apart.iterations[layer].start, microseconds(40) * static_cast<std::int64_t>(layer));
    EXPECT_EQ(apart.iterations[layer].duration(), microseconds(11));
  }
  EXPECT_EQ(apart.moe->late, Picoseconds());
  program.period = microseconds(10);
  EXPECT_EQ(runMoe(program, 2).result.moe->late, microseconds(3));  // 3 x 11 against 3 x 10
}

// 70 tokens in chunks of 32: 32, 32 and 6.
TEST(Moe, NormalModeSendsChunks) {
  MoeProgram program;
  program.mode = MoeMode::kNormal;
  program.routing = MoeRouting::kMatrix;
  program.experts = 4;
  program.top_k = 2;
  program.tokens = 70;
  program.ranks_per_server = 2;
  program.dispatch_bytes = 100;
  program.combine_bytes = 0;
  // Rank 0 sends each token to both experts of the other server: one copy, to rank 2, which passes
  // it on to rank 3.
  program.matrix = {0, 0, 70, 70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto [result, log] = runMoe(program, 4);
  ASSERT_EQ(log.size(), 3U);
  std::vector<std::uint64_t> sizes;
  for (const auto& posted : log) {
    EXPECT_EQ(posted.message.to, 2U);
    sizes.push_back(posted.message.bytes);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{3200, 3200, 600}));
  EXPECT_DOUBLE_EQ(result.moe->dispatch.logical_bytes, 14'000);
  EXPECT_DOUBLE_EQ(result.moe->dispatch.fabric_bytes, 7'000);
  EXPECT_DOUBLE_EQ(result.moe->dispatch.intra_bytes, 7'000);
  // 7,000 B at 3.6 Tb/s: 15.56 ns, rounded up to a picosecond.
  EXPECT_EQ(result.moe->dispatch.intra, Picoseconds(15'556));
}

// Ranks do not wait for each other, messages overtake each other: every layer still ends, with the
// same bytes.
TEST(Moe, LayersEndWhateverTheOrderOfMessages) {
  for (const MoeMode mode : {MoeMode::kNormal, MoeMode::kLowLatency}) {
    MoeProgram program;
    program.mode = mode;
    program.routing = MoeRouting::kZipf;
    program.zipf_exponent = 1.5;
    program.experts = 16;
    program.top_k = 2;
    program.tokens = 4;
    program.chunk_tokens = 2;
    program.ranks_per_server = 2;
    program.layers = 40;
    program.dispatch_bytes = 1000;
    program.combine_bytes = 2000;
    const JobResult orderly = runMoe(program, 16).result;
    const JobResult shuffled = runMoe(program, 16, microseconds(300), 4).result;
    EXPECT_EQ(shuffled.iterations.size(), 40U);
    EXPECT_EQ(shuffled.bytes_posted, orderly.bytes_posted);
    EXPECT_EQ(shuffled.total.bytes_arrived, orderly.total.bytes_arrived);
    EXPECT_EQ(orderly.moe->combine.fabric_bytes, 2 * orderly.moe->dispatch.fabric_bytes);
  }
}

// Time of the network's senders alone: the slowest of them, and the path.
TEST(Moe, IdealTimeOfADispatch) {
  for (const MoeMode mode : {MoeMode::kNormal, MoeMode::kLowLatency}) {
    MoeProgram program;
    program.mode = mode;
    program.tokens = 40;
    program.combine_bytes = 0;
    const JobResult result = runMoe(program, 32).result;
    const MoePlan plan(program, 32, 1, "moe");
    const Picoseconds ideal = moePhaseTime(plan, 0, kNetwork);
    const std::uint64_t max =
        *std::max_element(result.bytes_posted.begin(), result.bytes_posted.end());
    // 12,500 bytes a microsecond; messages are rounded up to a picosecond each.
    const double by_hand = static_cast<double>(max) / 12'500 + 1;
    const double measured = result.moe->dispatch.durations[0].toMicroseconds();
    EXPECT_NEAR(measured, by_hand, 0.001);
    // With receivers it is at least that, and the fullest receiver's time otherwise.
    EXPECT_GE(ideal, result.moe->dispatch.durations[0]);
    EXPECT_LT(ideal.toMicroseconds(), by_hand * 1.3);
  }
  MoeProgram inside;
  EXPECT_EQ(moePhaseTime(MoePlan(inside, 8, 1, "moe"), 0, kNetwork), Picoseconds());
}

// Two jobs on the same hosts, each on flows of its own.
TEST(Moe, JobsCanHaveFlowsOfTheirOwn) {
  MoeProgram program = twoRanks();
  WorkloadSpec spec = moeJob(program, 2);
  spec.jobs.push_back(spec.jobs[0]);
  spec.jobs[1].name = "other";
  for (JobSpec& job : spec.jobs) {
    job.placement.rule = PlacementRule::kExplicit;
    job.placement.hosts = {0, 1};
  }
  spec.jobs[1].flows = 3;
  spec.jobs[1].first_flow = 5;
  Workload workload(spec, 2);
  RankNetwork network(workload, 2, kNetwork);
  network.run();
  std::set<std::uint32_t> flows;
  for (const auto& posted : network.log()) flows.insert(posted.message.flow);
  EXPECT_EQ(flows, (std::set<std::uint32_t>{0, 5, 6, 7}));
  spec.jobs[1].first_flow = 254;
  EXPECT_THROW(Workload(spec, 2), Error);
}

std::string moeRefusal(const MoeProgram& program, std::uint32_t ranks) {
  try {
    const Workload workload(moeJob(program, ranks), ranks);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "none";
}

TEST(Moe, RefusesWhatCannotBe) {
  MoeProgram program;
  program.experts = 8;
  program.top_k = 2;
  EXPECT_EQ(moeRefusal(program, 8), "none");
  EXPECT_NE(moeRefusal(program, 16).find("16 ranks have 8 experts"), std::string::npos);
  program.redundant = 8;
  EXPECT_EQ(moeRefusal(program, 16), "none");
  program.top_k = 9;
  EXPECT_NE(moeRefusal(program, 8).find("top_k is 9"), std::string::npos);
  program.top_k = 2;
  program.mode = MoeMode::kNormal;
  EXPECT_NE(moeRefusal(program, 12).find("do not fill whole servers"), std::string::npos);
  program.mode = MoeMode::kLowLatency;
  program.routing = MoeRouting::kMatrix;
  EXPECT_NE(moeRefusal(program, 8).find("the matrix has 0 numbers"), std::string::npos);
  program.matrix.assign(64, 200);
  EXPECT_NE(moeRefusal(program, 8).find("more selections"), std::string::npos);
  program.matrix.assign(64, 100);
  EXPECT_NE(moeRefusal(program, 8).find("rank 0 has 800 selections"), std::string::npos);
}

}  // namespace
}  // namespace plumbline::workload
