#include "suite/framework/result_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "base/counted.h"
#include "fabric/spec/describe.h"
#include "results/quantity_text.h"
#include "results/uncertainty_text.h"
#include "stats/paired_ratio.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/lossless_share.h"
#include "suite/framework/nic_counters.h"
#include "suite/framework/switch_configuration.h"

namespace plumbline::suite {
namespace {

std::string platformText(ObservationPoint observed) {
  switch (observed) {
    case ObservationPoint::kTester:
      return "(a) hardware generator";
    case ObservationPoint::kEndpointSoftware:
      return "(b) cluster: software on ordinary hosts";
    default:
      return "none: simulated endpoints, every figure is modelled";
  }
}

std::string transportText(const bench::FrameFormat& format) {
  std::string text;
  switch (format.transport) {
    case bench::Transport::kUdp:
      text = "UDP";
      break;
    case bench::Transport::kRoceSend:
      text = "RoCEv2 RC SEND Only";
      break;
    case bench::Transport::kRoceWrite:
      text = "RoCEv2 RC RDMA WRITE Only";
      break;
    case bench::Transport::kUetRud:
      text = "UET RUD";
      break;
    case bench::Transport::kUetRod:
      text = "UET ROD";
      break;
    case bench::Transport::kUetRudi:
      text = "UET RUDI";
      break;
    case bench::Transport::kUetUud:
      text = "UET UUD";
      break;
  }
  text += format.ipv6 ? " over IPv6" : " over IPv4";
  text += format.vlan_id ? fmt::format(", VLAN {} PCP {}", *format.vlan_id, format.priority)
                         : std::string(", untagged");
  text += fmt::format(", DSCP {}, {}", format.dscp, format.ect ? "ECT(0)" : "Not-ECT");
  return text;
}

std::string switchText(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology) {
  return fmt::format(
      "{}, latency {}, {}",
      switches.forwarding == fabric::Forwarding::kCutThrough ? "cut-through" : "store-and-forward",
      durationText(switches.latency), bufferText(switches, topology));
}

// What `text` says of each, once where it says the same.
template <typename Text>
std::string distinctTexts(const std::vector<fabric::TopologySpec>& topologies, const Text& text) {
  std::vector<std::string> texts;
  for (const fabric::TopologySpec& topology : topologies) {
    std::string one = text(topology);
    if (std::find(texts.begin(), texts.end(), one) == texts.end()) texts.push_back(std::move(one));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool setsUp(const bench::TransportSpec& transport) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    return roce->cm || roce->setup_time > Picoseconds(0);
  }
  return std::get<transport::UetSpec>(transport).pdc_setup.has_value();
}

// Whether two figures have equal uncertainties, too. Equal values alone are not enough: without
// queueing, the mean, the P99 and the minimum of a latency are one number.
bool sameFigure(const results::Quantity& a, const results::Quantity& b) {
  return a.value == b.value && a.unit == b.unit && a.repetitions == b.repetitions && a.cv == b.cv &&
         a.percentile == b.percentile && a.uncertainty == b.uncertainty;
}

// For the repeatability table.
std::string cvText(const results::Quantity& mean) {
  switch (mean.uncertainty.statistics) {
    case results::Statistics::kIdentical:
    case results::Statistics::kDeterministic:
      return results::statisticsText(mean);
    default:
      return mean.cv ? fmt::format("{:.3f}", 100 * *mean.cv) : std::string("-");
  }
}

template <typename Values, typename Text>
std::string joinedText(const Values& values, Text text) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const auto& value : values) items.push_back(text(value));
  return fmt::format("{}", fmt::join(items, ", "));
}

// Tables with percentiles that rest on too few samples.
std::optional<std::string> fewSamplesOf(const std::vector<results::Table>& tables) {
  std::size_t few = 0;
  std::vector<std::string> titles;
  for (const results::Table& table : tables) {
    const std::size_t before = few;
    for (const auto& row : table.rows) {
      few += std::count_if(row.begin(), row.end(), [](const results::Cell& cell) {
        const auto* quantity = std::get_if<results::Quantity>(&cell);
        return quantity != nullptr && quantity->percentile && quantity->percentile->tooFew();
      });
    }
    if (few > before) titles.push_back(table.title);
  }
  if (few == 0) return std::nullopt;
  return fmt::format("too few samples for {} in tables, which are marked: {}",
                     counted(few, "percentile"), fmt::join(titles, "; "));
}

}  // namespace

