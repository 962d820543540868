// T10.2 MLPerf-aligned job completion time (training draft, section 10.2).
//
// Runs the training workload of the scenario: compute phases and collectives of a model's
// data-parallel step, as given in the editable files t10.2-*.yaml for BERT, ResNet-50 and GPT-3
// 175B. `standard` runs it as the file has it, `quick` a tenth of it: of the bytes of every
// collective and its times inside servers, of the compute phases and of the progress, so that
// ratios stay. No accelerator runs and no model is trained: results are profile-driven, and no
// MLPerf results. Measured: time of every iteration and of the job. Computed: the roofline of a
// fabric whose only cost is serialisation, compute + sum over the collectives of an iteration of
// what a rank sends over the fabric / line rate and of the times inside servers, or the larger of
// the two where they overlap; JCT ratio = JCT / (iterations * roofline); progress per second, from
// the scenario's progress per iteration; and of the draft's section 4 every KPI that simulated
// hosts and a simulated fabric have.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/figures.h"
#include "suite/framework/iteration_overlap.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "workload/formulas.h"
#include "workload/placement.h"

namespace plumbline::suite {
namespace {

class ProfileProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T10.2"; }
  [[nodiscard]] std::string title() const override { return "MLPerf-aligned job completion time"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"busbw_gbps",
            "goodput_gbps",
            "one_way_p99_ns",
            "one_way_p999_ns",
            "link_jfi",
            "link_mmr",
            "busiest_link_percent",
            "drop_ppm",
            "fabric_drops_ppm",
            "trimmed_ppm",
            "retransmission_percent",
            "retransmissions_per_s",
            "out_of_order_per_s",
            "ecn_percent",
            "pfc_per_s",
            "queue_max_bytes",
            "progress_per_s",
            "iteration_p50_ms",
            "iteration_p99_ms",
            "jct_ms",
            "jct_ratio"};
  }
  [[nodiscard]] bool runsWorkload() const override { return true; }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

// Bits that a rank sends over the fabric in an iteration.
double sentBits(const workload::TrainingProgram& program, std::uint32_t ranks) {
  double bytes = 0;
  for (const workload::CollectiveSpec& collective : program.collectives) {
    bytes += workload::fabricBytes(collective, ranks);
  }
  return 8 * bytes;
}

// Divisor of a step in the quick profile.
constexpr std::uint32_t kQuickPart = 10;

std::uint32_t partOf(const TestConfig& config) {
  return config.scenario.profile == scenario::Profile::kQuick ? kQuickPart : 1;
}

Reading latencyNanoseconds(const bench::TrialResult& trial, double quantile) {
  return quantileOf(trial.fabric->endpoints.latency, quantile, 1e3);
}

// KPIs of the draft's section 4 beside those of fabricFigures().
std::vector<Figure> sectionFourFigures() {
  const auto oneWay = [](const char* column, const char* kpi, double quantile) {
    return Figure{.column = column,
                  .unit = "ns",
                  .kpi = kpi,
                  .of = [quantile](std::size_t, const bench::TrialResult& trial) {
                    const bool seen =
                        !trial.fabric->fast_forward && trial.fabric->endpoints.latency.count() > 0;
                    return seen ? std::optional(latencyNanoseconds(trial, quantile)) : std::nullopt;
                  }};
  };
  return {figure("Goodput, all hosts", "Gb/s", "goodput_gbps", goodputGbps),
          oneWay("One-way P99", "one_way_p99_ns", 0.99),
          oneWay("One-way P99.9", "one_way_p999_ns", 0.999),
          figure("Retransmitted", "/s", "retransmissions_per_s", retransmissionsPerSecond),
          figure("Out of order", "/s", "out_of_order_per_s", outOfOrderPerSecond),
          figure("Longest queue", "B", "queue_max_bytes", longestQueueBytes)};
}

// The scenario's workload as the profile runs it.
workload::WorkloadSpec workloadOf(const TestConfig& config) {
  workload::WorkloadSpec spec = config.scenario.workloadSpec();
  const std::uint32_t part = partOf(config);
  for (workload::JobSpec& job : spec.jobs) {
    auto* program = std::get_if<workload::TrainingProgram>(&job.program);
    if (program == nullptr) continue;  // refused
    program->compute = program->compute / part;
    program->compute_spread = program->compute_spread / part;
    for (workload::CollectiveSpec& collective : program->collectives) {
      collective.bytes = std::max<std::uint64_t>(collective.bytes / part, 1);
      collective.before = collective.before / part;
      collective.after = collective.after / part;
    }
  }
  return spec;
}

// "3: 2 AllReduce of 256 MiB, 1 AlltoAll of 4 MiB", in their order.
std::string collectivesText(const workload::TrainingProgram& program) {
  std::vector<std::pair<std::string, std::size_t>> runs;
  for (const workload::CollectiveSpec& one : program.collectives) {
    std::string text = fmt::format("{} of {}", collectiveName(one.kind),
                                   valueText(Bytes(static_cast<std::int64_t>(one.bytes))));
    if (runs.empty() || runs.back().first != text) runs.emplace_back(std::move(text), 0);
    ++runs.back().second;
  }
  std::vector<std::string> texts;
  texts.reserve(runs.size());
  for (const auto& [text, count] : runs) texts.push_back(fmt::format("{} {}", count, text));
  return fmt::format("{}: {}", program.collectives.size(), fmt::join(texts, ", "));
}

// Of an iteration [s]. The times inside servers are none of the fabric's.
double rooflineOf(const workload::TrainingProgram& program, std::uint32_t ranks, BitRate rate) {
  const double compute = program.compute.toSeconds();
  double communication = sentBits(program, ranks) / static_cast<double>(rate.bitsPerSecond());
  for (const workload::CollectiveSpec& collective : program.collectives) {
    communication += (collective.before + collective.after).toSeconds();
  }
  return program.overlap ? std::max(compute, communication) : compute + communication;
}

Design ProfileProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Profile", ""}};
  const scenario::Scenario& scenario = config.scenario;
  if (!scenario.workload) {
    design.refusals.emplace_back("the scenario has no workload");
    return design;
  }
  const workload::WorkloadSpec workload = workloadOf(config);
  if (workload.jobs.size() != 1) {
    design.refusals.push_back(
        fmt::format("the workload has {}: the profile is one training job (a free test runs "
                    "several at once, T10.3 compares two)",
                    counted(workload.jobs.size(), "job")));
    return design;
  }
  const workload::JobSpec& job = workload.jobs.front();
  if (!std::holds_alternative<workload::TrainingProgram>(job.program)) {
    design.refusals.push_back(fmt::format("job '{}' is no training job", job.name));
    return design;
  }
  const auto& program = std::get<workload::TrainingProgram>(job.program);
  const std::uint32_t ranks = workload::ranksOf(job.placement);
  if (rooflineOf(program, ranks, scenario.topology.link_rate) <= 0) {
    design.refusals.push_back(
        fmt::format("job '{}' neither computes nor sends anything over the fabric: its roofline is "
                    "0",
                    job.name));
    return design;
  }
  const double payload = sentBits(program, ranks) / 8 * ranks * program.iterations;
  design.numbers.configure("Label", "profile-driven: no accelerator runs, no MLPerf result");
  design.numbers.configure("Collectives of an iteration", collectivesText(program));
  design.numbers.configure("Compute phase", fmt::format("{}{}", valueText(program.compute),
                                                        program.overlap ? ", overlapped" : ""));
  if (program.compute_spread > Picoseconds(0)) {
    design.numbers.configure("Stragglers",
                             fmt::format("a rank's compute phase takes up to {} longer, drawn anew "
                                         "in every iteration; the roofline leaves it out",
                                         valueText(program.compute_spread)));
  }
  if (program.barrier) design.numbers.configure("Barrier", "between iterations");
  design.numbers.configure("Iterations", std::to_string(program.iterations));
  if (partOf(config) > 1) {
    design.numbers.deviation(
        fmt::format("a step of 1/{} of the profile's: bytes of the collectives and their times "
                    "inside servers, compute phase with its spread, and progress",
                    partOf(config)));
  }
  design.numbers.deviation(
      "KPIs of section 4 not measured: time to train (no model is trained); queue depth P95, "
      "convergence of congestion control, delay of acknowledgements (not recorded by the model); "
      "CPU, memory, power, CRC errors and link flaps of switches (a model has none)");
  design.repetitions = design.numbers.repetitions(3, 1);
  design.hop_cost = 0.75;
  bench::TrialSpec spec = emptyTrial(config);
  spec.transport = transportOr(config, defaultRoce());
  spec.workload = workload;
  design.add({scenario.name}, std::move(spec), payloadHops(config, payload));
  return design;
}

