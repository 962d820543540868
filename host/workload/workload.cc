#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/latest_time.h"
#include "base/random.h"
#include "base/work.h"
#include "workload/arrival_times.h"
#include "workload/moe_check.h"
#include "workload/moe_figures.h"
#include "workload/pattern.h"
#include "workload/placement.h"
#include "workload/refuse.h"

namespace plumbline::workload {
namespace {

constexpr Rank kRanksPerCheck = 64;                // of checkWork()
constexpr std::size_t kMaxConnections = 1U << 16;  // of a rank; they are the labels' steps
constexpr std::uint32_t kMaxSplitOutstanding = 1U << kSequenceBits;

void checkJob(const JobSpec& job) {
  if (job.flows == 0 || job.flows > kMaxJobFlows) {
    refuse(fmt::format("{} flows per pair of hosts", job.flows), "1 to 256", "flows");
  }
  if (job.first_flow >= kMaxJobFlows || job.first_flow + job.flows > kMaxJobFlows) {
    refuse(fmt::format("flows {} to {} of a pair of hosts", job.first_flow,
                       std::uint64_t{job.first_flow} + job.flows - 1),
           "0 to 255");
  }
  if (job.start < Picoseconds()) refuse("the start is negative", "zero or later", "start");
}

void checkTraining(const JobSpec& job, const TrainingProgram& program) {
  if (job.verb == transport::Verb::kRead)
    refuse("collectives cannot use the verb read", "write, write-immediate or send", "verb");
  if (program.iterations == 0 || program.iterations > kMaxJobIterations) {
    refuse(fmt::format("iterations is {}", program.iterations), "1 to 10^7", "iterations");
  }
  bool negative = program.compute < Picoseconds() || program.compute_spread < Picoseconds();
  for (const CollectiveSpec& spec : program.collectives) {
    negative |= spec.before < Picoseconds() || spec.after < Picoseconds();
  }
  if (negative) refuse("a duration is negative", "zero or more");
}

void checkMessages(const JobSpec& job, const MessageProgram& program) {
  if (program.bytes == 0 || program.bytes > transport::kMaxMessage) {
    refuse(fmt::format("the message size is {} bytes", program.bytes), "1 to 2^40 - 1 bytes");
  }
  if (program.arrival_times && job.verb == transport::Verb::kRead) {
    refuse("arrival times of the verb read", "write, write-immediate or send", "verb");
  }
  if (program.phase < Picoseconds()) refuse("the phase is negative", "zero or more", "phase");
  if (program.on_off &&
      (program.on_off->on <= Picoseconds() || program.on_off->off < Picoseconds())) {
    refuse("the on/off pattern is never on", "on above zero, off zero or more");
  }
  if (const auto* arrivals = std::get_if<Arrivals>(&program.load)) {
    if (arrivals->interval <= Picoseconds())
      refuse("the interval between messages is 0", "above zero", "interval");
    return;
  }
  const std::uint32_t outstanding = std::get<ClosedLoop>(program.load).outstanding;
  if (outstanding == 0) refuse("outstanding is 0", "at least 1", "outstanding");
  if (job.flow_use == FlowUse::kSplit && outstanding > kMaxSplitOutstanding) {
    refuse(fmt::format("outstanding is {} for split messages", outstanding), "at most 128",
           "outstanding");
  }
}

// Extends the job's iterations by those of one rank, the `first` one if there were none before. An
// iteration that some rank has not begun has no end.
void mergeIterations(const std::vector<RankIteration>& of_rank,
                     std::vector<IterationResult>& of_job, bool first) {
  if (first) {
    for (const RankIteration& own : of_rank) of_job.push_back({own.start, own.finish});
    return;
  }
  for (std::size_t i = 0; i < of_job.size(); ++i) {
    if (i >= of_rank.size()) {
      of_job[i].finish = transport::kNever;
      continue;
    }
    of_job[i].start = std::min(of_job[i].start, of_rank[i].start);
    of_job[i].finish = std::max(of_job[i].finish, of_rank[i].finish);
  }
  for (std::size_t i = of_job.size(); i < of_rank.size(); ++i) {
    of_job.push_back({of_rank[i].start, transport::kNever});
  }
}

// Iterations that some rank has not finished.
void dropUnfinished(std::vector<IterationResult>& iterations) {
  while (!iterations.empty() && iterations.back().finish == transport::kNever) {
    iterations.pop_back();
  }
}

}  // namespace

void checkMoeJob(const JobSpec& job, std::uint32_t ranks) {
  if (job.verb == transport::Verb::kRead)
    refuse("dispatch and combine cannot use the verb read", "write, write-immediate or send",
           "verb");
  checkMoe(std::get<MoeProgram>(job.program), ranks);
}

Picoseconds JobResult::completionTime() const {
  if (iterations.empty()) return {};
  Picoseconds first = iterations.front().start;
  Picoseconds last = iterations.front().finish;
  for (const IterationResult& iteration : iterations) {
    first = std::min(first, iteration.start);
    last = std::max(last, iteration.finish);
  }
  return last - first;
}

Workload::Workload(const WorkloadSpec& spec, std::uint32_t hosts)
    : spec_(spec), placement_(placeJobs(spec.jobs, hosts)) {
  if (spec_.jobs.size() > kMaxJobs) {
    refuse(fmt::format("the workload has {} jobs", spec_.jobs.size()),
           fmt::format("at most {}", kMaxJobs));
  }
  hosts_.resize(hosts);
  tasks_.resize(spec_.jobs.size());
  for (std::uint32_t job = 0; job < spec_.jobs.size(); ++job) {
    try {
      buildJob(job);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("job '{}': {}", spec_.jobs[job].name, faultOf(error)),
                  error.where(), error.remedy());
    }
  }
}

