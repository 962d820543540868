#include "control/live_metrics.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"
#include "stats/histogram.h"

namespace plumbline::control {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Labels = MetricLabels;

constexpr std::uint32_t kPriorities = 8;
constexpr std::array kQuantiles = {0.5, 0.9, 0.99, 0.999};

// Explanation of the label `observed`, for the HELP of counters with it.
constexpr const char* kObserved =
    " (observed=\"tester\": counted by the tester's ports; \"modelled\": by simulated hosts)";
constexpr const char* kModelled = " (of the simulated DUT: modelled)";

double seconds(std::int64_t picoseconds) { return static_cast<double>(picoseconds) / 1e12; }

std::uint64_t grown(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

// Adds the increase from `before` to `now`, if both are known.
void grow(std::optional<std::uint64_t>& total, const std::optional<std::uint64_t>& now,
          const std::optional<std::uint64_t>& before) {
  if (now) total = total.value_or(0) + grown(*now, before.value_or(0));
}

struct CongestionMetric {
  const char* name;
  const char* help;
  std::optional<std::uint64_t> LiveCongestion::*member;
};
constexpr auto kCongestion = std::to_array<CongestionMetric>({
    {"plumbline_dut_ecn_marked_frames_total", "Frames in which switches set CE (DUT: modelled)",
     &LiveCongestion::marked},
    {"plumbline_dut_dropped_frames_total", "Frames that the DUT dropped (DUT: modelled)",
     &LiveCongestion::dropped},
    {"plumbline_dut_trimmed_frames_total", "Frames that switches trimmed (DUT: modelled)",
     &LiveCongestion::trimmed},
    {"plumbline_ecn_ce_received_frames_total",
     "Frames that arrived with CE, at the tester's ports and at simulated hosts",
     &LiveCongestion::ce_received},
    {"plumbline_cnp_sent_total", "CNPs sent by simulated hosts (modelled)",
     &LiveCongestion::cnp_sent},
    {"plumbline_cnp_received_total", "CNPs received by simulated hosts (modelled)",
     &LiveCongestion::cnp_received},
    {"plumbline_retransmitted_frames_total", "Frames sent again by simulated hosts (modelled)",
     &LiveCongestion::retransmitted},
    {"plumbline_timeouts_total", "Retransmission timeouts of simulated hosts (modelled)",
     &LiveCongestion::timeouts},
});

// Elements by name.
template <typename T>
std::map<std::string, const T*> byName(const std::vector<T>& elements) {
  std::map<std::string, const T*> found;
  for (const T& element : elements) found.emplace(element.name, &element);
  return found;
}

}  // namespace

void LiveMetrics::onInterval(const LiveInterval& interval) {
  const std::scoped_lock lock(mutex_);
  // Ended runs are kept for their latest ports, links and latency until the bench has another run.
  std::erase_if(runs_, [&](const auto& entry) {
    return entry.first != interval.run && entry.second.ended &&
           entry.second.latest.bench == interval.bench;
  });
  Running& run = runs_[interval.run];
  const LiveInterval& last = run.latest;
  const bool continued = run.measured && !last.trial.ended && last.bench == interval.bench &&
                         last.trial.test == interval.trial.test &&
                         last.trial.number == interval.trial.number;
  run.measured = !interval.trial.stored;
  if (run.measured) {
    if (!continued) {
      run.deepest.clear();
      run.latency.clear();
    }
    const LiveInterval none;
    count(interval, continued ? last : none);
    for (const LiveLink& link : interval.links) {
      std::uint64_t& deepest = run.deepest[link.name];
      deepest = std::max(deepest, link.queue_max_bytes);
    }
    if (interval.latency) control::addLatency(*interval.latency, run.latency);
  }
  run.latest = interval;
  // Not needed here, and numerous.
  run.latest.flows.clear();
  run.latest.pauses.clear();
}

void LiveMetrics::onRun(const RunState& run) {
  const std::scoped_lock lock(mutex_);
  if (run.active) return;
  const auto found = runs_.find(run.id);
  if (found != runs_.end()) found->second.ended = true;
}

void LiveMetrics::count(const LiveInterval& now, const LiveInterval& before) {
  BenchTotals& bench = benches_[now.bench];
  bench.observed = now.observed;
  bench.latest_run = now.run;
  bench.trial_seconds += std::max(0.0, seconds(now.trial.time_ps - before.trial.time_ps));
  const auto old_ports = byName(before.ports);
  for (const LivePort& port : now.ports) {
    const auto found = old_ports.find(port.name);
    const LivePort old = found == old_ports.end() ? LivePort() : *found->second;
    std::map<std::uint32_t, LivePriority> old_pauses;
    for (const LivePriority& one : old.priorities) old_pauses.emplace(one.priority, one);
    bench.has_ports = true;
    for (PortTotals* totals : {&bench.ports[port.name], &bench.all_ports}) {
      totals->tx_frames += grown(port.tx_frames, old.tx_frames);
      totals->tx_bytes += grown(port.tx_bytes, old.tx_bytes);
      totals->rx_frames += grown(port.rx_frames, old.rx_frames);
      totals->rx_bytes += grown(port.rx_bytes, old.rx_bytes);
      for (const LivePriority& one : port.priorities) {
        const LivePriority& earlier = old_pauses[one.priority];
        Pauses& pauses = totals->paused[one.priority];
        pauses.count += grown(one.pauses_received, earlier.pauses_received);
        pauses.seconds += std::max(0.0, seconds(one.paused_ps - earlier.paused_ps));
      }
    }
  }
  const auto old_links = byName(before.links);
  for (const LiveLink& link : now.links) {
    const auto found = old_links.find(link.name);
    const LiveLink old = found == old_links.end() ? LiveLink() : *found->second;
    LinkTotals& totals = bench.links[link.name];
    totals.packets += grown(link.packets, old.packets);
    totals.bytes += grown(link.bytes, old.bytes);
    totals.dropped += grown(link.dropped, old.dropped);
    totals.marked += grown(link.marked, old.marked);
  }
  serving_.count(now, before);
  for (const CongestionMetric& one : kCongestion) {
    grow(bench.congestion[one.name], now.congestion.*one.member, before.congestion.*one.member);
  }
  if (!now.trial.ended) return;
  ++(now.trial.faults.empty() ? bench.valid_trials : bench.invalid_trials);
  countLost(now, bench);
}

// A flow's loss may shrink while late frames still arrive: it counts when the trial has ended. Not
// if some flows are missing from the interval.
void LiveMetrics::countLost(const LiveInterval& now, BenchTotals& totals) {
  if (now.flow_count > now.flows.size()) return;
  for (const LiveFlow& flow : now.flows) {
    if (flow.lost) totals.lost = totals.lost.value_or(0) + *flow.lost;
  }
}

std::vector<MetricFamily> LiveMetrics::collect() const {
  const std::scoped_lock lock(mutex_);
  MetricFamilies families;
  addProgress(families);
  addTotals(families);
  addPorts(families);
  addLinks(families);
  addLatency(families);
  serving_.addTotals(families);
  for (const auto& [id, run] : runs_) {
    if (!run.ended && run.measured) addServingLevels(run.latest, families);
  }
  return families.take();
}

void LiveMetrics::addProgress(MetricFamilies& families) const {
  for (const auto& [id, run] : runs_) {
    if (run.ended) continue;
    const LiveTrial& trial = run.latest.trial;
    const Labels labels = {{"run", std::to_string(id)}, {"test", trial.test}};
    families.gauge("plumbline_trial_number", "Number of the running trial within its test, from 1",
                   labels, trial.number);
    families.gauge("plumbline_trials_expected",
                   "Trials that the test is expected to have; a search may need fewer", labels,
                   trial.expected);
    if (trial.time_ps < trial.total_ps || trial.ended) {
      families.gauge("plumbline_trial_progress_ratio",
                     "Share of the running trial that is over; absent when its end is not known",
                     labels, trial.ended ? 1.0 : seconds(trial.time_ps) / seconds(trial.total_ps));
    }
    families.gauge("plumbline_trial_elapsed_seconds",
                   "Time since the running trial's start, in card or simulated time", labels,
                   seconds(trial.time_ps));
    families.gauge("plumbline_test_elapsed_seconds", "Time since the test began, wall clock",
                   labels, run.latest.elapsed_s);
    if (run.latest.eta_s) {
      families.gauge("plumbline_test_remaining_seconds",
                     "Expected time until the test's end, wall clock; absent while unknown", labels,
                     *run.latest.eta_s);
    }
  }
}

void LiveMetrics::addTotals(MetricFamilies& families) const {
  for (const auto& entry : benches_) {
    // Names of their own, because a lambda of Clang 14 cannot capture structured bindings.
    const std::string& name = entry.first;
    const auto& bench = entry.second;
    const Labels labels = {{"bench", name}, {"observed", bench.observed}};
    const auto judged = [&](const char* valid, std::uint64_t trials) {
      families.counter("plumbline_trials_total", "Trials measured and ended",
                       {{"bench", name}, {"valid", valid}}, trials);
    };
    judged("true", bench.valid_trials);
    judged("false", bench.invalid_trials);
    families.counter("plumbline_trial_seconds_total",
                     "Card or simulated time that measured trials took", {{"bench", name}},
                     bench.trial_seconds);
    if (bench.lost) {
      families.counter("plumbline_lost_frames_total",
                       "Frames that streams lost, known when a trial ends" + std::string(kObserved),
                       labels, *bench.lost);
    }
    for (const CongestionMetric& one : kCongestion) {
      const auto found = bench.congestion.find(one.name);
      if (found != bench.congestion.end() && found->second) {
        families.counter(one.name, one.help, {{"bench", name}}, *found->second);
      }
    }
    if (!bench.has_ports) continue;
    const PortTotals& ports = bench.all_ports;
    const auto all = [&](const char* metric, const char* what, std::uint64_t value) {
      families.counter(metric, what + std::string(" all ports") + kObserved, labels, value);
    };
    all("plumbline_transmit_bytes_total", "Frame bytes sent by", ports.tx_bytes);
    all("plumbline_transmit_frames_total", "Frames sent by", ports.tx_frames);
    all("plumbline_receive_bytes_total", "Frame bytes received by", ports.rx_bytes);
    all("plumbline_receive_frames_total", "Frames received by", ports.rx_frames);
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      const auto seen = ports.paused.find(priority);
      const Pauses paused = seen == ports.paused.end() ? Pauses() : seen->second;
      Labels of = labels;
      of.push_back({"priority", std::to_string(priority)});
      families.counter(
          "plumbline_pauses_total",
          "PFC pauses that took effect at all ports, refreshes included" + std::string(kObserved),
          of, paused.count);
      families.counter("plumbline_paused_seconds_total",
                       "Time, in trial time, that all ports were paused" + std::string(kObserved),
                       std::move(of), paused.seconds);
    }
  }
}

