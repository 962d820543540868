#include "suite/inference/experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spec/field.h"
#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/profile.h"
#include "suite/framework/wire_bytes.h"
#include "suite/free/workload_hops.h"
#include "suite/inference/transfers.h"
#include "workload/moe_plan.h"

namespace plumbline::suite {
namespace {

constexpr std::uint64_t kExpertBf16 = 2;
// Interval of dispatches: this many times the wire time of the busiest rank's bytes, plus a
// constant.
constexpr std::int64_t kDispatchSpacing = 4;
constexpr Picoseconds kDispatchPause = microseconds(200);

// M1 to M4.
const std::array<ExpertModel, 4> kDraftExpertModels{{{"M1", 8, 2, 4096 * kExpertBf16},
                                                     {"M2", 64, 4, 7168 * kExpertBf16},
                                                     {"M3", 256, 2, 7168 * kExpertBf16},
                                                     {"M4", 256, 8, 7168 * kExpertBf16}}};

// `name`: "M1" to "M5".
ExpertModel expertModelOf(const std::string& name, const scenario::ExpertParameters& own) {
  for (const ExpertModel& model : kDraftExpertModels) {
    if (model.name == name) return model;
  }
  ExpertModel model = kDraftExpertModels.back();
  model.name = "M5";
  model.experts = own.experts.value_or(model.experts);
  model.top_k = own.top_k.value_or(model.top_k);
  model.redundant = own.redundant.value_or(0);
  if (own.dispatch) model.token_bytes = static_cast<std::uint64_t>(own.dispatch->count());
  return model;
}

// The busiest rank's bytes in a dispatch of the program's first layer.
std::uint64_t busiestBytes(const workload::MoeProgram& program, std::uint32_t ranks,
                           std::uint64_t seed, const std::string& name) {
  workload::MoeProgram one = program;
  one.layers = 1;
  const workload::MoePlan plan(one, ranks, seed, name);
  std::vector<std::uint64_t> copies(std::size_t{ranks} * 2);  // sent, received
  for (std::uint32_t from = 0; from < ranks; ++from) {
    for (std::uint32_t to = 0; to < ranks; ++to) {
      copies[from] += plan.copies(0, from, to);
      copies[ranks + to] += plan.copies(0, from, to);
    }
  }
  return *std::max_element(copies.begin(), copies.end()) *
         (program.dispatch_bytes + program.combine_bytes);
}

}  // namespace

std::string ExpertModel::label() const {
  return fmt::format("{} ({}, {}, {} B)", name, experts, top_k, token_bytes);
}

std::vector<ExpertModel> expertModels(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick) {
  const scenario::ExpertParameters& own = config.scenario.parameters.experts;
  std::optional<std::vector<std::string>> chosen = own.models;
  if (chosen) {
    for (std::string& word : *chosen) word.front() = 'M';  // "m4" is M4
  }
  std::vector<ExpertModel> models;
  for (const std::string& name : numbers.sweep("Models", standard, quick, chosen)) {
    models.push_back(expertModelOf(name, own));
    const ExpertModel& model = models.back();
    numbers.configure(
        model.name,
        fmt::format("E = {} experts, k = {}, {} B a token{}", model.experts, model.top_k,
                    model.token_bytes,
                    model.redundant == 0 ? "" : fmt::format(", {} replicas", model.redundant)));
  }
  return models;
}

workload::MoeProgram dispatchProgram(const TestConfig& config, const ExpertPoint& point,
                                     std::uint32_t dispatches) {
  const scenario::ExpertParameters& own = config.scenario.parameters.experts;
  workload::MoeProgram program;
  program.tokens = point.batch;
  program.experts = point.model.experts;
  program.top_k = point.model.top_k;
  program.redundant = point.model.redundant;
  program.dispatch_bytes = point.model.token_bytes;
  program.combine_bytes = 0;
  program.layers = dispatches;
  program.ranks_per_server = own.ranks_per_server;
  program.intra_rate = own.intra_rate;
  return program;
}

bench::TrialSpec expertTrial(const TestConfig& config, workload::MoeProgram program,
                             std::uint32_t ranks) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.transport = transportOr(config, defaultRoce());
  workload::JobSpec job;
  job.name = "experts";
  job.placement.ranks = ranks;
  const std::uint64_t bytes = busiestBytes(program, ranks, spec.workload->seed, job.name);
  program.period = serializationTime(Bytes(static_cast<std::int64_t>(bytes)),
                                     config.scenario.topology.link_rate) *
                       kDispatchSpacing +
                   program.compute + kDispatchPause;
  job.program = std::move(program);
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

double expertHops(const bench::TrialSpec& spec) { return workloadHops(spec); }

const workload::MoeResult& expertsOf(const bench::TrialResult& trial, std::size_t job) {
  return *trial.fabric->jobs.at(job).moe;
}

double expertLatency(const TestConfig& config, const bench::TrialResult& trial) {
  const workload::MoePhaseResult& dispatch = expertsOf(trial).dispatch;
  // With layers, but without times: all inside servers.
  const double without = dispatch.logical_bytes > 0 ? 0 : kNotMeasured;
  return std::max(meanMicroseconds(dispatch.durations).value_or(without),
                  dispatch.intra.toMicroseconds()) +
         config.scenario.parameters.experts.overhead.toMicroseconds();
}

double remoteBytesTime(const TestConfig& config, const bench::TrialResult& trial) {
  const workload::MoeResult& moe = expertsOf(trial);
  const double payload_rate =
      static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) *
      payloadShareOf(transportOr(config, defaultRoce()));
  return moe.dispatch.fabric_bytes / moe.ranks * 8 / payload_rate * 1e6;
}

