// Trials of the Verilated card on a bare link, and the card they share.
#pragma once

#include "bench/card/rtl_bench.h"

namespace plumbline::bench {

// One card for all trials of a program, which therefore also run one after the other on one card.
inline RtlBench& sharedCard() {
  static RtlBench bench;
  return bench;
}

inline TrialResult runOnCard(const TrialSpec& spec) { return sharedCard().run(spec, {}); }

// From host 0 to host 1, `frame` in bytes.
inline StreamSpec streamToHost1(std::int64_t frame, Fraction rate) {
  StreamSpec stream;
  stream.name = "s";
  stream.to = 1;
  stream.frame = Bytes(frame);
  stream.load = ConstantLoad{rate};
  return stream;
}

// 50 us of 512-byte frames at 80 %.
inline TrialSpec bareLinkTrial() {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.host_link_delay = nanoseconds(500);
  spec.streams = {streamToHost1(512, Fraction::percent(80))};
  spec.duration = microseconds(50);
  return spec;
}

}  // namespace plumbline::bench
