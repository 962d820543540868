#include "serving/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "stats/summary.h"

namespace plumbline::serving {
namespace {

struct Moments {
  double mean = 0;
  double cv = 0;
};

Moments momentsOf(const std::vector<double>& values) {
  const auto summary = stats::summarize(values);
  return {summary.mean, *summary.cv};
}

Moments gapsOf(const ArrivalSpec& arrivals, int count) {
  WorkloadSpec spec;
  spec.arrivals = arrivals;
  Workload workload(spec, 11);
  std::vector<double> gaps;
  Picoseconds last;
  for (int i = 0; i < count; ++i) {
    const auto request = workload.next();
    EXPECT_GE(request->arrival, last);
    gaps.push_back((request->arrival - last).toSeconds());
    last = request->arrival;
  }
  return momentsOf(gaps);
}

TEST(Arrivals, HaveTheirRateAndVariation) {
  ArrivalSpec spec;
  spec.rate = 20;
  const Moments poisson = gapsOf(spec, 100'000);
  EXPECT_NEAR(poisson.mean, 0.05, 0.05 * 0.015);
  EXPECT_NEAR(poisson.cv, 1, 0.02);
  for (const double cv : {0.3, 3.0}) {
    spec.kind = ArrivalKind::kGamma;
    spec.cv = cv;
    const Moments gamma = gapsOf(spec, 200'000);
    EXPECT_NEAR(gamma.mean, 0.05, 0.05 * 0.03) << cv;
    EXPECT_NEAR(gamma.cv, cv, cv * 0.05) << cv;
  }
  spec.kind = ArrivalKind::kConstant;
  const Moments constant = gapsOf(spec, 1000);
  EXPECT_DOUBLE_EQ(constant.mean, 0.05);
  EXPECT_NEAR(constant.cv, 0, 1e-12);
}

// 20 a second on average, all of them in the first quarter of each second.
TEST(Arrivals, OnOffIsSilentInBetween) {
  WorkloadSpec spec;
  spec.arrivals.kind = ArrivalKind::kOnOff;
  spec.arrivals.rate = 20;
  spec.arrivals.on = milliseconds(250);
  spec.arrivals.off = milliseconds(750);
  Workload workload(spec, 4);
  Picoseconds last;
  constexpr int kCount = 40'000;
  for (int i = 0; i < kCount; ++i) {
    const auto request = workload.next();
    EXPECT_GE(request->arrival, last);
    last = request->arrival;
    EXPECT_LT(last.count() % seconds(1).count(), milliseconds(250).count());
  }
  EXPECT_NEAR(kCount / last.toSeconds(), 20, 0.4);
}

Moments lengthsOf(const LengthSpec& spec, int count) {
  LengthSampler sampler(spec);
  RandomStream random(8, "lengths");
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(sampler.next(random));
  return momentsOf(values);
}

// Zipf(1.0) over [128, 8192]: over the value a mean of 1,937 and a CV of 1.07, over the rank 970.
TEST(Lengths, ZipfOverValueAndRank) {
  LengthSpec spec;
  spec.kind = LengthKind::kZipfValue;
  spec.low = 128;
  spec.high = 8192;
  EXPECT_NEAR(LengthSampler(spec).mean(), 1937, 1);
  const Moments value = lengthsOf(spec, 100'000);
  EXPECT_NEAR(value.mean, 1937, 30);
  EXPECT_NEAR(value.cv, 1.07, 0.02);
  spec.kind = LengthKind::kZipfRank;
  EXPECT_NEAR(LengthSampler(spec).mean(), 970, 1);
  EXPECT_NEAR(lengthsOf(spec, 100'000).mean, 970, 25);
}

TEST(Lengths, UniformFixedAndLognormal) {
  LengthSpec spec;
  spec.low = 70;
  EXPECT_EQ(lengthsOf(spec, 10).mean, 70);
  spec.kind = LengthKind::kUniform;
  spec.high = 72;
  const Moments uniform_ones = lengthsOf(spec, 100'000);
  EXPECT_NEAR(uniform_ones.mean, 71, 0.02);
  EXPECT_NEAR(uniform_ones.cv * 71, std::sqrt(2.0 / 3), 0.01);
  spec = {LengthKind::kLognormal, 1, 1'000'000, 1, 1000, 0.8};
  const Moments lognormal = lengthsOf(spec, 200'000);
  EXPECT_NEAR(lognormal.mean, 1000, 10);
  EXPECT_NEAR(lognormal.cv, 0.8, 0.03);
}

TEST(Prefixes, AreSharedByTheirShareOfRequests) {
  WorkloadSpec spec;
  spec.prompt.low = 1000;
  spec.prefix = {0.4, 100, 3, 1};
  Workload workload(spec, 5);
  std::set<std::uint64_t> first_pages;
  int with_prefix = 0;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const auto hashes = pageHashes(*workload.next(), 16);
    if (hashes.empty()) continue;
    ++with_prefix;
    EXPECT_EQ(hashes.size(), 6U);  // of 100 tokens 96 fill pages
    first_pages.insert(hashes.front());
  }
  EXPECT_NEAR(with_prefix, 0.4 * kCount, 300);
  EXPECT_EQ(first_pages.size(), 3U);
}

TEST(PageHashes, AreEqualAsFarAsTheIdsAre) {
  Request a;
  a.prompt = 2000;
  a.prefix_span = 512;
  a.prefix = {1, 2, 3};
  Request b = a;
  b.prefix = {1, 2, 4};
  const auto of_a = pageHashes(a, 16);
  const auto of_b = pageHashes(b, 16);
  ASSERT_EQ(of_a.size(), 96U);
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(of_a[i] == of_b[i], i < 64) << i;
  // Equal ids after a different one are other tokens.
  b.prefix = {9, 2, 3};
  EXPECT_NE(pageHashes(b, 16).back(), of_a.back());
  // Pages that reach over several ids, and a prompt that ends within the last page.
  EXPECT_EQ(pageHashes(a, 500).size(), 3U);
  a.prompt = 1500;
  EXPECT_EQ(pageHashes(a, 500).size(), 2U);
  EXPECT_TRUE(pageHashes(Request(), 16).empty());
}

// One seed, one workload; another, another one. The lengths do not depend on the arrivals.
TEST(Workload, IsThatOfItsSeed) {
  WorkloadSpec spec;
  spec.prompt = {LengthKind::kUniform, 1, 1000};
  const auto prompts = [&](std::uint64_t seed) {
    Workload workload(spec, seed);
    std::vector<std::uint32_t> all;
    for (int i = 0; i < 50; ++i) all.push_back(workload.next()->prompt);
    return all;
  };
  const auto first = prompts(1);
  EXPECT_EQ(prompts(1), first);
  EXPECT_NE(prompts(2), first);
  spec.arrivals.kind = ArrivalKind::kConstant;
  EXPECT_EQ(prompts(1), first);
}

TEST(Workload, TraceTimesAndLengths) {
  const std::string text =
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-16 18:17:03.5,100,10\n2023-11-16 18:17:05.5,200,20\n";
  std::istringstream stream(text);
  WorkloadSpec spec;
  spec.arrivals.kind = ArrivalKind::kTrace;
  spec.arrivals.time_scale = 0.5;
  spec.prompt.kind = LengthKind::kTrace;
  spec.output.low = 7;
  Workload workload(spec, 1, azureTrace(stream, "t.csv"));
  EXPECT_EQ(workload.next()->arrival, Picoseconds());
  const auto second = workload.next();
  EXPECT_EQ(second->arrival, seconds(1));
  EXPECT_EQ(second->prompt, 200U);
  EXPECT_EQ(second->output, 7U);
  EXPECT_FALSE(workload.next());
}

// The sum of two phases must be a time as well.
TEST(Workload, PhasesBeyondDaysAreRefused) {
  WorkloadSpec spec;
  spec.arrivals.kind = ArrivalKind::kOnOff;
  spec.arrivals.on = spec.arrivals.off = seconds(100'000);
  EXPECT_NO_THROW(check(spec, false));
  spec.arrivals.off = seconds(100'001);
  EXPECT_THROW(check(spec, false), Error);
  spec.arrivals.off = spec.arrivals.on = seconds(9'000'000);
  EXPECT_THROW(check(spec, false), Error);
}

// A run counts picoseconds in 63 bits: later arrivals are refused, not wrapped.
TEST(Workload, ArrivalsBeyondTheRunAreRefused) {
  WorkloadSpec spec;
  spec.arrivals.kind = ArrivalKind::kConstant;
  spec.arrivals.rate = 1e-3;
  Workload slow(spec, 1);
  for (int i = 0; i < 4000; ++i) ASSERT_TRUE(slow.next());
  EXPECT_THROW(slow.next(), Error);
  spec.arrivals.kind = ArrivalKind::kGamma;
  spec.arrivals.cv = 100;
  Workload bursty(spec, 1);
  EXPECT_THROW(for (int i = 0; i < 100'000; ++i) bursty.next(), Error);
  spec.arrivals.kind = ArrivalKind::kOnOff;
  spec.arrivals.on = seconds(1);
  spec.arrivals.off = seconds(100'000);
  spec.arrivals.rate = 1e-3;  // a hundred in each second that it is on
  Workload silent(spec, 1);
  EXPECT_THROW(for (int i = 0; i < 100'000; ++i) silent.next(), Error);
}

std::string refusedAt(const WorkloadSpec& spec) {
  try {
    check(spec, false);
  } catch (const Error& error) {
    return error.where();
  }
  return "none";
}

TEST(Workload, ImpossibleOnesAreRefused) {
  WorkloadSpec spec;
  EXPECT_EQ(refusedAt(spec), "none");
  spec.arrivals.rate = 0;
  EXPECT_EQ(refusedAt(spec), "rate");
  spec = {};
  spec.arrivals.kind = ArrivalKind::kTrace;
  EXPECT_EQ(refusedAt(spec), "arrivals");
  spec = {};
  spec.prompt.low = 0;
  EXPECT_EQ(refusedAt(spec), "prompt");
  spec = {};
  spec.output = {LengthKind::kUniform, 5, 4};
  EXPECT_EQ(refusedAt(spec), "output");
  spec = {};
  spec.prefix.share = 0.5;
  EXPECT_EQ(refusedAt(spec), "prefix");
  spec = {};
  spec.arrivals.kind = ArrivalKind::kOnOff;
  EXPECT_EQ(refusedAt(spec), "on");
  spec.arrivals.on = Picoseconds(1);
  spec.arrivals.off = seconds(1);
  EXPECT_EQ(refusedAt(spec), "on");
}

}  // namespace
}  // namespace plumbline::serving
