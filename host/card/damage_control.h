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

// Made by Driver::damage(). Methods throw Error(kUsage) for what the card cannot be told and
// Error(kTester) when it does not answer in time.
class DamageControl {
 public:
  // `base`: bus address of the port's registers.
  DamageControl(RegisterBus& bus, std::uint32_t base);

  // Nothing is damaged any more, faults are forgotten. Driver::reset() zeroes counters and empties
  // the logs besides.
  void reset();

  // Puts a rule into its slot (0 to kDamageSlots - 1) and begins it anew; the rule of ordered sets
  // has a slot of its own, whatever `slot` says. The lowest slot that wants a frame has it.
  void setRule(DamageDirection direction, std::uint32_t slot, const DamageRule& rule);
  // Frames that the rule in the slot (kOrderedSetSlot: ordered sets) has struck.
  [[nodiscard]] std::uint32_t strikes(DamageDirection direction, std::uint32_t slot);

  // Begins random errors from their seed, with the next frame, or ends them.
  void setBitErrors(DamageDirection direction, const std::optional<BitErrors>& errors);
  // Random errors were not ready in time at least once since the last reset(): the ratio was not
  // kept. Everything counted is true all the same.
  [[nodiscard]] bool bitErrorsLate(DamageDirection direction);

  // Takes what is in the log, oldest first.
  [[nodiscard]] std::vector<DamageEvent> takeLog(DamageDirection direction);
  // All of one direction, latched at one clock edge, as are the port's others.
  [[nodiscard]] DamageCounters counters(DamageDirection direction);

 private:
  void write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  void select(DamageDirection direction, std::uint32_t slot);

  RegisterBus& bus_;
  std::uint32_t base_;
};

}  // namespace plumbline::card
