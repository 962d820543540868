#include "suite/free/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "base/counted.h"
#include "results/quantity_text.h"
#include "stats/censored.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/iteration_overlap.h"
#include "workload/formulas.h"
#include "workload/own_time.h"
#include "workload/placement.h"

namespace plumbline::suite {
namespace {

using bench::JobOutcome;
using bench::TrialResult;

// Jobs that are among the primary figures and in the summary; the tables have all.
constexpr std::size_t kShownJobs = 4;

// A job whose iterations are one kind of collective alone. With computation, or collectives of
// several kinds, the time of an iteration is not that of a collective.
struct CollectiveJob {
  workload::CollectiveKind kind = workload::CollectiveKind::kAllReduce;
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;  // S, of all collectives of an iteration
};

std::optional<CollectiveJob> collectiveOf(const workload::JobSpec& job) {
  const auto* program = std::get_if<workload::TrainingProgram>(&job.program);
  if (program == nullptr || program->collectives.empty() || program->compute > Picoseconds(0) ||
      program->compute_spread > Picoseconds(0)) {
    return std::nullopt;
  }
  CollectiveJob collective{program->collectives.front().kind, workload::ranksOf(job.placement), 0};
  for (const workload::CollectiveSpec& one : program->collectives) {
    if (one.kind != collective.kind) return std::nullopt;
    collective.bytes += one.bytes;
  }
  return collective;
}

// Mean over the iterations of a collective or training; for messages and traces the time until the
// last one was done. Nothing for an unfinished job, and for one that had nothing to do.
std::optional<Picoseconds> jobTime(const JobOutcome& job) {
  if (!job.finished || (job.iterations.empty() && job.messages_completed == 0)) return std::nullopt;
  const Picoseconds time = meanIteration(job);
  return time > Picoseconds(0) ? std::optional(time) : std::nullopt;
}

// A quantile of the times of all posted messages, 1 being the maximum; open ones count with their
// age. Nothing if open ones decide it.
std::optional<Reading> messageMicroseconds(const JobOutcome& job, double quantile) {
  const stats::Histogram& times = job.message_time;
  const std::optional<std::uint64_t> rank = stats::censoredRank(times, job.open_age, quantile);
  if (!rank) return std::nullopt;
  if (quantile >= 1) return quantileMicroseconds(times, 1);
  // The middle of a rank, so that rounding does not make it the next one.
  Reading reading = quantileMicroseconds(
      times, (static_cast<double>(*rank) - 0.5) / static_cast<double>(times.count()));
  reading.percentile = results::Percentile{quantile, times.count() + job.open_age.count()};
  return reading;
}

// A job of iterations, or of layers of experts.
bool iterates(const workload::JobSpec& job) {
  return std::holds_alternative<workload::TrainingProgram>(job.program) ||
         std::holds_alternative<workload::MoeProgram>(job.program);
}

// The figures of one job.
class JobFigures {
 public:
  JobFigures(const workload::JobSpec& spec, std::size_t place, std::string label,
             const Repetitions& trials)
      : spec_(spec),
        place_(place),
        label_(std::move(label)),
        trials_(trials),
        is_collective_(collectiveOf(spec).has_value()) {}

  struct Row {
    std::string column;
    std::string unit;
    std::string kpi;  // empty: not a KPI
    FabricFigure of;
    bool primary = false;
    bool expected = true;  // of a job of this kind, once it is finished if it can be
  };

  [[nodiscard]] std::vector<Row> main() const {
    const bool ends = !isEndless();
    std::vector<Row> rows{{"Time", "us", "job_time_us", job(&JobFigures::microseconds), true, ends},
                          {"Goodput per rank", "Gb/s", "goodput_per_rank_gbps",
                           [this](const TrialResult& trial) { return goodputPerRank(trial); },
                           !is_collective_, ends}};
    rows.push_back({"Algorithm bandwidth", "Gb/s", "algbw_gbps",
                    job(&JobFigures::algorithmBandwidth), false, is_collective_});
    rows.push_back({"Bus bandwidth", "Gb/s", "busbw_gbps", job(&JobFigures::busBandwidth),
                    is_collective_, is_collective_});
    rows.push_back({"JFI of its flows", "", "flow_jfi",
                    job([](const JobFigures& self, const JobOutcome& one) {
                      return hasBarrier(self.spec_) ? std::nullopt : one.flow_jfi;
                    }),
                    false, !hasBarrier(spec_) && hasNotBegun()});
    return rows;
  }

