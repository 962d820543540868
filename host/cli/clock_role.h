// --ptp of `plumbline firmware`: what a card's time follows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "card/firmware.h"

namespace plumbline::cli {

struct ClockRole {
  std::size_t card = 0;
  card::PtpSettings settings;
};

// "CARD:ROLE[:PORT]", role one of master, slave, pps, off: "1:slave:0". The settings' MAC address
// is left empty. Throws Error(kUsage).
ClockRole parseClockRole(const std::string& text);

// A MAC address of local administration for a port of the card `card` of the host `host`: two hosts
// or cards have the same one with a probability of 2^-32.
std::array<std::uint8_t, 6> clockAddress(std::string_view host, std::string_view card,
                                         std::uint32_t port);

}  // namespace plumbline::cli