Figure expertFigure(std::string column, std::string unit, std::string kpi,
                    std::optional<double> (*of)(const workload::MoeResult& moe)) {
  return {.column = std::move(column),
          .unit = std::move(unit),
          .kpi = std::move(kpi),
          .of = [of](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
            const std::optional<double> value = of(expertsOf(trial));
            return value ? std::optional<Reading>(*value) : std::nullopt;
          }};
}

Figure busiestRankFigure() {
  return expertFigure(
      "Busiest rank / mean", "", "busiest_rank_ratio",
      [](const workload::MoeResult& moe) { return std::optional(moe.busiest_over_mean); });
}

Figure rankTimeFigure(std::string column, std::string kpi, double quantile) {
  return {
      .column = std::move(column),
      .unit = "us",
      .kpi = std::move(kpi),
      .of = [quantile](std::size_t, const bench::TrialResult& trial) {
        return std::optional(quantileMicroseconds(expertsOf(trial).dispatch.rank_time, quantile));
      }};
}

Figure dispatchFigure() {
  return expertFigure("Dispatch", "us", "dispatch_us", [](const workload::MoeResult& moe) {
    return meanMicroseconds(moe.dispatch.durations);
  });
}

std::vector<Figure> dispatchTimeFigures(const TestConfig& config) {
  const auto ofTrial = [&config](std::string column, std::string kpi,
                                 double (*of)(const TestConfig&, const bench::TrialResult&)) {
    return Figure{.column = std::move(column),
                  .unit = "us",
                  .kpi = std::move(kpi),
                  .of = [&config, of](std::size_t, const bench::TrialResult& trial) {
                    return std::optional<Reading>(of(config, trial));
                  }};
  };
  return {dispatchFigure(),
          expertFigure("Mean of ranks", "us", "dispatch_mean_us",
                       [](const workload::MoeResult& moe) {
                         const stats::Histogram& times = moe.dispatch.rank_time;
                         return times.count() == 0 ? std::nullopt
                                                   : std::optional(times.mean() / 1e6);
                       }),
          rankTimeFigure("P50 of ranks", "dispatch_p50_us", 0.5),
          rankTimeFigure("P99 of ranks", "dispatch_p99_us", 0.99),
          ofTrial("Remote bytes over payload rate", "", remoteBytesTime),
          expertFigure("Inside servers", "us", "",
                       [](const workload::MoeResult& moe) {
                         return std::optional(moe.dispatch.intra.toMicroseconds());
                       }),
          ofTrial("With overhead", "expert_latency_us", expertLatency),
          expertFigure("Waiting for the slowest", "us", "expert_idle_us",
                       [](const workload::MoeResult& moe) -> std::optional<double> {
                         if (moe.dispatch.durations.empty()) return std::nullopt;
                         return moe.dispatch.wait.toMicroseconds();
                       })};
}

