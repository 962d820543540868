// Event frames and card time over the registers of a simulated card, as firmware uses them
// (docs/card.md, Time between cards and Event frames).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "card/register_bus.h"

namespace plumbline::hw_test {

// A frame with the Ethernet type of PTP and bytes that depend on `seed`, without FCS.
std::vector<std::uint8_t> ptpFrame(std::size_t bytes, std::uint64_t seed);
// The same with its FCS.
std::vector<std::uint8_t> withFcs(std::vector<std::uint8_t> frame);

struct EventStamp {
  Picoseconds card;
  Picoseconds local;
};

struct ReceivedEvent {
  std::vector<std::uint8_t> bytes;  // the first 128 at most
  std::uint32_t length = 0;         // without FCS
  EventStamp time;
};

class EventPort {
 public:
  EventPort(card::RegisterBus& bus, std::uint32_t port) : bus_(bus), port_(port) {}

  void receive(bool ethernet, bool udp);
  // Takes the first received frame, if there is one.
  std::optional<ReceivedEvent> take();
  // Writes the frame and asks for it to be sent.
  void send(const std::vector<std::uint8_t>& frame);
  // Waits until the last frame has left; nothing if it was lost.
  std::optional<EventStamp> sent();

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);

 private:
  Picoseconds readTime(std::uint32_t low, std::uint32_t high);

  card::RegisterBus& bus_;
  std::uint32_t port_;
};

// Rate and phase of a card's time.
class CardClock {
 public:
  explicit CardClock(card::RegisterBus& bus) : bus_(bus) {}

  // In 2^-32 ps per clock.
  void setRate(std::int64_t rate);
  void step(std::int64_t ps);
  void slew(std::int32_t ps, std::uint32_t step_ps, std::uint32_t interval_clocks);
  [[nodiscard]] std::int32_t slewLeft();
  // Of one clock.
  EventStamp now();

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);

 private:
  card::RegisterBus& bus_;
};

}  // namespace plumbline::hw_test