results::Quantity quantityOf(std::span<const double> values, std::string unit,
                             ObservationPoint observed) {
  const std::vector<Reading> readings(values.begin(), values.end());
  return quantityOf(readings, std::move(unit), observed);
}

results::Quantity ratioOf(std::span<const double> numerators, std::span<const double> denominators,
                          ObservationPoint observed) {
  const stats::PairedRatio ratio = stats::pairedRatio(numerators, denominators);
  results::Quantity quantity;
  quantity.value = ratio.ratio;
  quantity.observed = observed;
  quantity.repetitions = static_cast<std::uint32_t>(ratio.count);
  quantity.cv = ratio.cv;
  if (!ratio.ci95) return quantity;
  const double half = (ratio.ci95->high - ratio.ci95->low) / 2;
  if (half == 0) {
    quantity.uncertainty.statistics = results::Statistics::kIdentical;
    return quantity;
  }
  quantity.uncertainty.statistics = results::Statistics::kRepetitions;
  quantity.uncertainty.statistical = stats::typeA({ratio.ratio, half, ratio.count});
  quantity.confidence_low = ratio.ci95->low;
  quantity.confidence_high = ratio.ci95->high;
  return quantity;
}

ResultBuilder::ResultBuilder(const Procedure& procedure, std::string section,
                             std::vector<results::Deviation> deviations, const TestConfig& config,
                             std::vector<fabric::TopologySpec> topologies)
    : faults_(config.scenario), has_draft_(!section.empty()), clock_(config.bench) {
  observed_ = config.bench.observed;
  result_.id = procedure.id();
  result_.title = procedure.title();
  const bool inference = procedure.id().starts_with('I');
  result_.section = (inference ? "inference draft, " : "training draft, ") + std::move(section);
  result_.profile = scenario::profileName(config.scenario.profile);
  result_.deviations = std::move(deviations);
  result_.repeatability = {
      "repeatability",
      "Repeatability",
      "Over the repetitions of each point; CV is the standard deviation over the mean, the "
      "interval "
      "is the 95 % confidence interval of the mean (Student's t).",
      {"Point", "Metric", "Repetitions", "Mean", "CV [%]", "Minimum", "Maximum"},
      {}};
  if (topologies.empty()) topologies = {config.scenario.topology};
  configure(config, topologies);
  const auto& transport = config.scenario.transport;
  if (procedure.onHosts() && !procedure.runsWorkload() && transport && setsUp(*transport)) {
    result_.configuration.emplace_back(
        "QPs and PDCs",
        "exist before a trial; the transport's cost of setting them up (connections, setup_time, "
        "pdc_setup) is only in the trials that measure it, those of T6.1, T6.2 and T6.7");
  }
}

ResultBuilder::ResultBuilder(const Procedure& procedure, std::string section, TestId test,
                             const Settings& settings, const TestConfig& config)
    : ResultBuilder(procedure, std::move(section), deviations(test, settings, config), config) {
  configure(settings, config);
  if (auto hidden = hiddenOverload(test, settings, config))
    anomaly(std::move(hidden->text), "profile");
}

