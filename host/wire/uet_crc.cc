#include "wire/uet_crc.h"

#include "wire/crc.h"

namespace plumbline::wire {

std::uint32_t uetCrc(ByteView frame, const UetOffsets& offsets, const UetCrcOptions& options) {
  std::size_t start = offsets.ip_source;
  if (options.start == UetCrcStart::kUdp) start = offsets.udp;
  if (options.start == UetCrcStart::kPds) start = offsets.pds;
  const std::uint32_t crc = crc32c(frame.subspan(start));
  return options.most_significant_first ? crc : __builtin_bswap32(crc);
}

}  // namespace plumbline::wire
