// Packets of a UET target to its source: acknowledgements, RUDI responses, NACKs.
#include <algorithm>

#include "transport/uet/uet_receiver.h"

namespace plumbline::transport {

bool UetReceiver::isCurrent(const LateAck& late) const {
  const Target& target = targets_[late.slot];
  return target.open && target.generation == late.generation && target.acks == late.acks;
}

void UetReceiver::acknowledgeLate(Picoseconds now) {
  while (!late_acks_.empty()) {
    const LateAck late = late_acks_.front();
    const bool current = isCurrent(late);
    if (current && late.due > now) break;
    late_acks_.pop();
    if (!current) continue;
    Target& target = targets_[late.slot];
    // The wait counts as service time.
    acknowledge(target, target.last_psn, target.last_retx, target.last_arrival);
  }
  next_late_ack_ = late_acks_.empty() ? kNever : late_acks_.front().due;
}

// Reports the state of `target`. Every packet above CACK_PSN is reported at least once, so as many
// ACKs are sent as the bitmaps need, nearly always one.
void UetReceiver::acknowledge(Target& target, std::uint64_t psn, bool retx, Picoseconds now) {
  std::uint64_t low = std::max(target.unreported_min, target.cack + 1);
  const std::uint64_t high = target.unreported_max;
  do {
    std::uint64_t base = target.cack + 1;
    std::uint64_t sack = 0;
    if (target.above > 0) {
      // Room below the news repeats older reports, in case their ACKs were lost.
      const std::uint64_t top = high > target.cack ? high : target.highest;
      base = std::max(target.cack + 1, top >= 63 ? top - 63 : 0);
      if (low <= high) base = std::min(base, low);
      sack = target.received.from(base);
    }
    sendAck(target, psn, retx, base, sack, now);
    target.marked = false;  // reported once
    low = base + 64;
    while (low <= high && !target.received.test(low)) ++low;
  } while (low <= high);
  target.unreported_min = ~std::uint64_t{0};
  target.unreported_max = 0;
  target.ack_bytes = 0;
  ++target.acks;
}

void UetReceiver::sendAck(Target& target, std::uint64_t psn, bool retx, std::uint64_t sack_base,
                          std::uint64_t sack, Picoseconds now) {
  const bool with_state = moves_window_ || credit_ || sack != 0;
  const PdsType type = with_state ? PdsType::kAckCc : PdsType::kAck;
  fabric::Packet& ack = host_.queueControl(target.source, type, with_state ? 0 : kSesResponse, now);
  ack.opcode = uetOpcode(type, answerFlags(target.marked, retx));
  ack.flow_hash = answerHash(target.source, service_ == UetService::kRod ? target.id : psn);
  ack.connection = (std::uint32_t{target.flow} << 16 | target.id) & 0xFFFFFF;
  ack.psn = static_cast<std::uint32_t>(target.cack);
  // The offset of an old duplicate may not fit; all that matters is that it is not positive.
  ack.aux = packOffsets(std::max<std::int64_t>(static_cast<std::int64_t>(psn - target.cack), -4096),
                        static_cast<std::int64_t>(sack_base - target.cack));
  ack.stamp = sack;
  if (with_state) {
    NsccState state;
    state.rcv_cwnd_pend = rules_.receiver_penalty;
    state.rcvd_bytes =
        static_cast<std::uint32_t>((target.received_bytes + kCreditUnit - 1) / kCreditUnit);
    state.ooo_count = static_cast<std::uint16_t>(std::min<std::uint32_t>(target.above, 0xFFFE));
    ack.extra = state.toBits();
  }
  ++host_.uetStats().acks_sent;
}

void UetReceiver::respond(const Target& target, std::uint64_t psn, bool retx, bool marked,
                          Picoseconds now) {
  fabric::Packet& answer =
      host_.queueControl(target.source, PdsType::kRudiResponse, kSesResponse, now);
  answer.opcode = uetOpcode(PdsType::kRudiResponse, answerFlags(marked, retx));
  answer.flow_hash = answerHash(target.source, psn);
  answer.connection = (std::uint32_t{target.flow} << 16) & 0xFFFFFF;
  answer.psn = static_cast<std::uint32_t>(psn);
  ++host_.uetStats().acks_sent;
}

void UetReceiver::nack(const fabric::Packet& packet, NackCode code, std::uint32_t psn,
                       Picoseconds now) {
  const bool retx = unpackData(packet.extra, has_pdc_).retx;
  fabric::Packet& answer = host_.queueControl(packet.source, PdsType::kNack, 0, now);
  answer.opcode = uetOpcode(PdsType::kNack, answerFlags(packet.ce, retx));
  answer.flow_hash = answerHash(packet.source, packet.psn);
  answer.connection = packet.connection;
  answer.psn = psn;
  answer.aux = static_cast<std::uint32_t>(code);
  ++host_.uetStats().nacks_sent;
}

// Answers to packets of different PSNs take different paths.
std::uint32_t UetReceiver::answerHash(HostId to, std::uint64_t psn) const {
  return uetFlowHash(host_.context().self, to, static_cast<std::uint16_t>(psn));
}

}  // namespace plumbline::transport
