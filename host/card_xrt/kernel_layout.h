// How the card is packed as an RTL kernel: what the host, the packaging and the emulated device
// must agree about.
#pragma once

#include <cstdint>

namespace plumbline::card {

inline constexpr const char* kKernelName = "plumb_kernel";
inline constexpr const char* kKernelInstance = "plumb_kernel_1";
// Bytes of the kernel's AXI4-Lite range, which is the card's register map. The runtime keeps the
// first 16 bytes of every kernel for itself; the map begins behind them.
inline constexpr std::uint32_t kKernelRange = 0x10000;
inline constexpr std::uint32_t kRuntimeBytes = 0x10;

}  // namespace plumbline::card