void LiveMetrics::addPorts(MetricFamilies& families) const {
  for (const auto& [name, bench] : benches_) {
    struct Rates {
      bool known = false;
      double tx = 0;
      double rx = 0;
    };
    std::map<std::string, Rates> present;  // ports of the bench's runs
    for (const auto& [id, run] : runs_) {
      if (run.latest.bench != name) continue;
      for (const LivePort& port : run.latest.ports) {
        Rates& rates = present[port.name];
        if (run.ended || !run.measured || run.latest.trial.interval_ps <= 0) continue;
        rates.known = true;
        rates.tx += port.tx_bps / 8;
        rates.rx += port.rx_bps / 8;
      }
    }
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& [port, rates] : present) {
      const auto found = bench.ports.find(port);
      if (found == bench.ports.end()) continue;
      order.emplace_back(found->second.tx_bytes + found->second.rx_bytes, port);
    }
    if (order.size() > kMaxSeries) {
      std::sort(order.begin(), order.end(), std::greater<>());
      order.resize(kTopSeries);
    }
    for (const auto& [bytes, port] : order) {
      const PortTotals& totals = bench.ports.at(port);
      const Labels labels = {{"bench", name}, {"observed", bench.observed}, {"port", port}};
      const auto help = [](const char* what) { return what + std::string(kObserved); };
      families.counter("plumbline_port_transmit_bytes_total", help("Frame bytes sent"), labels,
                       totals.tx_bytes);
      families.counter("plumbline_port_transmit_frames_total", help("Frames sent"), labels,
                       totals.tx_frames);
      families.counter("plumbline_port_receive_bytes_total", help("Frame bytes received"), labels,
                       totals.rx_bytes);
      families.counter("plumbline_port_receive_frames_total", help("Frames received"), labels,
                       totals.rx_frames);
      if (const Rates& rates = present.at(port); rates.known) {
        families.gauge("plumbline_port_transmit_bytes_per_second",
                       help("Frame bytes sent per second of trial time, over the latest interval"),
                       labels, rates.tx);
        families.gauge(
            "plumbline_port_receive_bytes_per_second",
            help("Frame bytes received per second of trial time, over the latest interval"), labels,
            rates.rx);
      }
      for (const auto& [priority, paused] : totals.paused) {
        Labels of = labels;
        of.push_back({"priority", std::to_string(priority)});
        families.counter("plumbline_port_pauses_total",
                         help("PFC pauses that took effect, refreshes included"), of, paused.count);
        families.counter("plumbline_port_paused_seconds_total",
                         help("Time, in trial time, that the port was paused"), std::move(of),
                         paused.seconds);
      }
    }
  }
}

