#include "card/mac_link.h"

#include <algorithm>

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

std::vector<MacLink> bringUpMacs(std::span<const MacPort> ports, MacFec fec, MacTiming timing) {
  using Sequence = MacBringUp<RegisterBus>;
  std::vector<Sequence> sequences;
  sequences.reserve(ports.size());
  for (const MacPort& one : ports) sequences.emplace_back(*one.bus, one.port, fec, timing);
  const auto working = [](const Sequence& one) { return one.state() == MacState::kWorking; };
  while (!sequences.empty()) {
    for (Sequence& one : sequences) one.poll();
    if (std::none_of(sequences.begin(), sequences.end(), working)) break;
    ports.front().bus->wait(microseconds(timing.poll_us));
  }
  std::vector<MacLink> links;
  links.reserve(sequences.size());
  for (const Sequence& one : sequences) links.push_back({one.state(), one.reason(), one.rsFec()});
  return links;
}

}  // namespace plumbline::card
