#include "card/firmware_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "card/mac_link.h"

namespace plumbline::card {
namespace {

std::string unknownValue(std::uint32_t value) { return fmt::format("unknown ({})", value); }

}  // namespace

std::string linkModeName(std::uint32_t mode) {
  switch (mode) {
    case firmware::kLinkRun:
      return "run";
    case firmware::kLinkHeld:
      return "held down";
    case firmware::kLinkReleased:
      return "left to the host";
    default:
      return unknownValue(mode);
  }
}

std::string linkStateName(std::uint32_t state) {
  switch (static_cast<MacState>(state)) {
    case MacState::kWorking:
      return "coming up";
    case MacState::kUp:
      return "up";
    case MacState::kDown:
      return "down";
  }
  return unknownValue(state);
}

std::string linkReasonText(std::uint32_t reason) {
  if (reason > static_cast<std::uint32_t>(MacReason::kRemoteFault)) return unknownValue(reason);
  return std::string(describe(static_cast<MacReason>(reason)));
}

std::string fecPolicyName(std::uint32_t policy) {
  switch (static_cast<MacFec>(policy)) {
    case MacFec::kOff:
      return "off";
    case MacFec::kOn:
      return "RS-FEC";
    case MacFec::kEither:
      return "either";
  }
  return unknownValue(policy);
}

std::string retryPolicyName(std::uint32_t policy) {
  switch (policy) {
    case firmware::kRetryLeave:
      return "left to the host";
    case firmware::kRetryOff:
      return "off";
    case firmware::kRetryInit:
      return "on link up";
    default:
      return unknownValue(policy);
  }
}

std::string retryStateName(std::uint32_t state) {
  switch (state) {
    case firmware::kRetryIdle:
      return "idle";
    case firmware::kRetryNoLink:
      return "no link";
    case firmware::kRetryBegun:
      return "initialising";
    case firmware::kRetryUp:
      return "up";
    case firmware::kRetryWaiting:
      return "waiting for the next attempt";
    case firmware::kRetryGivenUp:
      return "given up";
    default:
      return unknownValue(state);
  }
}

std::string retryReasonText(std::uint32_t reason) {
  switch (reason) {
    case firmware::kRetryNone:
      return "no fault";
    case firmware::kRetryNoEcho:
      return "the other end did not answer INIT";
    case firmware::kRetryFlushed:
      return "the sender gave up its frames";
    case firmware::kRetryLinkLost:
      return "the link was lost";
    default:
      return unknownValue(reason);
  }
}

MacHealth healthOf(const firmware::Health& health) {
  const auto sum = [&](std::size_t place) { return wide(health.sums[place]); };
  MacHealth result{.clocks = wide(health.to) - wide(health.from), .counted = {}};
  MacCounters& counted = result.counted;
  counted.fec_codewords = sum(firmware::kSumCodewords);
  counted.fec_corrected = sum(firmware::kSumCorrected);
  counted.fec_uncorrected = sum(firmware::kSumUncorrected);
  counted.bad_codes = sum(firmware::kSumBadCodes);
  counted.alignment_losses = sum(firmware::kSumAlignmentLosses);
  counted.hi_ber_events = sum(firmware::kSumHiBerEvents);
  counted.local_faults = sum(firmware::kSumLocalFaults);
  counted.remote_faults = sum(firmware::kSumRemoteFaults);
  counted.tx_underflows = sum(firmware::kSumTxUnderflows);
  counted.tx_overflows = sum(firmware::kSumTxOverflows);
  counted.rx_fifo_overflows = sum(firmware::kSumRxFifoOverflows);
  counted.saturated = health.saturated != 0;
  for (std::size_t lane = 0; lane < counted.fec_symbol_errors.size(); ++lane) {
    counted.fec_symbol_errors[lane] = sum(firmware::kSumSymbolErrors + lane);
  }
  for (std::size_t lane = 0; lane < counted.bip_errors.size(); ++lane) {
    counted.bip_errors[lane] = sum(firmware::kSumBipErrors + lane);
  }
  if (health.clock_count != 0) result.clock_ratio = health.clock_count * 8.0 / 65'536.0;
  return result;
}

CardClock clockOf(const firmware::PtpStatus& status) {
  const auto time = [](const firmware::Wide& words) {
    return Picoseconds(static_cast<std::int64_t>(wide(words)));
  };
  CardClock clock{.present = status.has_time != 0,
                  .role = status.role,
                  .state = status.state,
                  .port = status.port,
                  .domain = status.domain,
                  .master = {},
                  .offset = time(status.offset_ps),
                  .uncertainty = Picoseconds(status.uncertainty_ps),
                  .delay = time(status.delay_ps),
                  .rate_ppm = static_cast<std::int32_t>(status.rate) * 1e-6,
                  .syncs = status.syncs,
                  .exchanges = status.exchanges,
                  .outliers = status.outliers,
                  .steps = status.steps,
                  .losses = status.losses,
                  .bad_frames = status.bad_frames,
                  .dropped = status.dropped,
                  .changed = wide(status.changed)};
  if ((status.master_high | status.master_low) != 0) {
    const std::uint64_t identity = std::uint64_t{status.master_high} << 32U | status.master_low;
    for (unsigned byte = 8; byte-- > 0;) {
      clock.master += fmt::format("{:02x}{}", identity >> 8 * byte & 0xFF, byte == 0 ? "" : "-");
    }
    clock.master += fmt::format(" port {}", status.master_port);
  }
  return clock;
}

std::string ptpRoleName(std::uint32_t role) {
  switch (role) {
    case firmware::kPtpOff:
      return "free running";
    case firmware::kPtpSlave:
      return "slave";
    case firmware::kPtpMaster:
      return "master";
    case firmware::kPtpPps:
      return "pulse per second";
    default:
      return unknownValue(role);
  }
}

std::string ptpStateName(std::uint32_t state) {
  switch (state) {
    case firmware::kPtpFree:
      return "free running";
    case firmware::kPtpSends:
      return "sends";
    case firmware::kPtpListening:
      return "listening";
    case firmware::kPtpMeasuring:
      return "measuring";
    case firmware::kPtpTracking:
      return "tracking";
    case firmware::kPtpLocked:
      return "locked";
    case firmware::kPtpHoldover:
      return "holdover";
    default:
      return unknownValue(state);
  }
}

}  // namespace plumbline::card
