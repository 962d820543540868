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

// Protocols take turns on the wire, frame by frame; a packet's opcode selects the protocol that
// receives it. The first protocol carries the application's messages. Memory bus, PCIe and software
// take no time: a packet is answered when its last bit has arrived.
class Nic final : public PagedObject, public fabric::Endpoint, public Poster {
 public:
  // `application` may be null (pure sinks and sources); it must outlive the fabric's run, as this
  // object must. At least one protocol, each with a different id.
  Nic(Application* application, std::vector<std::unique_ptr<Protocol>> protocols);
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  void post(const Message& message, Picoseconds now) override;
  void receive(const fabric::Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override;
  void wake(Picoseconds now) override;
  void expect(std::span<const fabric::Packet* const> packets) const override;
  // To be called when the application's wakeAt() may have become earlier between steps of the
  // fabric. The caller then calls Fabric::wake().
  void applicationChanged() { updateWake(); }

  [[nodiscard]] const std::vector<std::unique_ptr<Protocol>>& protocols() const {
    return protocols_;
  }

 private:
  bool transmitInTurn(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet);
  void updateWake();

  Application* application_;
  Protocol* only_ = nullptr;  // if it is the only one: a shortcut for the usual case
  std::vector<std::unique_ptr<Protocol>> protocols_;
  std::array<Protocol*, kProtocolIds> by_id_{};  // null: not on this host
  std::size_t turn_ = 0;
};

}  // namespace plumbline::transport
