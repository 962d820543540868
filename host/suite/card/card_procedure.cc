#include "suite/card/card_procedure.h"

#include <algorithm>
#include <utility>

#include "fabric/engine/fabric.h"
#include "suite/framework/trials.h"

namespace plumbline::suite {

Plan CardProcedure::plan(const TestConfig& config) const {
  Plan plan = FabricProcedure::plan(config);
  for (const PlannedTrial& trial : plan.samples) addRefusals(config, trial, plan);
  return plan;
}

void CardProcedure::report(const TestConfig&, const Design& design,
                           const std::vector<Measured>& measured, ResultBuilder& builder) const {
  builder.result().section = "no draft: a test of the tester's own";
  if (measured.empty()) {
    builder.result().summary = "No point gave a valid result.";
    return;
  }
  reportCard(design, measured, builder);
}

bench::TrialSpec cardTrial(const TestConfig& config, Picoseconds duration) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.duration = duration;
  spec.drain = config.scenario.parameters.drain.value_or(milliseconds(1));
  return spec;
}

bench::StreamSpec streamBetween(const TestConfig& config, scenario::HostPair pair, Bytes frame,
                                Fraction rate) {
  bench::StreamSpec stream;
  stream.name = "host" + std::to_string(pair.from) + " to host" + std::to_string(pair.to);
  stream.from = pair.from;
  stream.to = pair.to;
  stream.format = config.scenario.traffic.format;
  stream.frame = frame;
  stream.load = bench::ConstantLoad{rate};
  return stream;
}

SizePoint sizeOf(const TestConfig& config, Bytes defaults) {
  const scenario::Traffic& traffic = config.scenario.traffic;
  if (traffic.frame_sizes) return framePoint(traffic.frame_sizes->front(), traffic.format);
  if (traffic.message_sizes) return messagePoint(traffic.message_sizes->front(), traffic.format);
  return framePoint(defaults, traffic.format);
}

bench::LinkRetrySpec unlimitedRetry(Picoseconds longest) {
  bench::LinkRetrySpec spec;
  spec.config.replay_count_max = card::kLlrMaxReplays + 1;
  spec.config.replay_timer = std::max(spec.config.replay_timer, 2 * longest);
  return spec;
}

Figure testerFigure(
    std::string column, std::string unit, std::string kpi,
    std::function<std::optional<Reading>(std::size_t, const bench::TrialResult&)> of) {
  return {.column = std::move(column),
          .unit = std::move(unit),
          .kpi = std::move(kpi),
          .of = std::move(of),
          .observed = ObservationPoint::kTester};
}

Figure dutFigure(std::string column, std::string unit, std::string kpi,
                 std::function<std::optional<Reading>(std::size_t, const bench::TrialResult&)> of) {
  Figure figure = testerFigure(std::move(column), std::move(unit), std::move(kpi), std::move(of));
  figure.observed = ObservationPoint::kModelled;
  return figure;
}

double lostFrames(const bench::TrialResult& trial) { return static_cast<double>(trial.lost()); }

std::vector<std::uint64_t> uplinkPackets(const bench::TrialSpec& spec,
                                         const bench::TrialResult& trial, std::uint32_t host) {
  const fabric::Fabric fabric(spec.dut);
  const fabric::Topology& topology = fabric.topology();
  const fabric::LinkId access = topology.nodes()[topology.hosts()[host]].out_links.front();
  const fabric::NodeId leaf = topology.links()[access].to;
  // The DUT's ports are listed in the order of the fabric's counters.
  const std::vector<fabric::PortCounters> ports = fabric.counters();
  std::vector<std::uint64_t> packets;
  for (std::size_t i = 0; i < ports.size() && i < trial.dut.size(); ++i) {
    const fabric::Link& link = topology.links()[ports[i].link];
    if (link.from == leaf && topology.nodes()[link.to].kind == fabric::NodeKind::kSwitch) {
      packets.push_back(trial.dut[i].packets);
    }
  }
  return packets;
}

double longestQueue(const bench::TrialResult& trial) {
  Bytes longest;
  for (const bench::DutPort& port : trial.dut) longest = std::max(longest, port.max_queue);
  return static_cast<double>(longest.count());
}

}  // namespace plumbline::suite
