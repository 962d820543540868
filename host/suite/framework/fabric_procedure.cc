#include "suite/framework/fabric_procedure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/work.h"
#include "bench/sim/base_rtt.h"
#include "fabric/spec/describe.h"
#include "suite/framework/early_end.h"
#include "suite/framework/rc_recovery.h"
#include "suite/framework/residual_time.h"
#include "suite/framework/trial_configuration.h"
#include "suite/framework/trials.h"

namespace plumbline::suite {
namespace {

constexpr double kPayloadPerPacket = 4096;
constexpr double kControl = 0.2;  // packets of control per data packet

// Those that differ in words, in the order of the points.
std::vector<fabric::TopologySpec> topologiesOf(const std::vector<SweepPoint>& points) {
  std::vector<fabric::TopologySpec> topologies;
  std::set<std::string> texts;
  for (const SweepPoint& point : points) {
    const fabric::TopologySpec& topology = point.spec.dut.topology;
    if (texts.insert(fabric::topologyText(topology)).second) topologies.push_back(topology);
  }
  return topologies;
}

}  // namespace

void Design::add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops) {
  add(std::move(values), std::move(spec), packet_hops, hop_cost);
}

void Design::add(std::vector<std::string> values, bench::TrialSpec spec, double packet_hops,
                 double cost) {
  SweepPoint point;
  for (std::size_t i = 0; i < values.size(); ++i) {
    point.label += point.label.empty() ? "" : ", ";
    point.label += values[i];
    if (!axes[i].unit.empty()) point.label += " " + axes[i].unit;
  }
  point.values = std::move(values);
  point.spec = std::move(spec);
  chooseRecovery(point.spec);
  point.packet_hops = packet_hops;
  point.hop_cost = cost;
  points.push_back(std::move(point));
}

Plan FabricProcedure::plan(const TestConfig& config) const {
  try {
    return planOf(config, design(config));
  } catch (const Error& error) {
    // Faults that only the design finds, such as a step of a serving system that takes weeks.
    if (error.kind() != ErrorKind::kUsage) throw;
    Plan plan;
    plan.refusals.emplace_back(error.what());
    return plan;
  }
}

Plan FabricProcedure::planOf(const TestConfig& config, const Design& design) const {
  Plan plan;
  plan.refusals = design.refusals;
  if (design.points.empty() && plan.refusals.empty()) {
    const std::string& values = design.numbers.unfit();
    plan.refusals.push_back("the DUT has not enough hosts for any point of the sweep" +
                            (values.empty() ? "" : ": " + values));
  }
  // Other benches are planned by card time, and may have limits of their own.
  const bool by_hops = config.bench.wall_ns_per_packet_hop > 0;
  std::set<std::string> different;
  for (const SweepPoint& point : design.points) {
    checkWork();
    plan.points.push_back(point.label);
    PlannedTrial sample{point.label, point.spec, by_hops ? point.packet_hops : 0, point.hop_cost};
    // A trial that an earlier point has as well is not run again.
    const std::int64_t trials =
        different.insert(sample.spec.toJson()).second ? design.repetitions : 0;
    plan.trials_expected += static_cast<std::uint64_t>(trials);
    addHops(sample.packet_hops * static_cast<double>(trials), sample.hop_cost, plan);
    if (!by_hops) {
      const Picoseconds drain =
          config.bench.simulated_dut ? settlingTime(sample.spec) : sample.spec.drain;
      addCardTime(config, sample.spec, (sample.spec.duration + drain) * trials,
                  static_cast<std::uint64_t>(trials), plan);
      // Points often share a refusal: only the first one's is listed.
      if (plan.refusals.empty()) addRefusals(config, sample, plan);
    }
    plan.samples.push_back(std::move(sample));
  }
  return plan;
}

bench::TrialSpec FabricProcedure::repetitionOf(const SweepPoint& point,
                                               std::uint32_t repetition) const {
  return withSeedsOf(point.spec, repetition);
}

results::TestResult FabricProcedure::run(const TestConfig& config, TrialRunner& runner) const {
  const Design design = this->design(config);
  requireRunnable(*this, planOf(config, design));
  ResultBuilder builder(*this, section(), design.numbers.deviations(), config,
                        topologiesOf(design.points));
  for (const auto& [name, value] : design.numbers.configuration()) {
    builder.result().configuration.emplace_back(name, value);
  }
  addTrialConfiguration(design.points, builder.result().configuration);
  std::vector<Measured> measured;
  for (const SweepPoint& point : design.points) {
    Measured one{point, {}};
    for (std::uint32_t repetition = 0; repetition < design.repetitions; ++repetition) {
      const std::string label = fmt::format("{}, repetition {}", point.label, repetition);
      const bench::TrialSpec spec = repetitionOf(point, repetition);
      bench::TrialResult trial = runner.run(spec, repetition, label);
      one.valid = builder.accept(spec, trial, label) && one.valid;
      one.trials.push_back(std::move(trial));
    }
    one.deterministic = config.bench.simulated_dut && sameObservations(one.trials);
    if (one.valid || reportsInvalid()) {
      measured.push_back(std::move(one));
    } else {
      builder.anomaly("no result: a trial was not valid", point.label);
    }
  }
  noteEarlyEnds(measured, builder);
  report(config, design, measured, builder);
  return builder.take();
}

std::optional<bench::TransportSpec> scenarioTransport(const TestConfig& config) {
  std::optional<bench::TransportSpec> transport = config.scenario.transport;
  if (!transport) return transport;
  if (auto* roce = std::get_if<transport::RoceSpec>(&*transport)) {
    roce->setup_time = Picoseconds(0);
    roce->cm.reset();
  } else {
    std::get<transport::UetSpec>(*transport).pdc_setup.reset();
  }
  return transport;
}

bench::TransportSpec transportOr(const TestConfig& config, const bench::TransportSpec& defaults) {
  if (const auto own = scenarioTransport(config)) return *own;
  bench::TransportSpec fitted = defaults;
  bench::fitToPath(fitted, config.scenario.fabricSpec(), std::nullopt);
  return fitted;
}

transport::RoceSpec defaultRoce() {
  transport::RoceSpec roce;
  roce.dcqcn = transport::DcqcnSpec::paper();
  return roce;
}

double linksOfPath(const TestConfig& config) {
  const fabric::TopologySpec& topology = config.scenario.topology;
  constexpr double kOfGraph = 4;  // not searched for
  return topology.kind == fabric::TopologyKind::kGraph
             ? kOfGraph
             : static_cast<double>(switchesOnPath(topology) + 1);
}

double payloadHops(const TestConfig& config, double payload_bytes) {
  return payload_bytes / kPayloadPerPacket * linksOfPath(config) * (1 + kControl);
}

double messageHops(const TestConfig& config, Bytes message, double messages) {
  const double packets = std::ceil(static_cast<double>(message.count()) / kPayloadPerPacket);
  return messages * (packets + std::max(1.0, kControl * packets)) * linksOfPath(config);
}

bench::TrialSpec emptyTrial(const TestConfig& config) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.workload.emplace();
  spec.workload->seed = config.scenario.seed;
  return spec;
}

}  // namespace plumbline::suite
