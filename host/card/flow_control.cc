#include "card/flow_control.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "base/error.h"
#include "card/polling.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

namespace port_regs = regs::port;

// A control frame waits for the frame on the wire and at most for those of the storm and buffer.
constexpr Picoseconds kSendLimit = milliseconds(1);
constexpr std::uint32_t kPriorities = 8;
constexpr std::int64_t kStormPeriodClocks = 4;
constexpr std::uint32_t kSmallestCredit = 32;
constexpr std::uint32_t kLargestCell = 2048;
constexpr int kDrainFractionBits = 16;

void check(bool right, const std::string& what, const std::string& remedy) {
  if (!right) throw Error(ErrorKind::kUsage, what, {}, remedy);
}

std::uint32_t checkedCells(std::uint32_t cells, const char* what, std::uint32_t priority) {
  check(cells <= kMaxCells, fmt::format("{} of {} for priority {}", what, cells, priority),
        fmt::format("at most {}", kMaxCells));
  return cells;
}

void checkPriority(std::uint32_t priority) {
  check(priority < kPriorities, fmt::format("priority {}", priority), "0 to 7");
}

}  // namespace

FlowControl::FlowControl(RegisterBus& bus, std::uint32_t base, const Abilities& abilities)
    : bus_(bus), base_(base), abilities_(abilities) {}

void FlowControl::write(std::uint32_t offset, std::uint32_t value) {
  bus_.write(base_ + offset, value);
}

std::uint32_t FlowControl::read(std::uint32_t offset) { return bus_.read(base_ + offset); }

void FlowControl::require(bool present, const char* what) const {
  if (!present) throw Error(ErrorKind::kUnsupported, fmt::format("this card has no {}", what));
}

std::uint32_t FlowControl::clocks(Picoseconds time, const char* what) const {
  const Int128 count =
      static_cast<Int128>(time.count()) * abilities_.clock_period_den / abilities_.clock_period_num;
  check(time.count() >= 0 && count <= std::numeric_limits<std::uint32_t>::max(),
        fmt::format("{} of {} ps", what, time.count()), "0 to 13 s");
  return static_cast<std::uint32_t>(count);
}

void FlowControl::reset() {
  write(port_regs::kFcControl, 0);
  write(port_regs::kFcCommand,
        port_regs::kFcCommandStormStop.of(1) | port_regs::kFcCommandCbfcReset.of(1));
  write(port_regs::kFcSticky, port_regs::kFcStickyStormLate.mask() |
                                  port_regs::kFcStickyTraceLost.mask() |
                                  port_regs::kFcStickyCreditError.mask());
}

void FlowControl::setSource(const std::array<std::uint8_t, 6>& address) {
  std::uint64_t value = 0;
  for (const std::uint8_t octet : address) value = value << 8 | octet;
  write(port_regs::kFcSourceLo, static_cast<std::uint32_t>(value));
  write(port_regs::kFcSourceHi, static_cast<std::uint32_t>(value >> 32));
}

void FlowControl::setWait(bool wait) {
  require(abilities_.pfc_send || !wait, "frames that wait");
  write(port_regs::kFcControl,
        port_regs::kFcControlWait.set(read(port_regs::kFcControl), wait ? 1 : 0));
}

void FlowControl::send(const PfcFrame& frame) {
  require(abilities_.pfc_send, "sending of PFC");
  write(port_regs::kPfcSend,
        port_regs::kPfcSendMask.of(frame.priorities) | port_regs::kPfcSendQuanta.of(frame.quanta));
  const auto sent = [&] {
    return port_regs::kFcStatusSendBusy.get(read(port_regs::kFcStatus)) == 0;
  };
  if (!waitUntil(bus_, kSendLimit, sent)) {
    throw Error(ErrorKind::kTester, "a PFC frame has not left after 1 ms",
                fmt::format("register 0x{:04X}", base_ + port_regs::kFcStatus));
  }
}

