#include "fabric/switch/buffer_room.h"

#include <algorithm>
#include <bit>

namespace plumbline::fabric {
namespace {

// x = alpha * (room - x).
Bytes shareOf(Bytes room, Fraction alpha) {
  const double factor = alpha.toDouble();
  return Bytes(
      static_cast<std::int64_t>(static_cast<double>(room.count()) * (factor / (1 + factor))));
}

}  // namespace

Bytes sharedPart(const SwitchSpec& switches, std::uint32_t ports) {
  const SharedBufferSpec& shared = *switches.shared_buffer;
  Bytes reserved = shared.reserve_per_port;
  if (switches.pfc) {
    reserved += switches.pfc->headroom * std::popcount(switches.pfc->priorities);
  }
  return shared.total - reserved * std::int64_t{ports};
}

Bytes longestLossyQueue(const SwitchSpec& switches, std::uint32_t ports) {
  if (!switches.shared_buffer) return switches.buffer_per_port;
  const SharedBufferSpec& shared = *switches.shared_buffer;
  return std::max(shared.reserve_per_port,
                  shareOf(sharedPart(switches, ports) + shared.reserve_per_port, shared.alpha));
}

Bytes pauseThreshold(const SwitchSpec& switches, std::uint32_t ports) {
  const PfcSpec& pfc = *switches.pfc;
  if (!pfc.dynamic_alpha || !switches.shared_buffer) return pfc.xoff;
  return shareOf(sharedPart(switches, ports), *pfc.dynamic_alpha);
}

}  // namespace plumbline::fabric
