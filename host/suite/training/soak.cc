#include "suite/training/soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fabric/spec/fabric_plan.h"
#include "fabric/spec/load_balancing.h"
#include "fabric/topology/topology.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/profile.h"
#include "suite/framework/rc_recovery.h"
#include "suite/framework/trial_configuration.h"
#include "suite/framework/trials.h"
#include "suite/training/collective.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

constexpr CollectiveKind kKinds[] = {CollectiveKind::kAllReduce, CollectiveKind::kAllToAll};

// Serialisation of what a rank sends in one iteration [s].
double idealIteration(std::uint32_t ranks, Bytes size, BitRate rate) {
  double seconds = 0;
  for (const CollectiveKind kind : kKinds) {
    seconds += workload::idealSeconds(kind, ranks, static_cast<std::uint64_t>(size.count()), rate);
  }
  return seconds;
}

// Of one iteration: see Plan.
struct IterationCost {
  double hops = 0;
  double hop_cost = 0;
};

IterationCost iterationCost(const TestConfig& config, std::uint32_t ranks, Bytes size) {
  IterationCost cost;
  double work = 0;
  for (const CollectiveKind kind : kKinds) {
    const CollectivePoint point{kind, size, ranks, {}};
    const double hops = collectiveHops(config, point, 1, {});
    cost.hops += hops;
    work += hops * collectiveHopCost(config, point);
  }
  cost.hop_cost = work / cost.hops;
  return cost;
}

const bench::JobOutcome& jobOf(const bench::TrialResult& trial) { return trial.fabric->jobs.at(0); }

// Frames that were still in the fabric when all its traffic had been delivered for a while.
double framesLeft(const bench::TrialResult& trial) {
  return static_cast<double>(trial.fabric->frames_inside);
}

Reading messageP99(const bench::TrialResult& trial) {
  return quantileMicroseconds(jobOf(trial).message_time, 0.99);
}

double meanIterationMicroseconds(const bench::TrialResult& trial) {
  return meanIteration(jobOf(trial)).toMicroseconds();
}

double busiestBytesPerSecond(const bench::TrialResult& trial) {
  std::uint64_t max = 0;
  for (const bench::LinkLoad& link : trial.fabric->links) max = std::max(max, link.bytes);
  return static_cast<double>(max) / busyTime(trial).toSeconds();
}

double busiestPacketsPerSecond(const bench::TrialResult& trial) {
  std::uint64_t max = 0;
  for (const bench::LinkLoad& link : trial.fabric->links) max = std::max(max, link.packets);
  return static_cast<double>(max) / busyTime(trial).toSeconds();
}

// Maps the times of the day's events within the interval of a sample to the time of its window.
class WindowClock {
 public:
  WindowClock(const SoakDesign& design, Picoseconds time, Picoseconds lead)
      : time_(time), end_(time + design.interval), share_(design.share()), lead_(lead) {}

  // An event until then lasts until the window's end, however long the window takes.
  [[nodiscard]] bool lastsOn(std::optional<Picoseconds> until) const {
    return !until || *until >= end_;
  }

  [[nodiscard]] Picoseconds operator()(Picoseconds day) const {
    if (day <= time_) return Picoseconds(0);
    return lead_ + Picoseconds(static_cast<std::int64_t>(
                       static_cast<double>((day - time_).count()) * share_));
  }

 private:
  Picoseconds time_;
  Picoseconds end_;
  double share_;
  Picoseconds lead_;  // from the window's beginning to that of its jobs
};

// A window that takes longer is given up: a storm that lasts on is simulated until then.
constexpr std::int64_t kLongestWindow = 100;  // times one without contention
Picoseconds longestWindow(const SoakDesign& design) {
  return Picoseconds(std::llround(design.window_seconds * 1e12)) * kLongestWindow;
}

// Why the window of `trial` is no sample; empty if it is one.
std::string faultOf(const SoakDesign& design, const bench::TrialSpec& spec,
                    const bench::TrialResult& trial) {
  if (!trial.valid()) return fmt::format("{}", fmt::join(trial.faults, "; "));
  if (spec.dut.storms.empty() || busyTime(trial) < longestWindow(design)) return {};
  return fmt::format(
      "a PAUSE storm held the job back: a window took more than {} times as long "
      "as without contention",
      kLongestWindow);
}

