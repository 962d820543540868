#include "bench_verbs/verbs_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "bench_verbs/verbs_fault.h"
#include "endpoint/buffer.h"
#include "endpoint/fault.h"

namespace plumbline::bench_verbs {
namespace {

using bench::Operation;
using endpoint::FaultKind;

constexpr std::size_t kPollBatch = 64;
// Asking a device is a system call: done when nothing completes.
constexpr unsigned kPollsPerQuestion = 1024;

Error workFault(const WorkCompletion& completion, const std::string& where) {
  const auto make = [&](FaultKind kind, const char* what) {
    return endpoint::fault(kind, fmt::format("{}: {}", what, completion.text), where);
  };
  switch (completion.status) {
    case WorkStatus::kPeerSilent:
      return make(FaultKind::kPeerGone, "the peer does not acknowledge");
    case WorkStatus::kRefused:
      return make(FaultKind::kCompletion, "the peer refused a message");
    case WorkStatus::kFlushed:
      return make(FaultKind::kCompletion, "the queue pair is in error");
    default:
      return make(FaultKind::kCompletion, "a message failed");
  }
}

}  // namespace

VerbsChannel::VerbsChannel(EndPair ends, const endpoint::ChannelSpec& spec, bool reliable)
    : spec_(spec),
      reliable_(reliable),
      initiator_{std::move(ends.initiator), "initiator", std::vector<WorkCompletion>(kPollBatch)},
      target_{std::move(ends.target), "target", std::vector<WorkCompletion>(kPollBatch)} {
  Side& sender = spec_.operation == Operation::kRead ? target_ : initiator_;
  endpoint::fillPattern(sender.end->memory(), static_cast<std::size_t>(spec_.message.count()));
  if (!endpoint::targetIsTold(spec_.operation)) return;
  for (std::uint32_t slot = 0; slot < spec_.queue_pairs * spec_.window; ++slot) postReceive(slot);
}

bool VerbsChannel::post(std::uint32_t queue_pair, std::uint32_t slot) {
  const int error = initiator_.end->post(queue_pair, slot, spec_.operation, target_.end->key());
  if (error == ENOMEM) return false;
  checkErrno(error, "ibv_post_send", fmt::format("initiator {}", queue_pair));
  return true;
}

void VerbsChannel::postReceive(std::uint32_t slot) {
  const std::uint32_t pair = slot / spec_.window;
  checkErrno(target_.end->postReceive(pair, slot), "ibv_post_recv", fmt::format("target {}", pair));
}

std::size_t VerbsChannel::pollSide(Side& side, std::size_t room) {
  const int count =
      side.end->poll(std::span(side.completions).first(std::min(room, side.completions.size())));
  if (count < 0) throw verbsFault("ibv_poll_cq", -count, side.name);
  if (count == 0) askDevice(side);
  for (int i = 0; i < count; ++i) {
    const WorkCompletion& completion = side.completions[static_cast<std::size_t>(i)];
    if (completion.status != WorkStatus::kDone) throw workFault(completion, side.name);
  }
  return static_cast<std::size_t>(count);
}

void VerbsChannel::askDevice(Side& side) {
  if (++side.idle < kPollsPerQuestion) return;
  side.idle = 0;
  switch (side.end->event()) {
    case DeviceEvent::kNone:
      return;
    case DeviceEvent::kQueueOverrun:
      throw endpoint::fault(FaultKind::kOverrun, "the completion queue has overrun", side.name);
    case DeviceEvent::kQueuePairError:
      throw endpoint::fault(FaultKind::kCompletion, "a queue pair has gone into error", side.name);
    case DeviceEvent::kPortDown:
      throw endpoint::fault(FaultKind::kPeerGone, "the device's port is down", side.name);
    case DeviceEvent::kDeviceGone:
      throw endpoint::fault(FaultKind::kOther, "the device is gone", side.name);
  }
}

std::size_t VerbsChannel::poll(std::span<std::uint32_t> slots) {
  const std::size_t count = pollSide(initiator_, slots.size());
  for (std::size_t i = 0; i < count; ++i) {
    slots[i] = static_cast<std::uint32_t>(initiator_.completions[i].id);
  }
  return count;
}

std::size_t VerbsChannel::serve() {
  if (!endpoint::targetIsTold(spec_.operation)) return 0;  // the device serves these by itself
  const std::size_t count = pollSide(target_, kPollBatch);
  for (std::size_t i = 0; i < count; ++i) {
    postReceive(static_cast<std::uint32_t>(target_.completions[i].id));
  }
  return count;
}

bool VerbsChannel::intact() const {
  const Side& receiver = spec_.operation == Operation::kRead ? initiator_ : target_;
  return endpoint::holdsPattern(receiver.end->memory(),
                                static_cast<std::size_t>(spec_.message.count()));
}

}  // namespace plumbline::bench_verbs