  [[nodiscard]] std::vector<Row> messages() const {
    const auto time = [this](double quantile) {
      return job([quantile](const JobFigures& self, const JobOutcome& one) {
        // The longest message of a job that ends may be among its open ones.
        const bool unknown = quantile >= 1 && !self.isEndless() && one.messages_open > 0;
        return unknown ? std::nullopt : messageMicroseconds(one, quantile);
      });
    };
    const auto count = [this](std::uint64_t JobOutcome::*member) {
      return job([member](const JobFigures&, const JobOutcome& one) {
        return std::optional<double>(static_cast<double>(one.*member));
      });
    };
    return {{"Message time P50", "us", "message_time_p50_us", time(0.5), false},
            {"P99", "us", "message_time_p99_us", time(0.99), !is_collective_},
            {"Max", "us", "message_time_max_us", time(1), false},
            {"Messages", "", "", count(&JobOutcome::messages_completed), false},
            {"Failed", "", "failed_messages", count(&JobOutcome::messages_failed), false},
            {"Open", "", "", count(&JobOutcome::messages_open), false},
            {"Posted by the busiest rank", "B", "", count(&JobOutcome::bytes_per_rank), false}};
  }

  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] std::uint32_t ranks() const { return workload::ranksOf(spec_.placement); }
  [[nodiscard]] bool isCollective() const { return is_collective_; }
  // Some of its messages are always open when the trial ends.
  [[nodiscard]] bool isEndless() const { return workload::isEndless(spec_); }
  // That a trial ended before the job did, or before a message of an endless job that took longer
  // than all complete ones; nothing if none did.
  [[nodiscard]] std::optional<std::string> cutOff() const {
    const auto is_cut_off = [this](const TrialResult& trial) {
      const JobOutcome& one = outcome(trial);
      const bool late = one.open_age.maximum() > one.message_time.maximum();
      return !one.finished && (!isEndless() || late);
    };
    const auto first = std::find_if(trials_.begin(), trials_.end(), is_cut_off);
    if (first == trials_.end()) return std::nullopt;
    const JobOutcome& one = outcome(*first);
    std::string in;
    if (trials_.size() > 1) {
      in = fmt::format(" in {} of {} repetitions, in repetition {}",
                       std::count_if(trials_.begin(), trials_.end(), is_cut_off), trials_.size(),
                       first - trials_.begin());
    }
    std::string text = fmt::format(
        "{} {}{} when the trial ended at {:.6g} us: {} done, {} open, {} failed", label_,
        isEndless() ? "had open messages that had taken longer than all complete ones"
                    : "was not finished",
        in, first->fabric->sim_end.toMicroseconds(), counted(one.messages_completed, "message"),
        one.messages_open, one.messages_failed);
    if (one.messages_open == 0) return text;
    return text +
           ". Percentiles count an open message as longer than its age at that time, and "
           "are not given where open messages decide them";
  }

  // All its messages failed, in all repetitions.
  [[nodiscard]] bool failed() const {
    return std::all_of(trials_.begin(), trials_.end(), [this](const TrialResult& trial) {
      const JobOutcome& one = outcome(trial);
      return one.finished && one.messages_completed == 0 && one.messages_failed > 0;
    });
  }

  // It was done at once, in all repetitions.
  [[nodiscard]] bool postedNothing() const {
    return std::all_of(trials_.begin(), trials_.end(), [this](const TrialResult& trial) {
      const JobOutcome& one = outcome(trial);
      return one.finished && one.completion == Picoseconds(0) &&
             one.messages_completed + one.messages_failed == 0;
    });
  }

  // In some repetition the trial ended before its first message.
  [[nodiscard]] bool hasNotBegun() const {
    return std::any_of(trials_.begin(), trials_.end(), [this](const TrialResult& trial) {
      const JobOutcome& one = outcome(trial);
      return !one.finished && one.messages_completed + one.messages_failed + one.messages_open == 0;
    });
  }

  // "all", "none", "2 of 3" repetitions.
  [[nodiscard]] std::string finished() const {
    const auto count = std::count_if(trials_.begin(), trials_.end(), [&](const TrialResult& trial) {
      return outcome(trial).finished;
    });
    const auto all = static_cast<std::ptrdiff_t>(trials_.size());
    if (count == all) return "yes";
    return count == 0 ? "no" : fmt::format("{} of {}", count, all);
  }

  // Iterations that all ranks finished, of the repetition that had fewest; "-" for messages.
  [[nodiscard]] std::string iterations() const {
    if (!iterates(spec_)) return "-";
    std::size_t min = outcome(trials_.front()).iterations.size();
    for (const TrialResult& trial : trials_) {
      min = std::min(min, outcome(trial).iterations.size());
    }
    return std::to_string(min);
  }

