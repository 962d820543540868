#include "bench_verbs/verbs_side.h"

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
// Querying a device is a system call: done only when nothing completes.
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

EndSpec endSpec(const char* name, const endpoint::ChannelSpec& channel,
                endpoint::RemoteAccess remote) {
  return {name, channel.queue_pairs, channel.window,
          static_cast<std::size_t>(channel.message.count()), remote};
}

}  // namespace

EndSpec initiatorSpec(const endpoint::ChannelSpec& channel) {
  return endSpec("initiator", channel, endpoint::RemoteAccess::kNone);
}

EndSpec targetSpec(const endpoint::ChannelSpec& channel) {
  return endSpec("target", channel, endpoint::remoteAccess(channel.operation));
}

VerbsSide::VerbsSide(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec,
                     const char* name)
    : end_(std::move(end)), spec_(spec), name_(name), completions_(kPollBatch) {}

std::span<const WorkCompletion> VerbsSide::complete(std::size_t room) {
  const int count = end_->poll(std::span(completions_).first(std::min(room, completions_.size())));
  if (count < 0) throw verbsFault("ibv_poll_cq", -count, name_);
  if (count == 0) queryDevice();
  const auto done =
      std::span<const WorkCompletion>(completions_).first(static_cast<std::size_t>(count));
  for (const WorkCompletion& completion : done) {
    if (completion.status != WorkStatus::kDone) throw workFault(completion, name_);
  }
  return done;
}

std::uint32_t VerbsSide::slotOf(const WorkCompletion& completion, std::uint32_t slots) const {
  if (completion.id >= slots) throw endpoint::unexpectedCompletion(name_);
  return static_cast<std::uint32_t>(completion.id);
}

void VerbsSide::queryDevice() {
  if (++idle_ < kPollsPerQuestion) return;
  idle_ = 0;
  switch (end_->event()) {
    case DeviceEvent::kNone:
      return;
    case DeviceEvent::kQueueOverrun:
      throw endpoint::fault(FaultKind::kOverrun, "the completion queue has overrun", name_);
    case DeviceEvent::kQueuePairError:
      throw endpoint::fault(FaultKind::kCompletion, "a queue pair has gone into error", name_);
    case DeviceEvent::kPortDown:
      throw endpoint::fault(FaultKind::kPeerGone, "the device's port is down", name_);
    case DeviceEvent::kDeviceGone:
      throw endpoint::fault(FaultKind::kOther, "the device is gone", name_);
  }
}

void VerbsSide::fill() {
  endpoint::fillPattern(end_->memory(), static_cast<std::size_t>(spec_.message.count()));
}

bool VerbsSide::holdsMessage() const {
  return endpoint::holdsPattern(end_->memory(), static_cast<std::size_t>(spec_.message.count()));
}

Initiator::Initiator(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec)
    : VerbsSide(std::move(end), spec, "initiator") {
  if (spec_.operation != Operation::kRead) fill();
}

bool Initiator::post(std::uint32_t queue_pair, std::uint32_t slot, const MemoryKey& remote) {
  const int error = end_->post(queue_pair, slot, spec_.operation, remote);
  if (error == ENOMEM) return false;
  checkErrno(error, "ibv_post_send", fmt::format("initiator {}", queue_pair));
  return true;
}

std::size_t Initiator::poll(std::span<std::uint32_t> slots) {
  const auto done = complete(slots.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    slots[i] = slotOf(done[i], spec_.queue_pairs * spec_.window);
  }
  return done.size();
}

Target::Target(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec)
    : VerbsSide(std::move(end), spec, "target") {
  if (spec_.operation == Operation::kRead) fill();
  if (!endpoint::targetIsNotified(spec_.operation)) return;
  const std::uint32_t receives = spec_.queue_pairs * spec_.window * kReceivesPerMessage;
  for (std::uint32_t slot = 0; slot < receives; ++slot) postReceive(slot);
}

void Target::postReceive(std::uint32_t slot) {
  const std::uint32_t pair = slot / (spec_.window * kReceivesPerMessage);
  checkErrno(end_->postReceive(pair, slot), "ibv_post_recv", fmt::format("target {}", pair));
}

std::size_t Target::serve() {
  if (!endpoint::targetIsNotified(spec_.operation)) return 0;  // the device serves these itself
  const auto done = complete(kPollBatch);
  const std::uint32_t receives = spec_.queue_pairs * spec_.window * kReceivesPerMessage;
  for (const WorkCompletion& completion : done) postReceive(slotOf(completion, receives));
  return done.size();
}

}  // namespace plumbline::bench_verbs