void ProfileProcedure::report(const TestConfig& config, const Design& design,
                              const std::vector<Measured>& measured, ResultBuilder& builder) const {
  const scenario::Scenario& scenario = config.scenario;
  const workload::WorkloadSpec workload = workloadOf(config);
  const workload::JobSpec& job = workload.jobs.front();
  const auto& program = std::get<workload::TrainingProgram>(job.program);
  const std::uint32_t ranks = workload::ranksOf(job.placement);
  const double roofline = rooflineOf(program, ranks, scenario.topology.link_rate);
  const auto outcome = [](const bench::TrialResult& trial) -> const bench::JobOutcome& {
    return trial.fabric->jobs.at(0);
  };
  Figure ratio{.column = "JCT ratio",
               .unit = "",
               .kpi = "jct_ratio",
               .of = [&](std::size_t, const bench::TrialResult& trial) {
                 return workload::jctRatio(outcome(trial).completion,
                                           roofline * program.iterations);
               }};
  ratio.primary = true;
  const auto time = [&](const char* column, const char* kpi, double quantile) {
    return Figure{.column = column,
                  .unit = "ms",
                  .kpi = kpi,
                  .of = [&outcome, quantile](std::size_t, const bench::TrialResult& trial) {
                    const bench::JobOutcome& job = outcome(trial);
                    return quantileOf(iterationQuantile(job, quantile).toSeconds() * 1e3, quantile,
                                      job.iterations.size());
                  }};
  };
  std::vector<Figure> figures{{.column = "JCT",
                               .unit = "ms",
                               .kpi = "jct_ms",
                               .of =
                                   [&](std::size_t, const bench::TrialResult& trial) {
                                     return outcome(trial).completion.toSeconds() * 1e3;
                                   }},
                              ratio,
                              time("Iteration P50", "iteration_p50_ms", 0.5),
                              time("Iteration P99", "iteration_p99_ms", 0.99)};
  if (scenario.parameters.progress) {
    const scenario::Progress& progress = *scenario.parameters.progress;
    figures.push_back({.column = "Progress",
                       .unit = progress.unit + "/s",
                       .kpi = "progress_per_s",
                       .of = [&](std::size_t, const bench::TrialResult& trial) {
                         return static_cast<double>(progress.per_iteration) * program.iterations /
                                partOf(config) / outcome(trial).completion.toSeconds();
                       }});
  }
  const double sent_bits = sentBits(program, ranks);
  figures.push_back({.column = "BusBW",
                     .unit = "Gb/s",
                     .kpi = "busbw_gbps",
                     .of = [&outcome, sent_bits](std::size_t, const bench::TrialResult& trial) {
                       return sent_bits / meanIteration(outcome(trial)).toSeconds() / 1e9;
                     }});
  addTable(design, measured, figures,
           {"profile",
            "Profile-driven training job",
            fmt::format("Roofline of an iteration: {:.6g} ms, times inside servers included. BusBW "
                        "is what a rank must send over the fabric in an iteration over the time of "
                        "the whole iteration, compute included.",
                        roofline * 1e3),
            {},
            {}},
           builder);
  addTable(
      design, measured, sectionFourFigures(),
      {"kpis",
       "KPIs of section 4 during the job",
       "Goodput is payload that arrived per second of the job. One-way latency is that of data "
       "packets, first bit to first bit.",
       {},
       {}},
      builder);
  addTable(design, measured, fabricFigures(),
           {"fabric", "Fabric during the job", kFabricNote, {}, {}}, builder);
  if (measured.empty()) return;
  IterationOverlap overlap;
  overlap.add(measured.front().trials, 0, "iterations");
  overlap.report(builder);
  const results::Quantity value = *meanOf(design, measured.front(), ratio);
  builder.primary("JCT ratio", value);
  builder.result().summary =
      fmt::format("The job takes {} times its roofline{} (profile-driven).", builder.text(value),
                  program.compute_spread > Picoseconds(0)
                      ? fmt::format(", which leaves the stragglers' time of up to {} out",
                                    valueText(program.compute_spread))
                      : "");
}

}  // namespace

const Procedure& profileProcedure() {
  static const ProfileProcedure test;
  return test;
}

}  // namespace plumbline::suite
