// The card's interface as an RTL kernel: constants on which the host, the packaging and the
// emulated device must agree.
#pragma once

#include <cstdint>

namespace plumbline::card {

inline constexpr const char* kKernelName = "plumb_kernel";
inline constexpr const char* kKernelInstance = "plumb_kernel_1";
// Bytes of the kernel's AXI4-Lite range, which is the card's register map. The runtime reserves the
// first 16 bytes of every kernel; the map begins after them.
inline constexpr std::uint32_t kKernelRange = 0x10000;
inline constexpr std::uint32_t kRuntimeBytes = 0x10;

}  // namespace plumbline::card
