// The texts of the live stream's WebSocket.
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
  std::string instance;      // of the server process: another one counts from 1 again
  std::uint64_t oldest = 0;  // sequence numbers that can still be caught up with; 0 = none yet
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

// Nothing for text that is none of the above.
std::optional<LiveMessage> parseMessage(std::string_view text);

}  // namespace plumbline::control
