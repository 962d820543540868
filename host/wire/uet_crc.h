// The CRC-32C that ends a UET packet without encryption (FACTS A.3.9). Only one source describes
// it, so its start and byte order are parameters; the defaults are that source's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bytes.h"

namespace plumbline::wire {

inline constexpr std::size_t kUetCrcSize = 4;

enum class UetCrcStart {
  kIpSource,  // the IP source address
  kUdp,       // the UDP (or entropy) header
  kPds,       // the PDS header
};

struct UetCrcOptions {
  UetCrcStart start = UetCrcStart::kIpSource;
  bool most_significant_first = false;

  bool operator==(const UetCrcOptions&) const = default;
};

// Offsets of the PDS header and the headers before it in a frame.
struct UetOffsets {
  std::size_t ip_source = 0;
  std::size_t udp = 0;
  std::size_t pds = 0;
};

// The four bytes of the trailer, as a big-endian number, for a frame that ends before it.
std::uint32_t uetCrc(ByteView frame, const UetOffsets& offsets, const UetCrcOptions& options);

}  // namespace plumbline::wire