void Workload::buildJob(std::uint32_t job) {
  const JobSpec& spec = spec_.jobs[job];
  checkJob(spec);
  members_.push_back(std::make_unique<Members>(placement_[job]));
  moe_plans_.push_back(nullptr);
  if (const auto* training = std::get_if<TrainingProgram>(&spec.program)) {
    buildTraining(job, *training);
  } else if (const auto* messages = std::get_if<MessageProgram>(&spec.program)) {
    buildMessages(job, *messages);
  } else if (const auto* trace = std::get_if<TraceProgram>(&spec.program)) {
    buildTrace(job, *trace);
  } else {
    buildMoe(job, std::get<MoeProgram>(spec.program));
  }
}

void Workload::addTask(std::uint32_t job, Rank rank, std::unique_ptr<Task> task) {
  if (rank % kRanksPerCheck == 0) checkWork();
  tasks_[job].push_back(task.get());
  add(placement_[job][rank], job, std::move(task));
}

void Workload::add(HostId host, std::uint32_t number, std::unique_ptr<Task> task) {
  auto& application = hosts_[host];
  if (application == nullptr) application = std::make_unique<HostApplication>();
  application->add(number, std::move(task));
}

void Workload::buildTraining(std::uint32_t job, const TrainingProgram& program) {
  const JobSpec& spec = spec_.jobs[job];
  checkTraining(spec, program);
  const std::uint64_t seed = mix64(spec_.seed) ^ hash64("compute/" + spec.name);
  for (Rank rank = 0; rank < members_[job]->count(); ++rank) {
    addTask(job, rank,
            std::make_unique<TrainingTask>(MessagePort(job, spec), program, *members_[job], rank,
                                           spec.start, seed));
  }
}

void Workload::buildMessages(std::uint32_t job, const MessageProgram& program) {
  const JobSpec& spec = spec_.jobs[job];
  checkMessages(spec, program);
  const std::uint32_t ranks = members_[job]->count();
  std::vector<std::vector<MessageTask::Opening>> openings(ranks);
  std::uint32_t number = 0;
  for (const auto& [from, to] : pairsOf(program, ranks, spec_.seed, spec.name)) {
    // Both directions of a pair begin together.
    const std::uint32_t pair = program.bidirectional ? number / 2 : number;
    const Picoseconds start =
        cappedTime(Int128{spec.start.count()} + Int128{program.phase.count()} * pair);
    openings[from].push_back({to, number++, start});
    if (openings[from].size() > kMaxConnections) {
      refuse(fmt::format("rank {} sends in too many pairs", from), "at most 65536");
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    addTask(job, rank,
            std::make_unique<MessageTask>(MessagePort(job, spec), program, *members_[job], rank,
                                          openings[rank], spec_.seed, "arrivals/" + spec.name));
  }
}

void Workload::buildTrace(std::uint32_t job, const TraceProgram& program) {
  const JobSpec& spec = spec_.jobs[job];
  const std::uint32_t ranks = members_[job]->count();
  std::vector<std::uint32_t> order(program.entries.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return program.entries[a].time < program.entries[b].time;
  });
  std::vector<std::vector<std::uint32_t>> own(ranks);
  for (const std::uint32_t i : order) {
    const TraceEntry& entry = program.entries[i];
    if (entry.from >= ranks || entry.to >= ranks || entry.from == entry.to || entry.bytes == 0 ||
        entry.bytes > transport::kMaxMessage || entry.time < Picoseconds()) {
      refuse(fmt::format("trace entry {}: {} B from rank {} to rank {}, of {} ranks", i,
                         entry.bytes, entry.from, entry.to, ranks),
             "two different ranks, 1 to 2^40 - 1 bytes, time zero or later");
    }
    own[entry.from].push_back(i);
    if (own[entry.from].size() > TraceTask::kMaxEntries) {
      refuse(fmt::format("too many trace entries of rank {}", entry.from), "at most 2^23");
    }
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    addTask(job, rank,
            std::make_unique<TraceTask>(MessagePort(job, spec), program, *members_[job], own[rank],
                                        spec.start));
  }
}

