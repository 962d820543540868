#include "bench/sim/sampler.h"

namespace plumbline::bench {

using fabric::RecordKind;

std::uint32_t Sampler::interests() const {
  return bit(RecordKind::kDrop) | bit(RecordKind::kMark) | bit(RecordKind::kPaused) |
         bit(RecordKind::kResumed);
}

void Sampler::onRecord(const fabric::Record& record) {
  switch (record.kind) {
    case RecordKind::kDrop:
      ++totals_.dropped;
      if (record.time < losses_from_) break;
      if (taken_.losses++ == 0) taken_.first_drop = record.time;
      taken_.last_drop = record.time;
      break;
    case RecordKind::kMark:
      ++totals_.marked;
      break;
    case RecordKind::kPaused:
      ++totals_.pauses;
      pausing_.try_emplace({record.link, record.priority}, record.time);
      break;
    case RecordKind::kResumed: {
      const auto open = pausing_.find({record.link, record.priority});
      if (open == pausing_.end()) break;
      close(record.link, record.priority, open->second, record.time);
      pausing_.erase(open);
      break;
    }
    default:
      break;
  }
}

void Sampler::close(fabric::LinkId link, std::uint8_t priority, Picoseconds from,
                    Picoseconds until) {
  totals_.paused += until - from;
  if (taken_.span_count++ < Samples::kMaxSpans) {
    taken_.spans.push_back({topology_.linkName(link), priority, from, until});
  }
}

void Sampler::take(const SimHosts& hosts) {
  const Picoseconds now = due();
  Sample& sample = taken_.samples.emplace_back(totals_);
  for (const auto& [port, since] : pausing_) sample.paused += now - since;
  sample.received.resize(taken_.flows.size());
  sample.recovery = hosts.recoveryCounts();
  for (const fabric::HostId host : hosts.hosts()) {
    for (const transport::FlowStats& flow : hosts.flowsOf(host)) {
      if (flow.payload_received == 0) continue;
      const auto [place, fresh] =
          places_.try_emplace({flow.peer, host, flow.flow}, taken_.flows.size());
      if (fresh) {
        taken_.flows.push_back({flow.peer, host, flow.flow});
        sample.received.push_back(0);
      }
      sample.received[place->second] += flow.payload_received;
    }
  }
}

Samples Sampler::finish(Picoseconds end) {
  for (const auto& [port, since] : pausing_) close(port.first, port.second, since, end);
  pausing_.clear();
  return std::move(taken_);
}

}  // namespace plumbline::bench
