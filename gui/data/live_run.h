// SPDX-License-Identifier: GPL-3.0-or-later
// Accumulates the live intervals of a run: the current trial over time, and the totals of the run.
// Memory is bounded however long a trial lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/live_interval.h"
#include "gui/data/live_served.h"
#include "gui/data/time_series.h"
#include "stats/histogram.h"

namespace plumbline::gui {

// Totals whose differences a counter table shows. In the order of counterNames().
using CounterValues = std::vector<std::uint64_t>;
const std::vector<std::string>& counterNames();

struct PauseLane {
  std::string link;
  std::uint32_t priority = 0;
  std::vector<std::pair<double, double>> spans_us;  // trial time; the last may still be open
  bool open = false;
};

struct TrialOutcome {
  std::string test;
  std::string label;
  std::uint32_t repetition = 0;
  std::uint64_t number = 0;
  bool stored = false;
  bool ended = false;
  std::vector<std::string> faults;
};

class LiveRun {
 public:
  static constexpr std::size_t kMaxSpans = 20'000;
  static constexpr std::size_t kMaxQueues = 256;  // links whose queue is followed over time
  static constexpr std::size_t kMaxPortsOverTime = 16;

  // Clears everything, for a new run or connection.
  void clear();
  // In the order of their sequence numbers. An interval of another run clears first.
  void add(const control::LiveInterval& interval);

  // The last interval; nothing before the first.
  [[nodiscard]] const std::optional<control::LiveInterval>& latest() const { return latest_; }
  [[nodiscard]] const std::vector<TrialOutcome>& trials() const { return trials_; }

  // Latencies of the current trial. The intervals have no sum, so its mean is meaningless.
  [[nodiscard]] stats::Histogram latency() const;
  // Frames of the trial whose interval was lost, so that latency() lacks them.
  [[nodiscard]] std::uint64_t missingLatencies() const;

  // Of the current trial, over its time: all ports together [Gb/s], and port by port where there
  // are at most kMaxPortsOverTime.
  [[nodiscard]] const TimeSeries& txRate() const { return tx_rate_; }
  [[nodiscard]] const TimeSeries& rxRate() const { return rx_rate_; }
  [[nodiscard]] const std::map<std::string, TimeSeries>& portRates() const { return port_rates_; }
  // Per second, from the difference of two intervals.
  [[nodiscard]] const TimeSeries& marked() const { return marked_; }
  [[nodiscard]] const TimeSeries& ceReceived() const { return ce_received_; }
  [[nodiscard]] const TimeSeries& cnpReceived() const { return cnp_received_; }
  [[nodiscard]] const TimeSeries& dropped() const { return dropped_; }
  [[nodiscard]] const TimeSeries& flowJfi() const { return flow_jfi_; }
  [[nodiscard]] const TimeSeries& linkJfi() const { return link_jfi_; }
  [[nodiscard]] const TimeSeries& linkMmr() const { return link_mmr_; }
  // Deepest queue within each interval [B], by link; of links that ever had one.
  [[nodiscard]] const std::map<std::string, TimeSeries>& queues() const { return queues_; }

  // Serving systems of the current trial, in their order.
  [[nodiscard]] const std::vector<LiveServed>& served() const { return served_; }

  // By link and priority, in the order in which they first paused.
  [[nodiscard]] const std::vector<PauseLane>& pauses() const { return pauses_; }
  [[nodiscard]] bool pausesCutShort() const { return pauses_cut_short_; }

  // Of the current trial, and summed over all trials of the run so far.
  [[nodiscard]] CounterValues trialCounters() const;
  [[nodiscard]] CounterValues runCounters() const;

 private:
  [[nodiscard]] bool sameTrial(const control::LiveInterval& interval) const;
  void startTrial(const control::LiveInterval& interval);
  void addRates(const control::LiveInterval& interval, double time_us);
  void addPauses(const control::LiveInterval& interval);

  std::optional<control::LiveInterval> latest_;
  std::vector<TrialOutcome> trials_;
  CounterValues ended_trials_;
  std::vector<std::uint64_t> latency_counts_;
  TimeSeries tx_rate_;
  TimeSeries rx_rate_;
  std::map<std::string, TimeSeries> port_rates_;
  TimeSeries marked_;
  TimeSeries ce_received_;
  TimeSeries cnp_received_;
  TimeSeries dropped_;
  TimeSeries flow_jfi_;
  TimeSeries link_jfi_;
  TimeSeries link_mmr_;
  std::map<std::string, TimeSeries> queues_;
  std::vector<LiveServed> served_;
  std::vector<PauseLane> pauses_;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> lane_of_;
  std::size_t span_count_ = 0;
  bool pauses_cut_short_ = false;
};

}  // namespace plumbline::gui
