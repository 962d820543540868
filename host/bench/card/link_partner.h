// The device at the other end of the tester's cables, as far as a trial can observe it without the
// cards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/trial.h"

namespace plumbline::bench {

// The base class is a real device, which a trial observes through the cards alone. Ports are those
// of the cards.
class LinkPartner {
 public:
  struct CrossedFrames {
    std::uint64_t from_cards = 0;
    std::uint64_t to_cards = 0;
  };

  virtual ~LinkPartner() = default;

  // The cards begin to send at card time `start`.
  virtual void startAt(Picoseconds /*start*/) {}
  // Frames that have crossed the cables so far; nothing where they are not counted.
  [[nodiscard]] virtual std::optional<CrossedFrames> crossedFrames() const { return std::nullopt; }
  // True when no frame of the cards can arrive any more: `planned` frames, or as many as will, have
  // left.
  [[nodiscard]] virtual bool settled(std::uint64_t /*planned*/, bool /*stopped*/) const {
    return false;
  }
  // The drain time is over; frames that arrive later do not count.
  virtual void close(Picoseconds /*drain*/, std::vector<std::string>& /*faults*/) {}

  // Frames that should have reached the receiver of `port`, where damage on arrival drops `dropped`
  // of them; nothing where this is unknown.
  [[nodiscard]] virtual std::optional<std::uint64_t> due(std::uint32_t /*port*/,
                                                         std::uint64_t /*dropped*/) const {
    return std::nullopt;
  }
  // Adds what is known of a port's cable.
  virtual void collectPort(std::uint32_t /*port*/, PortResult& /*result*/) {}
  // Whether the transmitter underran within a frame that `port` sent.
  [[nodiscard]] virtual bool underran(std::uint32_t /*port*/) const { return false; }
  // Adds the device's own counters, and faults of the tester that it saw.
  virtual void collect(TrialResult& /*result*/) {}
  // ... and results of the whole simulation, when the rest of `result` is complete.
  virtual void collectFabric(TrialResult& /*result*/) {}
  // Adds what an observer may see of the device.
  virtual void look(TrialSnapshot& /*snapshot*/) {}
};

}  // namespace plumbline::bench
