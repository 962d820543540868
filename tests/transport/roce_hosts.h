// RoCE hosts joined by a TestNetwork.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/transport/scripted_application.h"
#include "tests/transport/test_network.h"
#include "transport/nic.h"
#include "transport/roce/roce_protocol.h"

namespace plumbline::transport_test {

// One-way delay of the network below, the rate of its wires, and how many ps a byte lasts on them.
inline constexpr Picoseconds kDelay = microseconds(1);
inline constexpr BitRate kRate = gigabitsPerSecond(100);
inline constexpr std::int64_t kByte = 80;

// The path MTU of most tests [bytes].
inline constexpr std::uint64_t kMtu = 1024;

// A WRITE to host 1.
inline transport::Message write(std::uint64_t bytes, std::uint32_t flow = 0,
                                std::uint32_t tag = 0) {
  return {.to = 1, .flow = flow, .verb = transport::Verb::kWrite, .bytes = bytes, .tag = tag};
}

struct RoceHosts {
  explicit RoceHosts(const transport::RoceSpec& spec, std::uint32_t count = 2,
                     Picoseconds delay = kDelay, BitRate rate = kRate)
      : applications(count) {
    std::vector<fabric::Endpoint*> endpoints;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::unique_ptr<transport::Protocol>> protocols;
      auto protocol = std::make_unique<transport::RoceProtocol>(
          spec, transport::HostContext{
                    .self = i, .rate = rate, .seed = 1, .application = &applications[i]});
      roce.push_back(protocol.get());
      protocols.push_back(std::move(protocol));
      nics.push_back(std::make_unique<transport::Nic>(&applications[i], std::move(protocols)));
      endpoints.push_back(nics.back().get());
    }
    network = std::make_unique<TestNetwork>(endpoints, rate, delay);
  }

  [[nodiscard]] static std::uint8_t code(const fabric::Packet& packet) {
    return packet.opcode & 0x3F;
  }
  [[nodiscard]] static bool isData(const fabric::Packet& packet) {
    const transport::RoceKind kind = transport::meaningOf(code(packet)).kind;
    return kind == transport::RoceKind::kRequest || kind == transport::RoceKind::kReadResponse;
  }
  [[nodiscard]] static bool isAck(const fabric::Packet& packet) {
    return code(packet) == transport::roce_code::kAcknowledge;
  }
  [[nodiscard]] static bool isCnp(const fabric::Packet& packet) {
    return code(packet) == transport::roce_code::kCnp;
  }

  std::vector<ScriptedApplication> applications;  // one per host
  std::vector<transport::RoceProtocol*> roce;
  std::vector<std::unique_ptr<transport::Nic>> nics;
  std::unique_ptr<TestNetwork> network;
};

}  // namespace plumbline::transport_test
