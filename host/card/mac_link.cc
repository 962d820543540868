#include "card/mac_link.h"

namespace plumbline::card {

std::string_view describe(MacReason reason) {
  switch (reason) {
    case MacReason::kNone:
      return "no fault";
    case MacReason::kNoRegisters:
      return "the card has no MAC registers for this port";
    case MacReason::kNoPower:
      return "the transceivers have no supply";
    case MacReason::kNoClock:
      return "the MAC has no clock: its reference clock is missing, or not connected";
    case MacReason::kInReset:
      return "the MAC stays in reset";
    case MacReason::kNoSignal:
      return "no lane has block lock: no cable, no light, or another FEC setting at the other end";
    case MacReason::kLanesMissing:
      return "some lanes have no block lock";
    case MacReason::kMarkersMissing:
      return "some lanes carry no alignment markers";
    case MacReason::kNotAligned:
      return "the lanes do not align: too much skew";
    case MacReason::kHighErrorRatio:
      return "high bit error ratio";
    case MacReason::kLocalFault:
      return "local fault";
    case MacReason::kRemoteFault:
      return "remote fault: the other end does not receive what is sent here";
  }
  return "unknown";
}

MacLink bringUpMac(RegisterBus& bus, std::uint32_t port, MacFec fec, MacTiming timing) {
  MacBringUp<RegisterBus> link(bus, port, fec, timing);
  for (;;) {
    link.poll();
    if (link.state() != MacState::kWorking) {
      return {link.state(), link.reason(), link.rsFec()};
    }
    bus.wait(microseconds(timing.poll_us));
  }
}

}  // namespace plumbline::card