void FlowControl::startStorm(const PfcStorm& storm) {
  require(abilities_.pfc_send, "sending of PFC");
  const std::int64_t period = storm.period.count();
  check(period <= std::numeric_limits<std::uint32_t>::max() &&
            static_cast<Int128>(period) * abilities_.clock_period_den >=
                static_cast<Int128>(kStormPeriodClocks) * abilities_.clock_period_num,
        fmt::format("a storm with a frame every {} ps", period),
        "from four clocks of the card up to 4 ms");
  check(!storm.start || storm.start->count() > 0, "a storm that starts before the card's time",
        "a time above 0");
  const auto start = static_cast<std::uint64_t>(storm.start ? storm.start->count() : 0);
  write(port_regs::kStormPfc, port_regs::kStormPfcMask.of(storm.frame.priorities) |
                                  port_regs::kStormPfcQuanta.of(storm.frame.quanta));
  write(port_regs::kStormCount, storm.frames);
  write(port_regs::kStormPeriodPs, static_cast<std::uint32_t>(period));
  write(port_regs::kStormTimeLo, static_cast<std::uint32_t>(start));
  write(port_regs::kStormTimeHi, static_cast<std::uint32_t>(start >> 32));
  write(port_regs::kFcCommand, port_regs::kFcCommandStormStart.of(1));
}

void FlowControl::stopStorm() {
  write(port_regs::kFcCommand, port_regs::kFcCommandStormStop.of(1));
}

bool FlowControl::stormActive() {
  return port_regs::kFcStatusStormActive.get(read(port_regs::kFcStatus)) != 0;
}

std::uint32_t FlowControl::stormLeft() { return read(port_regs::kStormLeft); }

void FlowControl::setBuffer(const VirtualBuffer& buffer) {
  require(abilities_.pfc_send, "virtual receive buffer");
  check(std::has_single_bit(buffer.cell_bytes) && buffer.cell_bytes <= kLargestCell,
        fmt::format("cells of {} bytes", buffer.cell_bytes), "a power of two from 1 to 2048");
  check(buffer.overhead_bytes >= -128 && buffer.overhead_bytes <= 127,
        fmt::format("an overhead of {} bytes", buffer.overhead_bytes), "-128 to 127");
  checkPriority(buffer.default_priority);
  const std::uint32_t refresh = clocks(buffer.refresh, "a refresh interval");
  std::uint32_t watermarks = 0;
  std::array<std::uint32_t, kPriorities> drain{};
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    const BufferLevel& level = buffer.levels[p];
    checkedCells(level.capacity, "a capacity", p);
    checkedCells(level.xoff, "an XOFF threshold", p);
    check(level.xon < level.xoff,
          fmt::format("thresholds {} and {} for priority {}", level.xoff, level.xon, p),
          "XON below XOFF");
    if (level.pfc) watermarks |= 1U << p;
    // Bytes per clock with 16 fraction bits, rounded to nearest.
    const Int128 num =
        static_cast<Int128>(level.drain.bitsPerSecond()) * abilities_.clock_period_num
        << kDrainFractionBits;
    const Int128 den = static_cast<Int128>(8) * abilities_.clock_period_den * seconds(1).count();
    const Int128 per_clock = (num + den / 2) / den;
    check(per_clock >= 0 && per_clock <= std::numeric_limits<std::uint32_t>::max(),
          fmt::format("a drain of {} bit/s for priority {}", level.drain.bitsPerSecond(), p),
          "0 to 168 Tbit/s");
    drain[p] = static_cast<std::uint32_t>(per_clock);
  }
  write(port_regs::kRxBuffer,
        port_regs::kRxBufferCellLog2.of(
            static_cast<std::uint32_t>(std::countr_zero(buffer.cell_bytes))) |
            port_regs::kRxBufferOverhead.of(static_cast<std::uint8_t>(buffer.overhead_bytes)) |
            port_regs::kRxBufferQuanta.of(buffer.quanta));
  write(port_regs::kPfcRefresh, refresh);
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    write(port_regs::kBufferCapacity + 4 * p, buffer.levels[p].capacity);
    write(port_regs::kBufferXoff + 4 * p, buffer.levels[p].xoff);
    write(port_regs::kBufferXon + 4 * p, buffer.levels[p].xon);
    write(port_regs::kBufferDrain + 4 * p, drain[p]);
  }
  std::uint32_t control = read(port_regs::kFcControl);
  control = port_regs::kFcControlDscp.set(control, buffer.by_dscp ? 1 : 0);
  control = port_regs::kFcControlDefaultPriority.set(control, buffer.default_priority);
  control = port_regs::kFcControlWatermark.set(control, watermarks);
  write(port_regs::kFcControl, control);
}