  [[nodiscard]] std::string sentence() const {
    const auto part = [this](const Row& row, const char* name) {
      const auto mean = meanOf(trials_, row.unit, row.of);
      return mean ? fmt::format(", {} {}", name, results::quantityText(*mean)) : std::string();
    };
    const std::vector<Row> figures = main();
    const auto time = meanOf(trials_, "us", figures[0].of);
    std::string text = fmt::format("{}: {}", label_,
                                   time              ? results::quantityText(*time)
                                   : postedNothing() ? "no messages"
                                   : failed()        ? "all messages failed"
                                                     : "not finished");
    text +=
        isCollective() ? part(figures[3], "bus bandwidth") : part(figures[1], "goodput per rank");
    return text + part(messages()[1], "message P99") + ". ";
  }

  [[nodiscard]] stats::Histogram messageTimes() const {
    stats::Histogram all;
    for (const TrialResult& trial : trials_) all.merge(outcome(trial).message_time);
    return all;
  }

  [[nodiscard]] const JobOutcome& outcome(const TrialResult& trial) const {
    return trial.fabric->jobs.at(place_);
  }

 private:
  template <typename Of>
  [[nodiscard]] FabricFigure job(Of of) const {
    return [this, of](const TrialResult& trial) { return std::invoke(of, *this, outcome(trial)); };
  }

  [[nodiscard]] std::optional<double> microseconds(const JobOutcome& one) const {
    const auto time = jobTime(one);
    if (!time) return std::nullopt;
    // Without acknowledgements payload arrives after the last whole message too.
    const bool messages = !is_collective_ && one.iterations.empty();
    const Picoseconds last = messages && one.arrived ? one.arrived->time : Picoseconds(0);
    return std::max(*time, last).toMicroseconds();
  }
  [[nodiscard]] std::optional<double> goodputPerRank(const TrialResult& trial) const {
    const JobOutcome& one = outcome(trial);
    if (one.finished && !one.iterations.empty()) {
      return gigabitsPerRank(one.arrived ? one.arrived->bytes : one.bytes_arrived, one.completion);
    }
    if (one.finished) {
      return one.arrived  // to the end of microseconds()
                 ? gigabitsPerRank(one.arrived->bytes, std::max(one.active, one.arrived->time))
                 : gigabitsPerRank(one.bytes_arrived, one.active);
    }
    if (!one.arrived) return std::nullopt;
    // It may compute before its first message.
    return gigabitsPerRank(one.arrived->bytes, iterates(spec_) ? trial.fabric->sim_end - spec_.start
                                                               : one.arrived->time);
  }
  [[nodiscard]] std::optional<double> gigabitsPerRank(std::uint64_t bytes, Picoseconds time) const {
    if (time <= Picoseconds(0)) return std::nullopt;
    return 8 * static_cast<double>(bytes) / time.toSeconds() / ranks() / 1e9;
  }
  [[nodiscard]] std::optional<double> algorithmBandwidth(const JobOutcome& one) const {
    const auto bandwidths = collectiveBandwidths(spec_, jobTime(one).value_or(Picoseconds(0)));
    return bandwidths ? std::optional(bandwidths->algorithm) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> busBandwidth(const JobOutcome& one) const {
    const auto bandwidths = collectiveBandwidths(spec_, jobTime(one).value_or(Picoseconds(0)));
    return bandwidths ? std::optional(bandwidths->bus) : std::nullopt;
  }

  const workload::JobSpec& spec_;
  std::size_t place_;
  std::string label_;
  const Repetitions& trials_;
  bool is_collective_;
};

// Columns that no job has a figure for are left out.
void dropEmptyColumns(std::size_t first, results::Table& table) {
  for (std::size_t column = table.columns.size(); column-- > first;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return std::holds_alternative<std::string>(row[column]);
    });
    if (!empty) continue;
    const auto place = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + place);
    for (auto& row : table.rows) row.erase(row.begin() + place);
  }
}

void addKpis(const JobFigures& job, bool shown, const std::vector<JobFigures::Row>& rows,
             const Repetitions& trials, ResultBuilder& builder) {
  for (const JobFigures::Row& row : rows) {
    const std::vector<Reading> values = valuesOf(trials, row.of);
    const bool partly = values.size() < trials.size();
    if (partly && row.expected && !row.kpi.empty()) {
      builder.notMeasured(row.kpi, job.label());
    }
    if (values.empty()) continue;
    results::Quantity mean = *meanOf(trials, row.unit, row.of);
    if (row.primary) {
      builder.repeated(job.label(), row.column, values, mean);
      const std::string name = row.column == "P99" ? "Message time P99" : row.column;
      if (shown) builder.primary(fmt::format("{}: {}", job.label(), name), mean);
    }
    if (!row.kpi.empty()) builder.kpi(row.kpi, job.label(), std::move(mean));
  }
}

}  // namespace