void ResultBuilder::configure(const TestConfig& config,
                              const std::vector<fabric::TopologySpec>& topologies) {
  const scenario::Scenario& scenario = config.scenario;
  const auto add = [this](std::string name, std::string value) {
    result_.configuration.emplace_back(std::move(name), std::move(value));
  };
  add("Bench", fmt::format("{}: {}", config.bench.name, config.bench.description));
  add("Generator platform", platformText(config.bench.observed));
  add("Timestamp resolution", durationText(config.bench.timestamp_resolution));
  add("DUT", config.bench.simulated_dut ? "simulated; its own counters are modelled" : "real");
  add("Topology", distinctTexts(topologies, fabric::topologyText));
  const fabric::TopologySpec& first = topologies.front();  // all have the same cables
  addCableRates(first, result_.configuration);
  if (first.kind != fabric::TopologyKind::kLink) {
    add("Switches", distinctTexts(topologies, [&](const fabric::TopologySpec& topology) {
          return switchText(scenario.switches, topology);
        }));
  }
  if (config.bench.simulated_dut) addCableDelays(first, result_.configuration);
  add("Seed", std::to_string(scenario.seed));
  for (const auto& [name, value] : config.bench.configuration) add(name, value);
  for (const bench::Unobserved& missing : config.bench.unobserved) {
    deviation(fmt::format("{}: not observed, {}", missing.what, missing.why), "bench");
  }
}

void ResultBuilder::configure(const Settings& settings, const TestConfig& config) {
  const auto add = [this](std::string name, std::string value) {
    result_.configuration.emplace_back(std::move(name), std::move(value));
  };
  if (config.bench.messages) {
    add("Messages", "cut into frames by the endpoints' own transport");
  } else {
    add("Frames", transportText(config.scenario.traffic.format));
  }
  add(settings.message_sizes ? "Message sizes" : "Frame sizes",
      joinedText(settings.sizes, [](const SizePoint& size) { return size.label; }));
  if (hasQueuePairs(config.scenario.traffic.format.transport)) {
    add("Queue pairs per pair",
        joinedText(settings.qps, [](std::uint32_t qps) { return std::to_string(qps); }));
  }
  if (!settings.directions.empty())
    add("Directions", joinedText(settings.directions, directionText));
  if (settings.duration > Picoseconds()) add("Trial duration", durationText(settings.duration));
  add("Wait for residual frames", "at most " + durationText(settings.drain));
  add("Repetitions", std::to_string(settings.repetitions));
  if (settings.rate_steps > 0) {
    add("Rate resolution", fmt::format("1/{} of line rate", settings.rate_steps));
  }
}

void ResultBuilder::deviation(std::string what, std::string where) {
  result_.deviations.push_back({std::move(what), std::move(where)});
}

void ResultBuilder::anomaly(std::string what, std::string where) {
  result_.anomalies.push_back({std::move(what), std::move(where)});
}

bool ResultBuilder::accept(const bench::TrialSpec& spec, const bench::TrialResult& trial,
                           const std::string& where) {
  noteLosses(spec, trial, where);
  noteSaturation(trial, where);
  noteStale(trial, where);
  for (const bench::HostCounter& counter : trial.host_counters) {
    host_counters_[counter.name] += counter.value;
  }
  links_.add(trial);
  if (trial.valid()) return true;
  result_.valid = false;
  anomaly(fmt::format("trial not valid: {}", fmt::join(trial.faults, "; ")), where);
  return false;
}

void ResultBuilder::noteLosses(const bench::TrialSpec& spec, const bench::TrialResult& trial,
                               const std::string& where) {
  losses_.add(spec, trial, where);
  marking_.add(spec, trial, where);
  if (trial.fabric) unprotected_.add(spec, where);
  faults_.add(spec, trial);
  const auto note = [this](Picoseconds time) {
    if (time > Picoseconds(0)) shortest_ = std::min(shortest_.value_or(time), time);
  };
  note(trial.fabric ? busyTime(trial) : spec.duration);
  if (!trial.fabric) return;
  for (const bench::JobOutcome& job : trial.fabric->jobs) note(job.completion);
}

void ResultBuilder::noteSaturation(const bench::TrialResult& trial, const std::string& where) {
  std::uint64_t frames = 0;
  for (const bench::GroupLatency& group : trial.latency) frames += group.histogram.saturated();
  if (frames == 0) return;
  anomaly(fmt::format("{} latencies are above 1.0995 s (2^40 ps), where the card's histogram ends: "
                      "a percentile among them is shown as the maximum",
                      frames),
          where);
}

