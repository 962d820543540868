#include "event_port.h"

#include <algorithm>

#include "base/random.h"
#include "card/registers.h"
#include "wire/crc.h"

namespace plumbline::hw_test {
namespace {

namespace event = card::regs::event;
namespace card_time = card::regs::time;

constexpr std::size_t kKeptBytes = 128;

Picoseconds joined(std::uint32_t low, std::uint32_t high) {
  return Picoseconds(static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 | low));
}

}  // namespace

std::vector<std::uint8_t> ptpFrame(std::size_t bytes, std::uint64_t seed) {
  RandomStream random(seed, "ptp frame");
  std::vector<std::uint8_t> frame(bytes);
  for (auto& byte : frame) byte = static_cast<std::uint8_t>(random.next());
  frame[0] &= 0xFE;
  frame[12] = 0x88;
  frame[13] = 0xF7;
  return frame;
}

std::vector<std::uint8_t> withFcs(std::vector<std::uint8_t> frame) {
  const std::uint32_t fcs = wire::crc32(frame);
  for (int i = 0; i < 4; ++i) frame.push_back(static_cast<std::uint8_t>(fcs >> (8 * i)));
  return frame;
}

std::uint32_t EventPort::read(std::uint32_t offset) {
  return bus_.read(event::address(port_, offset));
}
void EventPort::write(std::uint32_t offset, std::uint32_t value) {
  bus_.write(event::address(port_, offset), value);
}
Picoseconds EventPort::readTime(std::uint32_t low, std::uint32_t high) {
  const std::uint32_t low_half = read(low);
  return joined(low_half, read(high));
}

void EventPort::receive(bool ethernet, bool udp) {
  write(event::kEventControl, event::kEventControlRxEthernet.of(ethernet ? 1 : 0) |
                                  event::kEventControlRxUdp.of(udp ? 1 : 0));
}

std::optional<ReceivedEvent> EventPort::take() {
  if (event::kEventStatusRxLevel.get(read(event::kEventStatus)) == 0) return {};
  ReceivedEvent received;
  received.length = event::kEventRxLengthBytes.get(read(event::kEventRxLength));
  received.time = {.card = readTime(event::kEventRxTimeLo, event::kEventRxTimeHi),
                   .local = readTime(event::kEventRxLocalLo, event::kEventRxLocalHi)};
  const std::size_t kept = std::min<std::size_t>(received.length, kKeptBytes);
  while (received.bytes.size() < kept) {
    const std::uint32_t word = read(event::kEventRxData);
    for (std::uint32_t i = 0; i < 4 && received.bytes.size() < kept; ++i) {
      received.bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    }
  }
  write(event::kEventCommand, event::kEventCommandRxTake.of(1));
  return received;
}

void EventPort::send(const std::vector<std::uint8_t>& frame) {
  write(event::kEventCommand, event::kEventCommandTxRewind.of(1));
  for (std::size_t at = 0; at < frame.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4 && at + i < frame.size(); ++i) {
      word |= static_cast<std::uint32_t>(frame[at + i]) << (8 * i);
    }
    write(event::kEventTxData, word);
  }
  write(event::kEventTxSend, static_cast<std::uint32_t>(frame.size()));
}

std::optional<EventStamp> EventPort::sent() {
  std::uint32_t status = read(event::kEventStatus);
  while (event::kEventStatusTxBusy.get(status) != 0) status = read(event::kEventStatus);
  if (event::kEventStatusTxLost.get(status) != 0) return {};
  return EventStamp{.card = readTime(event::kEventTxTimeLo, event::kEventTxTimeHi),
                    .local = readTime(event::kEventTxLocalLo, event::kEventTxLocalHi)};
}

std::uint32_t CardClock::read(std::uint32_t offset) { return bus_.read(card_time::kBase + offset); }
void CardClock::write(std::uint32_t offset, std::uint32_t value) {
  bus_.write(card_time::kBase + offset, value);
}

void CardClock::setRate(std::int64_t rate) {
  write(card_time::kRateLo, static_cast<std::uint32_t>(rate));
  write(card_time::kRateHi, static_cast<std::uint32_t>(rate >> 32) & 0xFF);
}

void CardClock::step(std::int64_t ps) {
  write(card_time::kStepLo, static_cast<std::uint32_t>(ps));
  write(card_time::kStepHi, static_cast<std::uint32_t>(ps >> 32));
}

void CardClock::slew(std::int32_t ps, std::uint32_t step_ps, std::uint32_t interval_clocks) {
  write(card_time::kSlewLimit,
        card_time::kSlewLimitStep.of(step_ps) | card_time::kSlewLimitInterval.of(interval_clocks));
  write(card_time::kSlew, static_cast<std::uint32_t>(ps));
}

std::int32_t CardClock::slewLeft() { return static_cast<std::int32_t>(read(card_time::kSlewLeft)); }

EventStamp CardClock::now() {
  write(card_time::kTimeCommand, card_time::kTimeCommandLatch.of(1));
  const std::uint32_t card_low = read(card_time::kNowLo);
  const Picoseconds card = joined(card_low, read(card_time::kNowHi));
  const std::uint32_t local_low = read(card_time::kLocalLo);
  return {.card = card, .local = joined(local_low, read(card_time::kLocalHi))};
}

}  // namespace plumbline::hw_test
