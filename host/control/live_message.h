// The messages of the live stream's WebSocket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "control/api_types.h"
#include "control/live_interval.h"

namespace plumbline::control {

// First message of every connection.
struct LiveHello {
  std::string instance;      // of the server process: a new one counts from 1 again
  std::uint64_t oldest = 0;  // oldest sequence number that is still available; 0 = none yet
  std::uint64_t latest = 0;
};

// Intervals that this client will not get.
struct LiveLost {
  std::uint64_t count = 0;
};

using LiveMessage = std::variant<LiveHello, LiveInterval, RunState, LiveLost>;

std::string toMessage(const LiveHello& hello);
std::string toMessage(const LiveInterval& interval);
std::string toMessage(const RunState& run);
std::string toMessage(const LiveLost& lost);

// Nothing for any other text.
std::optional<LiveMessage> parseMessage(std::string_view text);

}  // namespace plumbline::control
