// The link of a card's MAC, from the host: brought up by the sequence of mac_bring_up.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "card/register_bus.h"
#include "firmware/mac_bring_up.h"

namespace plumbline::card {

using firmware::MacBringUp;
using firmware::MacFec;
using firmware::MacReason;
using firmware::MacState;
using firmware::MacTiming;

// A reason in words, without a full stop.
std::string_view describe(MacReason reason);

struct MacLink {
  MacState state = MacState::kWorking;
  MacReason reason = MacReason::kNone;
  bool rs_fec = false;
};

// Brings up the link of `port` and returns when it is up or down, after at most two attempts.
// Errors of the bus throw Error(kTester).
MacLink bringUpMac(RegisterBus& bus, std::uint32_t port, MacFec fec, MacTiming timing = {});

}  // namespace plumbline::card
