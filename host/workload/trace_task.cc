#include "workload/trace_task.h"

#include <utility>

namespace plumbline::workload {

TraceTask::TraceTask(MessagePort port, const TraceProgram& program, const Members& members,
                     const std::vector<std::uint32_t>& entries, Picoseconds start)
    : Task(std::move(port)), program_(program), members_(members), start_(start) {
  items_.reserve(entries.size());
  for (const std::uint32_t entry : entries) items_.push_back({entry, transport::kNever});
  updateWake();
}

void TraceTask::arrived(HostId /*from*/, Label /*label*/, Picoseconds /*now*/) {}

void TraceTask::completed(HostId /*to*/, Label label, Picoseconds now) {
  items_[label.step << kSequenceBits | label.sequence].completed = now;
  ++completed_;
}

void TraceTask::wake(Picoseconds now) {
  for (; next_ < items_.size(); ++next_) {
    const TraceEntry& entry = program_.entries[items_[next_].entry];
    if (start_ + entry.time > now) break;
    const auto number = static_cast<std::uint32_t>(next_);
    // The two parts of the label together are the number.
    const Label label{number & ((1U << kSequenceBits) - 1), number >> kSequenceBits};
    port().post(members_.host(entry.to), entry.bytes, label, number, now);
  }
  updateWake();
}

void TraceTask::updateWake() {
  setWakeAt(next_ == items_.size() ? transport::kNever
                                   : start_ + program_.entries[items_[next_].entry].time);
}

}  // namespace plumbline::workload
