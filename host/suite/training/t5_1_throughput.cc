// T5.1 Baseline throughput (training draft, section 5.1; RFC 2544 section 26.1).
//
// Swept: direction (uni-, bidirectional) × message size × queue pairs per pair. Measured: the
// highest rate at which every sender actually sends all its frames and every frame arrives, found
// by binary search on a grid of equal steps of line rate, beginning at line rate; once per
// repetition. A sender that PFC holds back offers less than the rate of the trial: then the trial
// does not pass, even without loss. Computed, from that rate r (share of line rate L1, preamble and
// minimum gap counted):
//   throughput      r
//   frame rate      line / ((frame + 20) * 8) * r, per sending port
//   L2, payload     L1 rate * frame / (frame + 20), L1 rate * payload / (frame + 20), all ports
//   efficiency      payload rate / line rate of all sending ports
//   utilisation     (bytes + 20 * frames) * 8 / (duration * line) of a port's own counters; on
//                   simulated hosts of the streams from and to the host
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/quantity_text.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/port_share.h"
#include "suite/training/throughput_search.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

using results::Cell;
using results::Quantity;

std::vector<ThroughputPoint> throughputPointsOf(const Settings& settings) {
  std::vector<ThroughputPoint> points;
  for (const auto direction : settings.directions) {
    for (const SizePoint& size : settings.sizes) {
      for (const std::uint32_t qps : settings.qps) points.push_back({size, qps, direction});
    }
  }
  return points;
}

std::size_t sendingPorts(const TestConfig& config, scenario::Direction direction) {
  std::set<std::uint32_t> senders;
  for (const auto& pair : config.scenario.hostPairs()) {
    senders.insert(pair.from);
    if (direction == scenario::Direction::kBidirectional) senders.insert(pair.to);
  }
  return senders.size();
}

// `quantity` (a share of line rate in percent) times `factor` in another unit.
Quantity scaled(Quantity quantity, double factor, std::string unit) {
  quantity.value *= factor;
  quantity.unit = std::move(unit);
  if (quantity.confidence_low) *quantity.confidence_low *= factor;
  if (quantity.confidence_high) *quantity.confidence_high *= factor;
  quantity.uncertainty.statistical.value *= factor;
  if (quantity.uncertainty.least) *quantity.uncertainty.least *= factor;
  if (quantity.uncertainty.most) *quantity.uncertainty.most *= factor;
  if (quantity.uncertainty.systematic) {
    for (results::SystematicPart& part : *quantity.uncertainty.systematic) {
      part.standard *= factor;
    }
  }
  return quantity;
}

// A received rate is a range where queues may have changed it by more than this part. Frames that
// wait for a few others change it by less.
constexpr double kReceivedTolerance = 0.005;

// Text of the limit for the table.
std::string limitText(const TestConfig& config, const ThroughputOutcome& outcome) {
  switch (outcome.limit) {
    case ThroughputLimit::kNone:
      return "line rate";
    case ThroughputLimit::kLoss:
      return "loss";
    case ThroughputLimit::kHeld:
      break;
  }
  return fmt::format("{}: a sender sent {:.4g} % in time", flowControlOf(config),
                     100 * outcome.sent_in_time);
}

// Rates of all sending ports together for 1 % of line rate.
struct PercentRates {
  double frames_per_port = 0;  // frames/s
  double l2 = 0;               // Tb/s
  double payload = 0;          // Tb/s
  double efficiency = 0;       // % of the line rate of these ports that is payload
};

PercentRates percentRates(const TestConfig& config, const ThroughputPoint& point) {
  const auto line = static_cast<double>(config.bench.line_rate.bitsPerSecond()) / 100;
  const auto wire = static_cast<double>((point.size.frame + kWireOverheadBytes).count());
  const double l1 = line * static_cast<double>(sendingPorts(config, point.direction)) / 1e12;
  return {line / (wire * 8), l1 * static_cast<double>(point.size.frame.count()) / wire,
          l1 * static_cast<double>(point.size.payload.count()) / wire,
          static_cast<double>(point.size.payload.count()) / wire};
}

