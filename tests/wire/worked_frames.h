// Frames whose every byte is known, with their descriptions (FACTS A.9, B.3.3, C.6, E.1).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "wire/frame.h"

namespace plumbline::wire::test {

struct WorkedFrame {
  std::string name;
  FrameSpec spec;
  Buffer bytes;  // with FCS
  DecodeOptions options;

  // GoogleTest prints the name rather than the object's bytes.
  friend void PrintTo(const WorkedFrame& frame, std::ostream* out) { *out << frame.name; }
};

const std::vector<WorkedFrame>& workedFrames();
// Throws std::out_of_range for an unknown name.
const WorkedFrame& workedFrame(const std::string& name);

// Bytes of a string of hexadecimal digits.
Buffer fromHex(std::string_view hex);

}  // namespace plumbline::wire::test
