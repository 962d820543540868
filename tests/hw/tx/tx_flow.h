// A flow as the driver configures it, written from docs/card.md and the tables of the register map,
// and the bytes of the frames that it must send: the reference that plumb_tx is compared with.
#pragma once

#include <array>
#include <cstdint>

#include "tests/hw/tx/tx_pattern.h"
#include "wire/bytes.h"

namespace plumbline::test {

// Times of the schedule: Q48.16 ps in the flow table, Q64.16 ps in its entries.
inline constexpr std::uint64_t kPsFraction = 1U << 16;
using Due = unsigned __int128;
constexpr Due dueAt(std::uint64_t ps) { return static_cast<Due>(ps) << 16; }

struct FlowConfig {
  std::uint32_t length = 64;
  std::uint16_t tag_id = 0;
  std::uint32_t tag_off = 0;
  std::uint32_t pay_off = 0;
  bool tag_en = false;
  bool icrc = false;
  bool vlan = false;
  bool ipv6 = false;
  bool roce = false;
  bool uet = false;
  bool psn_en = false;
  bool qp_en = false;
  std::uint32_t sport_mode = 0;
  std::uint32_t addr_mode = 0;
  std::uint32_t priority = 0;
  std::uint32_t qp_count = 1;
  std::uint32_t qp_base = 0;
  std::uint32_t psn_base = 0;
  std::uint32_t sport_base = 0;
  std::uint32_t sport_count = 1;
  std::uint32_t addr_base = 0;
  std::uint32_t addr_count = 1;
  std::uint64_t period = 0;               // Q48.16 ps
  std::uint32_t burst_len = 0;            // 0 = endless
  std::uint32_t burst_count = 0;          // 0 = endless
  std::uint64_t burst_interval = 0;       // Q48.16 ps
  std::array<std::uint8_t, 256> bytes{};  // the template
  PatternConfig pattern{};

  [[nodiscard]] std::uint32_t l3() const { return vlan ? 18 : 14; }
  [[nodiscard]] std::uint32_t udp() const { return l3() + (ipv6 ? 40 : 20); }
  // The row of the flow table; csum_base is taken from the template's IPv4 header.
  [[nodiscard]] Row row() const;
  // Beat `beat` of the template as a row.
  [[nodiscard]] Row templateRow(std::uint32_t beat) const;
};

// Frame number `number` (from 0) of the flow, departing at `departure` [ps, with offset]: every
// byte with ICRC and FCS. For flows without pattern.
wire::Buffer expectedFrame(const FlowConfig& flow, std::uint64_t number, std::uint64_t departure);

// What changes from frame to frame.
struct FrameFields {
  std::uint32_t sport_index = 0;  // beyond sport_base
  std::uint32_t addr_index = 0;
  std::uint32_t qp = 0;  // of UET with a queue pair list: both PDC numbers
  bool pdc = false;      // ... which are written where UET has them
  std::uint32_t psn = 0;
  std::uint32_t tag_id = 0;
  std::uint64_t sequence = 0;
};
wire::Buffer makeFrame(const FlowConfig& flow, const FrameFields& fields, std::uint64_t departure);

}  // namespace plumbline::test
