// T5.2 Latency (training draft, section 5.2; RFC 2544 section 26.2, FIFO latency of RFC 1242).
//
// Swept: message size × load: none (one queue pair of one pair, kZeroLoad of line rate), the loads
// of the scenario on all pairs, and the zero-loss throughput of T5.1, found by the same search.
// Measured: one-way latency of every frame, first bit into the DUT to first bit out, by the card's
// hardware timestamps; counted into a histogram in the card.
// Computed: minimum, mean, P50, P95, P99, P99.9 and maximum per repetition, of which the tables
// give the averages over repetitions; histogram and CDF of all repetitions together; increase
// factor = figure loaded / figure at zero load, both of the first pair, since at zero load only
// that pair sends. Round trip: simulated hosts measure it message by message. The hosts of the
// first pair send no streams but RDMA Writes of the same size over RC, one at a time, while all
// others load the DUT; a round trip is from posting a message, which is its first bit where
// neither PFC nor credits hold it back, to the end of its acknowledgement. The card has no
// reflector: with traffic in both directions the sum of the two one-way means is the round trip's
// mean, and its distribution is not measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "bench/card/packet.h"
#include "stats/summary.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/residual_time.h"
#include "suite/training/throughput_search.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using results::Cell;
using results::Quantity;

// Rate of the measuring pair without load: a frame has left long before the next one.
constexpr Fraction kZeroLoad = Fraction::percent(1);
// Such a trial is prolonged until it has this many frames.
constexpr std::int64_t kZeroLoadFrames = 20;
struct Metric {
  const char* name;  // in KPI names
  const char* column;
  double quantile = 0;  // 0 the smallest, 1 the largest
};

constexpr std::array<Metric, 7> kMetrics{{
    {"min", "Min", 0},
    {"mean", "Mean"},
    {"p50", "P50", 0.5},
    {"p95", "P95", 0.95},
    {"p99", "P99", 0.99},
    {"p999", "P99.9", 0.999},
    {"max", "Max", 1},
}};
constexpr std::size_t kMean = 1;
constexpr std::size_t kP99 = 4;

// Of each metric one for each repetition [ns].
using MetricReadings = std::array<std::vector<Reading>, kMetrics.size()>;

void addReadings(const stats::Histogram& times, MetricReadings& readings) {
  constexpr double kPicoseconds = 1000;  // in a nanosecond
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    readings[i].push_back(i == kMean ? Reading(times.mean() / kPicoseconds)
                                     : quantileOf(times, kMetrics[i].quantile, kPicoseconds));
  }
}

// The first pair, which sends at zero load too: both directions together, and the means of each
// [ns], of each repetition in which its frames arrived.
struct FirstPair {
  MetricReadings times;
  std::vector<double> forward;
  std::vector<double> reverse;

  void add(const bench::Capabilities& bench, const bench::TrialResult& trial) {
    stats::Histogram both;
    for (const bench::GroupLatency& group : trial.latency) {
      if (group.group > groupOf(bench, 0, true)) continue;
      both.merge(group.histogram);
      (isReverseGroup(group.group) ? reverse : forward).push_back(group.histogram.mean() / 1000);
    }
    if (both.count() > 0) addReadings(both, times);
  }
};

// One size under one load.
struct LatencyPoint {
  SizePoint size;
  std::string load_name;  // "zero load", "50 % load", "throughput rate"
  Load load;
  Picoseconds duration;
  bool unloaded = false;

  [[nodiscard]] std::string label() const { return fmt::format("{}, {}", size.label, load_name); }
};

scenario::Direction directionOf(const Settings& settings) {
  const auto& directions = settings.directions;
  return std::find(directions.begin(), directions.end(), scenario::Direction::kBidirectional) !=
                 directions.end()
             ? scenario::Direction::kBidirectional
             : scenario::Direction::kUnidirectional;
}

std::uint32_t qpsOf(const Settings& settings) {
  return *std::max_element(settings.qps.begin(), settings.qps.end());
}

