#include "control/live_watcher.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "control/live_serving.h"
#include "results/test_result.h"
#include "session/stored_trial_runner.h"
#include "stats/fairness.h"

namespace plumbline::control {
namespace {

using bench::TrialSnapshot;

constexpr std::chrono::milliseconds kInterval{100};
// Looking may take this part of the time.
constexpr int kPollIntervalPerCost = 20;

// Bits per second of bytes that came in `interval`.
double rate(double now, double before, Picoseconds interval) {
  if (interval <= Picoseconds(0) || now <= before) return 0;
  return (now - before) * 8 / interval.toSeconds();
}
double rate(std::uint64_t now, std::uint64_t before, Picoseconds interval) {
  return rate(static_cast<double>(now), static_cast<double>(before), interval);
}

// Bytes that have passed.
double sent(const bench::PortSnapshot& port) {
  return static_cast<double>(port.tx_bytes) - port.tx_pending;
}
double received(const bench::PortSnapshot& port) {
  return static_cast<double>(port.rx_bytes) - port.rx_pending;
}

LiveLatency latencyOf(const stats::Histogram& now, const stats::Histogram* before) {
  LiveLatency latency;
  latency.count = now.count();
  latency.min_ps = now.minimum();
  latency.max_ps = now.maximum();
  latency.sum_ps = now.mean() * static_cast<double>(now.count());
  std::map<std::uint32_t, std::uint64_t> earlier;
  if (before != nullptr) {
    for (const auto& cell : before->cells()) earlier[cell.bucket] = cell.count;
  }
  for (const auto& cell : now.cells()) {
    const std::uint64_t grown = cell.count - earlier[cell.bucket];
    if (grown > 0) latency.delta.push_back({cell.bucket, grown});
  }
  return latency;
}

// Elements of the previous snapshot by their keys.
template <typename Key, typename Element, typename KeyOf>
std::map<Key, const Element*> index(const std::optional<TrialSnapshot>& previous,
                                    std::vector<Element> TrialSnapshot::*list, KeyOf keyOf) {
  std::map<Key, const Element*> found;
  if (!previous) return found;
  for (const Element& element : (*previous).*list) found.emplace(keyOf(element), &element);
  return found;
}

void addPorts(const TrialSnapshot& now, const std::optional<TrialSnapshot>& previous,
              Picoseconds interval, LiveInterval& live) {
  const auto before = index<std::uint32_t>(previous, &TrialSnapshot::ports,
                                           [](const auto& port) { return port.port; });
  for (const bench::PortSnapshot& port : now.ports) {
    const auto found = before.find(port.port);
    const bench::PortSnapshot old = found == before.end() ? bench::PortSnapshot() : *found->second;
    LivePort one;
    one.number = port.port;
    one.name = "host" + std::to_string(port.port);
    one.tx_frames = port.tx_frames;
    one.tx_bytes = port.tx_bytes;
    one.rx_frames = port.rx_frames;
    one.rx_bytes = port.rx_bytes;
    for (std::uint32_t priority = 0; priority < port.paused.size(); ++priority) {
      const auto& [count, time] = port.paused[priority];
      if (count == 0 && time == Picoseconds()) continue;
      one.priorities.push_back({priority, count, time.count()});
      one.pauses_received += count;
      one.paused_ps += time.count();
    }
    one.tx_bps = rate(sent(port), sent(old), interval);
    one.rx_bps = rate(received(port), received(old), interval);
    live.ports.push_back(std::move(one));
  }
}

void addFlows(const TrialSnapshot& now, const std::optional<TrialSnapshot>& previous,
              Picoseconds interval, LiveInterval& live) {
  const auto keyOf = [](const bench::FlowSnapshot& flow) {
    return std::tuple(flow.name, flow.from, flow.to);
  };
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;
  const auto before = index<Key>(previous, &TrialSnapshot::flows, keyOf);
  std::vector<std::uint64_t> grown;
  for (const bench::FlowSnapshot& flow : now.flows) {
    const auto found = before.find(keyOf(flow));
    const std::uint64_t old = found == before.end() ? 0 : found->second->received_bytes;
    LiveFlow one;
    one.name = flow.name;
    one.from = flow.from;
    one.to = flow.to;
    one.sent_frames = flow.sent_frames;
    one.received_frames = flow.received_frames;
    one.received_bytes = flow.received_bytes;
    one.retransmitted = flow.retransmitted;
    one.lost = flow.lost;
    one.out_of_order = flow.out_of_order;
    one.ce = flow.ce;
    one.rx_bps = rate(flow.received_bytes, old, interval);
    grown.push_back(flow.received_bytes - std::min(old, flow.received_bytes));
    live.flows.push_back(std::move(one));
  }
  live.flow_count = now.flow_count;
  if (const auto fairness = stats::fairness(grown)) live.fairness.flow_jfi = fairness->jfi;
}

void addLinks(const TrialSnapshot& now, const std::optional<TrialSnapshot>& previous,
              Picoseconds interval, LiveInterval& live) {
  const auto before = index<std::string>(previous, &TrialSnapshot::links,
                                         [](const auto& link) { return link.name; });
  std::vector<std::uint64_t> grown;
  for (const bench::LinkSnapshot& link : now.links) {
    const auto found = before.find(link.name);
    const bench::LinkSnapshot old = found == before.end() ? bench::LinkSnapshot() : *found->second;
    if (link.between_switches) grown.push_back(link.bytes - old.bytes);
    if (live.links.size() >= LiveInterval::kMaxLinks) continue;
    LiveLink one;
    one.name = link.name;
    one.rate_bps = static_cast<std::uint64_t>(link.rate.bitsPerSecond());
    one.between_switches = link.between_switches;
    one.packets = link.packets;
    one.bytes = link.bytes;
    one.dropped = link.dropped;
    one.marked = link.marked;
    one.queue_bytes = link.queue_bytes;
    one.queue_max_bytes = link.max_queue_bytes;
    if (interval > Picoseconds(0)) {
      one.utilisation = (link.busy - old.busy).toSeconds() / interval.toSeconds();
    }
    live.links.push_back(std::move(one));
  }
  live.link_count = now.links.size();
  // Those without traffic are not listed.
  grown.resize(std::max<std::size_t>(grown.size(), now.fabric_links));
  if (const auto fairness = stats::fairness(grown)) {
    live.fairness.link_jfi = fairness->jfi;
    live.fairness.link_mmr = fairness->mmr;
  }
}

void addPauses(const TrialSnapshot& now, LiveInterval& live) {
  for (const bench::PauseSnapshot& pause : now.pauses) {
    live.pauses.push_back({pause.span.link, pause.span.priority, pause.span.from.count(),
                           pause.span.until.count(), pause.open});
  }
  live.pause_count = now.pause_count;
}

}  // namespace

LiveInterval intervalOf(const TrialSnapshot& now, const std::optional<TrialSnapshot>& previous) {
  LiveInterval live;
  live.bench = now.bench;
  live.observed = results::observationPointName(now.observed);
  const Picoseconds interval = now.time - (previous ? previous->time : Picoseconds());
  live.trial.time_ps = now.time.count();
  live.trial.total_ps = now.total.count();
  live.trial.interval_ps = interval.count();
  live.trial.ended = now.ended;
  addPorts(now, previous, interval, live);
  addFlows(now, previous, interval, live);
  addLinks(now, previous, interval, live);
  addPauses(now, live);
  if (now.latency) {
    const bool continued = previous && previous->latency;
    live.latency = latencyOf(*now.latency, continued ? &*previous->latency : nullptr);
  }
  const bench::CongestionSnapshot& seen = now.congestion;
  live.congestion = {seen.marked,  seen.ce_received, seen.cnp_sent,      seen.cnp_received,
                     seen.dropped, seen.trimmed,     seen.retransmitted, seen.timeouts};
  live.serving = liveServing(now, previous ? &*previous : nullptr);
  return live;
}

LiveWatcher::LiveWatcher(LiveHub& hub, std::int64_t run, const Files& files)
    : hub_(hub), run_(run) {
  if (!files.capture.empty()) capture_.emplace(files.capture);
  if (!files.log.empty()) log_.emplace(files.log);
}

RunPlace LiveWatcher::place() const {
  const std::scoped_lock lock(mutex_);
  RunPlace place{test_, pace_.done() + 1, pace_.expected(), {}};
  place.trial_number = std::min(place.trial_number, std::max<std::uint64_t>(1, pace_.expected()));
  if (const auto left = pace_.left(share_)) place.eta_s = left->count();
  return place;
}

void LiveWatcher::beginTest(const std::string& test, std::uint64_t expected) {
  const std::scoped_lock lock(mutex_);
  test_ = test;
  pace_ = session::RemainingTime(expected);
  share_ = 0;
  kpi_.clear();
}

void LiveWatcher::beginTrial(const std::string& label, std::uint32_t repetition) {
  trial_ = {};
  trial_.label = label;
  trial_.repetition = repetition;
  previous_.reset();
  final_.reset();
  ++trials_begun_;
}

void LiveWatcher::beginMeasurement() {
  if (!gate_.wait(stop_, {trials_begun_, test_, trial_.label, trial_.repetition})) {
    throw session::Aborted();
  }
}

void LiveWatcher::captured(const card::CapturedFrame& frame, const std::string& trial) {
  capture_->write(frame, trial);
}

void LiveWatcher::onSnapshot(const TrialSnapshot& snapshot) {
  const Clock::time_point since = Clock::now();
  {
    const std::scoped_lock lock(mutex_);
    const auto total = static_cast<double>(std::max<std::int64_t>(1, snapshot.total.count()));
    // Where the end is unknown, time and total are equal, and the share is unknown.
    const double share = static_cast<double>(snapshot.time.count()) / total;
    share_ = snapshot.ended || share >= 1 ? 0 : share;
  }
  if (snapshot.ended) {
    final_ = snapshot;  // shown by endTrial(), which has the outcome
  } else {
    publish(snapshot, trial_);
  }
  polled(since);
}

void LiveWatcher::polled(Clock::time_point since) {
  const Clock::time_point now = Clock::now();
  next_poll_ = now + std::max<Clock::duration>(kInterval, (now - since) * kPollIntervalPerCost);
}

void LiveWatcher::endTrial(const session::TrialRecord& record) {
  if (log_) log_->write(record);
  if (capture_) capture_->endTrial();
  kpi_ = session::trialInWords(record.result);
  if (!record.stored || due()) {
    const Clock::time_point since = Clock::now();
    LiveTrial trial = trial_;
    trial.stored = record.stored;
    trial.faults = record.result.faults;
    publish(final_ ? *final_ : bench::snapshotOf(record.spec, record.result), std::move(trial));
    if (record.stored) polled(since);
  }
  const std::scoped_lock lock(mutex_);
  pace_.endTrial(record.stored);
  share_ = 0;
}

void LiveWatcher::publish(const TrialSnapshot& snapshot, LiveTrial trial) {
  LiveInterval live = intervalOf(snapshot, previous_);
  trial.ended = live.trial.ended;
  trial.time_ps = live.trial.time_ps;
  trial.total_ps = live.trial.total_ps;
  trial.interval_ps = live.trial.interval_ps;
  {
    const std::scoped_lock lock(mutex_);
    trial.test = test_;
    trial.number = pace_.done() + 1;
    trial.expected = std::max(pace_.expected(), trial.number);
    live.elapsed_s = pace_.elapsed().count();
    if (const auto left = pace_.left(share_)) live.eta_s = left->count();
  }
  live.trial = std::move(trial);
  live.time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  live.run = run_;
  live.kpi = kpi_;
  hub_.publish(std::move(live));
  previous_ = snapshot;
}

}  // namespace plumbline::control
