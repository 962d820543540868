#include "card/mac.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "base/error.h"
#include "card/polling.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

namespace mac_regs = regs::mac;

// A snapshot crosses to the MAC's clock and back: some clocks of both.
constexpr Picoseconds kSnapshotTime = microseconds(50);
constexpr double kClockHz = 322'265'625;
// MAC_CLOCK_COUNT: clocks of the bus in its window, clocks of the MAC in one of its units.
constexpr double kWindowClocks = 65'536;
constexpr double kClocksPerUnit = 8;
constexpr std::uint64_t kHighestWide = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint32_t kHighestNarrow = std::numeric_limits<std::uint32_t>::max();

std::optional<double> ratio(std::uint64_t errors, double of) {
  if (of <= 0) return std::nullopt;
  return static_cast<double>(errors) / of;
}

}  // namespace

std::uint64_t MacCounters::symbolErrors() const {
  return std::accumulate(fec_symbol_errors.begin(), fec_symbol_errors.end(), std::uint64_t{0});
}

std::optional<double> MacCounters::correctedRatio() const {
  return ratio(fec_corrected, static_cast<double>(fec_codewords));
}

std::optional<double> MacCounters::uncorrectedRatio() const {
  return ratio(fec_uncorrected, static_cast<double>(fec_codewords));
}

std::optional<double> MacCounters::symbolErrorRatio() const {
  return ratio(symbolErrors(), static_cast<double>(fec_codewords) * kFecSymbols);
}

Mac::Mac(RegisterBus& bus, std::uint32_t port) : bus_(bus), port_(port) {}

bool Mac::present() { return read(mac_regs::kMacId) == mac_regs::kMacIdValue; }

MacLink Mac::link() {
  MacBringUp<RegisterBus> sequence(bus_, port_, MacFec::kEither);
  const MacReason reason = sequence.fault();
  const bool rs_fec = (read(mac_regs::kMacControl) & mac_regs::kMacControlRxRsfec.mask()) != 0;
  return {reason == MacReason::kNone ? MacState::kUp : MacState::kDown, reason, rs_fec};
}

std::optional<double> Mac::busClockHz() {
  if (mac_regs::kMacStatusClock.get(read(mac_regs::kMacStatus)) == 0) return std::nullopt;
  const std::uint32_t units = mac_regs::kMacClockCountEights.get(read(mac_regs::kMacClockCount));
  return ratio(static_cast<std::uint64_t>(kClockHz * kWindowClocks), units * kClocksPerUnit);
}

MacCounters Mac::counters() { return latched(mac_regs::kMacCommandSnapshot.mask()); }

MacCounters Mac::takeCounters() {
  return latched(mac_regs::kMacCommandSnapshot.mask() | mac_regs::kMacCommandClear.mask());
}

MacCounters Mac::latched(std::uint32_t command) {
  bus_.write(mac_regs::address(port_, mac_regs::kMacCommand), command);
  const auto idle = [this] {
    return (read(mac_regs::kMacCounters) & mac_regs::kMacCountersBusy.mask()) == 0;
  };
  if (!waitUntil(bus_, kSnapshotTime, idle)) {
    throw Error(ErrorKind::kTester, "the MAC's counters cannot be read: it has no clock",
                fmt::format("port {}", port_));
  }
  MacCounters counters;
  counters.fec_codewords = wide(mac_regs::kFecCodewordsLo, counters);
  counters.fec_corrected = wide(mac_regs::kFecCorrectedLo, counters);
  counters.fec_uncorrected = wide(mac_regs::kFecUncorrectedLo, counters);
  for (std::uint32_t lane = 0; lane < mac_regs::kFecSymbolErrorsCount; ++lane) {
    counters.fec_symbol_errors.at(lane) = narrow(mac_regs::kFecSymbolErrors + 4 * lane, counters);
  }
  for (std::uint32_t lane = 0; lane < mac_regs::kBipErrorsCount; ++lane) {
    counters.bip_errors.at(lane) = narrow(mac_regs::kBipErrors + 4 * lane, counters);
  }
  counters.bad_codes = narrow(mac_regs::kBadCodes, counters);
  counters.alignment_losses = narrow(mac_regs::kAlignmentLosses, counters);
  counters.hi_ber_events = narrow(mac_regs::kHiBerEvents, counters);
  counters.local_faults = narrow(mac_regs::kLocalFaults, counters);
  counters.remote_faults = narrow(mac_regs::kRemoteFaults, counters);
  counters.tx_underflows = narrow(mac_regs::kTxUnderflows, counters);
  counters.tx_overflows = narrow(mac_regs::kTxOverflows, counters);
  counters.rx_fifo_overflows = narrow(mac_regs::kRxFifoOverflows, counters);
  return counters;
}

std::uint32_t Mac::read(std::uint32_t offset) {
  return bus_.read(mac_regs::address(port_, offset));
}

std::uint64_t Mac::wide(std::uint32_t low, MacCounters& counters) {
  const std::uint64_t value = std::uint64_t{read(low + 4)} << 32U | read(low);
  counters.saturated = counters.saturated || value == kHighestWide;
  return value;
}

std::uint64_t Mac::narrow(std::uint32_t offset, MacCounters& counters) {
  const std::uint32_t value = read(offset);
  counters.saturated = counters.saturated || value == kHighestNarrow;
  return value;
}

}  // namespace plumbline::card