bool overlaps(Picoseconds from, std::optional<Picoseconds> until, const SoakDesign& design,
              Picoseconds time) {
  return from < time + design.interval && (!until || *until > time);
}

// The failures of the day. Of a compressed one those that LLR does not bridge: the others, of a
// second at most, would take no time of a window.
std::vector<fabric::FailureSpec> failuresOf(const scenario::Scenario& scenario,
                                            const SoakDesign& design) {
  return design.share() < 1 ? fabric::unbridged(scenario.failures, scenario.fabricSpec())
                            : scenario.failures;
}

// Events of the scenario's schedule in the interval at `time`.
void scheduleWindow(const TestConfig& config, const SoakDesign& design, Picoseconds time,
                    bench::TrialSpec& spec) {
  const scenario::Scenario& scenario = config.scenario;
  const std::vector<fabric::FailureSpec> failures = failuresOf(scenario, design);
  const bool failed = std::any_of(failures.begin(), failures.end(), [&](const auto& failure) {
    return failure.down < time && overlaps(failure.down, failure.up, design, time);
  });
  // Elements that failed before the window have been routed around long before its jobs begin.
  const Picoseconds lead = failed ? 2 * scenario.convergence : Picoseconds(0);
  const WindowClock clock(design, time, lead);
  spec.workload->jobs[0].start = lead;
  spec.dut.failures.clear();
  for (const fabric::FailureSpec& failure : failures) {
    if (!overlaps(failure.down, failure.up, design, time)) continue;
    fabric::FailureSpec here = failure;
    here.down = clock(failure.down);
    here.up.reset();
    if (!clock.lastsOn(failure.up)) here.up = clock(*failure.up);
    spec.dut.failures.push_back(std::move(here));
  }
  // LLR must not bridge them because they are shorter in the window than on the day.
  if (design.share() < 1 && !spec.dut.failures.empty() && spec.dut.switches.llr) {
    spec.dut.switches.llr->pcs_lost.reset();
  }
  spec.dut.storms.clear();
  for (const fabric::PauseStormSpec& storm : scenario.storms) {
    const Picoseconds end = storm.start + storm.duration;
    if (!overlaps(storm.start, end, design, time)) continue;
    fabric::PauseStormSpec here = storm;
    here.start = clock(storm.start);
    here.duration = clock.lastsOn(end) ? longestWindow(design)
                                       : std::max(clock(end) - here.start, Picoseconds(1));
    spec.dut.storms.push_back(here);
  }
}

// Whether a program is queried at each sample, rather than a file read at the end.
bool checksEachSample(const TestConfig& config) {
  const auto& source = config.scenario.dut_metrics;
  return source && !source->command.empty();
}

std::string questionOf(std::uint32_t sample) { return fmt::format("dut_metrics/{}", sample); }

// Whether an event falls into a window.
bool hasEvents(const TestConfig& config, const SoakDesign& design) {
  const Picoseconds end = design.timeOf(design.samples);
  const scenario::Scenario& scenario = config.scenario;
  const std::vector<fabric::FailureSpec> failures = failuresOf(scenario, design);
  return std::any_of(failures.begin(), failures.end(),
                     [end](const fabric::FailureSpec& one) { return one.down < end; }) ||
         std::any_of(scenario.storms.begin(), scenario.storms.end(),
                     [end](const fabric::PauseStormSpec& one) { return one.start < end; });
}

// Whether an event begins or ends within an interval, rather than between two.
bool hasPartialEvents(const TestConfig& config, const SoakDesign& design) {
  const auto within = [&](Picoseconds time) {
    return time < design.timeOf(design.samples) &&
           time != design.interval * (time / design.interval);
  };
  const scenario::Scenario& scenario = config.scenario;
  return std::any_of(scenario.failures.begin(), scenario.failures.end(),
                     [&](const fabric::FailureSpec& failure) {
                       return within(failure.down) || (failure.up && within(*failure.up));
                     }) ||
         std::any_of(scenario.storms.begin(), scenario.storms.end(),
                     [&](const fabric::PauseStormSpec& storm) {
                       return within(storm.start) || within(storm.start + storm.duration);
                     });
}

