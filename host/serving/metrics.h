// Figures of a run. Unfinished requests count: a percentile that falls on one is not reached,
// instead of being that of the finished ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "serving/serving_result.h"
#include "serving/slo.h"
#include "stats/histogram.h"

namespace plumbline::serving {

// A percentile [s] with its 95 % confidence interval by order statistics. Absent: not reached, or
// an interval bound that the sample does not determine.
struct Percentile {
  std::optional<double> value;
  std::optional<double> low;
  std::optional<double> high;
};

struct Distribution {
  std::uint64_t count = 0;             // including those not reached
  std::uint64_t not_reached = 0;       // of them
  std::optional<double> mean;          // [s]; absent if one was not reached, or there is none
  std::optional<double> reached_mean;  // over those reached: a lower bound, never the mean
  Percentile p50;
  Percentile p95;
  Percentile p99;
  Percentile p999;
};

// Distribution of `values` [s] and `not_reached` more that are larger than any. The p-th percentile
// is the smallest value that a share p of all does not exceed. Its interval: the k-th and the l-th
// of n values, between which the percentile lies with 95 % by the binomial distribution of (n, p).
Distribution distribution(std::vector<double> values, std::uint64_t not_reached);
Percentile percentile(const std::vector<double>& sorted, std::uint64_t count, double p);
// The same for a histogram in ps and `not_reached` more. The gaps of one request are not
// independent, so there are no intervals.
Distribution gapDistribution(const stats::Histogram& gaps, std::uint64_t not_reached);

// Whether a finished request met them. An answer of one token has no TPOT and no gap, so that it
// keeps their limits.
bool keeps(const SloSpec& slo, const RequestRecord& record);
// Whether there are measured requests and the answer of each is a single token, so that there is no
// gap between tokens to measure.
bool onlySingleTokens(const ServingResult& result);
// (last token - first token) / (tokens - 1) [s]; absent for fewer than two tokens, and unfinished.
std::optional<double> tpot(const RequestRecord& record);

struct ServingMetrics {
  std::uint64_t measured = 0;  // requests that arrived in the window
  std::uint64_t done = 0;      // of them
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t within_slo = 0;
  double window = 0;  // [s]
  Distribution ttft;
  // To the first token of a decode step, whichever pool emits the first token.
  Distribution ttft_decode;
  // Answers of one token have neither, and take part in neither.
  Distribution tpot;  // per request
  Distribution itl;   // gaps, pooled
  Distribution e2e;
  std::array<std::optional<double>, kStages> ttft_parts;  // mean [s], of those with a first token
  double offered = 0;                                     // requests/s that arrived in the window
  // Tokens generated in the window, of any request.
  double tokens_per_second = 0;
  double goodput = 0;                   // tokens/s of measured requests within the SLO
  double goodput_requests = 0;          // requests/s
  std::optional<double> goodput_share;  // tokens within the SLO / tokens of measured requests
  // Mean number of requests in each stage over the run, by the counts of the stages; and by
  // Little's law, throughput times mean time, from the records.
  std::array<double, kStages> in_stage{};
  std::array<double, kStages> in_stage_by_law{};
};

ServingMetrics metricsOf(const ServingResult& result, const SloSpec& slo);

// Little's law for published figures: requests in the system when answers of `tokens` tokens are
// generated at `tokens_per_second` in all, after `ttft` and then every `itl` [s].
double requestsInSystem(double tokens_per_second, double tokens, double ttft, double itl);

}  // namespace plumbline::serving