std::vector<Figure> dispatchBandwidthFigures() {
  return {
      expertFigure(
          "Logical", "GB/s", "expert_logical_gigabytes_per_s",
          [](const workload::MoeResult& moe) { return logicalGigabytes(moe, moe.dispatch); }),
      expertFigure(
          "Across the fabric", "GB/s", "expert_fabric_gigabytes_per_s",
          [](const workload::MoeResult& moe) { return fabricGigabytes(moe, moe.dispatch); }),
      {.column = "On the wire",
       .unit = "GB/s",
       .kpi = "expert_wire_gigabytes_per_s",
       .of = [](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
         const std::optional<double> wire = wireGigabytes(trial);
         return wire ? std::optional<Reading>(*wire) : std::nullopt;
       }},
      expertFigure("Across the fabric, all ranks", "GB/s", "", [](const workload::MoeResult& moe) {
        const auto each = fabricGigabytes(moe, moe.dispatch);
        return each ? std::optional(*each * moe.ranks) : std::nullopt;
      })};
}

std::vector<Figure> expertFabricFigures() {
  return {figure("ECN marked", "%", "ecn_percent", ecnPercent),
          figure("PAUSE", "/s", "pfc_per_s", pausesPerSecond),
          figure("Dropped in the fabric", "ppm", "fabric_drops_ppm", fabricDropsPpm),
          figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes)};
}

std::vector<std::string> dispatchKpis() {
  return {"dispatch_us",
          "dispatch_mean_us",
          "dispatch_p50_us",
          "dispatch_p99_us",
          "expert_latency_us",
          "expert_idle_us",
          "expert_logical_gigabytes_per_s",
          "expert_fabric_gigabytes_per_s",
          "expert_wire_gigabytes_per_s",
          "ecn_percent",
          "pfc_per_s",
          "fabric_drops_ppm",
          "queue_max_bytes"};
}

void configureExperts(const TestConfig& config, Numbers& numbers) {
  const scenario::ExpertParameters& own = config.scenario.parameters.experts;
  labelDut(DutLabel::kFabric, numbers);
  numbers.configure(
      "Ranks of a server",
      fmt::format("{}, which send each other nothing over the fabric", own.ranks_per_server));
  numbers.configure("Inside servers (model input)",
                    fmt::format("{:.6g} GB/s of a rank, one way",
                                static_cast<double>(own.intra_rate.bitsPerSecond()) / 8e9));
  numbers.configure("Overhead of a dispatch (model input)", durationText(own.overhead));
  numbers.configure("Batch", "tokens of a rank, not of the group");
  numbers.configure("Dispatches begin",
                    "on all ranks together, by the clock, when the one before is over");
}

void noteLateLayers(std::span<const Measured> measured, ResultBuilder& builder) {
  for (const Measured& one : measured) {
    Picoseconds late;
    for (const bench::TrialResult& trial : one.trials) {
      for (const auto& job : trial.fabric->jobs) {
        if (job.moe) late = std::max(late, job.moe->late);
      }
    }
    if (late <= Picoseconds()) continue;
    builder.anomaly(fmt::format("ranks began dispatches up to {} late: the one before was not over",
                                roundedTimeText(late)),
                    one.point.label);
  }
}

}  // namespace plumbline::suite