class ThroughputRun {
 public:
  ThroughputRun(const Procedure& procedure, const TestConfig& config, TrialRunner& runner)
      : config_(config),
        settings_(settingsFor(TestId::kThroughput, config)),
        runner_(runner),
        builder_(procedure, "section 5.1", TestId::kThroughput, settings_, config) {
    size_name_ = settings_.message_sizes ? "Message" : "Frame";
    throughput_ = {
        "throughput",
        "Zero-loss throughput",
        "Rates are of the highest load that every sender offered in full (within 0.1 %) "
        "and of which every frame arrived. L1 counts preamble and minimum gap, L2 the "
        "frame with FCS, payload what follows the transport headers. Efficiency is the "
        "payload rate over the line rate of all sending ports. \"Limited by\" says why "
        "the next higher step did not pass in the first repetition: frames were lost, or "
        "PFC, CBFC or replays of LLR held senders back, so that the rate was not offered.",
        {size_name_, "Frame", "QPs", "Direction", "Throughput (L1)", "Per sending port",
         "Aggregate L2", "Aggregate payload", "Efficiency", "Limited by"},
        {}};
    ports_ = {
        "port_utilisation",
        "Port utilisation",
        "Rates of each sending or receiving port in the deciding trial of the first "
        "repetition, preamble and gap included. Of a frame that is on the wire when the "
        "trial ends, the part before the end counts. Received is a range where queues grew in "
        "the trial, so that frames arrived in more time than they were sent in: all frames "
        "over at most that time, to all over the trial's. The values come from the ports' own "
        "counters; those of simulated hosts come from the streams that begin or end there.",
        {"Point", "Host", "Sent", "Received"},
        {}};
  }

  results::TestResult run() {
    for (const ThroughputPoint& point : throughputPointsOf(settings_)) measure(point);
    results::TestResult& result = builder_.result();
    result.tables.push_back(std::move(throughput_));
    for (const auto direction : settings_.directions) addDirection(direction);
    if (!ports_.rows.empty()) result.tables.push_back(std::move(ports_));
    summarise();
    return builder_.take();
  }

 private:
  void measure(const ThroughputPoint& point) {
    const ThroughputOutcome outcome =
        findThroughput(config_, settings_, point, settings_.repetitions, runner_, builder_);
    std::vector<Cell> row{point.size.label, fmt::format("{} B", point.size.frame.count()),
                          std::to_string(point.qps), directionText(point.direction)};
    if (!outcome.valid || outcome.steps.empty()) {
      builder_.anomaly("no result: a trial was not valid", point.label());
      builder_.notMeasured("throughput_percent", point.label());
      row.insert(row.end(), 6, Cell{std::string("not valid")});
      throughput_.rows.push_back(std::move(row));
      return;
    }
    std::vector<Reading> percents;
    for (const std::uint64_t step : outcome.steps) {
      percents.push_back(percentOfStep(step, settings_.rate_steps, kRateTolerance, "offered rate"));
    }
    if (outcome.trials.size() < outcome.steps.size()) {
      const std::size_t none = outcome.steps.size() - outcome.trials.size();
      builder_.anomaly(
          fmt::format("no rate passed{}: frames were lost, or senders held back, at the lowest one",
                      outcome.trials.empty() ? ""
                                             : fmt::format(" in {} of {} repetitions, which count "
                                                           "as 0 in the mean",
                                                           none, outcome.steps.size())),
          point.label());
    }
    Quantity mean = quantityOf(percents, "%");
    addHiddenOverload(mean);
    builder_.repeated(point.label(), "throughput", percents, mean);
    const Quantity percent = builder_.kpi("throughput_percent", point.label(), mean);
    const PercentRates rates = percentRates(config_, point);
    const Quantity payload = scaled(percent, rates.payload, "Tb/s");
    for (const Quantity& rate :
         {percent, scaled(percent, rates.frames_per_port, "frames/s"),
          scaled(percent, rates.l2, "Tb/s"), payload, scaled(percent, rates.efficiency, "%")}) {
      row.push_back(rateCell(rate));
    }
    row.emplace_back(limitText(config_, outcome));
    throughput_.rows.push_back(std::move(row));
    payload_[key(point)] = payload;
    last_ = {point, percent, payload};
    if (!outcome.trials.empty() && outcome.steps.front() > 0) addPorts(point, outcome);
  }

  // A rate of 0 is no rate: the lowest one did not pass in any repetition.
  static Cell rateCell(const Quantity& rate) {
    if (rate.value == 0) return std::string("no rate passed");
    return rate;
  }

