#include "card/firmware_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "card/mac_link.h"

namespace plumbline::card {
namespace {

constexpr double kSymbolsInACodeword = 528;

std::string unknownValue(std::uint32_t value) { return fmt::format("unknown ({})", value); }

std::optional<double> ratio(std::uint64_t part, double whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / whole;
}

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

std::optional<double> MacHealth::correctedRatio() const {
  return ratio(corrected, static_cast<double>(codewords));
}

std::optional<double> MacHealth::uncorrectedRatio() const {
  return ratio(uncorrected, static_cast<double>(codewords));
}

std::optional<double> MacHealth::symbolErrorRatio() const {
  std::uint64_t errors = 0;
  for (const std::uint64_t lane : symbol_errors) errors += lane;
  return ratio(errors, static_cast<double>(codewords) * kSymbolsInACodeword);
}

MacHealth healthOf(const firmware::Health& health) {
  const auto sum = [&](std::size_t place) { return wide(health.sums[place]); };
  MacHealth counts{.clocks = wide(health.to) - wide(health.from),
                   .codewords = sum(firmware::kSumCodewords),
                   .corrected = sum(firmware::kSumCorrected),
                   .uncorrected = sum(firmware::kSumUncorrected),
                   .bad_codes = sum(firmware::kSumBadCodes),
                   .alignment_losses = sum(firmware::kSumAlignmentLosses),
                   .hi_ber_events = sum(firmware::kSumHiBerEvents),
                   .local_faults = sum(firmware::kSumLocalFaults),
                   .remote_faults = sum(firmware::kSumRemoteFaults),
                   .tx_underflows = sum(firmware::kSumTxUnderflows),
                   .tx_overflows = sum(firmware::kSumTxOverflows),
                   .rx_fifo_overflows = sum(firmware::kSumRxFifoOverflows),
                   .lower_bounds = health.saturated != 0};
  for (std::size_t lane = 0; lane < counts.symbol_errors.size(); ++lane) {
    counts.symbol_errors[lane] = sum(firmware::kSumSymbolErrors + lane);
  }
  for (std::size_t lane = 0; lane < counts.bip_errors.size(); ++lane) {
    counts.bip_errors[lane] = sum(firmware::kSumBipErrors + lane);
  }
  if (health.clock_count != 0) counts.clock_ratio = health.clock_count * 8.0 / 65'536.0;
  return counts;
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
