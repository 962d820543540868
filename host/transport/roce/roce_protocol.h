// The RoCEv2 endpoint of one host: queue pairs with RDMA Write, Send and Read over reliable or
// unreliable connections, and DCQCN. Model, parameters and limits: docs/model/roce.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "fabric/engine/ring.h"
#include "fabric/link/wire_clock.h"
#include "transport/congestion/congestion_rate.h"
#include "transport/protocol.h"
#include "transport/roce/roce_connections.h"
#include "transport/roce/roce_packet.h"
#include "transport/roce/roce_path.h"
#include "transport/roce/roce_pool.h"
#include "transport/roce/roce_qp.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::transport {

// A QP is identified by its peer host and a flow number; each side creates it at its first use.
// Both hosts must have the same RoceSpec.
class RoceProtocol final : public Protocol {
 public:
  // Throws Error(kUsage) when `spec` is not valid or the host's number needs more than 16 bits.
  RoceProtocol(const RoceSpec& spec, const HostContext& context);

  [[nodiscard]] ProtocolId id() const override { return ProtocolId::kRoce; }
  // Throws Error(kUsage) for a flow above 255, no bytes or 2^40 and more, its own host as receiver,
  // or a READ over UC.
  void post(const Message& message, Picoseconds now) override;
  void receive(const fabric::Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] const EndpointStats& stats() const override { return stats_; }
  [[nodiscard]] const ConnectionStats* connectionStats() const override {
    return connections_ ? &connections_->stats() : nullptr;
  }
  // A QP that sent requests and one that received payload are two entries. Payload acknowledged
  // includes the acknowledged part of open messages; for READs it is the received part.
  void appendFlows(std::vector<FlowStats>& flows) const override;
  void appendPending(std::vector<PendingMessage>& messages) const override;

  // Open messages that were posted here, and reorder buffers in use.
  [[nodiscard]] std::uint32_t openMessages() const { return messages_.inUse(); }
  [[nodiscard]] std::uint32_t openReorderBuffers() const { return buffers_.inUse(); }
  // Rate of the QP (peer, flow) [bit/s]; line rate unless congestion control limits it.
  [[nodiscard]] double rateOf(HostId peer, std::uint32_t flow, Picoseconds now) const;

 private:
  static constexpr std::uint32_t kMaxFlow = 255;
  // A READ of more packets is requested in parts, so that PSNs stay distinguishable.
  static constexpr PacketNumber kMaxReadPackets = PacketNumber{1} << 20;

  // roce_path.cc: the path of every packet.
  void onRequest(std::uint32_t index, std::uint8_t code, const fabric::Packet& packet,
                 Picoseconds now);
  bool transmitData(Picoseconds now, fabric::Packet& packet);
  bool emit(Qp& qp, std::uint32_t index, Picoseconds now, fabric::Packet& packet);
  bool emitRequest(Qp& qp, std::uint32_t index, Picoseconds now, fabric::Packet& packet);
  bool emitLost(Qp& qp, std::uint32_t index, Picoseconds now, fabric::Packet& packet);
  std::uint32_t fillRequest(Qp& qp, std::uint32_t index, const OpenMessage& message,
                            PacketNumber number, Picoseconds now, fabric::Packet& packet);

