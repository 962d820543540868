// What is at the other end of the tester's cables, as far as a trial can know it without the cards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// As it stands: a real device, of which a trial knows nothing but what the cards see. Ports are
// those of the cards.
class FarEnd {
 public:
  struct Passed {
    std::uint64_t from_cards = 0;
    std::uint64_t to_cards = 0;
  };

  virtual ~FarEnd() = default;

  // The cards begin to send at card time `start`.
  virtual void startAt(Picoseconds /*start*/) {}
  // Frames that have crossed the cables so far, where someone counts them.
  [[nodiscard]] virtual std::optional<Passed> passed() const { return std::nullopt; }
  // True when no frame of the cards can arrive any more, all `planned` ones having left them, or
  // as many as will.
  [[nodiscard]] virtual bool settled(std::uint64_t /*planned*/, bool /*stopped*/) const {
    return false;
  }
  // The time for residual frames, `drain`, is over; from now on nothing arrives that counts.
  virtual void close(Picoseconds /*drain*/, std::vector<std::string>& /*faults*/) {}

  // Frames that should have got to the receiver of `port`, of which damage on arrival keeps
  // `dropped` from it; nothing where that is not known.
  [[nodiscard]] virtual std::optional<std::uint64_t> due(std::uint32_t /*port*/,
                                                         std::uint64_t /*dropped*/) const {
    return std::nullopt;
  }
  // Adds what is known of a port's cable.
  virtual void collectPort(std::uint32_t /*port*/, PortResult& /*result*/) {}
  // Whether the wire ran dry within a frame that `port` sent.
  [[nodiscard]] virtual bool ranDry(std::uint32_t /*port*/) const { return false; }
  // Adds what the device says of itself, and faults of the tester that it saw.
  virtual void collect(TrialResult& /*result*/) {}
  // ... and what a simulation has seen as a whole, when the rest of `result` is complete.
  virtual void collectFabric(TrialResult& /*result*/) {}
  // Adds what an observer may see of the device.
  virtual void look(TrialSnapshot& /*snapshot*/) {}
};

}  // namespace plumbline::bench
