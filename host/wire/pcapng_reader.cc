#include <algorithm>
#include <limits>

#include "wire/pcapng.h"
#include "wire/pcapng_format.h"

namespace plumbline::wire {
namespace {

constexpr std::size_t kMinSection = 28;
constexpr std::size_t kInterfaceHead = 8;
constexpr std::size_t kEnhancedHead = 20;
constexpr std::size_t kSimpleHead = 4;
constexpr std::uint8_t kBinaryResolution = 0x80;  // if_tsresol counts powers of two
constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

std::string_view text(ByteView value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

}  // namespace

PcapngReader::PcapngReader(ByteView file) : file_(file) {}

std::uint16_t PcapngReader::get16(ByteView bytes, std::size_t at) const {
  const std::uint16_t value = load16(&bytes[at]);
  return big_endian_ ? value : __builtin_bswap16(value);
}

std::uint32_t PcapngReader::get32(ByteView bytes, std::size_t at) const {
  const std::uint32_t value = load32(&bytes[at]);
  return big_endian_ ? value : __builtin_bswap32(value);
}

std::uint64_t PcapngReader::get64(ByteView bytes, std::size_t at) const {
  const std::uint64_t value = load64(&bytes[at]);
  return big_endian_ ? value : __builtin_bswap64(value);
}

std::optional<PcapngPacket> PcapngReader::fail(PcapngError error, std::size_t offset) {
  error_ = error;
  error_offset_ = offset;
  return std::nullopt;
}

std::optional<PcapngPacket> PcapngReader::next() {
  while (error_ == PcapngError::kNone && at_ < file_.size()) {
    const std::size_t start = at_;
    const std::size_t left = file_.size() - start;
    if (left < pcapng::kBlockOverhead) return fail(PcapngError::kTruncated, start);
    // The section header's type reads the same in both byte orders.
    const bool section = load32(&file_[start]) == pcapng::kSectionHeader;
    if (section && !readSection(start, left)) return std::nullopt;
    if (!section && start == 0) return fail(PcapngError::kNotPcapng, start);

    const std::uint32_t type = get32(file_, start);
    const std::size_t length = get32(file_, start + 4);
    if (length % 4 != 0 || length < pcapng::kBlockOverhead) {
      return fail(PcapngError::kBlockLength, start + 4);
    }
    if (length > left) return fail(PcapngError::kTruncated, start);
    if (get32(file_, start + length - 4) != length) {
      return fail(PcapngError::kBlockLength, start + length - 4);
    }
    at_ = start + length;
    const ByteView body = file_.subspan(start + 8, length - pcapng::kBlockOverhead);
    error_offset_ = start;
    std::optional<PcapngPacket> packet;
    if (type == pcapng::kInterfaceDescription) {
      readInterface(body);
    } else if (type == pcapng::kEnhancedPacket) {
      packet = readEnhanced(body);
    } else if (type == pcapng::kSimplePacket) {
      packet = readSimple(body);
    }
    if (packet) return packet;
  }
  return std::nullopt;
}

bool PcapngReader::readSection(std::size_t offset, std::size_t left) {
  const std::uint32_t magic = load32(&file_[offset + 8]);
  if (magic == pcapng::kByteOrderMagic) {
    big_endian_ = true;
  } else if (magic == __builtin_bswap32(pcapng::kByteOrderMagic)) {
    big_endian_ = false;
  } else {
    fail(PcapngError::kByteOrder, offset + 8);
    return false;
  }
  if (left < kMinSection || get32(file_, offset + 4) < kMinSection) {
    fail(PcapngError::kTruncated, offset);
    return false;
  }
  if (get16(file_, offset + 12) != 1) {
    fail(PcapngError::kVersion, offset + 12);
    return false;
  }
  section_first_ = interfaces_.size();
  return true;
}

std::optional<PcapngReader::Option> PcapngReader::readOption(ByteView& options) {
  if (options.empty()) return std::nullopt;
  if (options.size() < 4) {
    error_ = PcapngError::kOption;
    return std::nullopt;
  }
  const std::uint16_t code = get16(options, 0);
  const std::size_t length = get16(options, 2);
  if (code == pcapng::kOptEnd) return std::nullopt;
  if (options.size() - 4 < pcapng::padded(length)) {
    error_ = PcapngError::kOption;
    return std::nullopt;
  }
  const Option option{code, options.subspan(4, length)};
  options = options.subspan(4 + pcapng::padded(length));
  return option;
}

bool PcapngReader::readInterface(ByteView body) {
  if (body.size() < kInterfaceHead) {
    error_ = PcapngError::kTruncated;
    return false;
  }
  PcapngInterface interface;
  Clock clock;
  interface.link_type = get16(body, 0);
  interface.snap_length = get32(body, 4);
  ByteView options = body.subspan(kInterfaceHead);
  while (const auto option = readOption(options)) {
    const ByteView value = option->value;
    if (option->code == pcapng::kIfName) {
      interface.name = text(value);
    } else if (option->code == pcapng::kIfDescription) {
      interface.description = text(value);
    } else if (option->code == pcapng::kIfSpeed && value.size() == 8) {
      const std::uint64_t speed = get64(value, 0);
      constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
      interface.speed = BitRate(static_cast<std::int64_t>(std::min(speed, kMax)));
    } else if (option->code == pcapng::kIfTsResolution && value.size() == 1) {
      clock.resolution = value[0];
    } else if (option->code == pcapng::kIfTsOffset && value.size() == 8) {
      clock.offset_s = static_cast<std::int64_t>(get64(value, 0));
    } else if (option->code == pcapng::kIfFcsLength && value.size() == 1) {
      interface.fcs_bytes = value[0];
    }
  }
  if (error_ != PcapngError::kNone) return false;
  interfaces_.push_back(std::move(interface));
  clocks_.push_back(clock);
  return true;
}

std::optional<Picoseconds> PcapngReader::toPicoseconds(std::uint64_t units,
                                                       const Clock& clock) const {
  constexpr auto kMax = static_cast<Int128>(std::numeric_limits<std::int64_t>::max());
  Int128 ps = units;  // at most 2^64 s, below 2^104 ps
  const int exponent = clock.resolution & ~kBinaryResolution;
  if ((clock.resolution & kBinaryResolution) != 0) {
    // No clock is finer than 2^-64 s.
    if (exponent > 64) return std::nullopt;
    ps = (ps * kPicosecondsPerSecond) >> exponent;
  } else {
    for (int e = exponent; e < 12; ++e) ps *= 10;
    for (int e = exponent; e > 12; --e) ps /= 10;
  }
  const Int128 total = ps + static_cast<Int128>(clock.offset_s) * kPicosecondsPerSecond;
  if (total < 0 || total > kMax) return std::nullopt;
  return Picoseconds(static_cast<std::int64_t>(total));
}

std::optional<PcapngPacket> PcapngReader::readEnhanced(ByteView body) {
  if (body.size() < kEnhancedHead) return fail(PcapngError::kTruncated, error_offset_);
  PcapngPacket packet;
  const std::size_t index = section_first_ + get32(body, 0);
  if (index >= interfaces_.size()) return fail(PcapngError::kInterface, error_offset_);
  packet.interface = static_cast<std::uint32_t>(index);
  const std::uint64_t units = static_cast<std::uint64_t>(get32(body, 4)) << 32 | get32(body, 8);
  const auto timestamp = toPicoseconds(units, clocks_[index]);
  if (!timestamp) return fail(PcapngError::kTimestamp, error_offset_);
  packet.timestamp = *timestamp;
  const std::size_t captured = get32(body, 12);
  packet.original_length = get32(body, 16);
  if (pcapng::padded(captured) > body.size() - kEnhancedHead || captured > packet.original_length) {
    return fail(PcapngError::kPacketLength, error_offset_);
  }
  packet.bytes = body.subspan(kEnhancedHead, captured);
  ByteView options = body.subspan(kEnhancedHead + pcapng::padded(captured));
  while (const auto option = readOption(options)) {
    if (option->code == pcapng::kOptComment && packet.comment.empty()) {
      packet.comment = text(option->value);
    } else if (option->code == pcapng::kEpbFlags && option->value.size() == 4) {
      const std::uint32_t flags = get32(option->value, 0);
      const std::uint32_t direction = flags & pcapng::kFlagDirection;
      if (direction <= static_cast<std::uint32_t>(PacketDirection::kOutbound)) {
        packet.direction = static_cast<PacketDirection>(direction);
      }
      const auto fcs = (flags >> pcapng::kFlagFcsShift) & pcapng::kFlagFcsMask;
      if (fcs != 0) packet.fcs_bytes = static_cast<std::uint8_t>(fcs);
      packet.crc_error = (flags & pcapng::kFlagCrcError) != 0;
    }
  }
  if (error_ != PcapngError::kNone) return std::nullopt;
  return packet;
}

std::optional<PcapngPacket> PcapngReader::readSimple(ByteView body) {
  if (body.size() < kSimpleHead) return fail(PcapngError::kTruncated, error_offset_);
  if (section_first_ >= interfaces_.size()) return fail(PcapngError::kInterface, error_offset_);
  PcapngPacket packet;
  packet.interface = static_cast<std::uint32_t>(section_first_);
  packet.original_length = get32(body, 0);
  // The captured length is not stated: the original one, unless the interface cuts.
  std::size_t captured = packet.original_length;
  const std::uint32_t snap = interfaces_[section_first_].snap_length;
  if (snap != 0) captured = std::min<std::size_t>(captured, snap);
  if (captured > body.size() - kSimpleHead) return fail(PcapngError::kPacketLength, error_offset_);
  packet.bytes = body.subspan(kSimpleHead, captured);
  return packet;
}

std::string_view pcapngErrorName(PcapngError error) {
  switch (error) {
    case PcapngError::kNone:
      return "none";
    case PcapngError::kNotPcapng:
      return "does not begin with a pcapng section header";
    case PcapngError::kByteOrder:
      return "section header without a byte order magic";
    case PcapngError::kVersion:
      return "not version 1 of the format";
    case PcapngError::kTruncated:
      return "a block is cut short";
    case PcapngError::kBlockLength:
      return "a block's length is impossible or its two copies differ";
    case PcapngError::kOption:
      return "an option exceeds its block";
    case PcapngError::kInterface:
      return "a packet names an interface that does not exist";
    case PcapngError::kPacketLength:
      return "a packet's length exceeds its block";
    case PcapngError::kTimestamp:
      return "a time beyond 64-bit picoseconds";
  }
  return "unknown";
}

}  // namespace plumbline::wire