  // The rate may be too high by it, up to all of the rate, and never too low: upwards the interval
  // ends where that of the search does.
  void addHiddenOverload(Quantity& percent) const {
    const auto hidden = hiddenOverload(TestId::kThroughput, settings_, config_);
    if (!hidden || percent.value == 0) return;
    if (const auto search = results::expandedUncertainty(percent)) {
      percent.uncertainty.most = percent.value + search->half;
    }
    const double bound = std::min(100 * hidden->share, percent.value);
    auto& parts = percent.uncertainty.systematic;
    if (!parts) parts.emplace();
    parts->push_back({fmt::format("overload that buffers hide: at most {:.3g} %", bound),
                      stats::ofBound(bound)});
  }

  // Frames of the streams of a trial, by host, for benches without port counters.
  [[nodiscard]] std::vector<bench::PortResult> portsOf(const ThroughputPoint& point,
                                                       const ThroughputOutcome& outcome) const {
    const bench::TrialResult& trial = outcome.trials.front();
    if (!trial.ports.empty() || config_.bench.wall_ns_per_packet_hop == 0) return trial.ports;
    const bench::TrialSpec spec =
        throughputTrial(config_, settings_, point, outcome.steps.front(), 0);
    std::vector<bench::PortResult> ports;
    for (std::size_t i = 0; i < trial.streams.size() && i < spec.streams.size(); ++i) {
      const bench::StreamSpec& stream = spec.streams[i];
      const bench::StreamResult& seen = trial.streams[i];
      ports.resize(std::max<std::size_t>(ports.size(), std::max(stream.from, stream.to) + 1));
      ports[stream.from].tx_frames += seen.sent_frames;
      ports[stream.from].tx_bytes += seen.sent_bytes;
      ports[stream.to].rx_frames += seen.received_frames;
      ports[stream.to].rx_bytes += seen.received_bytes;
    }
    return ports;
  }

  void addPorts(const ThroughputPoint& point, const ThroughputOutcome& outcome) {
    const std::vector<bench::PortResult> ports = portsOf(point, outcome);
    const bench::TrialSpec spec =
        throughputTrial(config_, settings_, point, outcome.steps.front(), 0);
    const auto share = [&](std::size_t host, bool to, std::uint64_t frames, std::uint64_t bytes) {
      Quantity quantity;
      quantity.value = wireSharePercent(spec, static_cast<std::uint32_t>(host), to, frames, bytes,
                                        config_.bench.line_rate);
      quantity.unit = "%";
      return quantity;
    };
    for (std::size_t host = 0; host < ports.size(); ++host) {
      const bench::PortResult& port = ports[host];
      if (port.tx_frames == 0 && port.rx_frames == 0) continue;
      ports_.rows.push_back(
          {point.label(), fmt::format("host{}", host),
           share(host, false, port.tx_frames, port.tx_bytes),
           received(share(host, true, port.rx_frames, port.rx_bytes), outcome.trials.front())});
    }
  }

  // `over_duration`: all received frames over the duration. Where the DUT's queues grow, frames
  // arrive in a longer time: in the difference of the latencies of a pair's frames more at most.
  [[nodiscard]] Cell received(Quantity over_duration, const bench::TrialResult& trial) const {
    Picoseconds spread;
    for (const bench::GroupLatency& group : trial.latency) {
      if (group.histogram.count() == 0) continue;
      const auto between = group.histogram.maximum() - group.histogram.minimum();
      spread = std::max(spread, Picoseconds(static_cast<std::int64_t>(between)));
    }
    const double duration = settings_.duration.toSeconds();
    const double least = over_duration.value * duration / (duration + spread.toSeconds());
    if (over_duration.value - least <= kReceivedTolerance * over_duration.value) {
      return over_duration;
    }
    return fmt::format("{:.4g} to {:.4g} %", least, over_duration.value);
  }