// The share of the day that was simulated, and what it means for events within an interval.
void noteCompression(const TestConfig& config, const SoakDesign& design,
                     const std::vector<SoakSample>& samples, ResultBuilder& builder) {
  double windows = 0;  // s
  std::size_t valid = 0;
  for (const SoakSample& sample : samples) {
    if (sample.values.empty()) continue;
    windows += sample.window.toSeconds();
    ++valid;
  }
  if (valid == 0) return;
  const double mean = windows / static_cast<double>(valid);
  const double share = mean / design.interval.toSeconds();
  if (share >= 1) return;
  builder.deviation(
      fmt::format("clock compressed: of each {} a window of {:.3g} ms is simulated on average, "
                  "{:.3g} %",
                  valueText(design.interval), mean * 1e3, 100 * share),
      "");
  if (!hasPartialEvents(config, design) || design.share() > 0.95 * share) return;
  builder.deviation(
      fmt::format("events that begin or end within an interval do so at times compressed to {:.3g} "
                  "%, by the time of a window without contention: a failure of the first half of "
                  "an interval lasts for less than half of a window",
                  100 * design.share()),
      "");
}

}  // namespace

SoakDesign::SoakDesign(const TestConfig& config) : numbers(config) {
  const scenario::Parameters& own = config.scenario.parameters;
  const BitRate rate = config.scenario.topology.link_rate;
  constexpr Picoseconds kDay = seconds(86'400);
  constexpr Picoseconds kMinute = seconds(60);
  constexpr Picoseconds kHour = seconds(3'600);
  duration = numbers.atLeast("Duration", kDay, kDay, own.soak.duration);
  interval = own.soak.interval.value_or(numbers.isStandard() ? kMinute : kHour);
  numbers.configure("Sampling interval", valueText(interval));
  if (interval > kMinute) {
    numbers.deviation(fmt::format("Sampling interval: {} instead of {}", valueText(interval),
                                  valueText(kMinute)));
  }
  samples = static_cast<std::uint32_t>(duration / interval) + 1;
  numbers.configure("Samples", std::to_string(samples));
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  ranks = own.ranks ? own.ranks->front() : hosts;
  numbers.configure("Ranks", std::to_string(ranks));
  numbers.configure("Placement", placementText(config));
  noteRingHops(config, {CollectiveKind::kAllReduce}, {ranks}, numbers);
  if (ranks < hosts) {
    numbers.deviation(fmt::format("Ranks: {} of the DUT's {} hosts", ranks, hosts));
  }
  size = own.sizes ? own.sizes->front() : numbers.isStandard() ? Bytes(64 << 20) : Bytes(4 << 20);
  numbers.configure("Buffer", valueText(size));
  const IterationCost each = iterationCost(config, ranks, size);
  if (own.iterations) {
    iterations = *own.iterations;
  } else if (numbers.isStandard()) {
    // As much of an interval as the bench can simulate in that time, so that a day takes a day.
    const double possible =
        interval.toSeconds() * 1e9 / config.bench.wall_ns_per_packet_hop / each.hops;
    iterations = static_cast<std::uint32_t>(std::clamp(possible, 1.0, 1e6));
  } else {
    iterations = 1;
  }
  const double ideal = idealIteration(ranks, size, rate);
  // More would be more than the interval has room for.
  iterations =
      std::min(iterations, static_cast<std::uint32_t>(std::max(interval.toSeconds() / ideal, 1.0)));
  window_seconds = std::min(iterations * ideal, interval.toSeconds());
  hops = each.hops * iterations;
  hop_cost = each.hop_cost;
  eventful = hasEvents(config, *this);
  hashes = !fabric::spraysPackets(config.scenario.switches.load_balancing.kind);
  numbers.configure("Iterations of a window",
                    fmt::format("{}, each an AllReduce and an AlltoAll", iterations));
  numbers.configure("AllReduce", collectiveScheme(CollectiveKind::kAllReduce));
  numbers.configure("AlltoAll", collectiveScheme(CollectiveKind::kAllToAll));
}

bench::TrialSpec soakTrial(const TestConfig& config, const SoakDesign& design,
                           std::uint32_t number) {
  const CollectivePoint point{CollectiveKind::kAllReduce, design.size, design.ranks,
                              scenarioVariant(config)};
  bench::TrialSpec spec = collectiveTrial(config, point, design.iterations);
  chooseRecovery(spec);
  spec.fast_forward.reset();
  // The seed of the DUT, and with it every hash, is the same all day. What is random in time is
  // drawn anew, as are the workload's choices.
  spec.dut.draw = number;
  spec.workload->seed += number;
  auto& job = spec.workload->jobs[0];
  job.name = "AllReduce and AlltoAll";
  auto& program = std::get<workload::TrainingProgram>(job.program);
  program.collectives.clear();
  for (const CollectiveKind kind : kKinds) {
    program.collectives.push_back(collectiveSpec(kind, design.size));
  }
  scheduleWindow(config, design, design.timeOf(number), spec);
  return spec;
}

std::vector<SoakFigure> soakFigures(const TestConfig& config, const SoakDesign& design) {
  const BitRate rate = config.scenario.topology.link_rate;
  const double ideal = idealIteration(design.ranks, design.size, rate);
  const double roofline = ideal * design.iterations;
  const double sent_bits = ideal * static_cast<double>(rate.bitsPerSecond());  // per rank
  const Figure ratio{.column = "JCT ratio",
                     .unit = "",
                     .kpi = "jct_ratio",
                     .of = [roofline](std::size_t, const bench::TrialResult& trial) {
                       return workload::jctRatio(jobOf(trial).completion, roofline);
                     }};
  const Figure bandwidth{.column = "BusBW",
                         .unit = "Gb/s",
                         .kpi = "busbw_gbps",
                         .of = [sent_bits](std::size_t, const bench::TrialResult& trial) {
                           return sent_bits / meanIteration(jobOf(trial)).toSeconds() / 1e9;
                         }};
  std::vector<SoakFigure> figures{
      {ratio, false, true},
      {bandwidth, true},
      {figure("Iteration", "us", "iteration_us", meanIterationMicroseconds), false},
      {figure("Message P99", "us", "message_p99_us", messageP99), false, true},
      {figure("Goodput, all hosts", "Gb/s", "goodput_gbps", goodputGbps), true},
      {figure("ECN marked", "%", "ecn_percent", ecnPercent), false},
      {figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond), false},
      {figure("Paused", "us", "paused_us", pausedMicroseconds), false},
      {figure("Lost end to end", "ppm", "drop_ppm", dropPpm), false, true},
      {figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm), false, true},
      {figure("Trimmed", "ppm", "trimmed_ppm", trimmedPpm), false, true},
      {figure("Retransmitted", "/s", "retransmissions_per_s", retransmissionsPerSecond), false},
      {figure("Out of order", "/s", "out_of_order_per_s", outOfOrderPerSecond), false},
      {figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes), false},
      {figure("Frames left inside", "", "frames_left", framesLeft), false, true},
      {figure("Busiest link, bytes", "B/s", "", busiestBytesPerSecond), false},
      {figure("Busiest link, packets", "packets/s", "", busiestPacketsPerSecond), false}};
  // Where there are links between switches to balance.
  if (fabric::buildTopology(config.scenario.topology).switches().size() > 1) {
    figures.push_back({figure("MMR", "", "link_mmr", linkMmr), false});
    figures.push_back({figure("JFI", "", "link_jfi", linkJfi), true});
  }
  return figures;
}

