#include "suite/framework/other_class.h"

#include <bit>

namespace plumbline::suite {

std::optional<std::uint8_t> otherClass(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  const std::uint32_t taken = (1U << priority) | (switches.pfc ? switches.pfc->priorities : 0U);
  const std::uint32_t free = ~taken & 0xFFU;
  if (free == 0) return std::nullopt;
  return static_cast<std::uint8_t>(std::bit_width(free) - 1);
}

}  // namespace plumbline::suite