LatencyPoint zeroLoadPoint(const TestConfig& config, const Settings& settings,
                           const SizePoint& size) {
  LatencyPoint point{size, "zero load", {}, settings.duration, true};
  point.load = fullLoad(config, directionOf(settings), size, 1, kZeroLoad);
  point.load.pairs.resize(1);
  const Picoseconds period = frameSlot(size.frame, config.bench.line_rate) *
                             (Fraction::kOne / kZeroLoad.partsPerTrillion());
  point.duration = std::max(point.duration, period * kZeroLoadFrames);
  return point;
}

LatencyPoint loadedPoint(const TestConfig& config, const Settings& settings, const SizePoint& size,
                         Fraction rate, std::string name) {
  return {size, std::move(name),
          fullLoad(config, directionOf(settings), size, qpsOf(settings), rate), settings.duration,
          false};
}

std::vector<LatencyPoint> fixedPoints(const TestConfig& config, const Settings& settings,
                                      const SizePoint& size) {
  std::vector<LatencyPoint> points{zeroLoadPoint(config, settings, size)};
  for (const Fraction rate : settings.loads) {
    points.push_back(loadedPoint(config, settings, size, rate, percentText(rate) + " load"));
  }
  return points;
}

// The search of T5.1 for this scenario: with its own durations and resolution.
Settings searchSettings(const TestConfig& config) {
  return settingsFor(TestId::kThroughput, config);
}

ThroughputPoint searchPoint(const Settings& settings, const SizePoint& size) {
  return {size, qpsOf(settings), directionOf(settings)};
}

// Whether round trips are measured message by message.
bool measuresRoundTrips(const TestConfig& config) {
  return config.bench.wall_ns_per_packet_hop > 0 &&
         bench::isRoce(config.scenario.traffic.format.transport);
}

