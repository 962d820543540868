#include "suite/convergence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumbline::suite {
namespace {

double received(const bench::Sample& sample, std::size_t flow) {
  return flow < sample.received.size() ? static_cast<double>(sample.received[flow]) : 0;
}

bool isFair(const std::vector<std::vector<double>>& rates, std::size_t window, double tolerance) {
  double sum = 0;
  for (const auto& flow : rates) sum += flow[window];
  const double fair = sum / static_cast<double>(rates.size());
  return fair > 0 && std::all_of(rates.begin(), rates.end(), [&](const auto& flow) {
           return std::abs(flow[window] - fair) <= tolerance * fair;
         });
}

}  // namespace

std::vector<std::vector<double>> flowRates(const bench::Samples& samples, std::uint32_t window) {
  std::vector<std::vector<double>> rates(samples.flows.size());
  const double seconds = samples.interval.toSeconds() * window;
  for (std::size_t flow = 0; flow < rates.size(); ++flow) {
    for (std::size_t end = window; end <= samples.samples.size(); end += window) {
      const double before = end == window ? 0 : received(samples.samples[end - window - 1], flow);
      rates[flow].push_back(8 * (received(samples.samples[end - 1], flow) - before) / seconds /
                            1e9);
    }
  }
  return rates;
}

std::optional<Picoseconds> convergenceTime(const bench::Samples& samples, Picoseconds from,
                                           const ConvergenceRule& rule) {
  const auto rates = flowRates(samples, rule.window);
  if (rates.empty()) return std::nullopt;
  const Picoseconds length = samples.interval * rule.window;
  std::uint32_t held = 0;
  for (std::size_t window = 0; window < rates.front().size(); ++window) {
    const Picoseconds begin = length * static_cast<std::int64_t>(window);
    if (begin < from) continue;
    held = isFair(rates, window, rule.tolerance) ? held + 1 : 0;
    if (held == rule.windows_held) {
      return begin - length * static_cast<std::int64_t>(rule.windows_held - 1) - from;
    }
  }
  return std::nullopt;
}

}  // namespace plumbline::suite
