// RoCEv2: base transport header, extension headers and the opcode table of SEND, WRITE, READ and
// acknowledge over RC and UC, and CNP (InfiniBand Architecture vol. 1 ch. 9, Annex A17; FACTS C.2).
// Atomics and datagrams are not supported.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/bytes.h"

namespace plumbline::wire {

inline constexpr std::size_t kIcrcSize = 4;
// A CNP carries this many reserved zero bytes in place of a payload.
inline constexpr std::size_t kCnpReservedSize = 16;

namespace roce_opcode {
inline constexpr std::uint8_t kRcSendFirst = 0x00;
inline constexpr std::uint8_t kRcSendOnly = 0x04;
inline constexpr std::uint8_t kRcWriteFirst = 0x06;
inline constexpr std::uint8_t kRcWriteOnly = 0x0A;
inline constexpr std::uint8_t kRcWriteOnlyImm = 0x0B;
inline constexpr std::uint8_t kRcReadRequest = 0x0C;
inline constexpr std::uint8_t kRcReadResponseOnly = 0x10;
inline constexpr std::uint8_t kRcAcknowledge = 0x11;
inline constexpr std::uint8_t kUcSendOnly = 0x24;
inline constexpr std::uint8_t kUcWriteOnly = 0x2A;
inline constexpr std::uint8_t kCnp = 0x81;
}  // namespace roce_opcode

enum class RoceTransport : std::uint8_t { kRc, kUc, kCnp };

// The headers after the BTH of an opcode, in the order RETH, AETH, ImmDt, IETH, and whether a
// payload may follow.
struct RoceOpcode {
  std::uint8_t code = 0;
  RoceTransport transport = RoceTransport::kRc;
  std::string_view name{};  // "RC RDMA WRITE Only"
  bool reth = false;
  bool aeth = false;
  bool immediate = false;
  bool ieth = false;
  bool payload = false;

  // Bytes between BTH and payload.
  [[nodiscard]] std::size_t extensionSize() const;
};

// Entry of `code`; nullptr for an unknown opcode.
const RoceOpcode* findRoceOpcode(std::uint8_t code);
// The whole table, ascending.
std::span<const RoceOpcode> roceOpcodes();

struct Bth {
  static constexpr std::size_t kSize = 12;

  std::uint8_t opcode = 0;
  bool solicited_event = false;
  bool mig_req = true;
  std::uint8_t pad_count = 0;  // 0 to 3 bytes after the payload
  std::uint8_t version = 0;    // TVer
  std::uint16_t pkey = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint32_t dest_qp = 0;  // 24 bits
  bool ack_request = false;
  std::uint32_t psn = 0;  // 24 bits

  bool operator==(const Bth&) const = default;
  void encode(FixedSpan<kSize> out) const;  // reserved bits are zero
  static Bth decode(FixedView<kSize> in);   // reserved bits are ignored
};

struct Reth {
  static constexpr std::size_t kSize = 16;

  std::uint64_t virtual_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t dma_length = 0;  // bytes of the whole message

  bool operator==(const Reth&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static Reth decode(FixedView<kSize> in);
};

enum class AethKind : std::uint8_t { kAck = 0, kRnrNak = 1, kReserved = 2, kNak = 3 };

struct Aeth {
  static constexpr std::size_t kSize = 4;

  std::uint8_t syndrome = 0;
  std::uint32_t msn = 0;  // 24 bits: messages completed

  bool operator==(const Aeth&) const = default;
  [[nodiscard]] AethKind kind() const { return static_cast<AethKind>((syndrome >> 5) & 3U); }
  // Credit code, RNR timer code or NAK code, by kind.
  [[nodiscard]] std::uint8_t code() const { return syndrome & 0x1FU; }
  void encode(FixedSpan<kSize> out) const;
  static Aeth decode(FixedView<kSize> in);
};

struct ImmDt {
  static constexpr std::size_t kSize = 4;

  std::uint32_t value = 0;

  bool operator==(const ImmDt&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static ImmDt decode(FixedView<kSize> in);
};

struct Ieth {
  static constexpr std::size_t kSize = 4;

  std::uint32_t rkey = 0;  // to invalidate

  bool operator==(const Ieth&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static Ieth decode(FixedView<kSize> in);
};

// NAK code in words ("PSN sequence error"); "reserved" for undefined ones.
std::string_view nakCodeName(std::uint8_t code);

// ICRC of a RoCEv2 packet: `packet` runs from the first byte of the IP header to the last byte
// before the ICRC; `ipv6` selects the header. Fields that routers may change count as ones (FACTS
// C.5). The packet has at least IP header (without options), UDP header and BTH.
std::uint32_t roceIcrc(ByteView packet, bool ipv6);

}  // namespace plumbline::wire
