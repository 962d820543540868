// MAC control frames: PFC (802.1Qbb), PAUSE (802.3 annex 31B) and the credit update of credit-based
// flow control, CC_Update (FACTS B.3.3, E.1). All are untagged and 64 bytes long with the FCS.
#pragma once

#include <array>
#include <cstdint>

#include "wire/bytes.h"
#include "wire/ethernet.h"

namespace plumbline::wire {

inline constexpr MacAddress kMacControlAddress{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};
// One pause quantum.
inline constexpr std::uint32_t kPauseQuantumBits = 512;

namespace mac_control_opcode {
inline constexpr std::uint16_t kPause = 0x0001;
inline constexpr std::uint16_t kPfc = 0x0101;
inline constexpr std::uint16_t kOrganization = 0xFFFE;  // CC_Update, by its company id
}  // namespace mac_control_opcode

// Bodies begin with the opcode, directly after the EtherType.

struct PfcHeader {
  static constexpr std::size_t kSize = 20;

  std::uint8_t enabled = 0;               // bit n: quanta[n] is meant
  std::array<std::uint16_t, 8> quanta{};  // per priority; 0 = resume (XON)

  bool operator==(const PfcHeader&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static PfcHeader decode(FixedView<kSize> in);
};

struct PauseHeader {
  static constexpr std::size_t kSize = 4;

  std::uint16_t quanta = 0;

  bool operator==(const PauseHeader&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static PauseHeader decode(FixedView<kSize> in);
};

// Credits consumed by the sender so far, for 16 virtual channels.
struct CcUpdate {
  static constexpr std::size_t kSize = 46;
  static constexpr std::uint32_t kCompanyId = 0xFA7ACB;

  std::uint8_t message_type = 1;             // 1: channels 0 to 15; 2: channels 16 to 31
  std::array<std::uint32_t, 16> consumed{};  // 20 bits each

  bool operator==(const CcUpdate&) const = default;
  void encode(FixedSpan<kSize> out) const;
  static CcUpdate decode(FixedView<kSize> in);
  // True when a body begins with this opcode and company id and has a known message type.
  static bool matches(FixedView<kSize> in);
};

}  // namespace plumbline::wire
