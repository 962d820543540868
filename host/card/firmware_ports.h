// What the firmware says of a port (firmware::PortStatus) and of the card's time
// (firmware::PtpStatus), in words and numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "card/mac_counters.h"
#include "firmware/interface.h"

namespace plumbline::card {

inline std::uint64_t wide(const firmware::Wide& words) {
  return words.low | std::uint64_t{words.high} << 32U;
}

// Any value has a text.
std::string linkModeName(std::uint32_t mode);       // of firmware::LinkMode
std::string linkStateName(std::uint32_t state);     // of MacState
std::string linkReasonText(std::uint32_t reason);   // of MacReason
std::string fecPolicyName(std::uint32_t policy);    // of MacFec
std::string retryPolicyName(std::uint32_t policy);  // of firmware::RetryPolicy
std::string retryStateName(std::uint32_t state);    // of firmware::RetryState
std::string retryReasonText(std::uint32_t reason);  // of firmware::RetryReason

// Counts of a MAC over a time, as the firmware adds them up.
struct MacHealth {
  std::uint64_t clocks = 0;  // of the card: the time that the counts are of
  MacCounters counted;
  // Clocks of the MAC for each clock of the register bus, by MAC_CLOCK_COUNT; empty without one.
  std::optional<double> clock_ratio = {};
};

MacHealth healthOf(const firmware::Health& health);

// The card's time and what it follows. Times are signed.
struct CardClock {
  bool present = false;     // the card has block time
  std::uint32_t role = 0;   // firmware::PtpRole
  std::uint32_t state = 0;  // firmware::PtpState
  std::uint32_t port = 0;
  std::uint32_t domain = 0;
  std::string master;       // identity, "02-11-22-ff-fe-33-44-55 port 1"; empty without one
  Picoseconds offset;       // of the card's time from the master's, mean lately
  Picoseconds uncertainty;  // standard uncertainty of it, without asymmetry of the path
  Picoseconds delay;        // of the path, one way
  double rate_ppm = 0;      // of the card's time against its oscillator
  std::uint32_t syncs = 0;
  std::uint32_t exchanges = 0;  // Delay_Req answered
  std::uint32_t outliers = 0;
  std::uint32_t steps = 0;
  std::uint32_t losses = 0;  // of a master
  std::uint32_t bad_frames = 0;
  std::uint32_t dropped = 0;
  std::uint64_t changed = 0;  // clocks of the processor
};

CardClock clockOf(const firmware::PtpStatus& status);
std::string ptpRoleName(std::uint32_t role);
std::string ptpStateName(std::uint32_t state);

}  // namespace plumbline::card
