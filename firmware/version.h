// Version of the firmware: major in bits 31:24, minor 23:16, patch 15:0.
#pragma once

#include <stdint.h>

namespace plumbline::firmware {

inline constexpr uint32_t kVersion = 1u << 24 | 2u << 16 | 0u;

}  // namespace plumbline::firmware