std::vector<SoakSample> measureSamples(const TestConfig& config, const SoakDesign& design,
                                       const std::vector<SoakFigure>& figures, TrialRunner& runner,
                                       ResultBuilder& builder) {
  const double ideal =
      idealIteration(design.ranks, design.size, config.scenario.topology.link_rate);
  std::vector<SoakSample> samples;
  samples.reserve(design.samples);
  for (std::uint32_t number = 0; number < design.samples; ++number) {
    SoakSample sample;
    sample.time = design.timeOf(number);
    const std::string label = "at " + clockText(sample.time);
    const bench::TrialSpec spec = soakTrial(config, design, number);
    const bench::TrialResult trial = runner.run(spec, 0, label);
    builder.noteLosses(spec, trial, label);
    if (checksEachSample(config)) runner.dutReport(questionOf(number), sample.time);
    sample.fault = faultOf(design, spec, trial);
    for (const SoakFigure& one : figures) {
      if (!sample.fault.empty()) break;
      const Reading reading = one.figure.of(0, trial).value_or(kNotMeasured);
      if (!std::isfinite(reading.value)) {
        sample.fault = fmt::format("{} was not observed", one.figure.column);
        sample.values.clear();
        break;
      }
      sample.values.push_back(reading.value);
      sample.percentiles.push_back(reading.percentile);
    }
    if (!sample.values.empty()) {
      for (const Picoseconds time : jobOf(trial).iterations) {
        sample.iterations.push_back(workload::jctRatio(time, ideal));
      }
      sample.window = busyTime(trial);
    }
    samples.push_back(std::move(sample));
  }
  noteCompression(config, design, samples, builder);
  return samples;
}

