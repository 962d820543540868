#include "suite/free/expert_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "suite/framework/expert_metrics.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/free/jobs.h"

namespace plumbline::suite {
namespace {

using workload::MoePhaseResult;
using workload::MoeResult;

struct ExpertColumn {
  const char* name;
  const char* unit;
  const char* kpi;  // empty: none
  std::optional<Reading> (*of)(const MoeResult&);
};

std::optional<Reading> expertReading(std::optional<double> value) {
  return value ? std::optional<Reading>(*value) : std::nullopt;
}

std::optional<Reading> expertRankTime(const MoePhaseResult& phase, double quantile) {
  if (phase.rank_time.count() == 0) return std::nullopt;
  return quantileMicroseconds(phase.rank_time, quantile);
}

std::optional<Reading> expertIntra(const MoePhaseResult& phase) {
  if (phase.logical_bytes <= 0) return std::nullopt;
  return phase.intra.toMicroseconds();
}

constexpr ExpertColumn kExpertColumns[] = {
    {"Dispatch", "us", "dispatch_us",
     [](const MoeResult& moe) { return expertReading(meanMicroseconds(moe.dispatch.durations)); }},
    {"Dispatch P99", "us", "dispatch_p99_us",
     [](const MoeResult& moe) { return expertRankTime(moe.dispatch, 0.99); }},
    {"Combine", "us", "combine_us",
     [](const MoeResult& moe) { return expertReading(meanMicroseconds(moe.combine.durations)); }},
    {"Combine P99", "us", "combine_p99_us",
     [](const MoeResult& moe) { return expertRankTime(moe.combine, 0.99); }},
    {"Round trip", "us", "expert_round_trip_us",
     [](const MoeResult& moe) { return expertReading(roundTripMicroseconds(moe)); }},
    {"Logical, dispatch", "GB/s", "expert_logical_gigabytes_per_s",
     [](const MoeResult& moe) { return expertReading(logicalGigabytes(moe, moe.dispatch)); }},
    {"Across the fabric, dispatch", "GB/s", "expert_fabric_gigabytes_per_s",
     [](const MoeResult& moe) { return expertReading(fabricGigabytes(moe, moe.dispatch)); }},
    {"Logical, combine", "GB/s", "",
     [](const MoeResult& moe) { return expertReading(logicalGigabytes(moe, moe.combine)); }},
    {"Across the fabric, combine", "GB/s", "",
     [](const MoeResult& moe) { return expertReading(fabricGigabytes(moe, moe.combine)); }},
    {"Inside servers, dispatch", "us", "",
     [](const MoeResult& moe) { return expertIntra(moe.dispatch); }},
    {"Inside servers, combine", "us", "",
     [](const MoeResult& moe) { return expertIntra(moe.combine); }},
    {"Waiting for the slowest", "us", "expert_idle_us",
     [](const MoeResult& moe) -> std::optional<Reading> {
       if (moe.dispatch.durations.empty()) return std::nullopt;
       return moe.dispatch.wait.toMicroseconds();
     }},
    {"Size CV of pairs", "", "expert_pair_cv",
     [](const MoeResult& moe) { return expertReading(moe.pair_cv); }},
    {"Busiest rank / mean", "", "busiest_rank_ratio",
     [](const MoeResult& moe) -> std::optional<Reading> { return moe.busiest_over_mean; }},
    {"Dropped", "%", "dropped_selections_percent",
     [](const MoeResult& moe) -> std::optional<Reading> { return droppedPercent(moe); }},
};

}  // namespace

std::vector<std::string> expertKpis() {
  std::vector<std::string> names;
  for (const ExpertColumn& column : kExpertColumns) {
    if (*column.kpi != '\0') names.emplace_back(column.kpi);
  }
  return names;
}

void addExperts(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                ResultBuilder& builder) {
  results::Table table{
      "experts",
      "Mixtures of experts",
      "Times are of the fabric alone: from the first rank's start until the last one has what it "
      "must get, mean over the layers; P99 over ranks and layers, each from its own start. GB/s "
      "are "
      "10^9 B/s of a rank: logical of all selections, a rank's own included; across the fabric of "
      "what goes to another server, once. Time inside servers is modelled, of the busiest rank at "
      "intra_rate, and in none of the other times.",
      {"Job"},
      {}};
  for (const ExpertColumn& column : kExpertColumns) table.columns.emplace_back(column.name);
  const std::vector<std::string> labels = jobLabels(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!std::holds_alternative<workload::MoeProgram>(jobs[i].program)) continue;
    std::vector<results::Cell> row{labels[i]};
    const bool all_finished = std::all_of(
        trials.begin(), trials.end(),
        [i](const bench::TrialResult& trial) { return trial.fabric->jobs.at(i).finished; });
    for (const ExpertColumn& column : kExpertColumns) {
      const FabricFigure figure = [i, &column](const bench::TrialResult& trial) {
        // Skipped for an unfinished job, of which only the fast layers might be known.
        const bench::JobOutcome& job = trial.fabric->jobs.at(i);
        return job.moe && job.finished ? column.of(*job.moe) : std::nullopt;
      };
      row.push_back(cellOf(trials, column.unit, figure));
      if (*column.kpi == '\0') continue;
      if (auto mean = meanOf(trials, column.unit, figure)) {
        builder.kpi(column.kpi, labels[i], *std::move(mean));
      } else if (!all_finished) {
        builder.notMeasured(column.kpi, labels[i]);
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) builder.result().tables.push_back(std::move(table));
}

}  // namespace plumbline::suite
