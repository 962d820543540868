#include "suite/inference/class_rates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace plumbline::suite {
namespace {

// Received by sample `i` in all flows of a class.
double receivedBy(const bench::Samples& samples, std::size_t i, bool kv) {
  double bytes = 0;
  const auto& received = samples.samples[i].received;
  for (std::size_t flow = 0; flow < received.size(); ++flow) {
    if ((samples.flows[flow].from % 2 == 0) == kv) bytes += static_cast<double>(received[flow]);
  }
  return bytes;
}

std::vector<double> ratesOf(const bench::Samples& samples, bool kv) {
  std::vector<double> totals;
  totals.reserve(samples.samples.size());
  for (std::size_t i = 0; i < samples.samples.size(); ++i) {
    totals.push_back(receivedBy(samples, i, kv));
  }
  std::vector<double> rates;
  rates.reserve(totals.size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const std::size_t window = std::min<std::size_t>(kClassWindow, i + 1);
    const double before = i + 1 == window ? 0 : totals[i - window];
    const Picoseconds span = samples.interval * static_cast<std::int64_t>(window);
    rates.push_back(8 * (totals[i] - before) / span.toSeconds() / 1e9);
  }
  return rates;
}

double meanFrom(const std::vector<double>& rates, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < rates.size(); ++i) sum += rates[i];
  return sum / static_cast<double>(rates.size() - first);
}

}  // namespace

ClassRates classRates(const bench::Samples& samples) {
  return {samples.interval, ratesOf(samples, true), ratesOf(samples, false)};
}

std::optional<ClassSettling> settlingOf(const ClassRates& rates, Picoseconds joining) {
  const auto joined = static_cast<std::size_t>(joining / rates.step);
  const std::size_t count = rates.kv.size();
  if (joined >= count) return std::nullopt;
  const std::size_t last_third = joined + (count - joined) * 2 / 3;
  // Entry i is a window that begins kClassWindow - 1 samples earlier.
  const auto beginOf = [&rates](std::size_t entry) {
    return rates.step * (static_cast<std::int64_t>(entry) - (kClassWindow - 1));
  };
  if (beginOf(last_third) < joining) return std::nullopt;
  ClassSettling settling;
  settling.kv_gbps = meanFrom(rates.kv, last_third);
  settling.ep_gbps = meanFrom(rates.ep, last_third);
  const auto near = [](double rate, double steady) {
    return std::abs(rate - steady) <= kClassTolerance * steady;
  };
  std::size_t since = count;  // the first entry since when both are near
  while (since > joined && near(rates.kv[since - 1], settling.kv_gbps) &&
         near(rates.ep[since - 1], settling.ep_gbps)) {
    --since;
  }
  if (since >= last_third) return settling;
  const Picoseconds begin = beginOf(since) - rates.step * static_cast<std::int64_t>(joined);
  settling.settled = std::max(begin, Picoseconds(0));
  return settling;
}

}  // namespace plumbline::suite
