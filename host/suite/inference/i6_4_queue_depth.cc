// I6.4 Prefill queue depth and transfer (inference draft, section 6.4).
//
// Requests at 1 to 2 times the capacity of the prefill pool. A burst is a time in which at least
// one KV cache transfer is in progress, with the bytes of the transfers that begin in it; the gap
// is the time to the next one. Peak bandwidth: the busiest millisecond of the fabric. The pool
// produces KV cache at its capacity, whatever the queue in front of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "suite/framework/fabric_metrics.h"
#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

std::vector<std::string> queueDepthKpis() {
  return {"request_transfer_p50_ms", "request_transfer_p99_ms", "ttft_queue_ms", "ttft_p99_ms",
          "requests_not_done"};
}

// The bursts of a run, from its records.
struct Bursts {
  std::vector<double> bytes;
  std::vector<double> seconds;
  std::vector<double> gaps;  // [s]
};

Bursts burstsOf(const serving::ServingResult& result) {
  std::vector<const serving::RequestRecord*> sent;
  for (const serving::RequestRecord& record : result.requests) {
    const bool whole =
        record.first_post != serving::kNever && record.last_arrival != serving::kNever;
    if (whole) sent.push_back(&record);
  }
  std::sort(sent.begin(), sent.end(), [](const auto* a, const auto* b) {
    return std::pair(a->first_post, a->last_arrival) < std::pair(b->first_post, b->last_arrival);
  });
  Bursts bursts;
  Picoseconds begin;
  Picoseconds end{-1};
  double bytes = 0;
  const auto close = [&] {
    if (end < Picoseconds()) return;
    bursts.bytes.push_back(bytes);
    bursts.seconds.push_back((end - begin).toSeconds());
  };
  for (const serving::RequestRecord* record : sent) {
    if (end < Picoseconds() || record->first_post > end) {
      close();
      if (end >= Picoseconds()) bursts.gaps.push_back((record->first_post - end).toSeconds());
      begin = record->first_post;
      end = record->last_arrival;
      bytes = 0;
    }
    end = std::max(end, record->last_arrival);
    bytes += static_cast<double>(record->bytes);
  }
  close();
  return bursts;
}

std::optional<Reading> burstQuantile(std::vector<double> values, double p, double unit) {
  if (values.empty()) return std::nullopt;
  const serving::Distribution all = serving::distribution(values, 0);
  const serving::Percentile& found = p > 0.9 ? all.p99 : all.p50;
  if (!found.value) return std::nullopt;
  return quantileOf(*found.value * unit, p, values.size());
}

// Length of the intervals of which the busiest one is the peak.
constexpr Picoseconds kPeakInterval = milliseconds(1);

std::optional<Reading> peakGigabytesPerSecond(std::size_t /*point*/,
                                              const bench::TrialResult& trial) {
  const auto& peak = trial.fabric->peak_rate;
  if (!peak) return std::nullopt;
  return Reading(static_cast<double>(peak->bytes) / peak->interval.toSeconds() * 1e-9);
}

class QueueDepthProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I6.4"; }
  [[nodiscard]] std::string title() const override { return "Prefill queue depth and transfer"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(queueDepthKpis(), {"kv_burst_p50_bytes", "kv_burst_p99_bytes", "kv_burst_p50_ms",
                                   "kv_burst_gap_p50_ms", "kv_peak_gigabytes_per_s",
                                   "kv_mean_gigabytes_per_s", "ecn_percent", "pfc_per_s"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.4"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design QueueDepthProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Offered load", "of prefill capacity"}};
  design.repetitions = design.numbers.repetitions(3, 1);
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = steadyWindow(config, design.numbers);
  const double prompt = serving::meanPrompt(program.workload);
  const double capacity = prefillCapacity(program) / prompt;
  design.numbers.configure(
      "Prefill capacity",
      fmt::format("{:.3g} requests/s of {:.0f} tokens in the mean", capacity, prompt));
  const std::vector<double> ratios = design.numbers.sweep<double>(
      "Offered loads", {1, 1.25, 1.5, 1.75, 2}, {1, 1.5, 2}, std::nullopt);
  // A queue that grows at (ratio - 1) of the pool's rate takes (ratio - 1) of the time to serve.
  constexpr double kRoom = 1.2;
  const bool own_drain = servingSection(config).drain.has_value();
  serving::WindowSpec& window = program.system.window;
  for (const double ratio : ratios) {
    setRequestRate(program.workload, ratio * capacity);
    const auto queue = Picoseconds(static_cast<std::int64_t>(
        kRoom * (ratio - 1) * static_cast<double>((window.warmup + window.measure).count())));
    if (!own_drain) window.drain = std::max(window.drain, queue);
    addSteadyPoint(config, design, {valueText(ratio)}, program);
  }
  for (SweepPoint& point : design.points) point.spec.peak_interval = kPeakInterval;
  return design;
}

void QueueDepthProcedure::report(const TestConfig& config, const Design& design,
                                 const std::vector<Measured>& measured,
                                 ResultBuilder& builder) const {
  const serving::SloSpec& slo = servingSection(config).slo;
  const auto bursts = [&](const char* column, const char* unit, const char* kpi, auto of) {
    return servingFigure(
        column, unit, kpi, slo,
        [of](const serving::ServingMetrics&, const serving::ServingResult& result) {
          return of(burstsOf(result));
        });
  };
  std::vector<Figure> figures{
      bursts("Burst P50", "B", "kv_burst_p50_bytes",
             [](const Bursts& all) { return burstQuantile(all.bytes, 0.5, 1); }),
      bursts("Burst P99", "B", "kv_burst_p99_bytes",
             [](const Bursts& all) { return burstQuantile(all.bytes, 0.99, 1); }),
      bursts("Burst time P50", "ms", "kv_burst_p50_ms",
             [](const Bursts& all) { return burstQuantile(all.seconds, 0.5, 1e3); }),
      bursts("Gap P50", "ms", "kv_burst_gap_p50_ms",
             [](const Bursts& all) { return burstQuantile(all.gaps, 0.5, 1e3); }),
      Figure{.column = "Peak",
             .unit = "GB/s",
             .kpi = "kv_peak_gigabytes_per_s",
             .of = peakGigabytesPerSecond},
      servingFigure("Mean", "GB/s", "kv_mean_gigabytes_per_s", slo,
                    [](const serving::ServingMetrics&, const serving::ServingResult& result) {
                      return kvThroughput(result);
                    }),
      figure("ECN", "%", "ecn_percent", ecnPercent),
      figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond)};
  figures[4].primary = true;  // the peak
  append(figures, chosen(servingFigures(slo), queueDepthKpis()));
  addSteadyTable(design, measured, figures,
                 {"bursts",
                  "Bursts of KV cache over the offered load",
                  std::string(kServingNote) +
                      " A burst is a period with at least one transfer in progress. Peak: data "
                      "frames that left the fabric towards hosts in the busiest millisecond of the "
                      "trial; mean: KV cache in the measuring window, without headers.",
                  {},
                  {}},
                 builder);
  results::Chart chart;
  chart.id = "transfer_over_load";
  chart.title = "KV transfer over the offered load";
  chart.x_label = "Offered load / prefill capacity";
  chart.y_label = "KV transfer P99 [ms]";
  addChart(design, measured, chosen(servingFigures(slo), {"request_transfer_p99_ms"}).front(),
           {[&](std::size_t i) { return std::stod(design.points[i].values[0]); },
            [](std::size_t) { return std::string("KV transfer P99"); }},
           std::move(chart), builder);
}

}  // namespace

const Procedure& queueDepthProcedure() {
  static const QueueDepthProcedure test;
  return test;
}

}  // namespace plumbline::suite
