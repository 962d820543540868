// One size of a sweep: the user's name, the frame on the wire, the payload in it.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/trial.h"

namespace plumbline::suite {

struct SizePoint {
  Bytes frame;        // including FCS
  Bytes payload;      // after the transport headers, before ICRC and FCS; includes the test tag
  std::string label;  // "1024 B": the message size or the frame size, whichever is swept
  double x = 0;       // the same as a number [bytes], for charts

  bool operator==(const SizePoint&) const = default;
};

// Bytes of a frame that are not payload: all headers, ICRC where there is one, FCS.
Bytes frameOverhead(const bench::FrameFormat& format);

// The frame that carries a message of `message` bytes in one packet; RoCE pads it to four bytes.
SizePoint messagePoint(Bytes message, const bench::FrameFormat& format);
SizePoint framePoint(Bytes frame, const bench::FrameFormat& format);

}  // namespace plumbline::suite
