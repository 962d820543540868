#include "suite/framework/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

#include "base/counted.h"
#include "base/error.h"
#include "base/random.h"
#include "bench/card/flow_plan.h"
#include "suite/framework/fabric_procedure.h"

namespace plumbline::suite {
namespace {

// Ports of the simulated cards in a trial with this number of hosts; 0 without simulated cards.
std::int64_t cardPorts(const bench::Capabilities& bench, std::size_t hosts) {
  if (bench.card_ports.empty()) return 0;
  for (const std::uint32_t ports : bench.card_ports) {
    if (hosts <= ports) return ports;
  }
  const std::int64_t largest = bench.card_ports.back();
  return (static_cast<std::int64_t>(hosts) + largest - 1) / largest * largest;
}

}  // namespace

std::uint32_t groupOf(const bench::Capabilities& bench, std::size_t pair, bool reverse) {
  constexpr std::size_t kMaxPairs = 64;
  const std::size_t own = std::clamp<std::size_t>(bench.groups / 2, 1, kMaxPairs);
  return static_cast<std::uint32_t>(2 * std::min(pair, own - 1)) + (reverse ? 1 : 0);
}

Load fullLoad(const TestConfig& config, scenario::Direction direction, const SizePoint& size,
              std::uint32_t qps, Fraction rate) {
  return {config.scenario.hostPairs(), direction, size, qps, rate};
}

bench::TrialSpec loadTrial(const TestConfig& config, const Load& load, Picoseconds duration,
                           Picoseconds drain, std::uint32_t repetition) {
  bench::TrialSpec spec;
  spec.dut = config.scenario.fabricSpec();
  spec.duration = duration;
  spec.drain = drain;
  const auto addStream = [&](std::uint32_t from, std::uint32_t to, std::uint32_t group) {
    bench::StreamSpec stream;
    stream.name = fmt::format("host{} to host{}", from, to);
    stream.from = from;
    stream.to = to;
    stream.format = config.scenario.traffic.format;
    stream.format.qps = load.qps;
    stream.frame = load.size.frame;
    stream.start =
        drawPhase(config.scenario.seed, repetition, static_cast<std::uint32_t>(spec.streams.size()),
                  frameSlot(load.size.frame, config.bench.line_rate));
    stream.group = group;
    spec.streams.push_back(std::move(stream));
  };
  for (std::size_t i = 0; i < load.pairs.size(); ++i) {
    addStream(load.pairs[i].from, load.pairs[i].to, groupOf(config.bench, i, false));
  }
  if (load.direction == scenario::Direction::kBidirectional) {
    for (std::size_t i = 0; i < load.pairs.size(); ++i) {
      addStream(load.pairs[i].to, load.pairs[i].from, groupOf(config.bench, i, true));
    }
  }
  std::map<std::uint32_t, std::int64_t> senders;
  for (const auto& stream : spec.streams) ++senders[stream.from];
  for (auto& stream : spec.streams) {
    stream.load = bench::ConstantLoad{
        Fraction::partsPerTrillion(load.rate.partsPerTrillion() / senders[stream.from])};
  }
  return withSeedsOf(std::move(spec), repetition);
}

std::uint64_t seedOf(std::uint64_t seed, std::uint32_t repetition) {
  if (repetition == 0) return seed;
  return mix64(mix64(seed ^ hash64("suite/repetition")) ^ repetition);
}

bench::TrialSpec withSeedsOf(bench::TrialSpec spec, std::uint32_t repetition) {
  const auto draw = [repetition](std::uint64_t& seed) { seed = seedOf(seed, repetition); };
  draw(spec.dut.seed);
  if (spec.workload) draw(spec.workload->seed);
  if (spec.serving) draw(spec.serving->system.seed);
  for (serving::ServingProgram& tenant : spec.tenants) draw(tenant.system.seed);
  for (bench::DamageSpec& damage : spec.damage) {
    if (auto* errors = std::get_if<card::BitErrors>(&damage.what)) draw(errors->seed);
  }
  for (bench::StreamSpec& stream : spec.streams) {
    if (!stream.gaps) continue;
    if (auto* drawn = std::get_if<bench::DrawnGaps>(&*stream.gaps)) draw(drawn->seed);
  }
  return spec;
}

double sentInTime(const bench::TrialSpec& spec, const bench::TrialResult& trial, BitRate line) {
  struct Sender {
    double planned = 0;    // frames
    double held_back = 0;  // of these, that did not leave in time
  };
  std::map<std::uint32_t, Sender> senders;
  for (std::size_t i = 0; i < spec.streams.size(); ++i) {
    const bench::StreamSpec& stream = spec.streams[i];
    Sender& sender = senders[stream.from];
    if (const auto* burst = std::get_if<bench::BurstLoad>(&stream.load)) {
      sender.planned += static_cast<double>(burst->frames) * burst->bursts;
    } else {
      sender.planned += std::get<bench::ConstantLoad>(stream.load).rate.toDouble() *
                        spec.duration.toSeconds() / frameSlot(stream.frame, line).toSeconds();
    }
    if (i < trial.streams.size()) {
      sender.held_back += static_cast<double>(trial.streams[i].held_back);
    }
  }
  double min = 1;
  for (auto& [host, sender] : senders) {
    if (host < trial.ports.size()) {
      sender.held_back += static_cast<double>(trial.ports[host].tx_given_up);
    }
    if (sender.planned <= 0) continue;
    min = std::min(min, 1 - std::min(sender.held_back / sender.planned, 1.0));
  }
  return min;
}

std::uint64_t slotsGivenUp(const bench::TrialResult& trial) {
  std::uint64_t slots = 0;
  for (const bench::StreamResult& stream : trial.streams) slots += stream.held_back;
  for (const bench::PortResult& port : trial.ports) slots += port.tx_given_up;
  return slots;
}

Picoseconds drawPhase(std::uint64_t seed, std::uint32_t repetition, std::uint32_t stream,
                      Picoseconds range) {
  RandomStream random(seed, fmt::format("suite/phase/{}/{}", repetition, stream));
  return Picoseconds(
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(range.count()))));
}

