#include "suite/inference/decode_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "serving/workload.h"
#include "suite/free/workload_hops.h"
#include "suite/inference/experts.h"

namespace plumbline::suite {
namespace {

constexpr std::uint32_t kDecodeKvFlows = 4;         // of a pair of hosts, as KV cache has
constexpr std::int64_t kDecodeKvMessage = 1 << 20;  // of the background
constexpr std::uint32_t kDecodeContext = 4096;      // tokens before the answer
// The longest that a layer's traffic takes beside other load, over its time on an idle fabric. The
// load lasts that long; the trial ends with the group.
constexpr double kMostExposed = 16;
// A dispatch of the second group takes about as long as one of the group's own, or the time of a
// layer's computing. A layer has two such times of traffic and one of computing.
constexpr double kMostDispatches = 3;

const scenario::ServingSection& decodeSection(const TestConfig& config) {
  static const scenario::ServingSection kDefault = [] {
    scenario::ServingSection section;
    section.program.system.model = *serving::builtInModel("m4");
    section.program.system.accelerator = *serving::builtInAccelerator("h200");
    return section;
  }();
  return config.scenario.serving ? *config.scenario.serving : kDefault;
}

workload::MoeProgram decodeProgram(const TestConfig& config, const DecodeGroup& group,
                                   std::uint32_t tokens) {
  const scenario::ExpertParameters& own = config.scenario.parameters.experts;
  workload::MoeProgram program;
  program.tokens = group.batch;
  program.experts = group.model.experts;
  program.top_k = group.model.top_k;
  program.dispatch_bytes = program.combine_bytes = group.token_bytes;
  program.layers = tokens * group.layers;
  program.ranks_per_server = own.ranks_per_server;
  program.intra_rate = own.intra_rate;
  // Half of a layer is computed before its dispatch, and half before its combine.
  program.between = group.layer / 2 + own.overhead;
  program.compute = group.layer - group.layer / 2 + own.overhead;
  return program;
}

// Approximate time of a layer's traffic on an idle fabric.
Picoseconds idleExpertTraffic(const TestConfig& config, const workload::MoeProgram& program,
                              std::uint32_t ranks) {
  const double remote = 1 - static_cast<double>(std::min(program.ranks_per_server, ranks)) / ranks;
  const double bytes = static_cast<double>(program.tokens) * program.top_k * remote *
                       static_cast<double>(program.dispatch_bytes + program.combine_bytes);
  const double rate = static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) / 8;
  return Picoseconds(std::llround(bytes / rate * 1e12)) + microseconds(4);
}

workload::JobSpec decodeGroupJob(std::string name, std::uint32_t ranks,
                                 workload::MoeProgram program) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.rule = workload::PlacementRule::kExplicit;
  for (std::uint32_t host = 0; host < ranks; ++host) job.placement.hosts.push_back(host);
  job.program = std::move(program);
  return job;
}

workload::JobSpec decodeKvJob(const TestConfig& config, std::uint32_t ranks, Fraction load,
                              Picoseconds until) {
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kShift;
  program.shift = ranks / 2;
  program.bytes = kDecodeKvMessage;
  const Int128 alone =
      serializationTime(Bytes(kDecodeKvMessage), config.scenario.topology.link_rate).count();
  program.load = workload::Arrivals{
      Picoseconds(static_cast<std::int64_t>(alone * Fraction::kOne / load.partsPerTrillion())),
      true};
  program.until = until;
  workload::JobSpec job = decodeGroupJob("background", ranks, {});
  job.program = std::move(program);
  job.background = true;
  job.first_flow = 1;
  job.flows = kDecodeKvFlows;
  return job;
}

}  // namespace

DecodeGroup decodeGroup(const TestConfig& config, Numbers& numbers) {
  const scenario::ServingSection& section = decodeSection(config);
  const scenario::Parameters& own = config.scenario.parameters;
  DecodeGroup group;
  group.model = section.program.system.model;
  group.accelerator = section.program.system.accelerator;
  group.efficiency = section.program.system.efficiency;
  group.ranks = numbers.sweep<std::uint32_t>("EP group size", {16}, {16}, own.ranks).front();
  group.batch = numbers.sweep<std::uint32_t>("Batch size", {8}, {8}, own.experts.batches).front();
  if (group.model.moe_layers == 0) return group;
  group.context = section.workload && !section.left_out.prompt
                      ? static_cast<std::uint32_t>(serving::meanPrompt(*section.workload))
                      : kDecodeContext;
  const std::uint32_t all = group.model.moe_layers;
  group.layers =
      std::min(all, numbers.atLeast<std::uint32_t>("MoE layers of a step", all, std::min(all, 2U),
                                                   own.experts.layers));
  serving::StepLoad load;
  load.add(1, group.context, group.batch);
  group.step =
      section.program.system.times
          ? section.program.system.times->decode(load).total
          : serving::expertStep(group.model, group.accelerator, group.efficiency, group.ranks, load)
                .total;
  group.layer = group.step / std::int64_t{all};
  group.token_bytes = std::uint64_t{group.model.hidden} * group.model.act_bits / 8;
  return group;
}