std::optional<CollectiveBandwidths> collectiveBandwidths(const workload::JobSpec& job,
                                                         Picoseconds time) {
  const auto collective = collectiveOf(job);
  if (!collective || time <= Picoseconds(0)) return std::nullopt;
  return CollectiveBandwidths{
      workload::algorithmBandwidth(collective->bytes, time) / 1e9,
      workload::busBandwidth(collective->kind, collective->ranks, collective->bytes, time) / 1e9};
}

bool hasBarrier(const workload::JobSpec& job) {
  const auto* program = std::get_if<workload::TrainingProgram>(&job.program);
  return program != nullptr && program->barrier;
}

std::vector<std::string> jobLabels(const std::vector<workload::JobSpec>& jobs) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto same = std::count_if(jobs.begin(), jobs.end(), [&](const workload::JobSpec& job) {
      return job.name == jobs[i].name;
    });
    const bool own = same == 1 && jobs[i].name != kWholeWorkload;
    labels.push_back(own ? jobs[i].name : fmt::format("{} (job {})", jobs[i].name, i));
  }
  return labels;
}

std::string addJobs(const std::vector<workload::JobSpec>& jobs, const Repetitions& trials,
                    ResultBuilder& builder) {
  results::Table table{
      "jobs",
      "Jobs",
      "Observed by endpoint software (modelled). Time: of a collective or training from the first "
      "rank's start to the last one's finish, mean over its iterations; of a mixture of experts "
      "the same of its layers; of messages and traces from the first message posted to the last "
      "one done, or lost without acknowledgements and sent, or to the last arrival of payload. "
      "Goodput: payload that arrived, of messages that were lost or given up as well, over that "
      "time, of an unfinished job to the trial's end. Where another job has flows between the same "
      "hosts: of whole messages, and none of "
      "an unfinished job. Algorithm bandwidth: S / time; bus bandwidth: "
      "algorithm bandwidth x algo_factor; for jobs that only run one kind of collective, without "
      "computing. Of a hierarchical one, bus bandwidth also counts what stays inside servers, and "
      "may exceed the line rate. Message time is from posting a message to its acknowledgement, of "
      "a READ to the arrival of its "
      "data, of a service without acknowledgements to its arrival at the receiver. Messages are "
      "done at their receiver; failed ones were given up or lost and have no time, open ones were "
      "neither when the trial ended.",
      {"Job", "Ranks", "Finished", "Iterations"},
      {}};
  std::vector<std::string> message_columns;
  std::vector<std::vector<results::Cell>> message_cells;
  std::string summary;
  const std::vector<std::string> labels = jobLabels(jobs);
  IterationOverlap overlap;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobFigures job(jobs[i], i, labels[i], trials);
    std::vector<results::Cell> row{job.label(), std::to_string(job.ranks()), job.finished(),
                                   job.iterations()};
    for (const JobFigures::Row& figure : job.main()) {
      if (i == 0) table.columns.push_back(figure.column);
      row.push_back(cellOf(trials, figure.unit, figure.of));
    }
    table.rows.push_back(std::move(row));
    std::vector<results::Cell>& cells = message_cells.emplace_back();
    for (const JobFigures::Row& figure : job.messages()) {
      if (i == 0) message_columns.push_back(figure.column);
      cells.push_back(cellOf(trials, figure.unit, figure.of));
    }
    if (job.postedNothing()) {
      builder.anomaly(labels[i] + " posted no messages: it has no times and no rates", labels[i]);
    } else if (auto what = job.cutOff()) {
      builder.anomaly(*std::move(what), labels[i]);
    }
    if (iterates(jobs[i])) {
      overlap.add(trials, i, labels[i]);
    }
    const bool shown = i < kShownJobs;
    addKpis(job, shown, job.main(), trials, builder);
    addKpis(job, shown, job.messages(), trials, builder);
    if (shown) summary += job.sentence();
    stats::Histogram times = job.messageTimes();
    if (times.count() > 0) {
      builder.result().distributions.push_back({fmt::format("message_time_{}", i),
                                                job.label() + ": message time", "ps",
                                                ObservationPoint::kModelled, std::move(times)});
    }
  }
  if (jobs.size() > kShownJobs) {
    summary += fmt::format("{} more jobs. ", jobs.size() - kShownJobs);
  }
  dropEmptyColumns(4, table);
  table.columns.insert(table.columns.end(), message_columns.begin(), message_columns.end());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].insert(table.rows[i].end(), message_cells[i].begin(), message_cells[i].end());
  }
  builder.result().tables.push_back(std::move(table));
  overlap.report(builder);
  return summary;
}

}  // namespace plumbline::suite
