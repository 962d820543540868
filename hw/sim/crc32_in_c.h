// The card's CRC-32 in C++, for simulated cards: the function of plumb_crc32_pkg, whose matrices of
// XORs take a simulation seven times as many instructions. Called from RTL that is built with
// PLUMB_CRC_IN_C (DPI-C), never in hardware.
#pragma once

#include <array>
#include <cstdint>

extern "C" {

// The CRC register (reflected 0xEDB88320, no complement) after the first `count` bytes of a beat, 1
// to 64, starting from zero. w0 has the first eight bytes, the first of them lowest.
unsigned int plumb_crc32_beat(unsigned long long w0, unsigned long long w1, unsigned long long w2,
                              unsigned long long w3, unsigned long long w4, unsigned long long w5,
                              unsigned long long w6, unsigned long long w7, unsigned int count);

// The register `state` after `count` zero bytes: 4 to 64, a multiple of 4.
unsigned int plumb_crc32_zeros(unsigned int state, unsigned int count);

}  // extern "C"

namespace plumbline::sim {

// The same by tables, for processors without carry-less multiplication.
std::uint32_t crcOfBeatByTables(const std::array<std::uint64_t, 8>& words, std::uint32_t count);
std::uint32_t crcAfterZerosByTables(std::uint32_t state, std::uint32_t count);

}  // namespace plumbline::sim