DutReport dutReport(const TestConfig& config, const SoakDesign& design, TrialRunner& runner,
                    ResultBuilder& builder) {
  if (!config.scenario.dut_metrics) return {};
  std::vector<DutMetric> metrics;
  const auto place = [](const DutMetricError& error) {
    return fmt::format("line {}, column {}: {}", error.line, error.column, error.what);
  };
  if (!checksEachSample(config)) {
    const std::string& file = config.scenario.dut_metrics->file;
    const std::string text = runner.dutReport("dut_metrics", std::nullopt);
    DutMetrics parsed = parseDutMetrics(text, DutMetricTimes::kGiven);
    metrics = std::move(parsed.metrics);
    if (metrics.empty()) {
      builder.anomaly(fmt::format("no figures reported by the DUT: {}",
                                  parsed.first ? place(*parsed.first) : firstComment(text)),
                      file);
      return {{}, false};
    }
    if (parsed.first) {
      builder.anomaly(fmt::format("lines of values reported by the DUT that are not used: {}; the "
                                  "first: {}",
                                  parsed.lines_not_used, place(*parsed.first)),
                      file);
    }
    const double end = design.duration.toSeconds();
    const std::size_t outside =
        std::erase_if(metrics, [end](const DutMetric& metric) { return metric.seconds > end; });
    if (outside > 0) {
      builder.anomaly(fmt::format("values reported by the DUT that are left out, because their "
                                  "times are after the end of the soak ({}): {}",
                                  durationText(design.duration), outside),
                      file);
    }
    return {seriesOf(std::move(metrics)), !parsed.first};
  }
  std::size_t missing = 0;
  std::string first;  // why
  for (std::uint32_t number = 0; number < design.samples; ++number) {
    const Picoseconds time = design.timeOf(number);
    // Queried when the sample was taken: this is the answer of that time.
    const std::string text = runner.dutReport(questionOf(number), time);
    DutMetrics parsed = parseDutMetrics(text, DutMetricTimes::kAbsent);
    // An answer with a mistake may be another program's, or cut off: none of it is used.
    if (parsed.first || parsed.metrics.empty()) {
      if (missing++ == 0) first = parsed.first ? place(*parsed.first) : firstComment(text);
      continue;
    }
    for (DutMetric& metric : parsed.metrics) {
      metric.seconds = time.toSeconds();
      metrics.push_back(std::move(metric));
    }
  }
  if (missing > 0) {
    builder.anomaly(fmt::format("{} of {} samples without figures reported by the DUT; the first: "
                                "{}",
                                missing, design.samples, first),
                    config.scenario.dut_metrics->command.front());
  }
  return {seriesOf(std::move(metrics)), missing == 0};
}

results::Quantity dutReported(double value, std::string unit) {
  results::Quantity quantity;
  quantity.value = value;
  quantity.unit = std::move(unit);
  quantity.observed = ObservationPoint::kDutReported;
  return quantity;
}

std::vector<double> sampleHours(const std::vector<SoakSample>& samples) {
  std::vector<double> hours;
  for (const SoakSample& sample : samples) {
    if (!sample.values.empty()) hours.push_back(sample.time.toSeconds() / 3600);
  }
  return hours;
}

std::vector<double> sampleValues(const std::vector<SoakSample>& samples, std::size_t figure) {
  std::vector<double> values;
  for (const SoakSample& sample : samples) {
    if (!sample.values.empty()) values.push_back(sample.values[figure]);
  }
  return values;
}