Fraction rateOfStep(std::uint64_t step, std::uint32_t steps) {
  return Fraction::partsPerTrillion(Fraction::kOne * static_cast<std::int64_t>(step) / steps);
}

double frameHops(const TestConfig& config, const bench::TrialSpec& spec) {
  if (config.bench.wall_ns_per_packet_hop <= 0) return 0;
  double frames = 0;
  for (const bench::StreamSpec& stream : spec.streams) {
    if (const auto* burst = std::get_if<bench::BurstLoad>(&stream.load)) {
      frames += static_cast<double>(burst->frames) * burst->bursts;
    } else if (const auto* load = std::get_if<bench::ConstantLoad>(&stream.load)) {
      const Picoseconds slot = frameSlot(stream.frame, config.scenario.topology.link_rate);
      frames += load->rate.toDouble() * spec.duration.toSeconds() / slot.toSeconds();
    }
  }
  return frames * linksOfPath(config);
}

double streamHopCost(const bench::TrialSpec& spec) {
  constexpr double kFew = 0.25;
  constexpr double kMore = 0.005;  // with each stream
  constexpr std::size_t kMany = 64;
  return kFew + kMore * static_cast<double>(std::min(spec.streams.size(), kMany));
}

void addHops(double hops, double cost, Plan& plan) {
  const double work = plan.packet_hops * plan.hop_cost + hops * cost;
  plan.packet_hops += hops;
  if (plan.packet_hops > 0) plan.hop_cost = work / plan.packet_hops;
}

void addCardTime(const TestConfig& config, const bench::TrialSpec& spec, Picoseconds sending,
                 std::uint64_t trials, Plan& plan) {
  const Picoseconds time =
      sending + config.bench.trial_overhead * static_cast<std::int64_t>(trials);
  plan.simulated_time += time;
  plan.port_time += time * cardPorts(config.bench, bench::usedHosts(spec).size());
}

std::string qpsText(std::uint32_t qps) { return counted(qps, "QP"); }

void addRefusals(const TestConfig& config, const PlannedTrial& trial, Plan& plan) {
  for (std::string& why : bench::planRefusals(trial.spec, config.bench)) {
    if (std::find(plan.refusals.begin(), plan.refusals.end(), why) == plan.refusals.end()) {
      plan.refusals.push_back(std::move(why));
    }
  }
}

void requireRunnable(const Procedure& procedure, const Plan& plan) {
  if (plan.refusals.empty()) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("{} cannot run: {}", procedure.id(), fmt::join(plan.refusals, "; ")));
}

}  // namespace plumbline::suite
