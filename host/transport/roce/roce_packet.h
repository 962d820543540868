// RoCEv2 packets on the simulated fabric: opcodes, exact frame sizes, and the meaning of the fields
// of fabric::Packet (InfiniBand Architecture vol. 1 ch. 9 and Annex A17).
//
//   connection  number of the destination QP: sender's host number << 8 | flow
//   psn         24 bits
//   aux         data: the message's tag; ACK: AckKind
//   extra       data: DataInfo; READ request: requested bytes; selective NAK: bit i set when the
//               receiver has packet psn + i
//   stamp       data: when this transmission began [ps]
#pragma once

#include <array>
#include <cstdint>

#include "fabric/engine/packet.h"
#include "transport/application.h"
#include "transport/protocol.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::transport {

// The six bits of Packet::opcode: those of InfiniBand for RC (0x00 on) and UC (0x20 on). A CNP,
// whose InfiniBand opcode does not fit, has one that UC does not use, and connection management has
// some that RC does not use.
namespace roce_code {
inline constexpr std::uint8_t kSendFirst = 0x00;
inline constexpr std::uint8_t kSendMiddle = 0x01;
inline constexpr std::uint8_t kSendLast = 0x02;
inline constexpr std::uint8_t kSendOnly = 0x04;
inline constexpr std::uint8_t kWriteFirst = 0x06;
inline constexpr std::uint8_t kWriteMiddle = 0x07;
inline constexpr std::uint8_t kWriteLast = 0x08;
inline constexpr std::uint8_t kWriteLastImmediate = 0x09;
inline constexpr std::uint8_t kWriteOnly = 0x0A;
inline constexpr std::uint8_t kWriteOnlyImmediate = 0x0B;
inline constexpr std::uint8_t kReadRequest = 0x0C;
inline constexpr std::uint8_t kReadResponseFirst = 0x0D;
inline constexpr std::uint8_t kReadResponseMiddle = 0x0E;
inline constexpr std::uint8_t kReadResponseLast = 0x0F;
inline constexpr std::uint8_t kReadResponseOnly = 0x10;
inline constexpr std::uint8_t kAcknowledge = 0x11;
// Messages of the connection manager, all UD SEND Only; numbers that RC does not use.
inline constexpr std::uint8_t kConnectRequest = 0x1A;  // REQ
inline constexpr std::uint8_t kConnectReply = 0x1B;    // REP
inline constexpr std::uint8_t kReadyToUse = 0x1C;      // RTU
inline constexpr std::uint8_t kConnectReject = 0x1D;   // REJ
inline constexpr std::uint8_t kUc = 0x20;              // added to an RC code
inline constexpr std::uint8_t kCnp = 0x3F;
}  // namespace roce_code

inline constexpr std::uint32_t kRoceCodes = 64;
inline constexpr std::uint32_t kPsnBits = 24;
inline constexpr std::uint32_t kPsnMask = (1U << kPsnBits) - 1;
// UDP source ports, which carry the entropy for the network: the dynamic range.
inline constexpr std::uint32_t kFirstSourcePort = 0xC000;
inline constexpr std::uint32_t kSourcePorts = 0x4000;

// BTH opcode byte of `code`.
constexpr std::uint8_t bthOpcode(std::uint8_t code) {
  if (code >= roce_code::kConnectRequest && code <= roce_code::kConnectReject) return 0x64;
  return code == roce_code::kCnp ? 0x81 : code;
}

// `code` of a packet with payload, by its position in the message, for requests of `verb` (not
// kRead).
inline std::uint8_t requestCode(RoceService service, Verb verb, bool first, bool last) {
  using namespace roce_code;
  const std::uint8_t uc = service == RoceService::kUc ? kUc : 0;
  if (verb == Verb::kSend) {
    if (last) return uc + (first ? kSendOnly : kSendLast);
    return uc + (first ? kSendFirst : kSendMiddle);
  }
  if (!last) return uc + (first ? kWriteFirst : kWriteMiddle);
  if (verb == Verb::kWriteImmediate) {
    return uc + (first ? kWriteOnlyImmediate : kWriteLastImmediate);
  }
  return uc + (first ? kWriteOnly : kWriteLast);
}
std::uint8_t readResponseCode(bool first, bool last);

// Frame bytes including FCS of each opcode.
class RoceFrames {
 public:
  explicit RoceFrames(const RoceSpec& spec);

  // At least 64; the payload is padded to a multiple of 4 bytes.
  [[nodiscard]] std::uint16_t bytes(std::uint8_t code, std::uint32_t payload) const {
    const std::uint32_t frame = fixed_[code] + ((payload + 3) & ~3U);
    return static_cast<std::uint16_t>(frame < kMinFrame ? kMinFrame : frame);
  }
  // Frame of an ACK with a bitmap.
  [[nodiscard]] std::uint16_t selectiveNakBytes() const { return selective_nak_; }

 private:
  static constexpr std::uint32_t kMinFrame = 64;

  std::array<std::uint16_t, kRoceCodes> fixed_{};  // without payload; 0 = no opcode
  std::uint16_t selective_nak_ = 0;
};

// Packet::aux of an ACK; replaces the AETH's syndrome.
enum class AckKind : std::uint32_t {
  kAck,           // the receiver has everything up to and including psn
  kNak,           // the receiver has everything below psn, psn is missing (NAK code 0)
  kSelectiveNak,  // the same, with a bitmap of later packets that the receiver has
};

// Packet::extra of data.
struct DataInfo {
  std::uint32_t payload = 0;  // bytes, 1 to path MTU
  bool ack_request = false;

  [[nodiscard]] std::uint64_t pack() const {
    return payload | static_cast<std::uint64_t>(ack_request) << 32;
  }
  static DataInfo unpack(std::uint64_t extra) {
    return {static_cast<std::uint32_t>(extra), (extra >> 32 & 1U) != 0};
  }
};

// Meaning of an opcode for a receiver.
enum class RoceKind : std::uint8_t {
  kNone,
  kRequest,
  kReadRequest,
  kReadResponse,
  kAck,
  kCnp,
  kConnection
};

struct RoceMeaning {
  RoceKind kind = RoceKind::kNone;
  bool first = false;  // First or Only
  bool last = false;   // Last or Only
  bool uc = false;
  Verb verb = Verb::kWrite;  // of a request; kWrite or kSend for its first and middle packets
};

extern const std::array<RoceMeaning, kRoceCodes> kRoceMeanings;

inline const RoceMeaning& meaningOf(std::uint8_t code) {
  return kRoceMeanings[code & (kRoceCodes - 1)];
}

// The packet number of `psn`, given one that is less than 2^23 away. The n-th packet of a QP (from
// 0) has the PSN (first PSN + n) mod 2^24.
constexpr std::int64_t numberOf(std::uint32_t psn, std::uint32_t first_psn, std::int64_t near) {
  const std::uint32_t near_psn = (first_psn + static_cast<std::uint32_t>(near)) & kPsnMask;
  const std::uint32_t ahead = (psn - near_psn) & kPsnMask;
  const std::int64_t distance = ahead < (1U << (kPsnBits - 1))
                                    ? static_cast<std::int64_t>(ahead)
                                    : static_cast<std::int64_t>(ahead) - (1 << kPsnBits);
  return near + distance;
}
constexpr std::uint32_t psnOf(std::int64_t number, std::uint32_t first_psn) {
  return (first_psn + static_cast<std::uint32_t>(number)) & kPsnMask;
}

}  // namespace plumbline::transport
