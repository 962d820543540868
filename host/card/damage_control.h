// Damage on purpose at one port of the card: rules, random errors, the log (docs/card.md,
// "Damage").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "card/damage.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Deepest log of damage between two readings, per direction.
inline constexpr std::uint32_t kDamageLogDepth = 1024;

// Made by Driver::damage(). Methods throw Error(kUsage) for invalid settings and Error(kTester)
// when the card does not answer in time.
class DamageControl {
 public:
  // `base`: bus address of the port's registers.
  DamageControl(RegisterBus& bus, std::uint32_t base);

  // Ends all damage and clears faults. Driver::reset() also zeroes counters and empties the logs.
  void reset();

  // Puts a rule into its slot (0 to kDamageSlots - 1) and starts it; the rule of ordered sets has a
  // slot of its own, whatever `slot` is. If several slots match a frame, the lowest one applies.
  void setRule(DamageDirection direction, std::uint32_t slot, const DamageRule& rule);
  // Number of frames damaged by the rule in the slot (kOrderedSetSlot: ordered sets).
  [[nodiscard]] std::uint32_t strikes(DamageDirection direction, std::uint32_t slot);

  // Starts random errors from their seed, with the next frame, or ends them.
  void setBitErrors(DamageDirection direction, const std::optional<BitErrors>& errors);
  // Random errors were not ready in time at least once since the last reset(): the ratio was not
  // kept. All counters are correct all the same.
  [[nodiscard]] bool bitErrorsLate(DamageDirection direction);

  // Takes the entries of the log, oldest first.
  [[nodiscard]] std::vector<DamageEvent> readLog(DamageDirection direction);
  // All counters of one direction, latched at one clock edge with the port's others.
  [[nodiscard]] DamageCounters counters(DamageDirection direction);

 private:
  void write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  void select(DamageDirection direction, std::uint32_t slot);

  RegisterBus& bus_;
  std::uint32_t base_;
};

}  // namespace plumbline::card
