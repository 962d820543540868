// CRC-32 (IEEE 802.3: FCS and ICRC) and CRC-32C (Castagnoli: UET trailer), both reflected, initial
// value and final XOR all ones, sent least significant byte first (FACTS C.5, A.3.9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"

namespace plumbline::wire {

// Register of a good frame after its FCS (before the final XOR), for CRC-32.
inline constexpr std::uint32_t kCrc32Residue = 0xDEBB20E3;
inline constexpr std::size_t kFcsSize = 4;

// A reflected CRC of 32 bits, eight bytes per step from eight tables.
class CrcTables {
 public:
  constexpr explicit CrcTables(std::uint32_t reflected_polynomial) : slices_{} {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) {
        value = (value >> 1) ^ ((value & 1U) != 0 ? reflected_polynomial : 0U);
      }
      slices_[0][byte] = value;
    }
    for (std::size_t slice = 1; slice < slices_.size(); ++slice) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const std::uint32_t previous = slices_[slice - 1][byte];
        slices_[slice][byte] = (previous >> 8) ^ slices_[0][previous & 0xFFU];
      }
    }
  }

  // The register after `bytes`, from register value `state`.
  [[nodiscard]] std::uint32_t update(std::uint32_t state, ByteView bytes) const;

 private:
  std::array<std::array<std::uint32_t, 256>, 8> slices_;
};

// A CRC over several consecutive pieces.
class Crc32 {
 public:
  void update(ByteView bytes);
  // The check sequence of all bytes so far.
  [[nodiscard]] std::uint32_t value() const { return ~state_; }
  // The register itself; kCrc32Residue after data and its own check sequence.
  [[nodiscard]] std::uint32_t state() const { return state_; }

 private:
  std::uint32_t state_ = 0xFFFFFFFF;
};

std::uint32_t crc32(ByteView bytes);
std::uint32_t crc32c(ByteView bytes);

// Appends the FCS of the bytes in `frame`.
void appendFcs(Buffer& frame);
// True when the last four bytes of `frame` are the FCS of those before; false for shorter ones.
bool fcsOk(ByteView frame);

}  // namespace plumbline::wire
