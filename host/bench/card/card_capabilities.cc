#include "bench/card/card_capabilities.h"

namespace plumbline::bench {

Capabilities cardCapabilities(BitRate line_rate, Picoseconds clock_period) {
  Capabilities capabilities;
  capabilities.line_rate = line_rate;
  capabilities.flows_per_port = 256;
  capabilities.groups = 16;
  capabilities.max_qps = 4096;
  capabilities.timestamp_resolution = clock_period;
  capabilities.observed = ObservationPoint::kTester;
  capabilities.damage = true;
  capabilities.pfc_send = true;
  capabilities.queue_pairs = true;
  capabilities.patterns = true;
  return capabilities;
}

}  // namespace plumbline::bench