  // roce_protocol.cc: QPs and their scheduling.
  static std::uint32_t qpNumber(HostId peer, std::uint32_t flow) {
    return roceQpNumber(peer, flow);
  }
  std::uint32_t openQp(HostId peer, std::uint32_t flow) {
    const std::uint32_t known = table_.find(qpNumber(peer, flow));
    return known != kNone ? known : createQp(peer, flow);
  }
  std::uint32_t createQp(HostId peer, std::uint32_t flow);
  [[nodiscard]] bool hasWork(const Qp& qp) const {
    if (qp.job_head != kNone) return true;
    if (qp.failed) return false;
    return qp.lost != 0 || (qp.cursor != kNone && qp.next - qp.acknowledged < window_);
  }
  // Queues an idle QP that has something to send.
  void schedule(std::uint32_t index, Picoseconds now) {
    Qp& qp = qps_[index];
    if (qp.state == Qp::State::kIdle && hasWork(qp)) enterRound(qp, index, now);
  }
  void enterRound(Qp& qp, std::uint32_t index, Picoseconds now) {
    if (qp.eligible <= now) {
      qp.state = Qp::State::kReady;
      ready_.push(index);
    } else {
      qp.state = Qp::State::kPaced;
      paced_.push(qp.eligible, index);
    }
  }
  void transmitCnp(fabric::Packet& packet);
  // Connection management; only if it is modelled.
  bool transmitConnection(fabric::PriorityMask paused, fabric::Packet& packet);
  void applyConnections(Picoseconds now);
  // Completes a frame to which the QP's rate applies, after its fields have been filled in.
  void finishData(Qp& qp, Picoseconds now, const fabric::Packet& packet) {
    ++qp.packets_sent;
    qp.started = now;
    qp.started_bytes = packet.length + static_cast<std::uint32_t>(kWireOverheadBytes.count());
    if (qp.rate != kNone) payAtRate(qp, packet.length);
  }
  void payAtRate(Qp& qp, std::uint16_t length);
  // Fields common to all frames of a QP; priority and ECT are those of data.
  void fillHeader(const Qp& qp, std::uint8_t code, fabric::Packet& packet) const {
    packet = data_header_;
    packet.destination = qp.peer;
    packet.flow_hash = qp.flow_hash;
    packet.opcode |= code;
    packet.connection = qpNumber(context_.self, qp.flow) & 0xFF'FFFF;
  }
  void fillControl(const Qp& qp, std::uint8_t code, std::uint8_t priority, bool ect,
                   fabric::Packet& packet) const;
  void fillData(const Qp& qp, std::uint8_t code, std::uint32_t payload, bool ack_request,
                PacketNumber number, Picoseconds now, fabric::Packet& packet) const {
    fillHeader(qp, code, packet);
    if (spec_.spray) {
      packet.flow_hash = static_cast<std::uint32_t>(
          mix64(static_cast<std::uint64_t>(qp.flow_hash) << 32 ^ qp.packets_sent));
    }
    packet.length = frames_.bytes(code, payload);
    packet.psn = psnOf(number, spec_.first_psn);
    packet.extra = DataInfo{payload, ack_request}.pack();
    packet.stamp = static_cast<std::uint64_t>(now.count());
  }
  // For every data packet: statistics, and DCQCN's notification point.
  void countArrival(Qp& qp, std::uint32_t index, const fabric::Packet& packet, Picoseconds now) {
    ++stats_.data_received;
    const std::int64_t first_bit = (now - clock_.serialization(packet.length)).count();
    stats_.latency.record(static_cast<std::uint64_t>(first_bit) - packet.stamp);
    if (packet.ce) notify(qp, index, now);
  }
  void notify(Qp& qp, std::uint32_t index, Picoseconds now);
  void onCnp(std::uint32_t index, Picoseconds now);
  void updateWake();

