// links: plumbline_wire
// Any bytes as a capture file. Reading must end inside the file; what was read, written by
// PcapngWriter, must read back equal.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "wire/pcapng.h"

namespace {

using namespace plumbline::wire;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<PcapngPacket> readAll(PcapngReader& reader) {
  std::vector<PcapngPacket> packets;
  while (const auto packet = reader.next()) packets.push_back(*packet);
  return packets;
}

bool equal(const PcapngPacket& a, const PcapngPacket& b) {
  return a.interface == b.interface && a.timestamp == b.timestamp &&
         a.original_length == b.original_length && a.direction == b.direction &&
         a.fcs_bytes == b.fcs_bytes && a.crc_error == b.crc_error && a.comment == b.comment &&
         std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PcapngReader reader({data, size});
  const std::vector<PcapngPacket> packets = readAll(reader);
  require(reader.errorOffset() <= size);

  std::ostringstream out;
  PcapngWriter writer(out, {.resolution = PcapngResolution::kPicoseconds});
  for (const PcapngInterface& interface : reader.interfaces()) writer.addInterface(interface);
  for (const PcapngPacket& packet : packets) writer.write(packet);

  const std::string file = out.str();
  PcapngReader second({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  const std::vector<PcapngPacket> again = readAll(second);
  require(second.error() == PcapngError::kNone);
  require(second.interfaces() == reader.interfaces());
  require(std::equal(packets.begin(), packets.end(), again.begin(), again.end(), equal));
  return 0;
}