// The point's load, but of the first pair's hosts, which exchange messages instead.
bench::TrialSpec roundTripTrial(const TestConfig& config, const Settings& settings,
                                const LatencyPoint& point, std::uint32_t repetition) {
  bench::TrialSpec spec = loadTrial(config, point.load, point.duration, settings.drain, repetition);
  const scenario::HostPair pair = point.load.pairs.front();
  const auto probes = [&pair](const bench::StreamSpec& stream) {
    return stream.from == pair.from || stream.from == pair.to;
  };
  spec.streams.erase(std::remove_if(spec.streams.begin(), spec.streams.end(), probes),
                     spec.streams.end());
  transport::RoceSpec roce;
  roce.data_priority = bench::priorityOf(config.scenario.traffic.format);
  roce.ack_priority = roce.data_priority;
  roce.ipv6 = config.scenario.traffic.format.ipv6;
  roce.vlan = config.scenario.traffic.format.vlan_id.has_value();
  // The last message begins at the end of the duration, and has to come back. What is under way for
  // long is not lost.
  spec.drain = settings.drain * 2;
  roce.ack_timeout = std::max(roce.ack_timeout, pathTime(spec.dut, point.size.frame) * 4);
  roce.max_ack_timeout = std::max(roce.max_ack_timeout, roce.ack_timeout);
  spec.transport = roce;
  workload::JobSpec job;
  job.name = "round trips";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = {pair.from, pair.to};
  workload::MessageProgram program;
  program.bytes = static_cast<std::uint64_t>(point.size.payload.count());
  program.until = point.duration;
  job.program = program;
  spec.workload.emplace();
  spec.workload->seed = seedOf(config.scenario.seed, repetition);
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

bench::TrialSpec latencyTrial(const TestConfig& config, const Settings& settings,
                              const LatencyPoint& point, std::uint32_t repetition) {
  return loadTrial(config, point.load, point.duration, settings.drain, repetition);
}

class LatencyRun {
 public:
  LatencyRun(const Procedure& procedure, const TestConfig& config, TrialRunner& runner)
      : config_(config),
        settings_(settingsFor(TestId::kLatency, config)),
        runner_(runner),
        builder_(procedure, "section 5.2", TestId::kLatency, settings_, config) {
    const std::string size = settings_.message_sizes ? "Message" : "Frame";
    latency_ = {
        "latency",
        "One-way latency",
        "First bit in to first bit out (FIFO): at zero load of the first pair alone, under "
        "load of all pairs. Averages over the repetitions; minimum and maximum are averaged "
        "as well, the distributions have the extremes of all.",
        {size, "Load", "Frames"},
        {}};
    for (const Metric& metric : kMetrics) latency_.columns.emplace_back(metric.column);
    increase_ = {
        "increase_factor",
        "Latency increase under load",
        "Of the first pair: latency under load over latency without load, from the averages "
        "over the repetitions.",
        {size, "Load", "Mean", "P99"},
        {}};
    if (config_.bench.messages) {
      latency_.title = "Completion latency";
      latency_.note =
          "From a message's post by the initiator's software to its completion there: at zero load "
          "of the first pair alone, under load of all pairs. Averages over the repetitions; "
          "minimum "
          "and maximum are averaged as well, the distributions have the extremes of all.";
    }
    message_trips_ = {
        "round_trip_distribution",
        "Round trip of messages",
        "RDMA Writes of the first pair over RC, one at a time, from posting a message (its first "
        "bit, unless PFC or credits hold it back) to the "
        "end of its acknowledgement, while the other pairs load the DUT. Averages over the "
        "repetitions.",
        {size, "Load", "Messages"},
        {}};
    for (const Metric& metric : kMetrics) message_trips_.columns.emplace_back(metric.column);
    round_trip_ = {
        "round_trip",
        "Round trip",
        "Of the first pair: sum of the one-way means of both directions, measured at the "
        "same time. It excludes the time that a responder would take.",
        {size, "Load", "Forward mean", "Reverse mean", "Round-trip mean"},
        {}};
    chart_.id = "latency_vs_size";
    chart_.title = latency_.title + " over size";
    chart_.x_label = size + " size [B]";
    chart_.y_label = "Latency [ns]";
    chart_.log_x = true;
  }

  results::TestResult run() {
    for (const SizePoint& size : settings_.sizes) measureSize(size);
    results::TestResult& result = builder_.result();
    result.tables.push_back(std::move(latency_));
    result.tables.push_back(std::move(increase_));
    if (config_.bench.messages) {
      builder_.deviation(
          "round-trip latency not reported separately: a completion already includes the way back",
          "round trip");
    } else if (directionOf(settings_) == scenario::Direction::kBidirectional) {
      result.tables.push_back(std::move(round_trip_));
    } else if (measuresRoundTrips(config_)) {
      builder_.deviation(
          "sum of the one-way means of both directions not measured: traffic in one direction only",
          "round trip");
    } else {
      builder_.deviation(
          "round-trip latency not measured: traffic in one direction only, and the tester "
          "has no reflector of these frames",
          "round trip");
    }
    if (no_loaded_trips_) {
      builder_.deviation(
          "round trip under load not measured: the hosts of the first pair exchange the messages, "
          "and no other host sends",
          "round trip");
    }
    if (measuresRoundTrips(config_)) {
      result.tables.push_back(std::move(message_trips_));
    } else if (!config_.bench.messages &&
               directionOf(settings_) == scenario::Direction::kBidirectional) {
      builder_.deviation(
          "distribution of the round trip not measured, only its mean: the tester has no reflector",
          "round trip");
    }
    result.charts.push_back(std::move(chart_));
    summarise();
    return builder_.take();
  }

 private:
  void measureSize(const SizePoint& size) {
    zero_.reset();
    for (const LatencyPoint& point : fixedPoints(config_, settings_, size)) measure(point);
    const Settings search = searchSettings(config_);
    const ThroughputPoint point = searchPoint(settings_, size);
    const ThroughputOutcome outcome = findThroughput(config_, search, point, 1, runner_, builder_);
    if (outcome.trials.empty()) {
      builder_.anomaly(fmt::format("no latency at the throughput rate: {}",
                                   outcome.valid ? "the search found no rate that passed"
                                                 : "a trial of the search for it was not valid"),
                       point.label());
      noFigures("latency", loadedPoint(config_, settings_, size, Fraction(), "throughput rate"));
      return;
    }
    const Fraction rate = rateOfStep(outcome.steps.front(), search.rate_steps);
    LatencyPoint loaded = loadedPoint(config_, settings_, size, rate, "throughput rate");
    measure(loaded, fmt::format("throughput rate ({})", percentText(rate)));
  }

  void measure(const LatencyPoint& point) { measure(point, point.load_name); }

  // `load_text`: the load as the tables show it.
  void measure(const LatencyPoint& point, const std::string& load_text) {
    stats::Histogram all;
    MetricReadings values;
    FirstPair first;
    std::uint64_t sent = 0;
    std::uint64_t lost = 0;
    double in_time = 1;
    for (std::uint32_t repetition = 0; repetition < settings_.repetitions; ++repetition) {
      const bench::TrialSpec spec = latencyTrial(config_, settings_, point, repetition);
      const bench::TrialResult trial = runner_.run(spec, repetition, point.label());
      const std::string where = fmt::format("{}, repetition {}", point.label(), repetition);
      if (!builder_.accept(spec, trial, where)) continue;
      stats::Histogram both;
      for (const bench::GroupLatency& group : trial.latency) both.merge(group.histogram);
      if (both.count() == 0) {
        builder_.result().valid = false;
        builder_.anomaly("no frame arrived", where);
        continue;
      }
      addReadings(both, values);
      all.merge(both);
      first.add(config_.bench, trial);
      in_time = std::min(in_time, sentInTime(spec, trial, config_.bench.line_rate));
      for (const bench::StreamResult& stream : trial.streams) sent += stream.sent_frames;
      lost += trial.lost();
    }
    if (all.count() == 0) {
      builder_.anomaly("no result", point.label());
      noFigures("latency", point);
      std::vector<Cell> row{point.size.label, load_text, std::string("0")};
      row.insert(row.end(), kMetrics.size(), Cell{std::string("not valid")});
      latency_.rows.push_back(std::move(row));
      return;
    }
    addRow(point, load_text, all, values);
    addIncrease(point, load_text, first);
    if (measuresRoundTrips(config_)) measureRoundTrips(point, load_text);
    addRoundTrip(point, load_text, first);
    addLoss(point, sent, lost);
    if (in_time < 1 - kRateTolerance) {
      builder_.anomaly(
          fmt::format("{} held senders back: the slowest sent {:.4g} % of its frames in time",
                      flowControlOf(config_), 100 * in_time),
          point.label());
    }
    builder_.result().distributions.push_back(
        {fmt::format("latency_{}", builder_.result().distributions.size()), point.label(), "ps",
         config_.bench.observed, std::move(all)});
  }

  // `of`: "latency" or "round_trip".
  void noFigures(const char* of, const LatencyPoint& point) {
    for (const Metric& metric : kMetrics) {
      builder_.notMeasured(fmt::format("{}_{}_ns", of, metric.name), point.label());
    }
  }

  void measureRoundTrips(const LatencyPoint& point, const std::string& load_text) {
    stats::Histogram all;
    MetricReadings values;
    for (std::uint32_t repetition = 0; repetition < settings_.repetitions; ++repetition) {
      const std::string label = point.label() + ", round trips";
      const bench::TrialSpec spec = roundTripTrial(config_, settings_, point, repetition);
      if (!point.unloaded && spec.streams.empty()) {
        no_loaded_trips_ = true;
        return;
      }
      const bench::TrialResult trial = runner_.run(spec, repetition, label);
      const std::string where = fmt::format("{}, repetition {}", label, repetition);
      if (!builder_.accept(spec, trial, where)) continue;
      const stats::Histogram& times = trial.fabric->jobs.front().message_time;
      if (times.count() == 0) {
        builder_.result().valid = false;
        builder_.anomaly(fmt::format("no message came back before the trial ended, {} after its "
                                     "begin",
                                     durationText(spec.duration + spec.drain)),
                         where);
        continue;
      }
      addReadings(times, values);
      all.merge(times);
    }
    std::vector<Cell> row{point.size.label, load_text, std::to_string(all.count())};
    if (all.count() == 0) {
      row.insert(row.end(), kMetrics.size(), Cell{std::string("not valid")});
      message_trips_.rows.push_back(std::move(row));
      noFigures("round_trip", point);
      return;
    }
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
      row.emplace_back(builder_.kpi(fmt::format("round_trip_{}_ns", kMetrics[i].name),
                                    point.label(), quantityOf(values[i], "ns")));
    }
    message_trips_.rows.push_back(std::move(row));
    builder_.result().distributions.push_back(
        {fmt::format("round_trip_{}", builder_.result().distributions.size()),
         point.label() + ", round trip", "ps", config_.bench.observed, std::move(all)});
  }

  void addRow(const LatencyPoint& point, const std::string& load_text, const stats::Histogram& all,
              const MetricReadings& values) {
    std::vector<Cell> row{point.size.label, load_text, std::to_string(all.count())};
    std::array<Quantity, kMetrics.size()> figures;
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
      const Quantity mean = quantityOf(values[i], "ns");
      if (i == kMean || i == kP99) {
        builder_.repeated(point.label(), fmt::format("latency {}", kMetrics[i].column), values[i],
                          mean);
      }
      figures[i] =
          builder_.kpi(fmt::format("latency_{}_ns", kMetrics[i].name), point.label(), mean);
      row.emplace_back(figures[i]);
    }
    latency_.rows.push_back(std::move(row));
    addToChart(point, figures);
    last_ = {point.label(), figures[kMean], figures[kP99]};
  }

  void addIncrease(const LatencyPoint& point, const std::string& load_text,
                   const FirstPair& first) {
    if (point.unloaded) {
      zero_ = first;
      return;
    }
    if (!zero_) return;
    const auto factor = [](const std::vector<Reading>& loaded,
                           const std::vector<Reading>& unloaded) -> Cell {
      if (loaded.empty() || unloaded.empty()) return std::string("not observed");
      const double base = quantityOf(unloaded, "ns").value;
      if (base <= 0) return std::string("not observed");
      Quantity quantity;
      quantity.value = quantityOf(loaded, "ns").value / base;
      return quantity;
    };
    increase_.rows.push_back({point.size.label, load_text,
                              factor(first.times[kMean], zero_->times[kMean]),
                              factor(first.times[kP99], zero_->times[kP99])});
  }

  void addRoundTrip(const LatencyPoint& point, const std::string& load_text,
                    const FirstPair& first) {
    if (first.reverse.empty() || first.forward.size() != first.reverse.size()) return;
    std::vector<double> sums;
    for (std::size_t i = 0; i < first.forward.size(); ++i) {
      sums.push_back(first.forward[i] + first.reverse[i]);
    }
    round_trip_.rows.push_back({point.size.label, load_text, quantityOf(first.forward, "ns"),
                                quantityOf(first.reverse, "ns"), quantityOf(sums, "ns")});
  }

  void addLoss(const LatencyPoint& point, std::uint64_t sent, std::uint64_t lost) {
    Quantity loss;
    loss.value = 1e6 * static_cast<double>(lost) / static_cast<double>(sent);
    loss.unit = "ppm";
    loss.repetitions = settings_.repetitions;
    builder_.kpi("loss_ppm", point.label(), loss);
    if (lost > 0) {
      builder_.anomaly(
          fmt::format("{} of {} frames lost: latency is of those that arrived", lost, sent),
          point.label());
    }
  }

  void addToChart(const LatencyPoint& point, const std::array<Quantity, kMetrics.size()>& figures) {
    for (const std::size_t i : {kMean, kP99}) {
      const std::string name = fmt::format("{}, {}", kMetrics[i].column, point.load_name);
      auto series = std::find_if(chart_.series.begin(), chart_.series.end(),
                                 [&](const results::Series& s) { return s.name == name; });
      if (series == chart_.series.end()) {
        chart_.series.push_back({name, {}, {}, false});
        series = chart_.series.end() - 1;
      }
      series->add(point.size.x, figures[i]);
    }
  }

  void summarise() {
    if (!last_) {
      builder_.result().summary = "No point gave a valid result.";
      return;
    }
    builder_.primary("latency P99, " + last_->label, last_->p99);
    builder_.primary("latency mean, " + last_->label, last_->mean);
    builder_.result().summary = fmt::format(
        "{}: mean {}, P99 {} {}.", last_->label, builder_.text(last_->mean),
        builder_.text(last_->p99), config_.bench.messages ? "from post to completion" : "one way");
  }

  struct Last {
    std::string label;
    Quantity mean;
    Quantity p99;
  };

  const TestConfig& config_;
  Settings settings_;
  TrialRunner& runner_;
  ResultBuilder builder_;
  results::Table latency_;
  results::Table increase_;
  results::Table round_trip_;
  results::Table message_trips_;
  results::Chart chart_;
  std::optional<FirstPair> zero_;  // at zero load of the current size
  std::optional<Last> last_;
  bool no_loaded_trips_ = false;  // no host but those of the first pair sends
};