std::optional<std::string> decodeGroupRefusal(const TestConfig& config, const DecodeGroup& group,
                                              std::uint32_t tokens) {
  const scenario::Parameters& own = config.scenario.parameters;
  if (group.model.moe_layers == 0) {
    return fmt::format(
        "model {} is dense: it sends nothing in decode, so that ITL_fabric is 0 and ITL the same "
        "under any load; serving.model needs experts, such as m4",
        group.model.name);
  }
  if (group.ranks > config.scenario.topology.hostCount() || group.ranks > group.model.experts ||
      group.ranks <= own.experts.ranks_per_server) {
    return counted(group.ranks, "rank") +
           ": more than one server's, at most one for each host and expert";
  }
  const double needed = serving::expertRankBytes(group.model, group.ranks) +
                        static_cast<double>(group.batch) * (group.context + tokens) *
                            static_cast<double>(serving::kvBytesPerToken(group.model));
  if (needed > group.accelerator.memory) {
    return fmt::format(
        "a rank needs {:.3g} GB for weights and KV cache, and {} has {:.3g} GB: more ranks "
        "(parameters.ranks), or a smaller batch (parameters.experts.batches)",
        needed / 1e9, group.accelerator.name, group.accelerator.memory / 1e9);
  }
  return std::nullopt;
}

bench::TrialSpec decodeTrial(const TestConfig& config, const DecodeGroup& group,
                             std::uint32_t tokens, const DecodeLoad& load) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.transport = transportOr(config, defaultRoce());
  const workload::MoeProgram program = decodeProgram(config, group, tokens);
  spec.workload->jobs.push_back(decodeGroupJob("decode", group.ranks, program));
  const Picoseconds computing = program.between + program.compute;
  const double exposed = kMostExposed *
                         idleExpertTraffic(config, program, group.ranks).toSeconds() /
                         computing.toSeconds();
  if (load.background > Fraction()) {
    const double length = computing.toSeconds() * (1 + exposed) * program.layers;
    spec.workload->jobs.push_back(decodeKvJob(config, group.ranks, load.background,
                                              Picoseconds(std::llround(length * 1e12))));
  }
  if (load.experts) {
    workload::MoeProgram other = program;
    other.combine_bytes = 0;
    other.compute = other.between = Picoseconds();
    other.period = computing;
    other.layers = static_cast<std::uint32_t>(
        std::ceil(program.layers * std::min(kMostDispatches, 1 + exposed)));
    spec.workload->jobs.push_back(decodeGroupJob("other experts", group.ranks, std::move(other)));
    spec.workload->jobs.back().background = true;
    spec.workload->jobs.back().first_flow = 1 + kDecodeKvFlows;
  }
  return spec;
}

double decodeHops(const TestConfig& config, const DecodeGroup& group, std::uint32_t tokens,
                  bench::TrialSpec spec) {
  const workload::MoeProgram program = decodeProgram(config, group, tokens);
  const Picoseconds layer =
      program.between + program.compute + idleExpertTraffic(config, program, group.ranks);
  const Picoseconds length = layer * std::int64_t{program.layers};
  for (workload::JobSpec& job : spec.workload->jobs) {
    if (auto* messages = std::get_if<workload::MessageProgram>(&job.program)) {
      messages->until = length;
    } else if (auto& experts = std::get<workload::MoeProgram>(job.program);
               experts.period > Picoseconds()) {
      experts.layers = static_cast<std::uint32_t>(length / experts.period);
    }
  }
  return workloadHops(spec);
}

std::vector<double> tokenGaps(const DecodeGroup& group, const bench::TrialResult& trial) {
  const std::vector<Picoseconds>& ends = expertsOf(trial).ends;
  std::vector<double> gaps;
  gaps.reserve(ends.size() / group.layers);
  for (std::size_t i = 2 * std::size_t{group.layers}; i <= ends.size(); i += group.layers) {
    gaps.push_back((ends[i - 1] - ends[i - 1 - group.layers]).toSeconds());
  }
  return gaps;
}

std::size_t tokensAfterLoad(const DecodeGroup& group, const bench::TrialSpec& spec,
                            const bench::TrialResult& trial) {
  Picoseconds until = transport::kNever;
  const std::vector<workload::JobSpec>& jobs = spec.workload->jobs;
  for (std::size_t job = 1; job < jobs.size(); ++job) {
    if (const auto* messages = std::get_if<workload::MessageProgram>(&jobs[job].program)) {
      until = std::min(until, messages->until);
    } else if (const auto& dispatches = expertsOf(trial, job).ends;
               dispatches.size() == std::get<workload::MoeProgram>(jobs[job].program).layers) {
      until = std::min(until, dispatches.back());
    }
  }
  const std::vector<Picoseconds>& ends = expertsOf(trial).ends;
  std::size_t late = 0;
  for (std::size_t i = group.layers; i <= ends.size(); i += group.layers) {
    late += ends[i - 1] > until ? 1 : 0;
  }
  return late;
}

}  // namespace plumbline::suite
