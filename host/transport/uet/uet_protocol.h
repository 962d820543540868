// Ultra Ethernet transport (UET) on one host: ROD, RUD, RUDI and UUD with PDCs, NSCC, receiver
// credit and entropy policies. Scope, equations, sources and limits of the model:
// docs/model/uet.md.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transport/protocol.h"
#include "transport/uet/uet_host.h"
#include "transport/uet/uet_receiver.h"
#include "transport/uet/uet_sender.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::transport {

// Both halves of an endpoint. All hosts that communicate must have the same spec.
class UetProtocol final : public Protocol {
 public:
  // Throws Error(kUsage) if `spec` is out of range.
  UetProtocol(const UetSpec& spec, const HostContext& context);

  [[nodiscard]] ProtocolId id() const override { return ProtocolId::kUet; }
  // Throws Error(kUsage): reads over RUDI or UUD, reads of 2^32 bytes or more, messages of more
  // than 2^28 packets, flows above 255.
  void post(const Message& message, Picoseconds now) override;
  void receive(const fabric::Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override;
  void wake(Picoseconds now) override;
  void expect(std::span<const fabric::Packet* const> packets) const override;
  [[nodiscard]] bool fetchesAhead() const override { return true; }

  [[nodiscard]] const EndpointStats& stats() const override { return host_.settledStats(); }
  [[nodiscard]] const ConnectionStats* connectionStats() const override {
    return host_.connections();
  }
  void appendFlows(std::vector<FlowStats>& flows) const override;
  void appendPending(std::vector<PendingMessage>& messages) const override {
    sender_.appendPending(messages);
  }

  [[nodiscard]] const UetStats& uetStats() const { return host_.uetStats(); }
  [[nodiscard]] std::size_t openPdcs() const { return sender_.openPdcs(); }
  [[nodiscard]] std::size_t openTargets() const { return receiver_.openTargets(); }
  [[nodiscard]] UetSender::CongestionView congestion(HostId peer) const {
    return sender_.congestion(peer);
  }

 private:
  void notify(Picoseconds now) {
    if (!receiver_.deliveries().empty() || !sender_.completions().empty()) notifyAll(now);
  }
  void notifyAll(Picoseconds now);
  void updateWake();
  void updateFrames() { setHasFrames(host_.hasControl() || sender_.hasReady()); }

  UetSpec spec_;
  fabric::PriorityMask control_;  // the priority of control packets
  fabric::PriorityMask data_;
  UetHost host_;
  UetSender sender_;
  UetReceiver receiver_;
};

}  // namespace plumbline::transport