class LatencyProcedure final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return "T5.2"; }
  [[nodiscard]] std::string title() const override { return "Latency"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(with(kpi::statistics("latency", "ns"), kpi::statistics("round_trip", "ns")),
                {"loss_ppm", "discrepancy_percent", "nic_retransmissions", "nic_cnps_sent",
                 "nic_cnps_handled", "nic_out_of_sequence"});
  }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    const Settings settings = settingsFor(TestId::kLatency, config);
    const Settings search = searchSettings(config);
    Plan plan;
    // `of_sample`: frames of all these trials, in trials of the latest sample.
    const auto count = [&](std::uint64_t trials, double of_sample, Picoseconds duration) {
      plan.trials_expected += trials;
      const PlannedTrial& latest = plan.samples.back();
      addHops(latest.packet_hops * of_sample, latest.hop_cost, plan);
      addCardTime(config, latest.spec, duration * static_cast<std::int64_t>(trials), trials, plan);
    };
    const auto sample = [&](std::string label, bench::TrialSpec spec) {
      plan.points.push_back(label);
      PlannedTrial trial{std::move(label), std::move(spec)};
      trial.packet_hops = frameHops(config, trial.spec);
      trial.hop_cost = streamHopCost(trial.spec);
      addRefusals(config, trial, plan);
      plan.samples.push_back(std::move(trial));
    };
    for (const SizePoint& size : settings.sizes) {
      for (const LatencyPoint& point : fixedPoints(config, settings, size)) {
        sample(point.label(), latencyTrial(config, settings, point, 0));
        // The trials of round trips have about as many packets.
        const std::uint64_t trials =
            std::uint64_t{settings.repetitions} * (measuresRoundTrips(config) ? 2 : 1);
        count(trials, static_cast<double>(trials), point.duration);
      }
      const ThroughputPoint point = searchPoint(settings, size);
      sample(size.label + ", throughput rate",
             throughputTrial(config, search, point, search.rate_steps, 0));
      if (!plan.refusals.empty()) continue;  // nothing will be sent
      const ThroughputForecast forecast = forecastThroughput(config, search, point, 1);
      count(forecast.trials, forecast.at_line_rate, search.duration);
      // Latency trials at the found rate have a length of their own. If it equals the search's, the
      // first one is the search's last trial without loss, which is not run again.
      const bool known = settings.duration == search.duration && settings.drain == search.drain;
      // Nor are any at a rate that is one of the loads.
      const bool is_load =
          std::any_of(settings.loads.begin(), settings.loads.end(), [&](const Fraction load) {
            return load.partsPerTrillion() == std::llround(forecast.share * Fraction::kOne);
          });
      if (is_load) continue;
      const std::uint32_t others =
          settings.repetitions * (measuresRoundTrips(config) ? 2 : 1) - (known ? 1 : 0);
      count(others,
            others * forecast.share * settings.duration.toSeconds() / search.duration.toSeconds(),
            settings.duration);
    }
    return plan;
  }

  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override {
    requireRunnable(*this, plan(config));
    return LatencyRun(*this, config, runner).run();
  }
};

}  // namespace

const Procedure& latencyProcedure() {
  static const LatencyProcedure test;
  return test;
}

}  // namespace plumbline::suite
