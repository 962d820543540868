// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/live_run.h"

#include <algorithm>
#include <numeric>

namespace plumbline::gui {
namespace {

constexpr double kPicosecondsPerMicrosecond = 1e6;
constexpr double kPicosecondsPerSecond = 1e12;

double microseconds(std::int64_t ps) {
  return static_cast<double>(ps) / kPicosecondsPerMicrosecond;
}

// Totals only grow within a trial; a smaller one belongs to another trial and counts as zero.
double perSecond(std::uint64_t now, std::uint64_t before, std::int64_t interval_ps) {
  if (interval_ps <= 0 || now < before) return 0;
  return static_cast<double>(now - before) * kPicosecondsPerSecond /
         static_cast<double>(interval_ps);
}

CounterValues countersOf(const control::LiveInterval& interval) {
  CounterValues values(counterNames().size(), 0);
  for (const control::LivePort& port : interval.ports) {
    values[0] += port.tx_frames;
    values[1] += port.rx_frames;
    values[2] += port.tx_bytes;
    values[3] += port.rx_bytes;
    values[4] += port.pauses_received;
    values[5] += static_cast<std::uint64_t>(std::max<std::int64_t>(port.paused_ps, 0)) / 1000;
  }
  for (const control::LiveFlow& flow : interval.flows) {
    values[6] += flow.lost.value_or(0);
    values[7] += flow.out_of_order.value_or(0);
  }
  const control::LiveCongestion& congestion = interval.congestion;
  values[8] = congestion.ce_received.value_or(0);
  values[9] = congestion.marked.value_or(0);
  values[10] = congestion.cnp_sent.value_or(0);
  values[11] = congestion.cnp_received.value_or(0);
  values[12] = congestion.dropped.value_or(0);
  values[13] = congestion.trimmed.value_or(0);
  values[14] = congestion.retransmitted.value_or(0);
  values[15] = congestion.timeouts.value_or(0);
  return values;
}

}  // namespace

const std::vector<std::string>& counterNames() {
  static const std::vector<std::string> kNames = {
      "Frames sent",         "Frames received",     "Bytes sent",    "Bytes received",
      "PAUSE received",      "Paused [ns]",         "Lost",          "Out of order",
      "Received with CE",    "Marked by switches",  "CNPs sent",     "CNPs received",
      "Dropped by switches", "Trimmed by switches", "Retransmitted", "Timeouts"};
  return kNames;
}

void LiveRun::clear() { *this = LiveRun(); }

bool LiveRun::sameTrial(const control::LiveInterval& interval) const {
  const control::LiveTrial& now = interval.trial;
  const control::LiveTrial& last = latest_->trial;
  // A trial that ended and appears again is the next one, even under the same name.
  return now.test == last.test && now.label == last.label && now.repetition == last.repetition &&
         now.number == last.number && !last.ended;
}

void LiveRun::startTrial(const control::LiveInterval& interval) {
  if (latest_) {
    const CounterValues last = countersOf(*latest_);
    ended_trials_.resize(last.size(), 0);
    for (std::size_t i = 0; i < last.size(); ++i) ended_trials_[i] += last[i];
    // The differences of rates start at zero again.
    latest_.reset();
  }
  latency_counts_.assign(stats::kHistogramBuckets, 0);
  for (TimeSeries* series : {&tx_rate_, &rx_rate_, &marked_, &ce_received_, &cnp_received_,
                             &dropped_, &flow_jfi_, &link_jfi_, &link_mmr_}) {
    series->clear();
  }
  port_rates_.clear();
  queues_.clear();
  served_.clear();
  pauses_.clear();
  lane_of_.clear();
  span_count_ = 0;
  pauses_cut_short_ = false;
  const control::LiveTrial& trial = interval.trial;
  trials_.push_back(
      {trial.test, trial.label, trial.repetition, trial.number, trial.stored, false, {}});
}

void LiveRun::add(const control::LiveInterval& interval) {
  if (latest_ && latest_->run != interval.run) clear();
  if (!latest_ || !sameTrial(interval)) startTrial(interval);

  const double time_us = microseconds(interval.trial.time_ps);
  addRates(interval, time_us);
  addPauses(interval);
  if (interval.latency) control::addLatency(*interval.latency, latency_counts_);
  for (const control::LiveLink& link : interval.links) {
    const auto found = queues_.find(link.name);
    if (found != queues_.end()) {
      found->second.add(time_us, static_cast<double>(link.queue_max_bytes));
    } else if (link.queue_max_bytes > 0 && queues_.size() < kMaxQueues) {
      queues_[link.name].add(time_us, static_cast<double>(link.queue_max_bytes));
    }
  }
  served_.resize(interval.serving.size());
  for (std::size_t i = 0; i < served_.size(); ++i) {
    served_[i].add(interval.serving[i], time_us / 1e6);
  }
  trials_.back().ended = interval.trial.ended;
  trials_.back().stored = interval.trial.stored;
  trials_.back().faults = interval.trial.faults;
  latest_ = interval;
}

void LiveRun::addRates(const control::LiveInterval& interval, double time_us) {
  const std::int64_t length = interval.trial.interval_ps;
  // The last interval of a trial may repeat the previous time: it has totals, no rates.
  if (length <= 0) return;
  double tx = 0;
  double rx = 0;
  for (const control::LivePort& port : interval.ports) {
    tx += port.tx_bps;
    rx += port.rx_bps;
    if (interval.ports.size() <= kMaxPortsOverTime) {
      port_rates_[port.name].add(time_us, port.rx_bps / 1e9);
    }
  }
  tx_rate_.add(time_us, tx / 1e9);
  rx_rate_.add(time_us, rx / 1e9);
  const control::LiveCongestion none;
  const control::LiveCongestion& before = latest_ ? latest_->congestion : none;
  const control::LiveCongestion& now = interval.congestion;
  if (now.marked) marked_.add(time_us, perSecond(*now.marked, before.marked.value_or(0), length));
  if (now.ce_received)
    ce_received_.add(time_us, perSecond(*now.ce_received, before.ce_received.value_or(0), length));
  if (now.cnp_received)
    cnp_received_.add(time_us,
                      perSecond(*now.cnp_received, before.cnp_received.value_or(0), length));
  if (now.dropped)
    dropped_.add(time_us, perSecond(*now.dropped, before.dropped.value_or(0), length));
  if (interval.fairness.flow_jfi) flow_jfi_.add(time_us, *interval.fairness.flow_jfi);
  if (interval.fairness.link_jfi) link_jfi_.add(time_us, *interval.fairness.link_jfi);
  if (interval.fairness.link_mmr) link_mmr_.add(time_us, *interval.fairness.link_mmr);
}

void LiveRun::addPauses(const control::LiveInterval& interval) {
  if (interval.pause_count > interval.pauses.size()) pauses_cut_short_ = true;
  for (const control::LivePause& pause : interval.pauses) {
    const auto [entry, fresh] = lane_of_.try_emplace({pause.link, pause.priority}, pauses_.size());
    if (fresh) pauses_.push_back({pause.link, pause.priority, {}, false});
    PauseLane& lane = pauses_[entry->second];
    const std::pair<double, double> span{microseconds(pause.from_ps), microseconds(pause.until_ps)};
    if (lane.open && !lane.spans_us.empty() && lane.spans_us.back().first == span.first) {
      lane.spans_us.back() = span;  // the open one has grown
    } else if (span_count_ < kMaxSpans) {
      lane.spans_us.push_back(span);
      ++span_count_;
    } else {
      pauses_cut_short_ = true;
      continue;
    }
    lane.open = pause.open;
  }
}

stats::Histogram LiveRun::latency() const {
  stats::Histogram histogram;
  if (!latest_ || !latest_->latency) return histogram;
  const control::LiveLatency& exact = *latest_->latency;
  for (std::uint32_t bucket = 0; bucket < latency_counts_.size(); ++bucket) {
    std::uint64_t count = latency_counts_[bucket];
    // The two extremes are exact; for the other frames only the bucket is known.
    for (const std::uint64_t extreme : {exact.min_ps, exact.max_ps}) {
      if (count == 0 || stats::histogramBucket(extreme) != bucket) continue;
      histogram.record(extreme);
      --count;
    }
    if (count == 0) continue;
    const std::uint64_t low = stats::bucketLowerBound(bucket);
    const std::uint64_t middle = low + (stats::bucketUpperBound(bucket) - 1 - low) / 2;
    histogram.record(std::max(std::min(middle, std::max(exact.max_ps, low)), exact.min_ps), count);
  }
  return histogram;
}

std::uint64_t LiveRun::missingLatencies() const {
  if (!latest_ || !latest_->latency) return 0;
  const std::uint64_t seen =
      std::accumulate(latency_counts_.begin(), latency_counts_.end(), std::uint64_t{0});
  return latest_->latency->count > seen ? latest_->latency->count - seen : 0;
}

CounterValues LiveRun::trialCounters() const {
  return latest_ ? countersOf(*latest_) : CounterValues(counterNames().size(), 0);
}

CounterValues LiveRun::runCounters() const {
  CounterValues sum = trialCounters();
  for (std::size_t i = 0; i < ended_trials_.size(); ++i) sum[i] += ended_trials_[i];
  return sum;
}

}  // namespace plumbline::gui
