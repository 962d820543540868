// pcapng capture files (draft-ietf-opsawg-pcapng): a writer, and a reader for untrusted bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "wire/bytes.h"

namespace plumbline::wire {

inline constexpr std::uint16_t kLinkTypeEthernet = 1;

// Unit of the file's timestamps. Nanoseconds are supported by every tool but drop the picoseconds
// (rounded down); picoseconds keep the card's resolution, but Wireshark 4.0 overflows when it
// scales them: it shows fractions of a second above 18 ms wrong.
enum class PcapngResolution : std::uint8_t { kNanoseconds = 9, kPicoseconds = 12 };

enum class PacketDirection : std::uint8_t { kUnknown = 0, kInbound = 1, kOutbound = 2 };

struct PcapngInterface {
  std::uint16_t link_type = kLinkTypeEthernet;
  std::uint32_t snap_length = 0;  // 0 = no limit
  std::string name{};             // may be empty, like the next one
  std::string description{};
  BitRate speed{};                          // 0 = not stated
  std::optional<std::uint8_t> fcs_bytes{};  // FCS bytes at the end of every packet, if known

  bool operator==(const PcapngInterface&) const = default;
};

struct PcapngPacket {
  std::uint32_t interface = 0;  // index, in the order in which interfaces appear
  Picoseconds timestamp{};      // since 1970, or since the card's start
  std::uint32_t original_length = 0;
  ByteView bytes{};  // captured; at most original_length
  PacketDirection direction = PacketDirection::kUnknown;
  std::optional<std::uint8_t> fcs_bytes{};  // of this packet, if stated
  bool crc_error = false;                   // the link layer reported a bad FCS
  std::string_view comment{};               // may be empty
};

// Writes one section to a stream, block by block; every write leaves a complete file.
class PcapngWriter {
 public:
  struct Options {
    PcapngResolution resolution = PcapngResolution::kNanoseconds;
    std::string hardware;     // the capturing device; may be empty
    std::string application;  // the writing program; may be empty
  };

  // Writes the section header. The stream must outlive the writer and be binary. Throws
  // Error(kTester), here and below, when the stream fails.
  PcapngWriter(std::ostream& out, const Options& options);

  // Returns the index that packets name. Names and descriptions hold at most 65535 bytes; longer
  // ones throw Error(kUsage).
  std::uint32_t addInterface(const PcapngInterface& interface);

  // Throws Error(kUsage) for an unknown interface, a negative timestamp, more bytes than
  // original_length and a comment longer than 65535 bytes.
  void write(const PcapngPacket& packet);

  [[nodiscard]] std::uint64_t packets() const { return packets_; }

 private:
  void writeBlock(std::uint32_t type, const Buffer& body);

  std::ostream& out_;
  PcapngResolution resolution_;
  std::uint32_t interfaces_ = 0;
  std::uint64_t packets_ = 0;
  Buffer scratch_;
};

enum class PcapngError {
  kNone,
  kNotPcapng,     // no section header at the beginning
  kByteOrder,     // section header without the byte order magic
  kVersion,       // major version other than 1
  kTruncated,     // a block exceeds the file
  kBlockLength,   // not a multiple of four, too short, or its two copies differ
  kOption,        // an option exceeds its block
  kInterface,     // a packet names an interface that does not exist
  kPacketLength,  // captured bytes exceed the block or the original length
  kTimestamp,     // resolution or time outside the range of 64-bit picoseconds
};

std::string_view pcapngErrorName(PcapngError error);

// Reads a file in memory, packet by packet: any number of sections, either byte order, enhanced
// and simple packet blocks; other blocks are skipped. Never throws and never reads outside.
class PcapngReader {
 public:
  // `file` must outlive the reader and its packets.
  explicit PcapngReader(ByteView file);

  // The next packet, its views into the file; empty at the end or at the first error.
  std::optional<PcapngPacket> next();

  [[nodiscard]] PcapngError error() const { return error_; }
  [[nodiscard]] std::size_t errorOffset() const { return error_offset_; }
  // Interfaces seen so far, over all sections.
  [[nodiscard]] const std::vector<PcapngInterface>& interfaces() const { return interfaces_; }

 private:
  struct Clock {
    std::uint8_t resolution = 6;  // as in if_tsresol: microseconds by default
    std::int64_t offset_s = 0;
  };
  struct Option {
    std::uint16_t code = 0;
    ByteView value;
  };

  std::optional<PcapngPacket> fail(PcapngError error, std::size_t offset);
  bool readSection(std::size_t offset, std::size_t left);
  bool readInterface(ByteView body);
  std::optional<PcapngPacket> readEnhanced(ByteView body);
  std::optional<PcapngPacket> readSimple(ByteView body);
  // Removes the next option from `options`; empty at the end or, with the error set, when
  // truncated.
  std::optional<Option> readOption(ByteView& options);
  std::optional<Picoseconds> toPicoseconds(std::uint64_t units, const Clock& clock) const;
  [[nodiscard]] std::uint16_t get16(ByteView bytes, std::size_t at) const;
  [[nodiscard]] std::uint32_t get32(ByteView bytes, std::size_t at) const;
  [[nodiscard]] std::uint64_t get64(ByteView bytes, std::size_t at) const;

  ByteView file_;
  std::size_t at_ = 0;
  bool big_endian_ = false;
  std::size_t section_first_ = 0;  // index of the section's first interface
  std::vector<PcapngInterface> interfaces_;
  std::vector<Clock> clocks_;
  PcapngError error_ = PcapngError::kNone;
  std::size_t error_offset_ = 0;
};

}  // namespace plumbline::wire
