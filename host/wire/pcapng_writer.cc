#include <string>

#include "base/error.h"
#include "wire/pcapng.h"
#include "wire/pcapng_format.h"

namespace plumbline::wire {
namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
constexpr std::size_t kMaxOption = 0xFFFF;

// The writer's files are little-endian on every machine.
void put16(Buffer& out, std::uint16_t value) {
  out.push_back(static_cast<std::uint8_t>(value));
  out.push_back(static_cast<std::uint8_t>(value >> 8));
}

void put32(Buffer& out, std::uint32_t value) {
  put16(out, static_cast<std::uint16_t>(value));
  put16(out, static_cast<std::uint16_t>(value >> 16));
}

void put64(Buffer& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value));
  put32(out, static_cast<std::uint32_t>(value >> 32));
}

void putPadded(Buffer& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize(pcapng::padded(out.size()));  // every earlier piece is a multiple of four
}

void putOption(Buffer& out, std::uint16_t code, ByteView value) {
  if (value.size() > kMaxOption) {
    throw Error(ErrorKind::kUsage,
                "text of " + std::to_string(value.size()) + " bytes in a capture", {},
                "at most 65535 bytes");
  }
  put16(out, code);
  put16(out, static_cast<std::uint16_t>(value.size()));
  putPadded(out, value);
}

void putText(Buffer& out, std::uint16_t code, std::string_view text) {
  if (text.empty()) return;
  putOption(out, code, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

PcapngWriter::PcapngWriter(std::ostream& out, const Options& options)
    : out_(out), resolution_(options.resolution) {
  Buffer body;
  put32(body, pcapng::kByteOrderMagic);
  put16(body, 1);  // version 1.0
  put16(body, 0);
  put64(body, ~0ULL);  // section length: not stated
  putText(body, pcapng::kShbHardware, options.hardware);
  putText(body, pcapng::kShbApplication, options.application);
  putOption(body, pcapng::kOptEnd, {});
  writeBlock(pcapng::kSectionHeader, body);
}

std::uint32_t PcapngWriter::addInterface(const PcapngInterface& interface) {
  Buffer body;
  put16(body, interface.link_type);
  put16(body, 0);
  put32(body, interface.snap_length);
  putText(body, pcapng::kIfName, interface.name);
  putText(body, pcapng::kIfDescription, interface.description);
  if (interface.speed.bitsPerSecond() > 0) {
    Buffer speed;
    put64(speed, static_cast<std::uint64_t>(interface.speed.bitsPerSecond()));
    putOption(body, pcapng::kIfSpeed, speed);
  }
  const auto resolution = static_cast<std::uint8_t>(resolution_);
  putOption(body, pcapng::kIfTsResolution, {&resolution, 1});
  if (interface.fcs_bytes) putOption(body, pcapng::kIfFcsLength, {&*interface.fcs_bytes, 1});
  putOption(body, pcapng::kOptEnd, {});
  writeBlock(pcapng::kInterfaceDescription, body);
  return interfaces_++;
}

void PcapngWriter::write(const PcapngPacket& packet) {
  if (packet.interface >= interfaces_ || packet.timestamp < Picoseconds(0) ||
      packet.bytes.size() > packet.original_length) {
    throw Error(ErrorKind::kUsage, "a packet that is too long for a capture", {},
                "a known interface, a time from zero on, no more bytes than the packet had");
  }
  std::int64_t units = packet.timestamp.count();
  if (resolution_ == PcapngResolution::kNanoseconds) units /= kPicosecondsPerNanosecond;

  Buffer& body = scratch_;
  body.clear();
  put32(body, packet.interface);
  put32(body, static_cast<std::uint32_t>(static_cast<std::uint64_t>(units) >> 32));
  put32(body, static_cast<std::uint32_t>(units));
  put32(body, static_cast<std::uint32_t>(packet.bytes.size()));
  put32(body, packet.original_length);
  putPadded(body, packet.bytes);
  putText(body, pcapng::kOptComment, packet.comment);
  std::uint32_t flags = static_cast<std::uint32_t>(packet.direction);
  flags |= (packet.fcs_bytes.value_or(0) & pcapng::kFlagFcsMask) << pcapng::kFlagFcsShift;
  if (packet.crc_error) flags |= pcapng::kFlagCrcError;
  if (flags != 0) {
    Buffer value;
    put32(value, flags);
    putOption(body, pcapng::kEpbFlags, value);
  }
  putOption(body, pcapng::kOptEnd, {});
  writeBlock(pcapng::kEnhancedPacket, body);
  ++packets_;
}

void PcapngWriter::writeBlock(std::uint32_t type, const Buffer& body) {
  Buffer head;
  Buffer tail;
  const auto length = static_cast<std::uint32_t>(body.size() + pcapng::kBlockOverhead);
  put32(head, type);
  put32(head, length);
  put32(tail, length);
  for (const Buffer* part : std::initializer_list<const Buffer*>{&head, &body, &tail}) {
    out_.write(reinterpret_cast<const char*>(part->data()),
               static_cast<std::streamsize>(part->size()));
  }
  if (!out_) {
    throw Error(ErrorKind::kTester, "the capture file cannot be written", {},
                "space on the disk and permission to write");
  }
}

}  // namespace plumbline::wire
