#include "bench_ofi/ofi_side.h"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>

#include "bench_ofi/ofi_fault.h"

namespace plumbline::bench_ofi {
namespace {

using bench::Operation;

constexpr std::size_t kBatch = 64;
constexpr std::uint64_t kImmediate = 0x504C'554D;

std::size_t windowsOf(const endpoint::ChannelSpec& spec) {
  return std::size_t{spec.queue_pairs} * spec.window;
}

// Only the initiator's own messages read or write its memory.
std::uint64_t initiatorAccess(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
    case Operation::kWriteImmediate:
      return FI_WRITE;
    case Operation::kSend:
      return FI_SEND;
    case Operation::kRead:
      break;
  }
  return FI_READ;
}

std::uint64_t targetAccess(Operation operation) {
  switch (endpoint::remoteAccess(operation)) {
    case endpoint::RemoteAccess::kWrite:
      return FI_REMOTE_WRITE;
    case endpoint::RemoteAccess::kRead:
      return FI_REMOTE_READ;
    case endpoint::RemoteAccess::kNone:
      break;
  }
  return FI_RECV;
}

}  // namespace

// The queue has room for twice the messages in flight of either side: a completion of one message
// may still be in it when the next one's arrives.
OfiSide::OfiSide(fi_info& info, const endpoint::ChannelSpec& spec, const char* name,
                 std::uint64_t access)
    : spec_(spec),
      bytes_(static_cast<std::size_t>(spec.message.count())),
      host_(info, name, spec.queue_pairs, 2 * windowsOf(spec) + kBatch, bytes_, access) {}

std::uint32_t OfiSide::slotOf(const fi_cq_msg_entry& entry,
                              const std::vector<fi_context2>& contexts) const {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(entry.op_context) -
                                reinterpret_cast<std::uintptr_t>(contexts.data());
  const std::size_t slot = offset / sizeof(fi_context2);
  if (offset % sizeof(fi_context2) != 0 || slot >= contexts.size()) {
    throw endpoint::unexpectedCompletion(host_.name());
  }
  return static_cast<std::uint32_t>(slot);
}

OfiInitiator::OfiInitiator(fi_info& info, const endpoint::ChannelSpec& spec)
    : OfiSide(info, spec, "initiator", initiatorAccess(spec.operation)), posted_(windowsOf(spec)) {
  if (spec.operation != Operation::kRead) endpoint::fillPattern(host_.memory(), bytes_);
}

bool OfiInitiator::post(std::uint32_t queue_pair, std::uint32_t slot, const OfiMemory& remote) {
  fid_ep* endpoint = host_.endpoint(queue_pair);
  const fi_addr_t peer = host_.peer(queue_pair);
  std::uint8_t* memory = host_.memory();
  void* descriptor = host_.descriptor();
  void* context = &posted_[slot];
  ssize_t code = 0;
  const char* call = "";
  switch (spec_.operation) {
    case Operation::kWrite:
      call = "fi_write";
      code =
          fi_write(endpoint, memory, bytes_, descriptor, peer, remote.address, remote.key, context);
      break;
    case Operation::kWriteImmediate:
      call = "fi_writedata";
      code = fi_writedata(endpoint, memory, bytes_, descriptor, kImmediate, peer, remote.address,
                          remote.key, context);
      break;
    case Operation::kSend:
      call = "fi_send";
      code = fi_send(endpoint, memory, bytes_, descriptor, peer, context);
      break;
    case Operation::kRead:
      call = "fi_read";
      code =
          fi_read(endpoint, memory, bytes_, descriptor, peer, remote.address, remote.key, context);
      break;
  }
  if (code == -FI_EAGAIN) return false;
  check(code, call, fmt::format("initiator {}", queue_pair));
  return true;
}

std::size_t OfiInitiator::poll(std::span<std::uint32_t> slots) {
  std::array<fi_cq_msg_entry, kBatch> entries;
  const ssize_t count = fi_cq_read(host_.queue(), entries.data(), std::min(slots.size(), kBatch));
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) throw host_.completionFault();
  check(count, "fi_cq_read", host_.name());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    slots[i] = slotOf(entries[i], posted_);
  }
  return static_cast<std::size_t>(count);
}

OfiTarget::OfiTarget(fi_info& info, const endpoint::ChannelSpec& spec)
    : OfiSide(info, spec, "target", targetAccess(spec.operation)) {
  if (spec.operation == Operation::kRead) endpoint::fillPattern(host_.memory(), bytes_);
  if (spec.operation == Operation::kSend) receives_.resize(windowsOf(spec));
}

void OfiTarget::begin() {
  for (std::uint32_t slot = 0; slot < receives_.size(); ++slot) postReceive(slot);
}

std::size_t OfiTarget::serve() {
  std::array<fi_cq_msg_entry, kBatch> entries;
  const ssize_t count = fi_cq_read(host_.queue(), entries.data(), entries.size());
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) throw host_.completionFault();
  check(count, "fi_cq_read", host_.name());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) take(entries[i]);
  return static_cast<std::size_t>(count);
}

// A message other than the operation's ends the channel: otherwise another sender's messages would
// be counted as the initiator's.
void OfiTarget::take(const fi_cq_msg_entry& entry) {
  const bool written = (entry.flags & FI_REMOTE_CQ_DATA) != 0;
  if (spec_.operation == Operation::kSend && !written) return postReceive(slotOf(entry, receives_));
  if (spec_.operation != Operation::kWriteImmediate || !written) {
    throw endpoint::unexpectedCompletion(host_.name());
  }
}

void OfiTarget::postReceive(std::uint32_t slot) {
  const std::uint32_t pair = slot / spec_.window;
  const ssize_t code = fi_recv(host_.endpoint(pair), host_.memory(), bytes_, host_.descriptor(),
                               host_.peer(pair), &receives_[slot]);
  check(code, "fi_recv", fmt::format("target {}", pair));
}

}  // namespace plumbline::bench_ofi
