// Which load balancing may send consecutive packets of one flow over different paths.
#pragma once

#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric {

// True for every mode that chooses a path packet by packet. Flowlets are not among them: they keep
// the order as long as the gap is longer than the paths' delays differ by.
constexpr bool spraysPackets(LoadBalancingKind kind) {
  return kind == LoadBalancingKind::kSprayRandom || kind == LoadBalancingKind::kSprayRoundRobin ||
         kind == LoadBalancingKind::kSprayLeastQueue;
}

}  // namespace plumbline::fabric
