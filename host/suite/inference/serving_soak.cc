#include "suite/inference/serving_soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "suite/framework/profile.h"

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kMinWindows = 4;  // mannKendall()
// Intervals of the time series, from which the longest queue of a window is taken.
constexpr std::uint32_t kSeries = 2000;

Picoseconds endOf(const serving::RequestRecord& record) {
  return std::accumulate(record.stages.begin(), record.stages.end(), record.arrival);
}

// The figures of requests that arrived in a window.
serving::Distribution ofWindow(
    const SoakClock& clock, const serving::ServingResult& result, std::uint32_t number,
    const std::function<Picoseconds(const serving::RequestRecord&)>& of) {
  std::vector<double> values;
  std::uint64_t not_reached = 0;
  for (const serving::RequestRecord& record : result.requests) {
    if (record.arrival < clock.begin(number) || record.arrival >= clock.begin(number + 1)) continue;
    const Picoseconds value = of(record);
    if (value == serving::kNever) {
      ++not_reached;
    } else {
      values.push_back(value.toSeconds());
    }
  }
  return serving::distribution(std::move(values), not_reached);
}

Picoseconds ttftOf(const serving::RequestRecord& record) {
  if (record.first_token == serving::kNever) return serving::kNever;
  return record.first_token - record.arrival;
}

// Zero for a request without a transfer.
Picoseconds transferOf(const serving::RequestRecord& record) {
  if (record.bytes == 0 && record.decode_start != serving::kNever) return {};
  if (record.last_arrival == serving::kNever) return serving::kNever;
  return record.last_arrival - record.first_post;
}

std::optional<double> p99Ms(const serving::Distribution& distribution) {
  if (!distribution.p99.value) return std::nullopt;
  return *distribution.p99.value * 1e3;
}

const serving::ServingSample& sampleOf(const SoakClock& clock, const serving::ServingResult& result,
                                       std::uint32_t number) {
  return result.samples[clock.warmup + number];
}

// Difference of a count of the fabric's samples over a window.
template <typename Count>
std::optional<double> gained(const SoakClock& clock, const bench::TrialResult& trial,
                             std::uint32_t number, const Count& count) {
  const auto& samples = trial.fabric->samples->samples;
  const std::size_t last = clock.warmup + number;
  if (last >= samples.size()) return std::nullopt;
  const auto end = static_cast<double>(count(samples[last]));
  return end - static_cast<double>(count(samples[last - 1]));
}

double payloadOf(const bench::Sample& sample) {
  double bytes = 0;
  for (const std::uint64_t flow : sample.received) bytes += static_cast<double>(flow);
  return bytes;
}

// The longest queue of any port in the intervals of the series that a window touches.
std::optional<double> longestQueue(const SoakClock& clock, const bench::TrialResult& trial,
                                   std::uint32_t number) {
  if (!trial.fabric->series) return std::nullopt;
  const bench::TimeSeries& series = *trial.fabric->series;
  std::optional<double> longest;
  for (std::size_t i = 0; i < series.max_queue_bytes.size(); ++i) {
    const Picoseconds begin = series.interval * static_cast<std::int64_t>(i);
    if (begin >= clock.begin(number + 1) || begin + series.interval <= clock.begin(number)) {
      continue;
    }
    longest = std::max(longest.value_or(0), static_cast<double>(series.max_queue_bytes[i]));
  }
  return longest;
}

std::optional<double> perSecond(std::optional<double> count, const SoakClock& clock) {
  if (!count) return std::nullopt;
  return *count / clock.window.toSeconds();
}

}  // namespace

