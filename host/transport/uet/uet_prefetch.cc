// Prefetches memory. A host's state is used briefly in every window, and the state of all hosts
// exceeds the cache: memory for which each packet would wait in turn is fetched for all packets at
// once.
#include <algorithm>
#include <array>

#include "transport/prefetch.h"
#include "transport/uet/uet_protocol.h"

namespace plumbline::transport {
namespace {

constexpr std::size_t kMaxReadyPdcs = 16;  // PDCs whose turn is next
constexpr std::size_t kMaxPackets = 64;    // of either kind

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

// Forced inline for the same reason as the functions of fabric/engine/prefetch.h.

[[gnu::always_inline]] inline void UetSender::prefetchReady() const {
  const std::size_t count = std::min(ready_.size(), kMaxReadyPdcs);
  for (std::size_t i = 0; i < count; ++i) prefetchLinesToWrite<4>(pdcs_[ready_.at(i)]);
}

[[gnu::always_inline]] inline void UetSender::prefetchReadyPlaces() const {
  const std::size_t count = std::min(ready_.size(), kMaxReadyPdcs);
  for (std::size_t i = 0; i < count; ++i) {
    const Pdc& pdc = pdcs_[ready_.at(i)];
    prefetchLinesToWrite<2>(cccs_[pdc.ccc]);
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
  if (slot != kNone) prefetchLinesToWrite<4>(pdcs_[slot]);
  return slot;
}

[[gnu::always_inline]] inline void UetSender::prefetchWindow(std::uint32_t slot,
                                                             const fabric::Packet& answer) const {
  if (slot == kNone) return;
  const Pdc& pdc = pdcs_[slot];
  prefetchLinesToWrite<4>(cccs_[pdc.ccc]);
  pdc.flight.prefetch(pdc.cack + 1);
  pdc.flight.prefetch(unwrapPsn(answer.psn, pdc.cack) +
                      static_cast<std::uint64_t>(ackOffset(answer.aux)));
  pdc.flight.prefetch(unwrapPsn(answer.psn, pdc.cack) + 1);  // whose timeout runs then
  pdc.messages.prefetch(pdc.ack_hint);
  if (pdc.state == State::kClosing) prefetchToWrite(&flows_[pdc.statistics]);
}

[[gnu::always_inline]] inline void UetReceiver::prefetchId(const fabric::Packet& packet) const {
  const std::uint32_t source = packet.source;
  by_pdc_.prefetch(source << 16 | (packet.connection & 0xFFFF));
}

[[gnu::always_inline]] inline void UetReceiver::prefetchTarget(const fabric::Packet& packet) const {
  const std::uint32_t slot = find(packet);
  if (slot < targets_.size()) prefetchLinesToWrite<3>(targets_[slot]);
}

void UetProtocol::expect(std::span<const fabric::Packet* const> packets) const {
  if (packets.empty()) {
    prefetchLinesToWrite<(sizeof(UetProtocol) + 63) / 64>(*this);
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
