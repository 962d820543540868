// Interface of one transport on one host, and the parameters that its host gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/paged_memory.h"
#include "base/units.h"
#include "fabric/engine/packet.h"
#include "transport/application.h"
#include "transport/connection_stats.h"
#include "transport/endpoint_stats.h"

namespace plumbline::transport {

// The protocols that may share a wire; the upper two bits of Packet::opcode.
enum class ProtocolId : std::uint8_t { kStream = 0, kRoce = 1, kUet = 2 };
inline constexpr std::size_t kProtocolIds = 4;  // distinct values of two bits

constexpr ProtocolId protocolOf(std::uint8_t opcode) {
  return static_cast<ProtocolId>(opcode >> 6);
}
constexpr std::uint8_t opcodeOf(ProtocolId protocol, std::uint8_t code) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(protocol) << 6 | code);
}

// What a protocol needs to know of its host.
struct HostContext {
  HostId self = 0;
  BitRate rate;                 // of the host's link
  std::uint64_t seed = 1;       // of the scenario; random streams are named "host<self>/<use>"
  std::uint64_t draw_seed = 1;  // of what is random in time: fabric::FabricSpec::drawSeed()
  Application* application = nullptr;  // receives arrivals and completions; may be absent
};

// A message that was posted and has no completion yet.
struct PendingMessage {
  ProtocolId protocol{};
  HostId to = 0;
  std::uint32_t flow = 0;
  Verb verb = Verb::kWrite;
  std::uint32_t tag = 0;
  Picoseconds posted;
};

// Called by its Nic, under the rules of fabric::Endpoint.
class Protocol : public PagedObject {
 public:
  virtual ~Protocol() = default;

  [[nodiscard]] virtual ProtocolId id() const = 0;
  virtual void post(const Message& message, Picoseconds now) = 0;
  virtual void receive(const fabric::Packet& packet, Picoseconds now) = 0;
  // As Endpoint::transmit(). The protocol orders its own control packets before its data.
  virtual bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) = 0;
  virtual void wake(Picoseconds now) = 0;
  // As Endpoint::expect().
  virtual void expect(std::span<const fabric::Packet* const> /*packets*/) const {}
  // As Endpoint::fetchesAhead().
  [[nodiscard]] virtual bool fetchesAhead() const { return false; }
  [[nodiscard]] Picoseconds wakeAt() const { return wake_at_; }
  // As Endpoint::hasFrames().
  [[nodiscard]] bool hasFrames() const { return has_frames_; }

  [[nodiscard]] virtual const EndpointStats& stats() const = 0;
  // Counters of connection setup; nullptr where that has no cost.
  [[nodiscard]] virtual const ConnectionStats* connectionStats() const { return nullptr; }
  // Appends the statistics of every flow that was ever open.
  virtual void appendFlows(std::vector<FlowStats>& flows) const = 0;
  // Appends the messages that were posted here and are not complete; streams have no messages.
  virtual void appendPending(std::vector<PendingMessage>& /*messages*/) const {}

 protected:
  Protocol() = default;
  Protocol(const Protocol&) = default;
  Protocol& operator=(const Protocol&) = default;

  void setWakeAt(Picoseconds time) { wake_at_ = time; }
  void setHasFrames(bool has_frames) { has_frames_ = has_frames; }

 private:
  Picoseconds wake_at_ = kNever;
  bool has_frames_ = true;
};

}  // namespace plumbline::transport