void ResultBuilder::noteStale(const bench::TrialResult& trial, const std::string& where) {
  std::uint64_t frames = 0;
  for (const bench::StreamResult& stream : trial.streams) frames += stream.stale;
  if (frames == 0) return;
  ++stale_.trials;
  stale_.frames += frames;
  if (frames <= stale_.most) return;
  stale_.most = frames;
  stale_.where = where;
}

results::Quantity ResultBuilder::repeated(const std::string& point, const std::string& metric,
                                          std::span<const double> values, const std::string& unit) {
  const std::vector<Reading> readings(values.begin(), values.end());
  results::Quantity quantity = quantityOf(readings, unit);
  repeated(point, metric, readings, quantity);
  return quantity;
}

void ResultBuilder::repeated(const std::string& point, const std::string& metric,
                             std::span<const Reading> readings, const results::Quantity& mean) {
  const auto [low, high] =
      std::minmax_element(readings.begin(), readings.end(),
                          [](const Reading& a, const Reading& b) { return a.value < b.value; });
  const auto plain = [&](double value) {
    results::Quantity cell;
    cell.value = value;
    cell.unit = mean.unit;
    return cell;
  };
  result_.repeatability.rows.push_back({point, metric, std::to_string(readings.size()), mean,
                                        cvText(mean), plain(low->value), plain(high->value)});
  if (mean.cv && *mean.cv > kMaxCv) {
    anomaly(fmt::format("CV of {} is {:.1f} %, above 5 %", metric, 100 * *mean.cv), point);
  }
}

void ResultBuilder::state(kpi::Basis basis, results::Quantity& quantity) const {
  if (quantity.observed == ObservationPoint::kTester) quantity.observed = observed_;
  const auto clock = clock_.partsOf(quantity, basis, shortest_);
  if (!clock) return;
  auto& parts = quantity.uncertainty.systematic;
  if (!parts) parts.emplace();
  parts->insert(parts->end(), clock->begin(), clock->end());
}

results::Quantity ResultBuilder::kpi(std::string name, std::string point,
                                     results::Quantity quantity) {
  const kpi::Declaration* declared = kpi::find(name);
  if (declared != nullptr && !declared->unit.empty()) quantity.unit = declared->unit;
  as_measured_.push_back(quantity);
  state(declared != nullptr ? kpi::basisOf(*declared) : kpi::basisOfUnit(quantity.unit), quantity);
  if (declared != nullptr) results::cutIntervals(declared->min, declared->max, quantity);
  result_.kpis.push_back({std::move(name), std::move(point), quantity});
  return quantity;
}

bool ResultBuilder::adoptKpi(results::Quantity& quantity) const {
  for (std::size_t i = 0; i < as_measured_.size(); ++i) {
    const results::Quantity& kpi = result_.kpis[i].quantity;
    if (!sameFigure(quantity, as_measured_[i]) && !sameFigure(quantity, kpi)) continue;
    quantity.uncertainty = kpi.uncertainty;
    quantity.confidence_low = kpi.confidence_low;
    quantity.confidence_high = kpi.confidence_high;
    return true;
  }
  return false;
}

void ResultBuilder::stateAsKpi(results::Quantity& quantity) const {
  if (!adoptKpi(quantity)) state(kpi::basisOfUnit(quantity.unit), quantity);
}

void ResultBuilder::statePrimary() {
  for (results::Quantity& quantity : result_.primary) stateAsKpi(quantity);
}

std::string ResultBuilder::text(results::Quantity quantity) const {
  stateAsKpi(quantity);
  return results::quantityText(quantity);
}

