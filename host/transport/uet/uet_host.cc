#include "transport/uet/uet_host.h"

#include <algorithm>

namespace plumbline::transport {
namespace {

constexpr std::int64_t kByteTimePs = 8'000'000'000'000;  // at 1 bit/s

}  // namespace

UetHost::UetHost(const UetSpec& spec, const HostContext& context)
    : ps_per_byte_(kByteTimePs % context.rate.bitsPerSecond() == 0
                       ? kByteTimePs / context.rate.bitsPerSecond()
                       : 0),
      spec_(spec),
      context_(context),
      control_priority_(spec.control_priority & 7U),
      control_frames_(controlFrames(spec)) {
  if (spec.pdc_setup) connections_ = std::make_unique<ConnectionStats>();
}

UetHost::ControlFrames UetHost::controlFrames(const UetSpec& spec) {
  ControlFrames frames{};
  for (std::size_t type = 0; type < frames.size(); ++type) {
    frames[type] = unpaddedFrame(spec, static_cast<PdsType>(type), 0, 0);
  }
  return frames;
}

void UetHost::takeControl(Picoseconds now, fabric::Packet& packet) {
  const Control& next = control_queue_.front();
  packet = next.packet;
  if (pdsType(packet.opcode) == PdsType::kAckCc) {
    // Until here it is zero.
    const std::int64_t units = (now - next.since).count() / kServiceTimeUnitPs;
    const auto service_time =
        static_cast<std::uint16_t>(std::min<std::int64_t>(units, kLongestServiceTime));
    packet.extra |= NsccState{.service_time = service_time}.toBits();
  }
  control_queue_.pop();
  ++stats_.control_sent;
}

std::int64_t UetHost::serializationOf(std::uint16_t length) const {
  return serializationTime(Bytes(length), context_.rate).count();
}

void UetHost::setTimer(Picoseconds time, UetTimer kind, std::uint32_t index,
                       std::uint32_t generation) {
  timers_.push_back({time, timer_sequence_++, kind, index, generation});
  std::push_heap(timers_.begin(), timers_.end());
  next_timer_ = timers_.front().time;
}

UetTimerEntry UetHost::popTimer() {
  std::pop_heap(timers_.begin(), timers_.end());
  const UetTimerEntry entry = timers_.back();
  timers_.pop_back();
  next_timer_ = timers_.empty() ? kNever : timers_.front().time;
  return entry;
}

}  // namespace plumbline::transport
