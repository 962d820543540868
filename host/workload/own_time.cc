#include "workload/own_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "workload/placement.h"

namespace plumbline::workload {
namespace {

constexpr double kPoissonMargin = 10;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

double secondsOf(const TrainingProgram& program) {
  Picoseconds iteration = program.compute + program.compute_spread;
  for (const CollectiveSpec& collective : program.collectives) {
    iteration += collective.before + collective.after;
  }
  return iteration.toSeconds() * program.iterations;
}

double secondsOf(const MessageProgram& program, std::uint32_t ranks) {
  const double messages = program.messages == kUnlimited ? std::numeric_limits<double>::infinity()
                                                         : static_cast<double>(program.messages);
  double posting = std::isinf(messages) ? messages : 0;
  if (const auto* arrivals = std::get_if<Arrivals>(&program.load)) {
    posting = messages * arrivals->interval.toSeconds() * (arrivals->poisson ? kPoissonMargin : 1);
    if (const auto& on_off = program.on_off) {
      posting *= 1 + on_off->off.toSeconds() / on_off->on.toSeconds();
    }
  } else if (program.on_off) {
    // Each message may have to wait for the next time.
    posting = messages * (program.on_off->on + program.on_off->off).toSeconds();
  }
  const double pairs = std::max<double>(ranks, static_cast<double>(program.pairs.size()));
  const double end = program.phase.toSeconds() * pairs + posting;
  return program.until == transport::kNever ? end : std::min(end, program.until.toSeconds());
}

double secondsOf(const TraceProgram& program) {
  Picoseconds last;
  for (const TraceEntry& entry : program.entries) last = std::max(last, entry.time);
  return last.toSeconds();
}

double secondsOf(const MoeProgram& program) {
  return std::max(program.period, program.compute + program.between).toSeconds() * program.layers;
}

}  // namespace

bool isEndless(const JobSpec& job) {
  const auto* messages = std::get_if<MessageProgram>(&job.program);
  return messages != nullptr && messages->until == transport::kNever &&
         messages->messages == kUnlimited;
}

double ownSeconds(const JobSpec& job) {
  double own = 0;
  if (const auto* training = std::get_if<TrainingProgram>(&job.program)) {
    own = secondsOf(*training);
  } else if (const auto* messages = std::get_if<MessageProgram>(&job.program)) {
    own = secondsOf(*messages, ranksOf(job.placement));
  } else if (const auto* trace = std::get_if<TraceProgram>(&job.program)) {
    own = secondsOf(*trace);
  } else {
    own = secondsOf(std::get<MoeProgram>(job.program));
  }
  return job.start.toSeconds() + own;
}

}  // namespace plumbline::workload
