#include "transport/uet_host.h"

#include <algorithm>

namespace plumbline::transport {
namespace {

constexpr std::int64_t kByteTimePs = 8'000'000'000'000;  // at 1 bit/s

}  // namespace

UetHost::UetHost(const UetSpec& spec, const HostContext& context)
    : spec_(spec),
      context_(context),
      ps_per_byte_(kByteTimePs % context.rate.bitsPerSecond() == 0
                       ? kByteTimePs / context.rate.bitsPerSecond()
                       : 0) {}

fabric::Packet UetHost::control(HostId peer, PdsType type, std::uint8_t flags,
                                std::uint16_t ses_bytes, std::uint32_t flow_hash) const {
  fabric::Packet packet;
  packet.source = static_cast<std::uint16_t>(context_.self);
  packet.destination = static_cast<std::uint16_t>(peer);
  packet.flow_hash = flow_hash;
  packet.length = frameBytes(spec_, type, ses_bytes, 0);
  packet.priority = spec_.control_priority & 7U;
  packet.opcode = uetOpcode(type, flags);
  return packet;
}

bool UetHost::transmitControl(Picoseconds now, fabric::Packet& packet) {
  if (control_queue_.empty()) return false;
  const Control& next = control_queue_.front();
  packet = next.packet;
  if (pdsType(packet.opcode) == PdsType::kAckCc) {
    NsccState state = unpackNscc(packet.extra);
    const std::int64_t units = (now - next.since).count() / kServiceTimeUnitPs;
    state.service_time =
        static_cast<std::uint16_t>(std::min<std::int64_t>(units, kLongestServiceTime));
    packet.extra = packNscc(state);
  }
  control_queue_.pop();
  ++stats_.control_sent;
  return true;
}

void UetHost::recordLatency(const fabric::Packet& packet, Picoseconds now) {
  const std::int64_t serialization =
      ps_per_byte_ != 0 ? packet.length * ps_per_byte_
                        : serializationTime(Bytes(packet.length), context_.rate).count();
  const std::int64_t latency =
      now.count() - serialization - static_cast<std::int64_t>(packet.stamp);
  stats_.latency.record(static_cast<std::uint64_t>(latency));
}

void UetHost::setTimer(Picoseconds time, UetTimer kind, std::uint32_t index,
                       std::uint32_t generation) {
  timers_.push_back({time, timer_sequence_++, kind, index, generation});
  std::push_heap(timers_.begin(), timers_.end());
}

UetTimerEntry UetHost::popTimer() {
  std::pop_heap(timers_.begin(), timers_.end());
  const UetTimerEntry entry = timers_.back();
  timers_.pop_back();
  return entry;
}

}  // namespace plumbline::transport
