#include "suite/framework/convergence.h"

#include <algorithm>
#include <cmath>

namespace plumbline::suite {
namespace {

double received(const bench::Sample& sample, std::size_t flow) {
  return flow < sample.received.size() ? static_cast<double>(sample.received[flow]) : 0;
}

// Payload of a flow in the `window` samples of which `end` is the last [B].
double receivedIn(const bench::Samples& samples, std::size_t flow, std::size_t end,
                  std::uint32_t window) {
  const double before = end + 1 == window ? 0 : received(samples.samples[end - window], flow);
  return received(samples.samples[end], flow) - before;
}

bool isFair(const bench::Samples& samples, std::size_t end, const ConvergenceRule& rule) {
  const std::size_t flows = samples.flows.size();
  double sum = 0;
  for (std::size_t flow = 0; flow < flows; ++flow) {
    sum += receivedIn(samples, flow, end, rule.window);
  }
  const double fair = sum / static_cast<double>(flows);
  if (fair <= 0) return false;
  for (std::size_t flow = 0; flow < flows; ++flow) {
    const double off = std::abs(receivedIn(samples, flow, end, rule.window) - fair);
    if (off > rule.tolerance * fair) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<double>> flowRates(const bench::Samples& samples, std::uint32_t window) {
  std::vector<std::vector<double>> rates(samples.flows.size());
  const double seconds = samples.interval.toSeconds() * window;
  for (std::size_t flow = 0; flow < rates.size(); ++flow) {
    for (std::size_t end = window; end <= samples.samples.size(); end += window) {
      rates[flow].push_back(8 * receivedIn(samples, flow, end - 1, window) / seconds / 1e9);
    }
  }
  return rates;
}

Convergence convergenceOf(const bench::Samples& samples, const SharingSpan& span,
                          const ConvergenceRule& rule) {
  Convergence result;
  if (span.flows == 0) return result;
  // A flow that delivered nothing is in no sample, and no window is fair to it.
  const bool starved = samples.flows.size() < span.flows;
  const Picoseconds length = samples.interval * std::int64_t{rule.window};
  std::size_t windows = 0;
  std::size_t fair = 0;
  std::int64_t in_a_row = 0;  // the latest fair windows, overlapping
  Picoseconds end_of_last;
  for (std::size_t end = rule.window - 1; end < samples.samples.size(); ++end) {
    const Picoseconds window_end = samples.interval * static_cast<std::int64_t>(end + 1);
    if (window_end - length < span.from) continue;
    if (window_end > span.until) break;
    ++windows;
    end_of_last = window_end;
    if (!starved && isFair(samples, end, rule)) {
      ++fair;
      ++in_a_row;
    } else {
      in_a_row = 0;
    }
  }
  if (windows == 0) return result;
  result.fair_share_of_windows = static_cast<double>(fair) / static_cast<double>(windows);
  if (in_a_row == 0) return result;
  const Picoseconds since = end_of_last - length - samples.interval * (in_a_row - 1);
  if (end_of_last - since >= length * std::int64_t{rule.windows_held}) {
    result.settled = since - span.from;
  }
  return result;
}

}  // namespace plumbline::suite
