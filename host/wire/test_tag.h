// The test tag that the card writes into every frame (docs/card.md, "Test tag").
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace plumbline::wire {

// Directly after the transport headers, big-endian.
struct TestTag {
  static constexpr std::size_t kSize = 18;
  static constexpr std::uint16_t kMagic = 0x504C;

  std::uint16_t id = 0;         // group in bits 15:11, row of the receiver's table in bits 10:0
  std::uint64_t sequence = 0;   // from 0, per flow
  std::uint64_t departure = 0;  // low 48 bits of the card time in ps

  bool operator==(const TestTag&) const = default;
  [[nodiscard]] constexpr std::uint32_t group() const { return id >> 11; }
  [[nodiscard]] constexpr std::uint32_t row() const { return id & 0x7FFU; }
  // `group` < 32, `row` < 2048.
  static constexpr std::uint16_t makeId(std::uint32_t group, std::uint32_t row) {
    return static_cast<std::uint16_t>((group & 0x1FU) << 11 | (row & 0x7FFU));
  }

  void encode(FixedSpan<kSize> out) const;
  // Empty without the magic number.
  static std::optional<TestTag> decode(FixedView<kSize> in);
};

}  // namespace plumbline::wire
