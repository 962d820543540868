// The link of a card's MAC, from the host: brought up by the sequence of mac_bring_up.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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

// A port of a card behind a register bus.
struct MacPort {
  RegisterBus* bus = nullptr;
  std::uint32_t port = 0;
};

// Brings up the links of `ports` side by side, since two of them may be the ends of one cable.
// Returns when each is up or down, after at most two attempts; in the order of `ports`. Errors of
// a bus throw Error(kTester).
std::vector<MacLink> bringUpMacs(std::span<const MacPort> ports, MacFec fec, MacTiming timing = {});

}  // namespace plumbline::card
