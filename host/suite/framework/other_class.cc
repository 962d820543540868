#include "suite/framework/other_class.h"

#include "suite/framework/lossless_share.h"

namespace plumbline::suite {
namespace {

constexpr std::uint8_t kClasses = 8;

}  // namespace

std::optional<std::uint8_t> classServedBefore(const fabric::SwitchSpec& switches,
                                              std::uint8_t priority) {
  const auto& weights = switches.weights;  // 0: strict, before all weighted ones
  std::optional<std::uint8_t> found;
  for (std::uint8_t other = 0; other < kClasses; ++other) {
    const bool first = weights[other] == 0 && (weights[priority] > 0 || other > priority);
    if (!first || other == priority) continue;
    if (!found || !isLossless(switches, other) || isLossless(switches, *found)) found = other;
  }
  return found;
}

std::optional<std::uint8_t> otherClass(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  const auto found = classServedBefore(switches, priority);
  return found && !isLossless(switches, *found) ? found : std::nullopt;
}

}  // namespace plumbline::suite
