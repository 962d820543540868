// Frames for the receiver's tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "wire/frame.h"

namespace plumbline::test {

// Transport of a test frame.
enum class Kind {
  kUdp,
  kRoceSend,          // RC SEND Only
  kRoceSendImm,       // UC SEND Only with immediate
  kRoceWriteMiddle,   // RC WRITE Middle: BTH only
  kRoceWrite,         // RC WRITE Only: RETH
  kRoceWriteImm,      // RC WRITE Only with immediate
  kRoceReadResponse,  // RC READ response Only: AETH
  kUetRudStandard,    // RUD request, standard SES
  kUetRodSmall,
  kUetRudCcMedium,
  kUetRudi,
  kUetUud,
  kUetAck,  // with SES response
  kUetAckCc,
  kUetAckCcx,
  kUetNack,
  kUetNackCcx,
  kUetControl,
  kUetResponseData,
};
const std::vector<Kind>& allKinds();
std::string kindName(Kind kind);
bool isRoce(Kind kind);

struct FrameOptions {
  Kind kind = Kind::kUdp;
  bool vlan = false;
  bool ipv6 = false;
  wire::Ecn ecn = wire::Ecn::kEct0;
  bool udp_checksum = false;
  std::uint32_t length = 64;  // with FCS; at least minimumLength()
  std::optional<wire::TestTag> tag = wire::TestTag{};
};

// Bytes of a frame before the tag (or payload), and behind it.
std::size_t tagOffset(const FrameOptions& options);
// Smallest length with a tag, at least 64.
std::uint32_t minimumLength(const FrameOptions& options);
// Complete frame; payload behind the tag is random.
wire::Buffer makeFrame(const FrameOptions& options, RandomStream& random);

// Writes the FCS anew after the frame was changed.
void refreshFcs(wire::Buffer& frame);
// Cuts or extends to `length` bytes, with a right FCS.
void resizeFrame(wire::Buffer& frame, std::size_t length);

// PFC frame; `quanta` of priorities in `enabled`.
wire::Buffer makePfc(std::uint8_t enabled, const std::array<std::uint16_t, 8>& quanta);

}  // namespace plumbline::test
