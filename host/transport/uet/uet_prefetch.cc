// Prefetches memory. A host's state is used briefly in every window, and the state of all hosts
// exceeds the cache: memory for which each packet would wait in turn is fetched for all packets at
// once.
#include <algorithm>
#include <array>

#include "transport/uet/uet_protocol.h"

namespace plumbline::transport {
namespace {

constexpr std::size_t kMaxReadyPdcs = 16;  // PDCs whose turn is next
constexpr std::size_t kMaxPackets = 64;    // of either kind

// The first `kLines` cache lines of `object`.
template <int kLines, typename T>
[[gnu::always_inline]] inline void prefetchLines(const T& object) {
  constexpr std::size_t kLineBytes = 64;
  const char* const first = reinterpret_cast<const char*>(&object);
  for (std::size_t i = 0; i < kLines; ++i) __builtin_prefetch(first + i * kLineBytes, 1);
}

// Of consecutive packets of a PDC only one is kept.
struct ExpectedPackets {
  std::array<const fabric::Packet*, kMaxPackets> packets;
  std::size_t count = 0;

  bool add(const fabric::Packet& packet) {
    if (count == packets.size()) return false;
    if (count > 0 && packets[count - 1]->source == packet.source &&
        packets[count - 1]->connection == packet.connection) {
      return false;
    }
    packets[count++] = &packet;
    return true;
  }
};

}  // namespace

// Inlined, because a compiler that does not inline them finds them free of effects and removes
// them.

[[gnu::always_inline]] inline void UetSender::prefetchReady() const {
  const std::size_t count = std::min(ready_.size(), kMaxReadyPdcs);
  for (std::size_t i = 0; i < count; ++i) prefetchLines<4>(pdcs_[ready_.at(i)]);
}

[[gnu::always_inline]] inline void UetSender::prefetchReadyPlaces() const {
  const std::size_t count = std::min(ready_.size(), kMaxReadyPdcs);
  for (std::size_t i = 0; i < count; ++i) {
    const Pdc& pdc = pdcs_[ready_.at(i)];
    prefetchLines<2>(cccs_[pdc.ccc]);
    pdc.flight.prefetch(pdc.next);
    pdc.messages.prefetch(pdc.send_hint);
  }
}

[[gnu::always_inline]] inline void UetSender::prefetchId(const fabric::Packet& answer) const {
  by_id_.prefetch(answer.connection & 0xFFFF);
}

[[gnu::always_inline]] inline std::uint32_t UetSender::prefetchPdc(
    const fabric::Packet& answer) const {
  const std::uint32_t slot = by_id_.find(answer.connection & 0xFFFF);
  if (slot != kNone) prefetchLines<4>(pdcs_[slot]);
  return slot;
}

[[gnu::always_inline]] inline void UetSender::prefetchWindow(std::uint32_t slot,
                                                             const fabric::Packet& answer) const {
  if (slot == kNone) return;
  const Pdc& pdc = pdcs_[slot];
  prefetchLines<4>(cccs_[pdc.ccc]);
  pdc.flight.prefetch(pdc.cack + 1);
  pdc.flight.prefetch(unwrapPsn(answer.psn, pdc.cack) +
                      static_cast<std::uint64_t>(ackOffset(answer.aux)));
  pdc.flight.prefetch(unwrapPsn(answer.psn, pdc.cack) + 1);  // whose timeout runs then
  pdc.messages.prefetch(pdc.ack_hint);
  if (pdc.state == State::kClosing) __builtin_prefetch(&flows_[pdc.statistics], 1);
}

[[gnu::always_inline]] inline void UetReceiver::prefetchId(const fabric::Packet& packet) const {
  const std::uint32_t source = packet.source;
  by_pdc_.prefetch(source << 16 | (packet.connection & 0xFFFF));
}

[[gnu::always_inline]] inline void UetReceiver::prefetchTarget(const fabric::Packet& packet) const {
  const std::uint32_t slot = find(packet);
  if (slot < targets_.size()) prefetchLines<3>(targets_[slot]);
}

void UetProtocol::expect(std::span<const fabric::Packet* const> packets) const {
  if (packets.empty()) {
    prefetchLines<(sizeof(UetProtocol) + 63) / 64>(*this);
    return;
  }
  ExpectedPackets answers;  // NOLINT(*-member-init): filled in as far as it counts
  ExpectedPackets data;     // NOLINT(*-member-init)
  std::array<std::uint32_t, kMaxPackets> pdcs;  // NOLINT(*-member-init): of the answers
  sender_.prefetchReady();
  for (const fabric::Packet* packet : packets) {
    const PdsType type = pdsType(packet->opcode);
    if (type == PdsType::kAckCc || type == PdsType::kAck) {
      if (answers.add(*packet)) sender_.prefetchId(*packet);
    } else {
      if (data.add(*packet)) receiver_.prefetchId(*packet);
    }
  }
  sender_.prefetchReadyPlaces();
  for (std::size_t i = 0; i < data.count; ++i) receiver_.prefetchTarget(*data.packets[i]);
  for (std::size_t i = 0; i < answers.count; ++i) {
    pdcs[i] = sender_.prefetchPdc(*answers.packets[i]);
  }
  for (std::size_t i = 0; i < answers.count; ++i) {
    sender_.prefetchWindow(pdcs[i], *answers.packets[i]);
  }
}

}  // namespace plumbline::transport