ServingSoakDesign::ServingSoakDesign(const TestConfig& config) : design(config) {
  configureServing(config, design);
  Numbers& numbers = design.numbers;
  const scenario::Parameters& own = config.scenario.parameters;
  constexpr Picoseconds kDay = seconds(86'400);
  constexpr Picoseconds kQuarter = seconds(900);
  constexpr Picoseconds kTwoHours = seconds(7'200);
  clock.duration = numbers.atLeast("Duration", kDay, kDay, own.soak.duration);
  clock.interval = own.soak.interval.value_or(numbers.isStandard() ? kQuarter : kTwoHours);
  numbers.configure("Sampling interval", valueText(clock.interval));
  if (clock.interval > kQuarter) {
    numbers.deviation(fmt::format("Sampling interval: {} instead of {}", valueText(clock.interval),
                                  valueText(kQuarter)));
  }
  const auto windows = static_cast<std::uint32_t>(clock.duration / clock.interval) + 1;
  clock.window = own.duration.value_or(numbers.isStandard() ? seconds(10) : milliseconds(250));
  numbers.configure("Windows", fmt::format("{} of {} each", windows, valueText(clock.window)));
  if (clock.window < clock.interval) {
    numbers.deviation(fmt::format(
        "clock compressed: of each {} a window of {} is simulated, {:.3g} %; the state of serving "
        "system and fabric goes on from window to window",
        valueText(clock.interval), valueText(clock.window),
        100 * clock.window.toSeconds() / clock.interval.toSeconds()));
  }
  if (clock.window > clock.interval) {
    design.refusals.push_back(
        fmt::format("a window of {} (parameters.duration) is longer than the {} it stands for "
                    "(parameters.soak.interval)",
                    valueText(clock.window), valueText(clock.interval)));
    return;
  }
  if (windows < kMinWindows) {
    design.refusals.push_back(
        fmt::format("{} windows are fewer than {}, and give no trend", windows, kMinWindows));
    return;
  }
  const scenario::ServingSection& section = servingSection(config);
  const Picoseconds warmup = section.warmup.value_or(clock.window);
  clock.warmup = static_cast<std::uint32_t>(std::max<std::int64_t>(
      (warmup.count() + clock.window.count() - 1) / clock.window.count(), 1));
  numbers.configure("Warm-up", valueText(clock.begin(0)));
  design.axes = {{"Event", ""}};
  design.repetitions = 1;
  numbers.configure("Repetitions", "1, a soak is one long trial");
  serving::WindowSpec window;
  window.warmup = clock.begin(0);
  window.measure = clock.window * std::int64_t{windows};
  window.drain = section.drain.value_or(seconds(60));
  window.quiet = true;
  addSteadyPoint(config, design, {"none"}, sustainedProgram(config, numbers, window));
  if (design.points.empty()) return;
  bench::TrialSpec& spec = design.points.front().spec;
  sampleBoth(clock.window, spec);
  spec.series.emplace().intervals = kSeries;
  clock.windows = windows;
}

std::vector<double> WindowFigure::present() const {
  std::vector<double> all;
  for (const std::optional<double>& value : values) {
    if (value) all.push_back(*value);
  }
  return all;
}

results::Quantity WindowFigure::inWindow(std::uint32_t k) const {
  if (quantile == 0) return modelled(*values[k], unit);
  return modelledPercentile(*values[k], unit, quantile, samples[k]);
}

results::Quantity WindowFigure::overWindows(double value) const {
  if (quantile == 0) return modelled(value, unit);
  return modelledPercentile(value, unit, quantile,
                            *std::min_element(samples.begin(), samples.end()));
}

std::vector<WindowFigure> servedWindows(const TestConfig& config, const SoakClock& clock,
                                        const bench::TrialSpec& spec,
                                        const bench::TrialResult& trial) {
  const serving::ServingResult& result = *trial.serving;
  const double bytes_per_s = receivingRate(config, *spec.serving);
  std::vector<WindowFigure> figures{
      {"Requests", "", "", true, {}},
      {"TTFT P99", "ms", "ttft_p99_ms", false, {}, 0.99},
      {"ITL P99", "ms", "itl_p99_ms", false, {}, 0.99},
      {"TPS output", "tokens/s", "output_tokens_per_s", true, {}},
      {"KV transfer P99", "ms", "request_transfer_p99_ms", false, {}, 0.99},
      {"Use of receiving NICs", "%", "kv_link_percent", false, {}},
      {"ECN marks", "packets/s", "ecn_marks_per_s", false, {}},
      {"PAUSE", "/s", "pfc_per_s", false, {}},
      {"Dropped in the fabric", "", "packets_dropped", false, {}},
      {"Retransmitted", "packets/s", "retransmissions_per_s", false, {}},
      {"Timeouts", "", "", false, {}},
      {"QP errors", "", "qp_errors", false, {}},
      {"Longest queue", "B", "queue_max_bytes", false, {}},
      {"Requests in the system", "", "", false, {}},
      {"Arrival rate x E2E", "", "", false, {}},
  };
  using Sample = bench::Sample;
  const auto& fabric = trial.fabric->samples->samples;
  const bool counted = !fabric.empty() && fabric.back().recovery.has_value();
  const auto recovery = [&](std::uint32_t number,
                            std::uint64_t bench::RecoveryCounts::*count) -> std::optional<double> {
    if (!counted) return std::nullopt;
    return gained(clock, trial, number,
                  [count](const Sample& sample) { return (*sample.recovery).*count; });
  };
  for (std::uint32_t k = 0; k < clock.windows; ++k) {
    const serving::ServingSample& sample = sampleOf(clock, result, k);
    const double time = clock.window.toSeconds();
    const serving::Distribution ttft = ofWindow(clock, result, k, ttftOf);
    const serving::Distribution e2e =
        ofWindow(clock, result, k, [](const serving::RequestRecord& record) {
          return record.finished() ? record.done - record.arrival : serving::kNever;
        });
    const Int128 in_system =
        std::accumulate(sample.stage_time.begin(), sample.stage_time.end(), Int128{});
    const std::optional<double> payload = gained(clock, trial, k, payloadOf);
    std::optional<double> itl;
    if (sample.gaps.count() > 0) itl = static_cast<double>(sample.gaps.quantile(0.99)) * 1e-9;
    const serving::Distribution transfers = ofWindow(clock, result, k, transferOf);
    std::optional<double> law;
    if (e2e.mean) law = static_cast<double>(e2e.count) * *e2e.mean / time;
    std::optional<double> use;
    if (payload) use = 100 * *payload / time / bytes_per_s;
    const std::optional<double> row[] = {
        static_cast<double>(ttft.count),
        p99Ms(ttft),
        itl,
        static_cast<double>(sample.tokens) / time,
        p99Ms(transfers),
        use,
        perSecond(gained(clock, trial, k, [](const Sample& one) { return one.marked; }), clock),
        perSecond(gained(clock, trial, k, [](const Sample& one) { return one.pauses; }), clock),
        gained(clock, trial, k, [](const Sample& one) { return one.dropped; }),
        perSecond(recovery(k, &bench::RecoveryCounts::resent), clock),
        recovery(k, &bench::RecoveryCounts::timeouts),
        recovery(k, &bench::RecoveryCounts::failed),
        longestQueue(clock, trial, k),
        static_cast<double>(in_system) / static_cast<double>(clock.window.count()),
        law,
    };
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].values.push_back(row[i]);
    figures[1].samples.push_back(ttft.count);
    figures[2].samples.push_back(sample.gaps.count());
    figures[4].samples.push_back(transfers.count);
  }
  return figures;
}

std::vector<WindowFigure> memoryWindows(const SoakClock& clock, const bench::TrialResult& trial) {
  const serving::ServingResult& result = *trial.serving;
  std::vector<WindowFigure> figures{
      {"Prefill pages used, mean", "", "prefill_pages_used", false, {}},
      {"Prefill pages used, fewest", "", "", false, {}},
      {"Decode pages used, mean", "", "decode_pages_used", false, {}},
      {"Decode pages used, fewest", "", "", false, {}},
      {"Pages pinned until sent", "", "pages_pinned", false, {}},
      {"Transfers under way", "", "", false, {}},
      {"Messages under way", "", "", false, {}},
      {"Prefill pages cached", "", "", false, {}},
      {"Decode pages cached", "", "", false, {}},
      {"Queue pairs that carried KV cache", "", "queue_pairs_used", false, {}},
  };
  const auto mean = [&](const serving::PoolPages& pages) {
    return static_cast<double>(pages.page_time) / static_cast<double>(clock.window.count());
  };
  for (std::uint32_t k = 0; k < clock.windows; ++k) {
    const serving::ServingSample& sample = sampleOf(clock, result, k);
    const auto& fabric = trial.fabric->samples->samples;
    std::optional<double> pairs;
    if (clock.warmup + k < fabric.size()) {
      pairs = static_cast<double>(fabric[clock.warmup + k].received.size());
    }
    const std::optional<double> row[] = {
        mean(sample.prefill),
        static_cast<double>(sample.prefill.min),
        mean(sample.decode),
        static_cast<double>(sample.decode.min),
        static_cast<double>(sample.pinned),
        static_cast<double>(sample.in_stage[static_cast<std::size_t>(serving::Stage::kTransfer)]),
        static_cast<double>(sample.messages_open),
        static_cast<double>(sample.prefill.cached),
        static_cast<double>(sample.decode.cached),
        pairs,
    };
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].values.push_back(row[i]);
  }
  return figures;
}

