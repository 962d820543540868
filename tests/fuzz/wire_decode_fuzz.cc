// links: plumbline_wire
// Any bytes as a frame. The first byte selects the options for the rest. Decoding must end inside
// the frame; accepted frames that encodeFrame() can express must be reproduced.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "wire/frame.h"

namespace {

using namespace plumbline;        // NOLINT: a program of its own
using namespace plumbline::wire;  // NOLINT

void require(bool holds) {
  if (!holds) std::abort();
}

void requireInside(ByteView part, ByteView whole) {
  if (part.empty()) return;
  require(part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

FrameSpec specOf(const DecodedFrame& frame, const DecodeOptions& options) {
  FrameSpec spec;
  spec.destination = frame.ethernet.destination;
  spec.source = frame.ethernet.source;
  spec.vlan = frame.vlan;
  spec.network = frame.network;
  spec.udp = frame.udp;
  spec.transport = frame.transport;
  spec.payload = frame.payload;
  if (frame.roce() != nullptr) spec.pad_count = frame.roce()->bth.pad_count;
  if (frame.uet_crc) spec.uet_crc = options.uet_crc;
  return spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const ByteView bytes(data + 1, size - 1);
  DecodeOptions options;
  options.has_fcs = (choice & 1U) == 0;
  if ((choice & 2U) != 0) {
    options.uet_crc =
        UetCrcOptions{static_cast<UetCrcStart>((choice >> 2) % 3), (choice & 0x10U) != 0};
  }
  if ((choice & 0x20U) != 0) options.pds_sizes = {.ack_ccx = 44, .nack_ccx = 24};

  const DecodedFrame frame = decodeFrame(bytes, options);
  requireInside(frame.payload, bytes);
  requireInside(frame.padding, bytes);
  require(frame.error_offset <= bytes.size());
  require(!describe(frame).empty());
  // A trimmed packet cannot be described: its lengths contradict each other.
  if (!frame.ok() || frame.trimmed) return 0;

  Buffer first;
  try {
    first = encodeFrame(specOf(frame, options));
  } catch (const Error& error) {
    // Frames that a description cannot express, such as a tagged PAUSE.
    require(error.kind() == ErrorKind::kUsage);
    return 0;
  }
  options.has_fcs = true;
  const DecodedFrame again = decodeFrame(first, options);
  require(again.ok() && again.fcs->ok());
  require(!again.ipv4_checksum || again.ipv4_checksum->ok());
  require(!again.icrc || again.icrc->ok());
  require(!again.uet_crc || again.uet_crc->ok());
  require(encodeFrame(specOf(again, options)) == first);
  return 0;
}
