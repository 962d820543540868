#include "bench_ofi/ofi_channel.h"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "bench_ofi/ofi_fault.h"
#include "endpoint/clock.h"

namespace plumbline::bench_ofi {
namespace {

using bench::Operation;

constexpr std::size_t kBatch = 64;
constexpr std::int64_t kConnectTime_ns = 10'000'000'000;
constexpr std::uint64_t kImmediate = 0x504C'554D;

}  // namespace

OfiChannel::OfiChannel(fi_info& info, const endpoint::ChannelSpec& spec)
    : spec_(spec),
      bytes_(static_cast<std::size_t>(spec.message.count())),
      posted_(std::size_t{spec.queue_pairs} * spec.window) {
  if (spec.operation == Operation::kSend) receives_.resize(posted_.size());
  // Room for what either side may have under way, twice: a completion of one message may still be
  // in the queue when the next one's arrives.
  const std::size_t entries = 2 * posted_.size() + kBatch;
  initiator_ = std::make_unique<OfiHost>(info, "initiator", spec.queue_pairs, entries, bytes_);
  target_ = std::make_unique<OfiHost>(info, "target", spec.queue_pairs, entries, bytes_);
  initiator_->meet(*target_);
  target_->meet(*initiator_);
  key_ = target_->key();
  remote_address_ = target_->remoteAddress();
  endpoint::fillPattern(sender().memory(), bytes_);
  for (std::uint32_t slot = 0; slot < receives_.size(); ++slot) postReceive(slot);
  warmUp();
}

const OfiHost& OfiChannel::sender() const {
  return spec_.operation == Operation::kRead ? *target_ : *initiator_;
}

const OfiHost& OfiChannel::receiver() const {
  return spec_.operation == Operation::kRead ? *initiator_ : *target_;
}

// Connections of these endpoints are made by their first message: of all at the same time.
void OfiChannel::warmUp() {
  const std::int64_t end_ns = endpoint::monotonicNow() + kConnectTime_ns;
  std::uint32_t posted = 0;
  std::size_t completed = 0;
  std::size_t told = 0;
  std::array<std::uint32_t, kBatch> slots{};
  const std::size_t tells = endpoint::targetIsTold(spec_.operation) ? spec_.queue_pairs : 0;
  while (completed < spec_.queue_pairs || told < tells || !intact()) {
    while (posted < spec_.queue_pairs && post(posted, posted * spec_.window)) ++posted;
    completed += poll(slots);
    told += serve();
    if (endpoint::monotonicNow() > end_ns) {
      throw endpoint::fault(endpoint::FaultKind::kPeerGone,
                            fmt::format("{} of {} queue pairs do not answer for 10 s",
                                        spec_.queue_pairs - completed, spec_.queue_pairs),
                            target_->name());
    }
  }
  std::memset(receiver().memory(), 0, bytes_);
}

bool OfiChannel::post(std::uint32_t queue_pair, std::uint32_t slot) {
  fid_ep* endpoint = initiator_->endpoint(queue_pair);
  const fi_addr_t peer = initiator_->peer(queue_pair);
  std::uint8_t* memory = initiator_->memory();
  void* descriptor = initiator_->descriptor();
  void* context = &posted_[slot];
  ssize_t code = 0;
  const char* call = "";
  switch (spec_.operation) {
    case Operation::kWrite:
      call = "fi_write";
      code = fi_write(endpoint, memory, bytes_, descriptor, peer, remote_address_, key_, context);
      break;
    case Operation::kWriteImmediate:
      call = "fi_writedata";
      code = fi_writedata(endpoint, memory, bytes_, descriptor, kImmediate, peer, remote_address_,
                          key_, context);
      break;
    case Operation::kSend:
      call = "fi_send";
      code = fi_send(endpoint, memory, bytes_, descriptor, peer, context);
      break;
    case Operation::kRead:
      call = "fi_read";
      code = fi_read(endpoint, memory, bytes_, descriptor, peer, remote_address_, key_, context);
      break;
  }
  if (code == -FI_EAGAIN) return false;
  check(code, call, fmt::format("initiator {}", queue_pair));
  return true;
}

std::size_t OfiChannel::poll(std::span<std::uint32_t> slots) {
  std::array<fi_cq_msg_entry, kBatch> entries;
  const ssize_t count =
      fi_cq_read(initiator_->queue(), entries.data(), std::min(slots.size(), kBatch));
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) throw initiator_->completionFault();
  check(count, "fi_cq_read", initiator_->name());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    slots[i] = static_cast<std::uint32_t>(static_cast<fi_context2*>(entries[i].op_context) -
                                          posted_.data());
  }
  return static_cast<std::size_t>(count);
}

std::size_t OfiChannel::serve() {
  std::array<fi_cq_msg_entry, kBatch> entries;
  const ssize_t count = fi_cq_read(target_->queue(), entries.data(), entries.size());
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) throw target_->completionFault();
  check(count, "fi_cq_read", target_->name());
  if (spec_.operation == Operation::kSend) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      postReceive(static_cast<std::uint32_t>(static_cast<fi_context2*>(entries[i].op_context) -
                                             receives_.data()));
    }
  }
  return static_cast<std::size_t>(count);
}

void OfiChannel::postReceive(std::uint32_t slot) {
  const std::uint32_t pair = slot / spec_.window;
  const ssize_t code = fi_recv(target_->endpoint(pair), target_->memory(), bytes_,
                               target_->descriptor(), target_->peer(pair), &receives_[slot]);
  check(code, "fi_recv", fmt::format("target {}", pair));
}

bool OfiChannel::intact() const { return endpoint::holdsPattern(receiver().memory(), bytes_); }

}  // namespace plumbline::bench_ofi
