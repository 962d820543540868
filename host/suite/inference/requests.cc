#include "suite/inference/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include "base/csv_field.h"
#include "serving/mapping.h"
#include "serving/metrics.h"
#include "serving/request_csv.h"

namespace plumbline::suite {
namespace {

constexpr std::size_t kSlowest = 10;
constexpr std::size_t kShownWorkers = 16;

// The slowest measured requests of each point, by TTFT, unfinished ones first: where they spent the
// time until their first token, or until the end of the run.
results::Table slowestRequests(const Design& design, std::span<const Measured> measured) {
  results::Table table{"slowest_requests",
                       "The slowest requests of each point",
                       "Of the first repetition, by TTFT. The parts are the time in each stage up "
                       "to the first token, "
                       "or up to the end of the run where there is none.",
                       {},
                       {}};
  for (const SweepAxis& axis : design.axes) table.columns.push_back(axis.column);
  for (const char* column :
       {"Arrival", "Prompt", "Prefill worker", "Decode worker", "TTFT", "Router", "Prefill queue",
        "Prefill", "Transfer", "Decode queue", "Decode"}) {
    table.columns.emplace_back(column);
  }
  const auto ms = [](Picoseconds time) { return modelled(time.toSeconds() * 1e3, "ms"); };
  for (const Measured& one : measured) {
    if (one.trials.empty() || !one.trials.front().serving) continue;
    std::vector<const serving::RequestRecord*> records;
    for (const serving::RequestRecord& record : one.trials.front().serving->requests) {
      if (record.measured) records.push_back(&record);
    }
    const auto ttft = [](const serving::RequestRecord& record) {
      return record.first_token == serving::kNever ? serving::kNever
                                                   : record.first_token - record.arrival;
    };
    std::stable_sort(records.begin(), records.end(),
                     [&](const auto* a, const auto* b) { return ttft(*a) > ttft(*b); });
    records.resize(std::min(records.size(), kSlowest));
    for (const serving::RequestRecord* record : records) {
      const bool reached = record->first_token != serving::kNever;
      std::vector<results::Cell> row(one.point.values.begin(), one.point.values.end());
      row.push_back(ms(record->arrival));
      row.emplace_back(std::to_string(record->prompt));
      row.emplace_back(std::to_string(record->prefill_worker));
      row.emplace_back(std::to_string(record->decode_worker));
      row.push_back(reached ? ms(ttft(*record)) : results::Cell(std::string("not reached")));
      const serving::StageTimes& stages = reached ? record->first_stages : record->stages;
      for (const Picoseconds time : stages) row.push_back(ms(time));
      table.rows.push_back(std::move(row));
    }
  }
  table.shown_rows = kSlowest;
  return table;
}

// Requests in the system at a time, mean over the measuring window.
double meanConcurrency(const serving::ServingResult& result) {
  const Picoseconds begin = result.window_start;
  const Picoseconds end = std::min(result.window_end, result.end);
  if (end <= begin) return 0;
  double sum = 0;
  for (const serving::RequestRecord& record : result.requests) {
    if (record.outcome == serving::Outcome::kRejected) continue;
    const Picoseconds left = record.done == serving::kNever ? end : std::min(record.done, end);
    sum += std::max(Picoseconds(), left - std::max(record.arrival, begin)).toSeconds();
  }
  return sum / (end - begin).toSeconds();
}

// Standard deviation over mean; 0 of gaps that are all 0.
double variation(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  if (mean <= 0) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

// Coefficient of variation of gaps [ps]. Arrivals are whole picoseconds: gaps that differ by less
// are equal.
double variationOfGaps(const std::vector<double>& gaps) {
  const auto [min, max] = std::minmax_element(gaps.begin(), gaps.end());
  return *max - *min <= 1 ? 0 : variation(gaps);
}

// The load of each point as it came, of the first repetition: lengths and gaps of the measured
// requests.
results::Table loadTable(const Design& design, std::span<const Measured> measured) {
  results::Table table{"load",
                       "The load of each point",
                       "Of the first repetition: requests that arrived in the measuring window, "
                       "their lengths and gaps; requests in the system, mean over the window and "
                       "most at one time of the run.",
                       {},
                       {}};
  for (const SweepAxis& axis : design.axes) table.columns.push_back(axis.column);
  for (const char* column :
       {"Requests", "Arrival rate", "CV of gaps", "Prompt mean", "Prompt P50", "Prompt P99",
        "Answer mean", "Answer P50", "Answer P99", "At a time, mean", "Most at a time"}) {
    table.columns.emplace_back(column);
  }
  for (const Measured& one : measured) {
    if (one.trials.empty() || !one.trials.front().serving) continue;
    const serving::ServingResult& result = *one.trials.front().serving;
    std::vector<double> prompts;
    std::vector<double> answers;
    std::vector<double> gaps;
    Picoseconds last = serving::kNever;
    for (const serving::RequestRecord& record : result.requests) {
      if (!record.measured) continue;
      prompts.push_back(record.prompt);
      answers.push_back(record.output);
      if (last != serving::kNever)
        gaps.push_back(static_cast<double>((record.arrival - last).count()));
      last = record.arrival;
    }
    std::vector<results::Cell> row(one.point.values.begin(), one.point.values.end());
    row.emplace_back(std::to_string(prompts.size()));
    const double window = (result.window_end - result.window_start).toSeconds();
    const bool known = result.window_end != serving::kNever && window > 0;
    row.push_back(known ? modelled(static_cast<double>(prompts.size()) / window, "/s")
                        : results::Cell(std::string("–")));
    row.push_back(gaps.size() < 2 ? results::Cell(std::string("–"))
                                  : modelled(variationOfGaps(gaps), ""));
    for (std::vector<double>* lengths : {&prompts, &answers}) {
      const serving::Distribution of = serving::distribution(std::move(*lengths), 0);
      const auto percentile = [&of](const std::optional<double>& value, double quantile) {
        if (!value) return results::Cell(std::string("–"));
        return results::Cell(modelledPercentile(*value, "tokens", quantile, of.count));
      };
      row.push_back(of.mean ? modelled(*of.mean, "tokens") : results::Cell(std::string("–")));
      row.push_back(percentile(of.p50.value, 0.5));
      row.push_back(percentile(of.p99.value, 0.99));
    }
    row.push_back(modelled(meanConcurrency(result), ""));
    row.emplace_back(std::to_string(result.peak_requests));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Work of each worker at each point, for the first repetition.
results::Table workersTable(const Design& design, std::span<const Measured> measured) {
  results::Table table{"workers",
                       "Workers of each point",
                       "Of the first repetition, over the whole run, warm-up included: time in "
                       "steps, and pages of KV cache in use, mean and most at one time.",
                       {},
                       {}};
  for (const SweepAxis& axis : design.axes) table.columns.push_back(axis.column);
  for (const char* column : {"Worker", "In steps", "KV cache mean", "KV cache most", "Pages"}) {
    table.columns.emplace_back(column);
  }
  for (const Measured& one : measured) {
    if (one.trials.empty() || !one.trials.front().serving) continue;
    const serving::ServingResult& result = *one.trials.front().serving;
    const double run = result.end.toSeconds();
    if (run <= 0) continue;
    const auto add = [&](const std::string& name, const serving::WorkerUse& use) {
      std::vector<results::Cell> row(one.point.values.begin(), one.point.values.end());
      row.emplace_back(name);
      // The last step may end after the run.
      row.push_back(modelled(100 * std::min(1.0, use.busy.toSeconds() / run), "%"));
      row.push_back(modelled(100 * use.utilisation(result.end), "%"));
      row.push_back(modelled(
          100 * static_cast<double>(use.peak_pages) / static_cast<double>(use.pages), "%"));
      row.emplace_back(std::to_string(use.pages));
      table.rows.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < result.prefill.size(); ++i) {
      add(fmt::format("prefill {}", i), result.prefill[i]);
    }
    for (std::size_t i = 0; i < result.decode.size(); ++i) {
      add(fmt::format("decode {}", i), result.decode[i]);
    }
  }
  table.shown_rows = kShownWorkers;
  return table;
}

void noteExtrapolation(std::span<const Measured> measured, ResultBuilder& builder) {
  std::uint64_t outside = 0;
  std::uint64_t steps = 0;
  for (const Measured& one : measured) {
    for (const bench::TrialResult& trial : one.trials) {
      if (!trial.serving) continue;
      outside += trial.serving->extrapolated_steps;
      steps += trial.serving->prefill_steps + trial.serving->decode_steps;
    }
  }
  if (outside == 0) return;
  builder.anomaly(fmt::format("{} of {} steps lie more than 10 % outside the table of step times "
                              "(serving.times): their times are extrapolated",
                              outside, steps),
                  "step times");
}

// Figures are missing for a point whose window had no request, or refused all of them.
void noteEmptyWindows(std::span<const Measured> measured, ResultBuilder& builder) {
  std::vector<std::string> empty;
  std::vector<std::string> refused;
  for (const Measured& one : measured) {
    for (std::size_t i = 0; i < one.trials.size(); ++i) {
      if (!one.trials[i].serving) continue;
      std::uint64_t arrived = 0;
      std::uint64_t rejected = 0;
      for (const serving::RequestRecord& record : one.trials[i].serving->requests) {
        if (!record.measured) continue;
        ++arrived;
        rejected += record.outcome == serving::Outcome::kRejected ? 1 : 0;
      }
      const std::string name = fmt::format("{}, repetition {}", one.point.label, i);
      if (arrived == 0) empty.push_back(name);
      if (rejected > 0) refused.push_back(fmt::format("{}: {} of {}", name, rejected, arrived));
    }
  }
  if (!empty.empty()) {
    builder.result().valid = false;
    builder.anomaly(
        fmt::format("no request arrived in the measuring window, so that nothing was measured: {}; "
                    "a longer window (parameters.duration) or a higher rate",
                    fmt::join(empty, "; ")),
        "load");
  }
  if (!refused.empty()) {
    builder.anomaly(fmt::format("requests were refused, since no worker has the pages for them: {}",
                                fmt::join(refused, "; ")),
                    "load");
  }
}

// The rate of a trace, and of on-off arrivals, varies over time: the window's rate may differ from
// the point's.
void noteRates(std::span<const Measured> measured, ResultBuilder& builder) {
  constexpr double kMaxRelativeDifference = 0.2;
  std::vector<std::string> points;
  for (const Measured& one : measured) {
    const serving::WorkloadSpec& load = one.point.spec.serving->workload;
    const bool varies = load.arrivals.kind == serving::ArrivalKind::kTrace ||
                        load.arrivals.kind == serving::ArrivalKind::kOnOff;
    if (!varies || one.trials.empty() || !one.trials.front().serving) continue;
    const serving::ServingResult& result = *one.trials.front().serving;
    const double window = (result.window_end - result.window_start).toSeconds();
    const auto requests =
        static_cast<double>(std::count_if(result.requests.begin(), result.requests.end(),
                                          [](const auto& record) { return record.measured; }));
    const double wanted = serving::requestRate(load);
    if (!(window > 0) || std::abs(requests / window - wanted) <= kMaxRelativeDifference * wanted)
      continue;
    points.push_back(fmt::format("{}: {:.4g} requests/s instead of {:.4g}", one.point.label,
                                 requests / window, wanted));
  }
  if (points.empty()) return;
  builder.anomaly(fmt::format("requests arrived at another rate in the measuring window than on "
                              "average over all of the load, which the point's rate is: {}",
                              fmt::join(points, "; ")),
                  "load");
}

}  // namespace

void addRequestData(const Design& design, std::span<const Measured> measured,
                    ResultBuilder& builder) {
  std::ostringstream csv;
  for (const SweepAxis& axis : design.axes) csv << csvField(axis.column) << ',';
  csv << "repetition," << serving::requestCsvHeader() << '\n';
  for (const Measured& one : measured) {
    const serving::ServingSpec& system = one.point.spec.serving->system;
    const serving::Mapping mapping(system.servers, system.model);
    std::string front;
    for (const std::string& value : one.point.values) front += csvField(value) + ",";
    for (std::size_t i = 0; i < one.trials.size(); ++i) {
      if (!one.trials[i].serving) continue;
      serving::writeRequestCsv(csv, *one.trials[i].serving, mapping, one.point.spec.serving->slo,
                               front + std::to_string(i) + ",");
    }
  }
  builder.result().raw_data.push_back(
      {"requests", "Every request: when and where it was in each stage", std::move(csv).str()});
  noteExtrapolation(measured, builder);
  noteEmptyWindows(measured, builder);
}

void addRequests(const Design& design, std::span<const Measured> measured, ResultBuilder& builder) {
  builder.result().tables.push_back(loadTable(design, measured));
  builder.result().tables.push_back(slowestRequests(design, measured));
  builder.result().tables.push_back(workersTable(design, measured));
  addRequestData(design, measured, builder);
  noteRates(measured, builder);
}

}  // namespace plumbline::suite
