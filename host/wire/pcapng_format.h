// Constants of the pcapng format that its writer and reader share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumbline::wire::pcapng {

inline constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;
inline constexpr std::uint32_t kInterfaceDescription = 1;
inline constexpr std::uint32_t kSimplePacket = 3;
inline constexpr std::uint32_t kEnhancedPacket = 6;

inline constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
inline constexpr std::size_t kBlockOverhead = 12;  // type, length, length again

inline constexpr std::uint16_t kOptEnd = 0;
inline constexpr std::uint16_t kOptComment = 1;
inline constexpr std::uint16_t kShbHardware = 2;
inline constexpr std::uint16_t kShbApplication = 4;
inline constexpr std::uint16_t kIfName = 2;
inline constexpr std::uint16_t kIfDescription = 3;
inline constexpr std::uint16_t kIfSpeed = 8;
inline constexpr std::uint16_t kIfTsResolution = 9;
inline constexpr std::uint16_t kIfFcsLength = 13;
inline constexpr std::uint16_t kIfTsOffset = 14;
inline constexpr std::uint16_t kEpbFlags = 2;

// epb_flags: direction in bits 1:0, FCS bytes in bits 8:5 (0 = not stated), CRC error in bit 24.
inline constexpr std::uint32_t kFlagDirection = 3;
inline constexpr std::uint32_t kFlagFcsShift = 5;
inline constexpr std::uint32_t kFlagFcsMask = 15;
inline constexpr std::uint32_t kFlagCrcError = 1U << 24;

constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

}  // namespace plumbline::wire::pcapng
