#include "suite/framework/wire_bytes.h"

#include <algorithm>
#include <variant>

#include "bench/card/packet.h"
#include "bench/trial/longest_frame.h"
#include "transport/roce/roce_packet.h"
#include "transport/uet/uet_wire.h"

namespace plumbline::suite {
namespace {

constexpr std::int64_t kGap = kWireOverheadBytes.count();

std::int64_t wireBytes(const transport::RoceSpec& roce, std::int64_t bytes) {
  const transport::RoceFrames frames(roce);
  std::int64_t sum = 0;
  for (std::int64_t sent = 0; sent < bytes; sent += roce.path_mtu) {
    const std::int64_t payload = std::min<std::int64_t>(bytes - sent, roce.path_mtu);
    const std::uint8_t code = transport::requestCode(roce.service, transport::Verb::kWrite,
                                                     sent == 0, sent + payload == bytes);
    sum += frames.bytes(code, static_cast<std::uint32_t>(payload)) + kGap;
  }
  return sum;
}

std::int64_t wireBytes(const transport::UetSpec& uet, std::int64_t bytes) {
  std::int64_t sum = 0;
  for (std::int64_t sent = 0; sent < bytes; sent += uet.mtu_payload) {
    const auto payload =
        static_cast<std::uint16_t>(std::min<std::int64_t>(bytes - sent, uet.mtu_payload));
    sum += transport::frameBytes(uet, transport::dataType(uet), transport::kSesStandard, payload) +
           kGap;
  }
  return sum;
}

}  // namespace

std::int64_t wireBytesOf(const bench::TransportSpec& transport, Bytes message) {
  return std::visit([message](const auto& spec) { return wireBytes(spec, message.count()); },
                    transport);
}

double payloadShareOf(const bench::TransportSpec& transport) {
  const std::int64_t mtu = bench::packetPayload(transport).count();
  // The second packet of three is neither first nor last.
  const std::int64_t slot =
      wireBytesOf(transport, Bytes(3 * mtu)) - wireBytesOf(transport, Bytes(2 * mtu));
  return static_cast<double>(mtu) / static_cast<double>(slot);
}

}  // namespace plumbline::suite
