// UET hosts joined by a TestNetwork.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/transport/scripted_application.h"
#include "tests/transport/test_network.h"
#include "transport/nic.h"
#include "transport/uet/uet_protocol.h"

namespace plumbline::transport_test {

// One-way delay of the network below, and how long `n` bytes last on its wires of 100 Gb/s.
inline constexpr Picoseconds kWire = microseconds(1);
inline Picoseconds bytes(std::int64_t n) { return Picoseconds(n * 80); }

// A wide constant window, and no losses inferred from gaps.
inline transport::UetSpec plain(transport::UetService service) {
  transport::UetSpec spec;
  spec.service = service;
  spec.congestion_control = transport::UetCongestionControl::kNone;
  spec.fixed_window = 100;
  spec.loss_gap = 0;
  return spec;
}

struct UetHosts {
  explicit UetHosts(const transport::UetSpec& spec, std::uint32_t count = 2, std::uint64_t seed = 1,
                    std::optional<std::uint64_t> draw_seed = {})
      : applications(count) {
    const BitRate rate = gigabitsPerSecond(100);
    std::vector<fabric::Endpoint*> endpoints;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::unique_ptr<transport::Protocol>> protocols;
      auto protocol = std::make_unique<transport::UetProtocol>(
          spec, transport::HostContext{.self = i,
                                       .rate = rate,
                                       .seed = seed,
                                       .draw_seed = draw_seed.value_or(seed),
                                       .application = &applications[i]});
      uet.push_back(protocol.get());
      protocols.push_back(std::move(protocol));
      nics.push_back(std::make_unique<transport::Nic>(&applications[i], std::move(protocols)));
      endpoints.push_back(nics.back().get());
    }
    network = std::make_unique<TestNetwork>(endpoints, rate, kWire);
  }

  static bool isData(const fabric::Packet& p) {
    switch (transport::pdsType(p.opcode)) {
      case transport::PdsType::kRudRequest:
      case transport::PdsType::kRodRequest:
      case transport::PdsType::kRudiRequest:
      case transport::PdsType::kUudRequest:
      case transport::PdsType::kRudCcRequest:
      case transport::PdsType::kRodCcRequest:
        return true;
      default:
        return false;
    }
  }
  static bool isAck(const fabric::Packet& p) {
    const transport::PdsType type = transport::pdsType(p.opcode);
    return type == transport::PdsType::kAck || type == transport::PdsType::kAckCc ||
           type == transport::PdsType::kRudiResponse;
  }
  static bool isNack(const fabric::Packet& p) {
    return transport::pdsType(p.opcode) == transport::PdsType::kNack;
  }
  static bool isControl(const fabric::Packet& p, transport::ControlType type) {
    return transport::pdsType(p.opcode) == transport::PdsType::kControl &&
           p.aux == static_cast<std::uint32_t>(type);
  }
  static bool isClose(const fabric::Packet& p) {
    return isControl(p, transport::ControlType::kCloseCommand);
  }

  std::vector<ScriptedApplication> applications;  // one per host
  std::vector<transport::UetProtocol*> uet;
  std::vector<std::unique_ptr<transport::Nic>> nics;
  std::unique_ptr<TestNetwork> network;
};

}  // namespace plumbline::transport_test
