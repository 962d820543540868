#include "serving/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stats/binomial.h"

namespace plumbline::serving {
namespace {

constexpr double kConfidence = 0.95;

std::optional<double> ranked(const std::vector<double>& sorted, double rank) {
  if (rank < 1 || rank > static_cast<double>(sorted.size())) return std::nullopt;
  return sorted[static_cast<std::size_t>(rank) - 1];
}

// Smallest rank of `count` that is not below the share p; p * count may slightly exceed a whole
// number because p is no binary fraction.
double rankOf(std::uint64_t count, double p) {
  return std::max(1.0, std::ceil(static_cast<double>(count) * p * (1 - 1e-12)));
}

double secondsBetween(Picoseconds from, Picoseconds to) { return (to - from).toSeconds(); }

// Times from arrival to an event that may not have happened.
class Times {
 public:
  void add(Picoseconds arrival, Picoseconds at) {
    if (at == kNever) {
      ++missing_;
    } else {
      values_.push_back(secondsBetween(arrival, at));
    }
  }
  void add(std::optional<double> value) {
    if (value) {
      values_.push_back(*value);
    } else {
      ++missing_;
    }
  }
  Distribution take() { return distribution(std::move(values_), missing_); }

 private:
  std::vector<double> values_;
  std::uint64_t missing_ = 0;
};

}  // namespace

Percentile percentile(const std::vector<double>& sorted, std::uint64_t count, double p) {
  Percentile result;
  if (count == 0) return result;
  result.value = ranked(sorted, rankOf(count, p));
  const stats::Interval ranks = stats::binomialRange(static_cast<double>(count), p, kConfidence);
  result.low = ranked(sorted, ranks.low);
  result.high = ranked(sorted, ranks.high + 1);
  return result;
}

Distribution distribution(std::vector<double> values, std::uint64_t not_reached) {
  Distribution result;
  std::sort(values.begin(), values.end());
  result.count = values.size() + not_reached;
  result.not_reached = not_reached;
  if (!values.empty()) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    result.reached_mean = sum / static_cast<double>(values.size());
    if (not_reached == 0) result.mean = result.reached_mean;
  }
  result.p50 = percentile(values, result.count, 0.5);
  result.p95 = percentile(values, result.count, 0.95);
  result.p99 = percentile(values, result.count, 0.99);
  result.p999 = percentile(values, result.count, 0.999);
  return result;
}

Distribution gapDistribution(const stats::Histogram& gaps, std::uint64_t not_reached) {
  Distribution result;
  result.count = gaps.count() + not_reached;
  result.not_reached = not_reached;
  if (gaps.count() == 0) return result;
  result.reached_mean = gaps.mean() / 1e12;
  if (not_reached == 0) result.mean = result.reached_mean;
  const auto of = [&](double p) {
    Percentile value;
    const double rank = rankOf(result.count, p);
    const double share = rank / static_cast<double>(gaps.count());
    if (share <= 1) value.value = static_cast<double>(gaps.quantile(share)) / 1e12;
    return value;
  };
  result.p50 = of(0.5);
  result.p95 = of(0.95);
  result.p99 = of(0.99);
  result.p999 = of(0.999);
  return result;
}

std::optional<double> tpot(const RequestRecord& record) {
  if (!record.finished() || record.generated < 2) return std::nullopt;
  return secondsBetween(record.first_token, record.last_token) / (record.generated - 1);
}

bool onlySingleTokens(const ServingResult& result) {
  bool any = false;
  for (const RequestRecord& record : result.requests) {
    if (!record.measured) continue;
    // A finished answer may be shorter than requested.
    if ((record.finished() ? record.generated : record.output) != 1) return false;
    any = true;
  }
  return any;
}

bool keeps(const SloSpec& slo, const RequestRecord& record) {
  if (!record.finished()) return false;
  if (slo.ttft && record.first_token - record.arrival > *slo.ttft) return false;
  const auto per_token = tpot(record);
  if (slo.tpot && per_token && *per_token > slo.tpot->toSeconds()) return false;
  return !slo.longest_gap || record.longest_gap <= *slo.longest_gap;
}

ServingMetrics metricsOf(const ServingResult& result, const SloSpec& slo) {
  ServingMetrics metrics;
  Times ttft;
  Times ttft_decode;
  Times per_token;
  Times e2e;
  std::array<double, kStages> parts{};
  std::uint64_t started = 0;
  std::uint64_t open_gaps = 0;
  std::uint64_t good_tokens = 0;
  std::uint64_t tokens = 0;
  std::array<double, kStages> times{};
  for (const RequestRecord& record : result.requests) {
    for (std::size_t i = 0; i < kStages; ++i) times[i] += record.stages[i].toSeconds();
    if (!record.measured) continue;
    ++metrics.measured;
    metrics.done += record.finished() ? 1 : 0;
    metrics.rejected += record.outcome == Outcome::kRejected ? 1 : 0;
    metrics.failed += record.outcome == Outcome::kFailed ? 1 : 0;
    metrics.unfinished += record.outcome == Outcome::kUnfinished ? 1 : 0;
    ttft.add(record.arrival, record.first_token);
    // A single token from prefill has no decode step that could be late.
    const bool no_decode = record.finished() && record.first_decode_token == kNever;
    if (!no_decode) ttft_decode.add(record.arrival, record.first_decode_token);
    e2e.add(record.arrival, record.done);
    // An unfinished answer has an open gap, and no TPOT yet; one of a single token never has them.
    if (!record.finished()) {
      if (record.output != 1) {
        per_token.add(std::nullopt);
        if (record.first_token != kNever) ++open_gaps;
      }
    } else if (record.generated >= 2) {
      per_token.add(tpot(record));
    }
    if (record.first_token != kNever) {
      ++started;
      for (std::size_t i = 0; i < kStages; ++i) parts[i] += record.first_stages[i].toSeconds();
    }
    tokens += record.generated;
    if (keeps(slo, record)) {
      ++metrics.within_slo;
      good_tokens += record.generated;
    }
  }
  metrics.ttft = ttft.take();
  metrics.ttft_decode = ttft_decode.take();
  metrics.tpot = per_token.take();
  metrics.itl = gapDistribution(result.gaps, open_gaps);
  metrics.e2e = e2e.take();
  for (std::size_t i = 0; i < kStages && started > 0; ++i) {
    metrics.ttft_parts[i] = parts[i] / static_cast<double>(started);
  }
  if (tokens > 0) {
    metrics.goodput_share = static_cast<double>(good_tokens) / static_cast<double>(tokens);
  }
  metrics.window = secondsBetween(result.window_start, result.window_end);
  if (metrics.window > 0) {
    metrics.offered = static_cast<double>(metrics.measured) / metrics.window;
    metrics.tokens_per_second = static_cast<double>(result.window_tokens) / metrics.window;
    metrics.goodput = static_cast<double>(good_tokens) / metrics.window;
    metrics.goodput_requests = static_cast<double>(metrics.within_slo) / metrics.window;
  }
  const double run = result.end.toSeconds();
  for (std::size_t i = 0; i < kStages && run > 0; ++i) {
    metrics.in_stage[i] = static_cast<double>(result.stage_integral[i]) / 1e12 / run;
    metrics.in_stage_by_law[i] = times[i] / run;
  }
  return metrics;
}

double requestsInSystem(double tokens_per_second, double tokens, double ttft, double itl) {
  return tokens_per_second / tokens * (ttft + (tokens - 1) * itl);
}

}  // namespace plumbline::serving
