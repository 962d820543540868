#include "bench/sim/serving_network.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace plumbline::bench {

ServingNetwork::ServingNetwork(const TrialSpec& spec, SimHosts& hosts, fabric::Fabric& fabric,
                               Driver driver)
    : hosts_(hosts), fabric_(fabric), driver_(std::move(driver)) {
  for (const serving::ServingProgram* program : spec.servingSystems()) {
    const serving::Mapping mapping(program->system.servers, program->system.model);
    reads_.insert(reads_.end(), mapping.nics(),
                  program->system.transfer.verb == serving::TransferVerb::kRead);
  }
}

std::uint32_t ServingNetwork::newLabel() {
  if (!unused_.empty()) {
    const std::uint32_t label = unused_.back();
    unused_.pop_back();
    open_[label] = Open();
    return label;
  }
  if (open_.size() == ServingTask::kLabels) {
    throw Error(ErrorKind::kUnsupported, "more than 2^23 messages of KV cache are under way",
                "serving", "larger messages (transfer.unit), or a load that the system can carry");
  }
  open_.emplace_back();
  return static_cast<std::uint32_t>(open_.size() - 1);
}

void ServingNetwork::post(const serving::Transfer& transfer) {
  const std::uint32_t label = newLabel();
  open_[label].id = transfer.id;
  open_[label].nic = transfer.to;
  const bool read = reads_[transfer.from];
  const std::uint32_t poster = read ? transfer.to : transfer.from;
  const std::uint32_t other = read ? transfer.from : transfer.to;
  hosts_.servingTask(poster).schedule(
      {transfer.at, hosts_.servingHost(other), transfer.bytes, label});
  hosts_.servingTaskChanged(poster);
  fabric_.wake(hosts_.servingHost(poster));
}

Picoseconds ServingNetwork::nextEvent() const {
  return fabric_.nextEvent().value_or(serving::kNever);
}

void ServingNetwork::note(const ServingTask::Event& event,
                          std::vector<serving::Arrival>& arrivals) {
  Open& message = open_[event.label];
  const bool arrived = event.kind == ServingTask::Event::Kind::kArrived;
  const bool failed = event.kind == ServingTask::Event::Kind::kFailed;
  if ((arrived || failed) && !message.told) {
    message.told = true;
    arrivals.push_back({event.time, message.nic, sequence_++, message.id, failed});
  }
  (arrived ? message.arrived : message.completed) = true;
  // The label of a message that was given up is not reused: its last packets may still be in
  // flight.
  if (message.arrived && message.completed) unused_.push_back(event.label);
}

void ServingNetwork::runUntil(Picoseconds time, std::vector<serving::Arrival>& arrivals) {
  driver_.advance(time);
  events_.clear();
  for (std::uint32_t nic = 0; nic < hosts_.servingNics(); ++nic) {
    ServingTask& task = hosts_.servingTask(nic);
    if (task.hasEvents()) task.take(events_);
  }
  // An arrival precedes the completion that it causes.
  std::stable_sort(events_.begin(), events_.end(),
                   [](const ServingTask::Event& a, const ServingTask::Event& b) {
                     return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
                   });
  const auto first = static_cast<std::ptrdiff_t>(arrivals.size());
  for (const ServingTask::Event& event : events_) note(event, arrivals);
  std::stable_sort(arrivals.begin() + first, arrivals.end(),
                   [](const serving::Arrival& a, const serving::Arrival& b) {
                     return std::tie(a.time, a.nic, a.sequence) <
                            std::tie(b.time, b.nic, b.sequence);
                   });
}

}  // namespace plumbline::bench