  // The draft's table (size × QPs) and graph (over size) of one direction.
  void addDirection(scenario::Direction direction) {
    const std::string name = directionText(direction);
    results::Table table{"payload_" + name,
                         "Aggregate payload rate, " + name,
                         "Size by queue pairs per pair.",
                         {size_name_},
                         {}};
    results::Chart chart;
    chart.id = "payload_vs_size_" + name;
    chart.title = "Aggregate payload rate over size, " + name;
    chart.x_label = size_name_ + " size [B]";
    chart.y_label = "Payload rate [Tb/s]";
    chart.log_x = true;
    for (const std::uint32_t qps : settings_.qps) {
      table.columns.push_back(qpsText(qps));
      chart.series.push_back({qpsText(qps), {}, {}, false});
    }
    results::Series limit{"line rate", {}, {}, true};
    for (const SizePoint& size : settings_.sizes) {
      std::vector<Cell> row{size.label};
      for (std::size_t i = 0; i < settings_.qps.size(); ++i) {
        const auto found = payload_.find(key({size, settings_.qps[i], direction}));
        if (found == payload_.end()) {
          row.emplace_back(std::string("not valid"));
          continue;
        }
        row.push_back(rateCell(found->second));
        if (found->second.value > 0) chart.series[i].add(size.x, found->second);
      }
      table.rows.push_back(std::move(row));
      limit.x.push_back(size.x);
      limit.y.push_back(percentRates(config_, {size, 1, direction}).payload * 100);
    }
    chart.series.push_back(std::move(limit));
    builder_.result().tables.push_back(std::move(table));
    builder_.result().charts.push_back(std::move(chart));
  }

  void summarise() {
    if (!last_) {
      builder_.result().summary = "No point gave a valid result.";
      return;
    }
    builder_.primary(fmt::format("throughput, {}", last_->point.label()), last_->percent);
    builder_.primary(fmt::format("aggregate payload, {}", last_->point.label()), last_->payload);
    if (last_->percent.value == 0) {
      builder_.result().summary =
          fmt::format("{}: no rate passed; the lowest one was 1/{} of line rate.",
                      last_->point.label(), settings_.rate_steps);
      return;
    }
    builder_.result().summary = fmt::format(
        "{}: every frame was sent in time and arrived up to {} of line rate, {} of payload.",
        last_->point.label(), results::quantityText(last_->percent),
        results::quantityText(last_->payload));
  }

  using Key = std::tuple<std::int64_t, std::uint32_t, scenario::Direction>;
  static Key key(const ThroughputPoint& point) {
    return {point.size.frame.count(), point.qps, point.direction};
  }

  struct Last {
    ThroughputPoint point;
    Quantity percent;
    Quantity payload;
  };

  const TestConfig& config_;
  Settings settings_;
  TrialRunner& runner_;
  ResultBuilder builder_;
  std::string size_name_;
  results::Table throughput_;
  results::Table ports_;
  std::map<Key, Quantity> payload_;
  std::optional<Last> last_;  // the last valid point of the sweep
};

class ThroughputProcedure final : public Procedure {
 public:
  [[nodiscard]] std::string id() const override { return "T5.1"; }
  [[nodiscard]] std::string title() const override { return "Baseline throughput"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"throughput_percent", "discrepancy_percent", "nic_retransmissions",
            "nic_cnps_sent",      "nic_cnps_handled",    "nic_out_of_sequence"};
  }

  [[nodiscard]] Plan plan(const TestConfig& config) const override {
    const Settings settings = settingsFor(TestId::kThroughput, config);
    Plan plan;
    for (const ThroughputPoint& point : throughputPointsOf(settings)) {
      plan.points.push_back(point.label());
      PlannedTrial sample{point.label() + ", line rate",
                          throughputTrial(config, settings, point, settings.rate_steps, 0)};
      sample.packet_hops = frameHops(config, sample.spec);
      sample.hop_cost = streamHopCost(sample.spec);
      addRefusals(config, sample, plan);
      plan.samples.push_back(std::move(sample));
      if (!plan.refusals.empty()) continue;  // nothing will be sent
      const ThroughputForecast forecast =
          forecastThroughput(config, settings, point, settings.repetitions);
      const PlannedTrial& at_line_rate = plan.samples.back();
      addHops(at_line_rate.packet_hops * forecast.at_line_rate, at_line_rate.hop_cost, plan);
      plan.trials_expected += forecast.trials;
      addCardTime(config, at_line_rate.spec,
                  settings.duration * static_cast<std::int64_t>(forecast.trials), forecast.trials,
                  plan);
    }
    return plan;
  }

  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override {
    requireRunnable(*this, plan(config));
    return ThroughputRun(*this, config, runner).run();
  }
};

}  // namespace

const Procedure& throughputProcedure() {
  static const ThroughputProcedure test;
  return test;
}

}  // namespace plumbline::suite