std::size_t distinctSamples(const std::vector<SoakSample>& samples) {
  std::set<std::vector<double>> different;
  for (const SoakSample& sample : samples) {
    if (!sample.values.empty()) different.insert(sample.values);
  }
  return different.size();
}

std::size_t failedSamples(const std::vector<SoakSample>& samples) {
  return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), hasFailed));
}

std::optional<std::string> identicalSamples(const SoakDesign& design,
                                            const std::vector<SoakSample>& samples) {
  if (distinctSamples(samples) != 1) return std::nullopt;
  const std::size_t failed = failedSamples(samples);
  if (failed > 0) {
    return fmt::format(
        "deterministic: the {} samples with figures are identical; {} of {} windows failed and "
        "have none",
        samples.size() - failed, failed, samples.size());
  }
  return fmt::format("deterministic: all {} samples are identical, {}", samples.size(),
                     design.eventful ? "although the scenario has events on that day"
                                     : "as nothing happens to the model during the day");
}

std::string clockText(Picoseconds time) {
  const std::int64_t total = time / seconds(1);
  return fmt::format("{:02}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::vector<Episode> episodesOf(const std::vector<SoakSample>& samples, Picoseconds interval,
                                const std::function<bool(const SoakSample&)>& is) {
  std::vector<Episode> episodes;
  bool open = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool now = is(samples[i]);
    if (now && !open) episodes.push_back({samples[i].time, {}, i, 0, {}});
    open = now;
    if (!now) continue;
    Episode& episode = episodes.back();
    episode.until = std::min(samples[i].time + interval, samples.back().time);
    ++episode.count;
    episode.simulated += samples[i].window;
  }
  return episodes;
}

Plan SoakProcedure::plan(const TestConfig& config) const {
  const SoakDesign design(config);
  Plan plan;
  if (design.samples < kMinSamples) {
    plan.refusals.push_back(fmt::format(
        "{} of soak with a sample each {} are {} samples, fewer "
        "than {}",
        valueText(design.duration), valueText(design.interval), design.samples, kMinSamples));
  }
  plan.points.push_back(fmt::format(
      "{} of {} ranks, a sample each {}, {} iterations of {}", valueText(design.duration),
      design.ranks, valueText(design.interval), design.iterations, valueText(design.size)));
  plan.samples.push_back({"at " + clockText(Picoseconds(0)), soakTrial(config, design, 0),
                          design.hops, design.hop_cost});
  plan.trials_expected = design.samples;
  plan.packet_hops = design.hops * design.samples;
  plan.hop_cost = design.hop_cost;
  return plan;
}

results::TestResult SoakProcedure::run(const TestConfig& config, TrialRunner& runner) const {
  requireRunnable(*this, plan(config));
  SoakDesign design(config);
  if (!config.scenario.dut_metrics) design.numbers.deviation(notCollected());
  ResultBuilder builder(*this, section(), design.numbers.deviations(), config);
  for (const auto& [name, value] : design.numbers.configuration()) {
    builder.result().configuration.emplace_back(name, value);
  }
  SweepPoint window;
  window.spec = soakTrial(config, design, 0);
  addTrialConfiguration({window}, builder.result().configuration);
  const std::vector<SoakFigure> figures = soakFigures(config, design);
  const std::vector<SoakSample> samples = measureSamples(config, design, figures, runner, builder);
  for (const Episode& episode : episodesOf(samples, design.interval, hasFailed)) {
    const Picoseconds length = episode.until - episode.from;
    builder.anomaly(fmt::format("no figures {}: {}",
                                length > Picoseconds(0) ? "for " + durationText(length)
                                                        : std::string("of the last sample"),
                                samples[episode.first].fault),
                    "at " + clockText(episode.from));
    builder.result().valid = false;
  }
  const std::size_t without = failedSamples(samples);
  if (samples.size() - without >= kMinSamples) {
    report(design, figures, samples, dutReport(config, design, runner, builder), builder);
  } else {
    builder.result().summary =
        fmt::format("{} of {} samples failed: the others are too few to report on, fewer than {}.",
                    without, samples.size(), kMinSamples);
  }
  return builder.take();
}

}  // namespace plumbline::suite
