// T10.1 Synthetic job completion time (training draft, section 10.1).
//
// Swept: compute phase C × buffer S × ranks n × load balancing. Every iteration computes for C,
// then does an AllReduce of S: strictly one after the other; or, overlapped, in eight buckets that
// start as the compute phase goes on. Computed, over the whole job of k iterations (JCT, first
// rank's start to the last one's finish), with C_total = k C and Comm_time = k S algo_factor / line
// rate:
//   JCT ratio                  JCT / (C_total + Comm_time), of jobs that do not overlap
//   Overlap_Fraction           1 - (JCT - C_total) / Comm_time, the draft's
//   Effective_Comm_Overhead    JCT - C_total, the draft's: a time
// and beside them, under names of ours:
//   Overhead over compute      (JCT - C_total) / C_total
//   Hidden communication       1 - (JCT - C_total) / T, T the time of the same job without
//                              computing, of the same repetition: 1 when all that the fabric takes
//                              hides, whatever it takes
// The draft's fraction falls below 0 where the fabric takes more than serialisation and little
// hides.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/counted.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/training/collective.h"
#include "suite/training/training.h"
#include "workload/formulas.h"

namespace plumbline::suite {
namespace {

using workload::CollectiveKind;

enum class Mode { kSequential, kOverlapped, kCommunication };

constexpr std::uint32_t kBuckets = 8;

struct JobPoint {
  Picoseconds compute;
  Bytes size;
  std::uint32_t ranks = 2;
  Balancing balancing;
  Mode mode = Mode::kSequential;
};

struct JobSweep {
  std::vector<JobPoint> points;
  std::uint32_t iterations = 0;  // of a trial, at most
};

// Iterations that the only job of a trial ran.
std::int64_t iterationsRun(const bench::TrialResult& trial) {
  return static_cast<std::int64_t>(trial.fabric->jobs.at(0).iterations.size());
}

std::string modeName(Mode mode) {
  switch (mode) {
    case Mode::kSequential:
      return "sequential";
    case Mode::kOverlapped:
      return "overlapped";
    case Mode::kCommunication:
      break;
  }
  return "communication alone";
}

class SyntheticJctProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T10.1"; }
  [[nodiscard]] std::string title() const override { return "Synthetic job completion time"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(fabricKpis(), {"hidden_fraction", "effective_comm_overhead_ms", "jct_ratio",
                               "jct_ms", "overlap_fraction", "comm_overhead_percent"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static std::vector<JobPoint> pointsOf(const TestConfig& config, Numbers& numbers);
  static std::uint32_t iterationsOf(const TestConfig& config, Numbers& numbers) {
    return numbers.atLeast<std::uint32_t>("Iterations", 1000, 5,
                                          config.scenario.parameters.iterations);
  }
  static bench::TrialSpec trialOf(const TestConfig& config, const JobPoint& point,
                                  std::uint32_t iterations);
};

std::vector<JobPoint> SyntheticJctProcedure::pointsOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  const scenario::Parameters& own = config.scenario.parameters;
  const auto computes = numbers.sweep<Picoseconds>(
      "Compute phases", {milliseconds(10), milliseconds(50), milliseconds(100), milliseconds(500)},
      {milliseconds(10)}, own.compute);
  const auto sizes = numbers.sweep<Bytes>(
      "Buffer sizes", {Bytes(256 * kMiB), Bytes(1024 * kMiB), Bytes(4096 * kMiB)},
      {Bytes(4 * kMiB), Bytes(16 * kMiB)}, own.sizes);
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const auto ranks =
      numbers.sweep<std::uint32_t>("Ranks", {64, 128, 256, 512, 1024}, {8, 16}, own.ranks,
                                   [hosts](std::uint32_t n) { return n <= hosts; });
  noteRingHops(config, {CollectiveKind::kAllReduce}, ranks, numbers);
  const auto balancings =
      balancingSweep(config, numbers, {"ecmp", "flowlet", "spray"}, {"ecmp", "flowlet", "spray"});
  std::vector<JobPoint> points;
  for (const Picoseconds compute : computes) {
    for (const Bytes size : sizes) {
      for (const std::uint32_t n : ranks) {
        for (const Balancing& balancing : balancings) {
          for (const Mode mode : {Mode::kCommunication, Mode::kSequential, Mode::kOverlapped}) {
            points.push_back({compute, size, n, balancing, mode});
          }
        }
      }
    }
  }
  return points;
}

bench::TrialSpec SyntheticJctProcedure::trialOf(const TestConfig& config, const JobPoint& point,
                                                std::uint32_t iterations) {
  const CollectivePoint collective{CollectiveKind::kAllReduce, point.size, point.ranks,
                                   defaultVariant(config, point.balancing)};
  bench::TrialSpec spec = collectiveTrial(config, collective, iterations);
  auto& program = std::get<workload::TrainingProgram>(spec.workload->jobs[0].program);
  if (point.mode == Mode::kOverlapped) spec.fast_forward.reset();
  endCollectiveEarly(config, collective, spec);
  if (point.mode == Mode::kCommunication) return spec;
  program.compute = point.compute;
  if (point.mode == Mode::kSequential) return spec;
  program.overlap = true;
  const std::int64_t bucket = point.size.count() / kBuckets;
  program.collectives.assign(kBuckets, collectiveSpec(CollectiveKind::kAllReduce, Bytes(bucket)));
  program.collectives.back().bytes += static_cast<std::uint64_t>(point.size.count() % kBuckets);
  return spec;
}

Design SyntheticJctProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Compute", "compute"},
                 {"Buffer", ""},
                 {"Ranks", "ranks"},
                 {"Load balancing", ""},
                 {"Phases", ""}};
  design.numbers.configure("AllReduce", collectiveScheme(CollectiveKind::kAllReduce));
  design.numbers.configure(
      "Overlap",
      fmt::format("{0} buckets of 1/{0} of the buffer in one stream: number i starts when "
                  "i/{0} of the compute phase and the bucket before it are done",
                  kBuckets));
  design.numbers.configure("Placement", placementText(config));
  const std::vector<JobPoint> points = pointsOf(config, design.numbers);
  const std::uint32_t iterations = iterationsOf(config, design.numbers);
  design.repetitions = design.numbers.repetitions(3, 1);
  if (mayEndEarly(config)) {
    design.numbers.configure(
        "JCT and Effective_Comm_Overhead",
        fmt::format("of {} iterations: those of the iterations that were run, times {} over their "
                    "number",
                    iterations, iterations));
  }
  for (const JobPoint& point : points) {
    bench::TrialSpec spec = trialOf(config, point, iterations);
    const CollectivePoint collective{CollectiveKind::kAllReduce, point.size, point.ranks,
                                     defaultVariant(config, point.balancing)};
    const double hops = collectiveHops(config, collective, spec);
    design.add({valueText(point.compute), valueText(point.size), std::to_string(point.ranks),
                point.balancing.name, modeName(point.mode)},
               std::move(spec), hops, collectiveHopCost(config, collective));
  }
  design.carry(JobSweep{points, iterations});
  return design;
}

void SyntheticJctProcedure::report(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  const std::vector<JobPoint>& points = design.carried<JobSweep>().points;
  const std::uint32_t iterations = design.carried<JobSweep>().iterations;
  const auto completion = [](const bench::TrialResult& trial) {
    return trial.fabric->jobs.at(0).completion;
  };
  // Times of the jobs without computation, by their parameters and by repetition.
  using Key = std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::string>;
  const auto key = [&points](std::size_t i) {
    return Key(points[i].compute.count(), points[i].size.count(), points[i].ranks,
               points[i].balancing.name);
  };
  struct Alone {
    Picoseconds time;
    std::int64_t iterations;
  };
  std::map<Key, std::vector<Alone>> communication;
  for (const Measured& one : measured) {
    const std::size_t place = placeOf(design, one);
    if (points[place].mode != Mode::kCommunication) continue;
    for (const bench::TrialResult& trial : one.trials) {
      communication[key(place)].push_back({completion(trial), iterationsRun(trial)});
    }
  }
  const auto computing = [&](std::size_t i, const bench::TrialResult& trial) {
    return points[i].mode == Mode::kCommunication ? Picoseconds(0)
                                                  : points[i].compute * iterationsRun(trial);
  };
  const auto serialisation = [&](std::size_t i, const bench::TrialResult& trial) {
    return static_cast<double>(iterationsRun(trial)) *
           workload::idealSeconds(CollectiveKind::kAllReduce, points[i].ranks,
                                  static_cast<std::uint64_t>(points[i].size.count()),
                                  config.scenario.topology.link_rate);
  };
  // Time of the job beyond computation [s].
  const auto beyond = [&](std::size_t i, const bench::TrialResult& trial) {
    return (completion(trial) - computing(i, trial)).toSeconds();
  };
  // Times of a whole job are for the requested iterations, even if a trial ended early.
  const auto whole = [&](const bench::TrialResult& trial, double seconds) {
    return seconds * 1e3 * (iterations / static_cast<double>(iterationsRun(trial)));
  };
  const Figure jct{.column = "JCT",
                   .unit = "ms",
                   .kpi = "jct_ms",
                   .of =
                       [&](std::size_t, const bench::TrialResult& trial) {
                         return withBatches(trial, whole(trial, completion(trial).toSeconds()));
                       },
                   .observed = ObservationPoint::kModelled,
                   .primary = true};
  const Figure ratio{.column = "JCT ratio",
                     .unit = "",
                     .kpi = "jct_ratio",
                     .of = [&](std::size_t i, const bench::TrialResult& trial) {
                       return workload::jctRatio(
                           completion(trial),
                           computing(i, trial).toSeconds() + serialisation(i, trial));
                     }};
  const Figure overlap{.column = "Overlap_Fraction",
                       .unit = "",
                       .kpi = "overlap_fraction",
                       .of = [&](std::size_t i, const bench::TrialResult& trial) {
                         return 1 - beyond(i, trial) / serialisation(i, trial);
                       }};
  const Figure overhead{.column = "Effective_Comm_Overhead",
                        .unit = "ms",
                        .kpi = "effective_comm_overhead_ms",
                        .of = [&](std::size_t i, const bench::TrialResult& trial) {
                          return whole(trial, beyond(i, trial));
                        }};
  const Figure relative{.column = "Overhead over compute",
                        .unit = "%",
                        .kpi = "comm_overhead_percent",
                        .of = [&](std::size_t i, const bench::TrialResult& trial) {
                          return 100 * beyond(i, trial) / computing(i, trial).toSeconds();
                        }};
  const Figure hidden{
      .column = "Hidden communication",
      .unit = "",
      .kpi = "hidden_fraction",
      .paired = [&](std::size_t i, std::size_t repetition,
                    const bench::TrialResult& trial) -> std::optional<double> {
        const auto alone = communication.find(key(i));
        if (alone == communication.end()) return std::nullopt;
        // As many iterations alone as with computing.
        const Alone& one = alone->second[repetition];
        const auto time =
            static_cast<Int128>(one.time.count()) * iterationsRun(trial) / one.iterations;
        return workload::overlapFraction(completion(trial), computing(i, trial),
                                         Picoseconds(static_cast<std::int64_t>(time)));
      }};
  const auto addTableOf = [&](Mode mode, const std::vector<Figure>& figures,
                              results::Table heading) {
    std::vector<Measured> rows;
    for (const Measured& one : measured) {
      if (points[placeOf(design, one)].mode == mode) rows.push_back(one);
    }
    if (!rows.empty()) addTable(design, rows, figures, std::move(heading), builder);
  };
  addTableOf(
      Mode::kSequential, {jct, ratio, overhead, relative},
      {"jct",
       "Job completion time, compute and communication in turn",
       "Of the whole job. JCT ratio is over iterations times (compute phase and serialisation "
       "of what a ring sends).",
       {},
       {}});
  addTableOf(
      Mode::kOverlapped, {jct, overlap, overhead, hidden, relative},
      {"overlap",
       "Job completion time, communication overlapped with compute",
       "Overlap_Fraction is 1 - (JCT - C_total) / Comm_time with Comm_time = iterations x S x "
       "algo_factor / line rate, Effective_Comm_Overhead is JCT - C_total, both as the draft "
       "defines them. Hidden communication divides by the time of the same job without "
       "computing instead of by Comm_time.",
       {},
       {}});
  addTableOf(Mode::kCommunication, {jct, ratio},
             {"communication",
              "The same collectives without computing",
              "JCT ratio is over the serialisation of what a ring sends.",
              {},
              {}});
  addTable(design, measured, fabricFigures(),
           {"fabric", "Fabric during the job", kFabricNote, {}, {}}, builder);
  std::vector<Measured> not_overlapped;
  for (const Measured& one : measured) {
    if (points[placeOf(design, one)].mode != Mode::kOverlapped) not_overlapped.push_back(one);
  }
  addChart(design, not_overlapped, ratio,
           {[&](std::size_t i) { return static_cast<double>(points[i].ranks); },
            [&](std::size_t i) {
              return fmt::format("{}, {}, {}, {}", modeName(points[i].mode),
                                 valueText(points[i].compute), valueText(points[i].size),
                                 points[i].balancing.name);
            }},
           chartOverRanks("jct_ratio_vs_ranks", "JCT ratio over ranks", "JCT ratio"), builder);
  notePredictions(measured, builder);
  for (const Measured& one : measured) {
    if (points[placeOf(design, one)].mode != Mode::kSequential) continue;
    const results::Quantity value = *meanOf(design, one, ratio);
    builder.primary("JCT ratio, " + one.point.label, value);
    builder.result().summary = fmt::format("{}: the job takes {} times its roofline.",
                                           one.point.label, builder.text(value));
    return;
  }
  if (measured.empty()) return;
  builder.result().summary = fmt::format(
      "No job with compute and communication in turn gave a result, but {} of {} others did.",
      measured.size(), counted(design.points.size(), "point"));
}

}  // namespace

const Procedure& syntheticJctProcedure() {
  static const SyntheticJctProcedure test;
  return test;
}

}  // namespace plumbline::suite