void LiveMetrics::addLinks(MetricFamilies& families) const {
  for (const auto& [name, bench] : benches_) {
    struct Queue {
      bool live = false;  // of an active run
      std::uint64_t now = 0;
      std::uint64_t deepest = 0;  // of the trial
      double utilisation = 0;
    };
    std::map<std::string, Queue> present;
    for (const auto& [id, run] : runs_) {
      if (run.latest.bench != name || !run.measured) continue;
      for (const LiveLink& link : run.latest.links) {
        Queue& queue = present[link.name];
        const auto deepest = run.deepest.find(link.name);
        if (deepest != run.deepest.end()) queue.deepest = std::max(queue.deepest, deepest->second);
        if (run.ended) continue;
        queue.live = true;
        queue.now = std::max(queue.now, link.queue_bytes);
        queue.utilisation = std::max(queue.utilisation, link.utilisation);
      }
    }
    std::vector<std::pair<std::uint64_t, std::string>> order;
    order.reserve(present.size());
    for (const auto& [link, queue] : present) order.emplace_back(queue.deepest, link);
    if (order.size() > kMaxSeries) {
      std::sort(order.begin(), order.end(), std::greater<>());
      order.resize(kTopSeries);
    }
    for (const auto& [deepest, link] : order) {
      const auto found = bench.links.find(link);
      if (found == bench.links.end()) continue;
      const LinkTotals& totals = found->second;
      const Queue& queue = present.at(link);
      const Labels labels = {{"bench", name}, {"link", link}};
      const auto help = [](const char* what) { return what + std::string(kModelled); };
      families.counter("plumbline_link_bytes_total", help("Frame bytes put on the link"), labels,
                       totals.bytes);
      families.counter("plumbline_link_frames_total", help("Frames put on the link"), labels,
                       totals.packets);
      families.counter("plumbline_link_dropped_frames_total",
                       help("Frames dropped in front of the link or on it"), labels,
                       totals.dropped);
      families.counter("plumbline_link_ecn_marked_frames_total",
                       help("Frames in which CE was set in the link's queue"), labels,
                       totals.marked);
      families.gauge("plumbline_link_queue_max_bytes",
                     help("Deepest queue that a departure left behind since the trial began"),
                     labels, queue.deepest);
      if (!queue.live) continue;
      families.gauge("plumbline_link_queue_bytes",
                     help("Queue that the last departure left behind"), labels, queue.now);
      families.gauge("plumbline_link_utilization_ratio",
                     help("Share of the latest interval in which the wire was taken"), labels,
                     queue.utilisation);
    }
  }
}