void Workload::buildMoe(std::uint32_t job, const MoeProgram& program) {
  const JobSpec& spec = spec_.jobs[job];
  const Members& members = *members_[job];
  checkMoeJob(spec, members.count());
  moe_plans_[job] = std::make_unique<MoePlan>(program, members.count(), spec_.seed, spec.name);
  for (Rank rank = 0; rank < members.count(); ++rank) {
    addTask(job, rank,
            std::make_unique<MoeTask>(MessagePort(job, spec), program, *moe_plans_[job], members,
                                      rank, spec.start));
  }
}

bool Workload::finished() const {
  for (std::size_t job = 0; job < tasks_.size(); ++job) {
    if (spec_.jobs[job].background) continue;
    for (const Task* task : tasks_[job]) {
      if (!task->finished()) return false;
    }
  }
  return true;
}

JobResult Workload::resultOf(std::uint32_t job, const PassedMessages& passed) const {
  JobResult result;
  result.name = spec_.jobs[job].name;
  result.finished = true;
  if (const auto* trace = std::get_if<TraceProgram>(&spec_.jobs[job].program)) {
    result.trace_completed.assign(trace->entries.size(), transport::kNever);
  }
  std::vector<UnacknowledgedEnd> ends;
  std::vector<const MessageTask*> message_tasks;
  for (Rank rank = 0; rank < tasks_[job].size(); ++rank) {
    const Task* const task = tasks_[job][rank];
    ends.push_back({members_[job]->host(rank), &task->port()});
    result.finished = result.finished && task->finished();
    const PortCounters& counters = task->port().counters();
    result.total.merge(counters);
    result.bytes_posted.push_back(counters.bytes_posted);
    if (const auto* training = dynamic_cast<const TrainingTask*>(task)) {
      mergeIterations(training->iterations(), result.iterations, task == tasks_[job].front());
    } else if (const auto* messages = dynamic_cast<const MessageTask*>(task)) {
      message_tasks.push_back(messages);
      const auto own = messages->results();
      result.connections.insert(result.connections.end(), own.begin(), own.end());
    } else if (const auto* trace = dynamic_cast<const TraceTask*>(task)) {
      for (const TraceTask::Item& item : trace->items()) {
        result.trace_completed[item.entry] = item.completed;
      }
    }
  }
  if (const auto* moe = std::get_if<MoeProgram>(&spec_.jobs[job].program)) {
    std::vector<const MoeTask*> ranks;
    ranks.reserve(tasks_[job].size());
    for (const Task* task : tasks_[job]) ranks.push_back(dynamic_cast<const MoeTask*>(task));
    result.iterations = moeLayers(*moe, ranks);
    result.moe = moeResult(*moe, *moe_plans_[job], ranks, spec_.jobs[job].start);
  }
  result.unacknowledged = matchUnacknowledged(ends, passed);
  const auto* program = std::get_if<MessageProgram>(&spec_.jobs[job].program);
  if (program != nullptr && program->arrival_times) {
    result.arrival_time = arrivalTimes(message_tasks, *members_[job]);
  }
  std::sort(
      result.connections.begin(), result.connections.end(),
      [](const ConnectionResult& a, const ConnectionResult& b) { return a.number < b.number; });
  dropUnfinished(result.iterations);
  return result;
}

std::vector<IterationResult> Workload::iterationsOf(std::uint32_t job) const {
  std::vector<IterationResult> iterations;
  for (const Task* task : tasks_.at(job)) {
    const auto* training = dynamic_cast<const TrainingTask*>(task);
    if (training == nullptr) return {};
    mergeIterations(training->iterations(), iterations, task == tasks_[job].front());
  }
  dropUnfinished(iterations);
  return iterations;
}

void Workload::endIterations(std::uint32_t job) {
  std::uint32_t min = 0;
  for (const Task* task : tasks_.at(job)) {
    const auto* training = dynamic_cast<const TrainingTask*>(task);
    if (training != nullptr) min = std::max(min, training->minIterations());
  }
  for (Task* task : tasks_[job]) {
    auto* training = dynamic_cast<TrainingTask*>(task);
    if (training != nullptr) training->endAfter(min);
  }
}

std::vector<JobResult> Workload::results(const PassedMessages& passed) const {
  std::vector<JobResult> results;
  for (std::uint32_t job = 0; job < tasks_.size(); ++job) results.push_back(resultOf(job, passed));
  return results;
}

}  // namespace plumbline::workload
