// Measurements of runs for Prometheus: live intervals become counters and gauges.
#pragma once

#include <prometheus/metric_family.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/live_hub.h"
#include "control/metric_families.h"
#include "control/serving_metrics.h"

namespace plumbline::control {

// Counters accumulate over the measured trials of all runs of this server; trials from the results
// store do not count. Gauges show the latest interval of the active runs. Values that a bench does
// not observe have no series. Names, units and labels are listed in docs/control.md. Thread-safe.
class LiveMetrics final : public LiveListener {
 public:
  // Ports, and links, of a bench with series of their own: all of them up to kMaxSeries, else the
  // kTopSeries with the most bytes (ports) or the deepest queue (links).
  static constexpr std::size_t kMaxSeries = 256;
  static constexpr std::size_t kTopSeries = 16;

  void onInterval(const LiveInterval& interval) override;
  void onRun(const RunState& run) override;

  // Families that have series, each with its HELP.
  [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const;

 private:
  struct Pauses {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  using PausesByPriority = std::map<std::uint32_t, Pauses>;
  struct PortTotals {
    std::uint64_t tx_frames = 0;
    std::uint64_t tx_bytes = 0;
    std::uint64_t rx_frames = 0;
    std::uint64_t rx_bytes = 0;
    PausesByPriority paused;
  };
  struct LinkTotals {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t dropped = 0;
    std::uint64_t marked = 0;
  };
  using Known = std::optional<std::uint64_t>;
  // Since the server began, of one bench.
  struct BenchTotals {
    std::string observed;
    PortTotals all_ports;
    bool has_ports = false;
    std::map<std::string, PortTotals> ports;
    std::map<std::string, LinkTotals> links;
    std::map<const char*, Known> congestion;  // by the metric's name
    Known lost;
    double trial_seconds = 0;
    std::uint64_t valid_trials = 0;
    std::uint64_t invalid_trials = 0;
    std::int64_t latest_run = 0;  // that had an interval
  };
  // One run: its latest interval, and the data of its latest measured trial.
  struct Running {
    LiveInterval latest;
    bool ended = false;                            // the run
    bool measured = false;                         // `latest` belongs to a measured trial
    std::map<std::string, std::uint64_t> deepest;  // queue in bytes since the trial began, by link
    std::vector<std::uint64_t> latency;            // frames by bucket of stats/histogram.h
  };

  void count(const LiveInterval& now, const LiveInterval& before);
  static void countLost(const LiveInterval& now, BenchTotals& totals);
  void addProgress(MetricFamilies& families) const;
  void addPorts(MetricFamilies& families) const;
  void addLinks(MetricFamilies& families) const;
  void addTotals(MetricFamilies& families) const;
  void addLatency(MetricFamilies& families) const;

  mutable std::mutex mutex_;
  std::map<std::string, BenchTotals> benches_;  // by name
  std::map<std::int64_t, Running> runs_;        // active ones, and for each bench the latest
  ServingTotals serving_;
};

}  // namespace plumbline::control