void LiveMetrics::addLatency(MetricFamilies& families) const {
  for (const auto& [name, bench] : benches_) {
    const auto found = runs_.find(bench.latest_run);
    if (found == runs_.end() || !found->second.latest.latency) continue;
    const Running& run = found->second;
    const LiveLatency& latency = *run.latest.latency;
    if (!run.measured || latency.count == 0 || run.latency.empty()) continue;
    constexpr double kHigh = 18446744073709551616.0;  // 2^64
    const double high = std::floor(latency.sum_ps / kHigh);
    stats::Histogram histogram;
    try {
      histogram = stats::Histogram::fromHardware(
          0, run.latency, latency.min_ps, latency.max_ps, static_cast<std::uint32_t>(high),
          static_cast<std::uint64_t>(latency.sum_ps - high * kHigh));
    } catch (const Error&) {
      continue;  // the trial's intervals do not add up: no quantiles rather than wrong ones
    }
    ClientMetric::Summary summary;
    summary.sample_count = latency.count;
    summary.sample_sum = latency.sum_ps / 1e12;
    for (const double quantile : kQuantiles) {
      summary.quantile.push_back(
          {quantile, static_cast<double>(histogram.quantile(quantile)) / 1e12});
    }
    families.summary("plumbline_latency_seconds",
                     "One-way latency of the frames of the running or latest trial, first bit to "
                     "first bit; begins anew with each trial" +
                         std::string(kObserved),
                     {{"bench", name}, {"observed", bench.observed}}, std::move(summary));
  }
}

}  // namespace plumbline::control