double requestsForP99(double error) {
  const double tail = error * std::log(100.0);
  return 99 / (tail * tail);
}

double errorOfP99(double requests) { return std::sqrt(99 / requests) / std::log(100.0); }

std::vector<std::uint32_t> littleViolations(const SoakClock& clock,
                                            const serving::ServingResult& result) {
  std::vector<Int128> times(clock.windows);
  for (const serving::RequestRecord& record : result.requests) {
    const Picoseconds end = endOf(record);
    for (std::uint32_t k = 0; k < clock.windows; ++k) {
      const Picoseconds from = std::max(record.arrival, clock.begin(k));
      const Picoseconds to = std::min(end, clock.begin(k + 1));
      if (from < to) times[k] += (to - from).count();
    }
  }
  std::vector<std::uint32_t> wrong;
  for (std::uint32_t k = 0; k < clock.windows; ++k) {
    const serving::ServingSample& sample = sampleOf(clock, result, k);
    const Int128 counted =
        std::accumulate(sample.stage_time.begin(), sample.stage_time.end(), Int128{});
    if (counted != times[k]) wrong.push_back(k);
  }
  return wrong;
}

std::string windowClock(const SoakClock& clock, std::uint32_t number) {
  const std::int64_t minutes = clock.interval * std::int64_t{number} / seconds(60);
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

void addWindowChart(const SoakClock& clock, const std::vector<WindowFigure>& figures,
                    results::Chart heading, ResultBuilder& builder) {
  heading.x_label = "Time of the day that the soak stands for [h]";
  for (const WindowFigure& figure : figures) {
    results::Series series;
    series.name = figure.column;
    for (std::uint32_t k = 0; k < clock.windows; ++k) {
      if (!figure.values[k]) continue;
      series.x.push_back(clock.hour(k));
      series.y.push_back(*figure.values[k]);
    }
    heading.series.push_back(std::move(series));
  }
  builder.result().charts.push_back(std::move(heading));
}

WindowTrends addWindowTrends(const SoakClock& clock, const std::vector<WindowFigure>& figures,
                             ResultBuilder& builder) {
  const double level = kSoakFalseAlarm / static_cast<double>(figures.size());
  results::Table table{
      "trends",
      "Trends over the soak",
      fmt::format(
          "Slope of a least-squares line per hour of the day that the soak stands for, with its "
          "95 % interval; Mann-Kendall's z and two-sided p over the windows. A trend is "
          "significant when p is below {:.2g}, so that {} figures without any trend give a false "
          "alarm in 1 % of all soaks.",
          level, figures.size()),
      {"Figure", "Mean", "Slope", "95 % from", "95 % to", "Mann-Kendall z", "p",
       "Significant trend"},
      {}};
  std::vector<double> hours;
  hours.reserve(clock.windows);
  for (std::uint32_t k = 0; k < clock.windows; ++k) hours.push_back(clock.hour(k));
  WindowTrends trends;
  const bool enough = leastMannKendallP(clock.windows) < level;
  if (!enough) {
    builder.anomaly(fmt::format("{} windows are too few to find a trend: the least p that they can "
                                "have is {:.2g}, and a significant one is below {:.2g}",
                                clock.windows, leastMannKendallP(clock.windows), level),
                    "trend over the soak");
  }
  for (const WindowFigure& figure : figures) {
    const std::vector<double> values = figure.present();
    if (values.size() < clock.windows) {
      table.rows.push_back({figure.column, std::string("not in every window"), "-", "-", "-", "-",
                            "-", std::string("not judged")});
      continue;
    }
    const std::optional<Trend> trend = trendOf(hours, values);
    const std::optional<MannKendall> order = mannKendall(values);
    if (!trend || !order) continue;
    const stats::Interval interval = slopeInterval(*trend, 0.95);
    const std::string unit = figure.unit.empty() ? "/h" : figure.unit + "/h";
    const bool is = order->p < level;
    const char* word = !enough ? "not judged" : !is ? "none" : order->s > 0 ? "rising" : "falling";
    table.rows.push_back(
        {figure.column, quantityOf(values, figure.unit, ObservationPoint::kModelled),
         modelled(trend->slope, unit), modelled(interval.low, unit), modelled(interval.high, unit),
         modelled(order->z, {}), modelled(order->p, {}), std::string(word)});
    if (enough) ++trends.judged;
    if (!is) continue;
    ++trends.significant;
    builder.anomaly(
        fmt::format("{} is {} by {:.4g} {} (95 %: {:.4g} to {:.4g}), p = {:.2g}", figure.column,
                    word, std::abs(trend->slope), unit, interval.low, interval.high, order->p),
        "trend over the soak");
  }
  builder.result().tables.push_back(std::move(table));
  return trends;
}

}  // namespace plumbline::suite