void ResultBuilder::noteFewSamples() {
  std::size_t percentiles = 0;
  std::size_t few = 0;
  const results::Kpi* worst = nullptr;  // with the smallest share of the samples that it needs
  const auto share = [](const results::Percentile& one) {
    return static_cast<double>(one.samples) * (1 - one.quantile);
  };
  for (const results::Kpi& kpi : result_.kpis) {
    const auto& percentile = kpi.quantity.percentile;
    if (!percentile) continue;
    ++percentiles;
    if (!percentile->tooFew()) continue;
    ++few;
    if (worst == nullptr || share(*percentile) < share(*worst->quantity.percentile)) worst = &kpi;
  }
  if (worst == nullptr) {
    if (auto what = fewSamplesOf(result_.tables)) anomaly(*std::move(what), "percentiles");
    return;
  }
  anomaly(fmt::format("{} of {} percentiles rest on too few samples and are marked; the least "
                      "supported: {}{}{}, {}",
                      few, percentiles, worst->name, worst->point.empty() ? "" : " at ",
                      worst->point, results::percentileText(worst->quantity)),
          "percentiles");
}

void ResultBuilder::primary(std::string name, results::Quantity quantity) {
  result_.primary_names.push_back(std::move(name));
  result_.primary.push_back(std::move(quantity));
}

void ResultBuilder::noteScatter() {
  const auto& rows = result_.repeatability.rows;
  const auto single = [](const std::vector<results::Cell>& row) {
    constexpr std::size_t kRepetitions = 2;
    const auto* text = std::get_if<std::string>(&row.at(kRepetitions));
    return text != nullptr && *text == "1";
  };
  if (!rows.empty() && std::all_of(rows.begin(), rows.end(), single)) {
    deviation("one repetition of each point: there is no CV and no confidence interval",
              "repeatability");
  }
  std::size_t scattered = 0;
  const results::Kpi* worst = nullptr;
  for (const results::Kpi& kpi : result_.kpis) {
    if (!kpi.quantity.cv || *kpi.quantity.cv <= kMaxCv) continue;
    ++scattered;
    if (worst == nullptr || *kpi.quantity.cv > *worst->quantity.cv) worst = &kpi;
  }
  if (worst == nullptr) return;
  anomaly(fmt::format("{} of {} figures have a CV above 5 %, the most {:.3g} %: "
                      "{}{}{}",
                      scattered, result_.kpis.size(), 100 * *worst->quantity.cv, worst->name,
                      worst->point.empty() ? "" : " at ", worst->point),
          "repeatability");
}

results::TestResult ResultBuilder::take() {
  addNicCounters(host_counters_, result_);
  links_.report(result_);
  noteScatter();
  if (has_draft_) {
    for (std::string& text : faults_.deviations()) deviation(std::move(text), "DUT");
  }
  noteFewSamples();
  statePrimary();
  if (auto losses = losses_.anomaly()) result_.anomalies.push_back(*std::move(losses));
  if (auto marking = marking_.anomaly()) result_.anomalies.push_back(*std::move(marking));
  if (auto data = unprotected_.anomaly()) result_.anomalies.push_back(*std::move(data));
  if (stale_.trials > 0) {
    anomaly(
        fmt::format("{} in {}, at most {} in one, arrived further behind than the "
                    "receiver follows sequence numbers: they count as arrived, and a duplicate "
                    "among them would not be seen",
                    counted(stale_.frames, "frame"), counted(stale_.trials, "trial"), stale_.most),
        stale_.where);
  }
  const auto label = [this](results::Quantity& quantity) {
    if (quantity.observed == ObservationPoint::kTester) quantity.observed = observed_;
  };
  const auto labelTable = [&](results::Table& table) {
    for (auto& row : table.rows) {
      for (results::Cell& cell : row) {
        auto* const quantity = std::get_if<results::Quantity>(&cell);
        if (quantity == nullptr) continue;
        adoptKpi(*quantity);
        label(*quantity);
      }
    }
  };
  for (results::Quantity& quantity : result_.primary) label(quantity);
  for (results::Kpi& kpi : result_.kpis) label(kpi.quantity);
  for (results::Table& table : result_.tables) labelTable(table);
  labelTable(result_.repeatability);
  // The anomalies say why; headings without rows would say nothing.
  if (!result_.valid && result_.kpis.empty()) {
    std::erase_if(result_.tables, [](const results::Table& table) { return table.rows.empty(); });
    if (result_.summary.empty()) result_.summary = "No figures: no point of the test is valid.";
  }
  return std::move(result_);
}

}  // namespace plumbline::suite
