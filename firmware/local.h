// Registers of the devices that belong to the control processor (hw/rtl/core/plumb_core_local.sv
// has what each of them does). Offsets in bytes from kLocalBase.
#pragma once

#include <stdint.h>

namespace plumbline::firmware::local {

inline constexpr uint32_t kBase = 0x4000'0000;
inline constexpr uint32_t kCardBase = 0x8000'0000;  // the card's register map

inline constexpr uint32_t kMtimeLow = 0x00;
inline constexpr uint32_t kMtimeHigh = 0x04;
inline constexpr uint32_t kCompareLow = 0x08;
inline constexpr uint32_t kCompareHigh = 0x0C;
inline constexpr uint32_t kIrqPending = 0x10;
inline constexpr uint32_t kIrqEnable = 0x14;
inline constexpr uint32_t kMailIn = 0x18;
inline constexpr uint32_t kMailOut = 0x1C;
inline constexpr uint32_t kMailStatus = 0x20;
inline constexpr uint32_t kClockHz = 0x24;

// Bits of kMailStatus, and of kIrqPending and kIrqEnable.
inline constexpr uint32_t kMailInValid = 1;
inline constexpr uint32_t kMailOutFull = 2;
inline constexpr uint32_t kIrqMailIn = 1;

// Bits of kIrqPending and kIrqEnable of a port: a received event frame waits; the link of its MAC
// has changed (MAC_STATUS.link_changed).
constexpr uint32_t irqEvent(uint32_t port) { return 1U << (8 + port); }
constexpr uint32_t irqLink(uint32_t port) { return 1U << (16 + port); }

}  // namespace plumbline::firmware::local
