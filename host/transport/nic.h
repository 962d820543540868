// The NIC of one simulated host: an application above, protocols sharing the wire below.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/paged_memory.h"
#include "fabric/engine/endpoint.h"
#include "transport/application.h"
#include "transport/protocol.h"

namespace plumbline::transport {

// Protocols take turns on the wire, frame by frame; packets go to the protocol that their opcode
// names. Messages of the application go to the first protocol. Memory-bus, PCIe and software times
// are not modelled: a packet is answered at the instant its last bit is there.
class Nic final : public PagedObject, public fabric::Endpoint, public Poster {
 public:
  // `application` may be null (pure sinks and sources); it and this object must live as long as the
  // fabric runs. At least one protocol, each of its own id.
  Nic(Application* application, std::vector<std::unique_ptr<Protocol>> protocols);
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  void post(const Message& message, Picoseconds now) override;
  void receive(const fabric::Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override;
  void wake(Picoseconds now) override;
  void expect(std::span<const fabric::Packet* const> packets) const override;
  // The application has been given something to do from outside: its wakeAt() may be earlier now.
  // The caller tells the fabric (Fabric::wake()).
  void applicationChanged() { updateWake(); }

  [[nodiscard]] const std::vector<std::unique_ptr<Protocol>>& protocols() const {
    return protocols_;
  }

 private:
  bool transmitInTurn(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet);
  void updateWake();

  Application* application_;
  Protocol* only_ = nullptr;  // where there is no other one: the rule, so worth a shortcut
  std::vector<std::unique_ptr<Protocol>> protocols_;
  std::array<Protocol*, kProtocolIds> by_id_{};  // null: not on this host
  std::size_t turn_ = 0;
};

}  // namespace plumbline::transport
