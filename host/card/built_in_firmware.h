// The firmware that this program was built with.
#pragma once

#include <cstdint>
#include <span>

namespace plumbline::card {

// Its image, for parseFirmwareImage(); empty where there was no compiler for it when this was built
// (docs/firmware.md).
std::span<const std::uint8_t> builtInFirmware();

}  // namespace plumbline::card