  // roce_requester.cc: messages from post to completion.
  std::uint32_t fillRead(Qp& qp, std::uint32_t index, const OpenMessage& message,
                         PacketNumber number, Picoseconds now, fabric::Packet& packet);
  static constexpr std::uint64_t kNoMask = ~std::uint64_t{0};
  // Whether the packets up to `number` are a whole number of ACK intervals.
  [[nodiscard]] bool endsInterval(PacketNumber number) const {
    const auto count = static_cast<std::uint64_t>(number) + 1;
    if (ack_mask_ != kNoMask) return (count & ack_mask_) == 0;
    return spec_.ack_every != 0 && count % spec_.ack_every == 0;
  }
  void acknowledge(Qp& qp, std::uint32_t index, PacketNumber below, Picoseconds now);
  void completeHead(Qp& qp, bool failed, Picoseconds now);
  void progress(Qp& qp, std::uint32_t index, PacketNumber acknowledged, Picoseconds now);
  void rewind(Qp& qp, std::uint32_t index, PacketNumber to, Picoseconds now);
  void requestRetransmission(Qp& qp, std::uint32_t index, Picoseconds now);
  void judgeLosses(Qp& qp, PacketNumber base, std::uint64_t present) const;
  void onAck(std::uint32_t index, const fabric::Packet& packet, Picoseconds now);
  void onReadResponse(std::uint32_t index, const RoceMeaning& meaning, const fabric::Packet& packet,
                      Picoseconds now);
  void startTimer(Qp& qp, std::uint32_t index, Picoseconds now);
  void onTimer(std::uint32_t index, Picoseconds now);
  void failMessages(Qp& qp, Picoseconds now);
  [[nodiscard]] std::uint32_t messageOf(const Qp& qp, PacketNumber number) const;

  // roce_responder.cc: packets from the peer's requester.
  void onUcRequest(Qp& qp, const RoceMeaning& meaning, const fabric::Packet& packet,
                   Picoseconds now);
  void accept(Qp& qp, std::uint32_t index, const RoceMeaning& meaning, std::uint32_t aux,
              std::uint64_t extra, Picoseconds now) {
    if (meaning.kind == RoceKind::kReadRequest) {
      acceptRead(qp, index, extra, now);
    } else {
      ++qp.expected;
      acceptPayload(qp, meaning, aux, DataInfo::unpack(extra).payload, now);
    }
  }
  void acceptRead(Qp& qp, std::uint32_t index, std::uint64_t bytes, Picoseconds now);
  void acceptPayload(Qp& qp, const RoceMeaning& meaning, std::uint32_t tag, std::uint32_t payload,
                     Picoseconds now) {
    qp.payload_received += payload;
    stats_.payload_received += payload;
    qp.last_arrival = now;
    qp.message_bytes += payload;
    if (meaning.last) deliver(qp, meaning.verb, tag, now);
  }
  void deliver(Qp& qp, Verb verb, std::uint32_t tag, Picoseconds now);
  void onEarly(Qp& qp, std::uint32_t index, PacketNumber number, std::uint8_t code,
               const fabric::Packet& packet);
  bool drain(Qp& qp, std::uint32_t index, Picoseconds now);
  void addJob(Qp& qp, std::uint32_t index, PacketNumber first, std::uint64_t bytes, bool repeated,
              Picoseconds now);
  void emitResponse(Qp& qp, std::uint32_t index, Picoseconds now, fabric::Packet& packet);
  void queueAck(Qp& qp, std::uint32_t index);
  bool transmitAck(fabric::Packet& packet);
  [[nodiscard]] std::uint64_t presentBits(const Qp& qp) const;

  RoceSpec spec_;
  HostContext context_;
  fabric::WireClock clock_;
  RoceFrames frames_;
  RateControl rate_control_;
  std::int64_t window_;
  unsigned mtu_shift_;
  std::uint64_t ack_mask_;  // ack_every - 1 if that is a power of two, otherwise kNoMask
  fabric::Packet data_header_;

  Pool<Qp> qps_;
  std::vector<Picoseconds> first_posted_;  // by QP, for as many as have posted
  QpTable table_;
  Pool<OpenMessage> messages_;
  Pool<ReadJob> jobs_;
  Pool<ReorderBuffer> buffers_;
  Pool<RateControl::State> rates_;

  fabric::Ring<std::uint32_t> ready_;  // QPs in the round
  fabric::Ring<std::uint32_t> acks_;   // QPs that owe an ACK or NAK
  fabric::Ring<std::uint32_t> cnps_;
  TimerHeap paced_;
  TimerHeap timeouts_;
  EndpointStats stats_;
  std::unique_ptr<RoceConnections> connections_;  // nullptr: QPs may be used at once
};

}  // namespace plumbline::transport
