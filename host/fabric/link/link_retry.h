// Parameters of link-level retry on one direction of a cable.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "fabric/spec/fabric_spec.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

// The longest frame that any link carries, with FCS.
inline constexpr Bytes kLongestFrame{9'216};

// Derived from the spec and both directions of the cable. Times are at the sender.
struct LinkRetry {
  Picoseconds question;  // end of a frame to the first bit of the NACK that it causes
  Picoseconds answer;    // end of a frame to the sender's reaction to its ACK or NACK
  Picoseconds way_back;  // of a NACK
  double init_loss = 0;  // probability that bit errors destroy an ordered set of the sender
  double nack_loss = 0;  // the same of the receiver's
  Picoseconds timer;
  std::optional<std::uint32_t> max_replays;
  std::int64_t buffer = INT64_MAX;  // bytes
  Picoseconds data_age;             // kNever: any
  Picoseconds init_interval;
};

// `there` is the link of the frames, `back` that of the NACKs; each has its rate of errors per bit.
LinkRetry linkRetry(const LlrSpec& llr, const Link& there, double there_error_rate,
                    const Link& back, double back_error_rate);

// Time from the end of a damaged frame's transmission to the end of its good copy's, on an idle
// wire and if no NACK is lost (docs/model/switch.md, "Bit errors and LLR").
Picoseconds retryTime(Bytes frame, const LlrSpec& llr, const Link& there, const Link& back);

// Checks that timer and buffer are large enough for every link. Throws Error(kUsage) as described
// in spec_checks.h.
void checkLinkRetry(const LlrSpec& llr, const Topology& topology);

}  // namespace plumbline::fabric
