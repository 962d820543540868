// Two switches in a row whose links have credits, for the tests of credit-based flow control.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "tests/fabric/harness.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {

inline constexpr unsigned kChannel = 3;            // the priority that needs credits
inline constexpr std::uint32_t kCreditSize = 128;  // [bytes]
inline constexpr Picoseconds kProcessing = nanoseconds(100);
inline constexpr Picoseconds kNeverTold{0};

// chainSpec() whose links each have credits for `frames` frames of kLength, returned frame by
// frame. Every `consumed_period` a sender tells what it has consumed.
inline FabricSpec creditedChain(std::uint32_t frames, Picoseconds consumed_period = kNeverTold) {
  CbfcSpec cbfc;
  cbfc.channels = 1U << kChannel;
  cbfc.credit_size = Bytes(kCreditSize);
  cbfc.credits = frames * kLength / kCreditSize;
  cbfc.update_spacing = Bytes(1);
  cbfc.processing = kProcessing;
  cbfc.consumed_period = consumed_period;
  FabricSpec spec = chainSpec();
  spec.switches.cbfc = cbfc;
  return spec;
}

}  // namespace plumbline::fabric::testing