std::uint32_t FlowControl::bufferFill(std::uint32_t priority) {
  checkPriority(priority);
  return read(port_regs::kBufferFill + 4 * priority);
}

void FlowControl::setCbfc(const Cbfc& cbfc) {
  std::uint32_t channels = 0;
  for (std::uint32_t v = 0; v < kPriorities; ++v) {
    if (!cbfc.credit_limit[v]) continue;
    checkedCells(*cbfc.credit_limit[v], "a credit limit", v);
    channels |= 1U << v;
  }
  require(abilities_.cbfc || (channels == 0 && cbfc.receive == 0), "credit-based flow control");
  const std::uint32_t cell = 1U << port_regs::kRxBufferCellLog2.get(read(port_regs::kRxBuffer));
  check((channels == 0 && cbfc.receive == 0) || cell >= kSmallestCredit,
        fmt::format("credits of {} bytes", cell), "32 to 2048 (cells of the virtual buffer)");
  const std::uint32_t cf_min = clocks(cbfc.cf_min, "a spacing of CF_Updates");
  const std::uint32_t cf_max = clocks(cbfc.cf_max, "a spacing of CF_Updates");
  const std::uint32_t cc_period = clocks(cbfc.cc_period, "a period of CC_Updates");
  // Off while the totals are zeroed.
  std::uint32_t control = read(port_regs::kFcControl);
  control = port_regs::kFcControlCbfcTx.set(control, 0);
  control = port_regs::kFcControlCbfcRx.set(control, 0);
  write(port_regs::kFcControl, control);
  for (std::uint32_t v = 0; v < kPriorities; ++v) {
    write(port_regs::kCreditLimit + 4 * v, cbfc.credit_limit[v].value_or(0));
  }
  write(port_regs::kCfMin, cf_min);
  write(port_regs::kCfMax, cf_max);
  write(port_regs::kCcPeriod, cc_period);
  write(port_regs::kFcCommand, port_regs::kFcCommandCbfcReset.of(1));
  control = port_regs::kFcControlCbfcTx.set(control, channels);
  control = port_regs::kFcControlCbfcRx.set(control, cbfc.receive);
  write(port_regs::kFcControl, control);
}

std::uint32_t FlowControl::creditsUsed(std::uint32_t channel) {
  checkPriority(channel);
  return read(port_regs::kCreditsUsed + 4 * channel);
}

void FlowControl::setPauseLog(bool record) {
  require(abilities_.pfc_send || !record, "log of pauses");
  write(port_regs::kFcControl,
        port_regs::kFcControlTrace.set(read(port_regs::kFcControl), record ? 1 : 0));
}

std::vector<PauseEvent> FlowControl::readPauses() {
  std::vector<PauseEvent> events;
  while (port_regs::kFcStatusTraceLevel.get(read(port_regs::kFcStatus)) > 0) {
    const std::uint64_t low = read(port_regs::kPauseTimeLo);
    const std::uint64_t high = read(port_regs::kPauseTimeHi);
    const std::uint32_t event = read(port_regs::kPauseEvent);
    if (port_regs::kPauseEventValid.get(event) == 0) break;
    events.push_back({Picoseconds(static_cast<std::int64_t>(high << 32 | low)),
                      port_regs::kPauseEventSent.get(event) != 0,
                      static_cast<std::uint8_t>(port_regs::kPauseEventStarts.get(event)),
                      static_cast<std::uint8_t>(port_regs::kPauseEventEnds.get(event))});
  }
  return events;
}

FlowControlFaults FlowControl::faults() {
  const std::uint32_t sticky = read(port_regs::kFcSticky);
  return {port_regs::kFcStickyStormLate.get(sticky) != 0,
          port_regs::kFcStickyTraceLost.get(sticky) != 0,
          port_regs::kFcStickyCreditError.get(sticky) != 0};
}

}  // namespace plumbline::card
