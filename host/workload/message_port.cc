#include "workload/message_port.h"

#include <algorithm>

#include "workload/chunks.h"

namespace plumbline::workload {
namespace {

constexpr std::uint32_t kSequenceMask = (1U << kSequenceBits) - 1;

std::uint32_t tagOf(std::uint32_t job, Label label) {
  return job << 24 | (label.sequence & kSequenceMask) << 16 | label.step;
}

Label labelOf(std::uint32_t tag) { return {tag >> 16 & kSequenceMask, tag & 0xFFFF}; }

}  // namespace

void PortCounters::merge(const PortCounters& other) {
  messages_posted += other.messages_posted;
  bytes_posted += other.bytes_posted;
  messages_completed += other.messages_completed;
  messages_failed += other.messages_failed;
  messages_arrived += other.messages_arrived;
  bytes_arrived += other.bytes_arrived;
  first_posted = std::min(first_posted, other.first_posted);
  last_done = std::max(last_done, other.last_done);
  message_time.merge(other.message_time);
}

MessagePort::MessagePort(std::uint32_t job, const JobSpec& spec)
    : job_(job),
      flows_(spec.flows),
      first_flow_(spec.first_flow),
      split_(spec.flow_use == FlowUse::kSplit && spec.flows > 1),
      verb_(spec.verb) {}

void MessagePort::post(HostId to, std::uint64_t bytes, Label label, std::uint64_t turn,
                       Picoseconds now) {
  ++counters_.messages_posted;
  counters_.bytes_posted += bytes;
  counters_.first_posted = std::min(counters_.first_posted, now);
  const std::uint32_t tag = tagOf(job_, label);
  if (!split_ || bytes < flows_) {
    const std::uint32_t flow = first_flow_ + static_cast<std::uint32_t>(turn % flows_);
    poster_->post({to, flow, verb_, bytes, tag}, now);
    return;
  }
  sending_.push_back({to, tag | kPart, flows_, false});
  const Chunks parts({0, bytes}, flows_);
  for (std::uint32_t flow = 0; flow < flows_; ++flow) {
    poster_->post({to, first_flow_ + flow, verb_, parts.at(flow).bytes, tag | kPart}, now);
  }
}

bool MessagePort::assemble(std::vector<Parts>& open, HostId peer, std::uint32_t tag,
                           bool& failed) const {
  if (!isPart(tag)) return true;
  auto parts = std::find_if(open.begin(), open.end(), [&](const Parts& candidate) {
    return candidate.peer == peer && candidate.tag == tag;
  });
  if (parts == open.end()) parts = open.insert(open.end(), {peer, tag, flows_, false});
  parts->failed |= failed;
  if (--parts->missing != 0) return false;
  failed = parts->failed;
  open.erase(parts);
  return true;
}

std::optional<Label> MessagePort::arrived(const transport::Arrival& arrival, Picoseconds now) {
  counters_.bytes_arrived += arrival.bytes;
  counters_.last_done = std::max(counters_.last_done, now);
  if (!arrival.acknowledged)
    arrived_messages_.push_back({arrival.from, arrival.flow, arrival.number, now});
  bool failed = false;
  if (!assemble(receiving_, arrival.from, arrival.tag, failed)) return std::nullopt;
  ++counters_.messages_arrived;
  return labelOf(arrival.tag);
}

std::optional<Label> MessagePort::completed(const transport::Completion& completion,
                                            Picoseconds now) {
  counters_.last_done = std::max(counters_.last_done, now);
  bool failed = completion.failed;
  const bool dispatched = !completion.acknowledged && !failed;
  if (dispatched) {
    dispatched_.push_back({completion.to, completion.flow, completion.number,
                           isPart(completion.tag), completion.posted});
  }
  if (!assemble(sending_, completion.to, completion.tag, failed)) return std::nullopt;
  if (dispatched) return labelOf(completion.tag);
  ++counters_.messages_completed;
  if (failed) {
    ++counters_.messages_failed;
  } else {
    times_.record(static_cast<std::uint64_t>((now - completion.posted).count()),
                  counters_.message_time);
  }
  return labelOf(completion.tag);
}

}  // namespace plumbline::workload
