#include "suite/inference/steady_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "serving/step_time.h"
#include "serving/workload.h"
#include "suite/inference/requests.h"

namespace plumbline::suite {
namespace {

double stepSeconds(const serving::ServingSpec& system, std::uint32_t tp,
                   const serving::StepLoad& load, bool prefill) {
  if (system.times) {
    const auto& times = *system.times;
    return ((prefill ? times.prefill(load) : times.decode(load)).total).toSeconds();
  }
  return (serving::rooflineStep(system.model, system.accelerator, system.efficiency, tp, load)
              .total)
      .toSeconds();
}

// Requests per second of all decode servers with full batches of answers that are half generated on
// average.
double decodeCapacity(const serving::ServingProgram& program) {
  const serving::ServingSpec& system = program.system;
  const double prompt = serving::meanPrompt(program.workload);
  const double output = serving::meanOutput(program.workload);
  serving::StepLoad load;
  const auto context = static_cast<std::uint64_t>(prompt + output / 2);
  load.add(1, context, system.scheduler.max_batch);
  const double step = stepSeconds(system, system.servers.decode.tp, load, false);
  return system.servers.decode.workers * static_cast<double>(system.scheduler.max_batch) /
         (step * output);
}

// Traces and limited numbers of requests last longer than the window, since load must not end while
// requests are measured.
constexpr double kLoadRoom = 1.1;

}  // namespace

serving::WorkloadSpec defaultLoad(const TestConfig& config) {
  serving::WorkloadSpec load;
  // In the short window of the quick profile a few requests at least must arrive.
  load.arrivals.rate = config.scenario.profile == scenario::Profile::kStandard ? 5 : 15;
  load.prompt.kind = serving::LengthKind::kZipfValue;
  load.prompt.low = 128;
  load.prompt.high = 8192;
  load.output.low = config.scenario.profile == scenario::Profile::kStandard ? 128 : 32;
  return load;
}

serving::WorkloadSpec loadOr(const TestConfig& config, const serving::WorkloadSpec& defaults) {
  const scenario::ServingSection& section = servingSection(config);
  if (!section.workload) return defaults;
  serving::WorkloadSpec load = *section.workload;
  if (section.left_out.arrivals) load.arrivals = defaults.arrivals;
  if (section.left_out.prompt) load.prompt = defaults.prompt;
  if (section.left_out.output) load.output = defaults.output;
  return load;
}

serving::WindowSpec steadyWindow(const TestConfig& config, Numbers& numbers,
                                 Picoseconds quick_warmup, Picoseconds quick_measure) {
  const scenario::ServingSection& section = servingSection(config);
  const auto& parameters = config.scenario.parameters;
  serving::WindowSpec window;
  window.warmup =
      numbers.atLeast<Picoseconds>("Warm-up", seconds(10), quick_warmup, section.warmup);
  window.measure = numbers.atLeast<Picoseconds>("Measuring window", seconds(60), quick_measure,
                                                parameters.duration);
  window.drain = section.drain.value_or(numbers.isStandard() ? seconds(60) : seconds(5));
  return window;
}

void addSteadyPoint(const TestConfig& config, Design& design, std::vector<std::string> values,
                    serving::ServingProgram program) {
  addSteadyPoint(config, design, std::move(values), std::move(program), {}, 0);
}

void addSteadyPoint(const TestConfig& config, Design& design, std::vector<std::string> values,
                    serving::ServingProgram program, workload::WorkloadSpec background,
                    double background_hops_per_s) {
  if (auto why = servingRefusal(config, program)) {
    design.refusals.push_back(*std::move(why));
    return;
  }
  if (program.workload.arrivals.kind == serving::ArrivalKind::kClosed) {
    design.refusals.emplace_back(
        "a closed loop (serving.workload.arrivals) has no request rate: poisson, gamma, constant "
        "or "
        "on-off");
    return;
  }
  const serving::WindowSpec& window = program.system.window;
  const double time = (window.warmup + window.measure).toSeconds();
  const auto length = serving::traceLength(program.workload);
  if (length && length->toSeconds() < kLoadRoom * time) {
    design.refusals.push_back(
        fmt::format("the trace (serving.trace) lasts {:.4g} s at {:.4g} requests/s, and warm-up "
                    "and window take {}: a longer part of the trace, a lower rate, or shorter "
                    "serving.warmup and parameters.duration",
                    length->toSeconds(), serving::requestRate(program.workload),
                    valueText(window.warmup + window.measure)));
    return;
  }
  const double requests = requestRate(program.workload) * time;
  const auto most = static_cast<double>(program.workload.requests);
  if (most < kLoadRoom * requests) {
    design.refusals.push_back(fmt::format(
        "the load of {} (serving.workload.requests) ends after {:.4g} s at {:.4g} requests/s, and "
        "warm-up and window take {}: more requests, a lower rate, or shorter serving.warmup and "
        "parameters.duration",
        counted(program.workload.requests, "request"), most / requestRate(program.workload),
        requestRate(program.workload), valueText(window.warmup + window.measure)));
    return;
  }
  const double hops = servingHops(config, program, requests) + background_hops_per_s * time;
  bench::TrialSpec spec = servingTrial(config, std::move(program));
  if (!background.jobs.empty()) spec.workload = std::move(background);
  design.add(std::move(values), std::move(spec), hops);
}

double prefillCapacity(const serving::ServingProgram& program) {
  const serving::ServingSpec& system = program.system;
  const double prompt = serving::meanPrompt(program.workload);
  const auto tokens = static_cast<std::uint64_t>(std::max(1.0, std::round(prompt)));
  const std::uint64_t batch = std::clamp<std::uint64_t>(system.scheduler.max_tokens / tokens, 1,
                                                        system.scheduler.max_prefill_batch);
  serving::StepLoad load;
  load.add(tokens, 0, batch);
  return system.servers.prefill.workers * static_cast<double>(batch * tokens) /
         stepSeconds(system, system.servers.prefill.tp, load, true);
}

double requestCapacity(const serving::ServingProgram& program) {
  const double prompt = serving::meanPrompt(program.workload);
  return std::min(prefillCapacity(program) / prompt, decodeCapacity(program));
}

std::vector<double> decodeShares(const serving::ServingResult& result, WorkerShare of) {
  std::vector<double> shares(result.decode.size(), 0.0);
  if (of == WorkerShare::kBusy) {
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = result.decode[i].busy.toSeconds();
    return shares;
  }
  for (const serving::RequestRecord& record : result.requests) {
    if (!record.measured || record.outcome == serving::Outcome::kRejected) continue;
    shares[record.decode_worker] += of == WorkerShare::kBytes
                                        ? static_cast<double>(record.bytes + record.resent)
                                        : record.generated;
  }
  return shares;
}

std::optional<Reading> memoryVariation(const serving::ServingResult& result) {
  std::vector<double> used;
  for (const serving::WorkerUse& use : result.decode) used.push_back(use.utilisation(result.end));
  double sum = 0;
  for (const double one : used) sum += one;
  if (used.size() < 2 || sum <= 0) return std::nullopt;
  const double mean = sum / static_cast<double>(used.size());
  double squares = 0;
  for (const double one : used) squares += (one - mean) * (one - mean);
  return Reading(100 * std::sqrt(squares / static_cast<double>(used.size())) / mean);
}

std::optional<Reading> kvThroughput(const serving::ServingResult& result) {
  const double window = (result.window_end - result.window_start).toSeconds();
  if (window <= 0) return std::nullopt;
  double bytes = 0;
  std::map<std::pair<std::uint32_t, Picoseconds>, double> batches;  // by worker and end of prefill
  std::set<std::uint32_t> workers;
  bool goes_on = false;  // a transfer that began before the window's end has not ended
  for (const serving::RequestRecord& record : result.requests) {
    if (record.first_post == serving::kNever) continue;
    if (record.last_arrival == serving::kNever) {
      goes_on = goes_on || record.first_post < result.window_end;
      continue;
    }
    const auto all = static_cast<double>(record.bytes);
    batches[{record.prefill_worker, record.prefill_end}] += all;
    workers.insert(record.prefill_worker);
    const Picoseconds begin = std::max(record.first_post, result.window_start);
    const Picoseconds end = std::min(record.last_arrival, result.window_end);
    if (end <= begin) continue;
    const Picoseconds time = record.last_arrival - record.first_post;
    bytes += all * ((end - begin).toSeconds() / time.toSeconds());
  }
  if (bytes == 0 && goes_on) return std::nullopt;
  double largest = 0;
  for (const auto& batch : batches) largest = std::max(largest, batch.second);
  // The workers' batches are independent of each other.
  const double width = 2 * largest * std::sqrt(static_cast<double>(workers.size()));
  return within(bytes / window * 1e-9, width / window * 1e-9,
                "one prefill batch of each worker more or less:");
}

double peakTransfers(const serving::ServingResult& result) {
  std::vector<std::pair<Picoseconds, int>> changes;
  for (const serving::RequestRecord& record : result.requests) {
    if (record.first_post == serving::kNever || record.last_arrival == serving::kNever) continue;
    changes.emplace_back(record.first_post, 1);
    changes.emplace_back(record.last_arrival, -1);
  }
  std::sort(changes.begin(), changes.end());
  int now = 0;
  int max = 0;
  for (const auto& [time, change] : changes) max = std::max(max, now += change);
  return max;
}

bool hasRequests(const Measured& one) {
  return std::any_of(one.trials.begin(), one.trials.end(), [](const bench::TrialResult& trial) {
    return trial.serving &&
           std::any_of(trial.serving->requests.begin(), trial.serving->requests.end(),
                       [](const serving::RequestRecord& record) { return record.measured; });
  });
}

bool keepsLimits(const Design& design, const Measured& measured, const serving::SloSpec& slo) {
  const std::vector<Figure> all = servingFigures(slo);
  const auto within = [&](const char* kpi, const std::optional<Picoseconds>& limit) {
    const auto value = meanOf(design, measured, chosen(all, {kpi}).front());
    return value && (!limit || value->value <= static_cast<double>(limit->count()) * 1e-9);
  };
  const auto& trials = measured.trials;
  const bool done = std::all_of(trials.begin(), trials.end(), [&](const bench::TrialResult& trial) {
    return serving::metricsOf(*trial.serving, slo).e2e.p99.value.has_value();
  });
  const bool no_gaps = std::all_of(trials.begin(), trials.end(), hasNoGaps);
  return done && within("ttft_p99_ms", slo.ttft) && (no_gaps || within("itl_p99_ms", slo.tpot));
}

void addSteadyTable(const Design& design, const std::vector<Measured>& measured,
                    const std::vector<Figure>& figures, results::Table heading,
                    ResultBuilder& builder) {
  const std::string id = heading.id;
  addTable(design, measured, figures, std::move(heading), builder);
  addMainFigure(design, measured, figures, builder);
  addRequests(design, measured, builder);
  std::vector<std::string> points;
  for (const Measured& one : measured) {
    const Picoseconds warmup = one.point.spec.serving->system.window.warmup;
    for (const bench::TrialResult& trial : one.trials) {
      const serving::ServingMetrics metrics = serving::metricsOf(*trial.serving, {});
      const serving::Distribution& e2e = metrics.e2e;
      // If all requests were refused, another anomaly reports it.
      if (e2e.count == metrics.rejected) continue;
      if (e2e.p50.value && *e2e.p50.value <= warmup.toSeconds()) continue;
      points.push_back(one.point.label);
      break;
    }
  }
  if (points.empty()) return;
  builder.anomaly(
      fmt::format(
          "the warm-up is shorter than half of the requests take, so that TPS output is too "
          "low and figures depend on the window: {}",
          fmt::join(points, "; ")),
      id);
}

}  // namespace plumbline::suite
