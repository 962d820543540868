#include "card/capture_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"

namespace plumbline::card {
namespace {

constexpr std::uint32_t kMark = 0x5A;
// Bytes of the header in use; the others are zero.
constexpr std::size_t kHeaderBytes = 20;
// Bits of the descriptor's last word from here on are zero.
constexpr std::uint32_t kFirstUnusedBit = 21;

struct RecordHeader {
  std::uint64_t timestamp = 0;  // [ps]
  std::uint32_t length = 0;     // of the frame, with FCS
  bool fcs_ok = false;
  bool icrc_checked = false;
  bool icrc_ok = false;
  bool truncated = false;
  bool sent = false;
  std::uint32_t unused = 0;    // bits that mean nothing
  std::uint32_t captured = 0;  // bytes behind the header
  std::uint32_t port = 0;
  std::uint32_t mark = 0;
  std::uint32_t number = 0;

  [[nodiscard]] std::size_t recordBytes() const {
    return kCaptureUnit + (captured + kCaptureUnit - 1) / kCaptureUnit * kCaptureUnit;
  }
};

RecordHeader headerOf(std::span<const std::uint8_t> bytes) {
  const auto word = [&](std::size_t at) {
    return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8U |
           std::uint32_t{bytes[at + 2]} << 16U | std::uint32_t{bytes[at + 3]} << 24U;
  };
  const std::uint32_t flags = word(8);
  const auto flag = [flags](unsigned bit) { return (flags >> bit & 1U) != 0; };
  const std::uint32_t origin = word(12);
  RecordHeader header;
  header.timestamp = word(0) | std::uint64_t{word(4)} << 32U;
  header.length = flags & 0xFFFFU;
  header.fcs_ok = flag(16);
  header.icrc_checked = flag(17);
  header.icrc_ok = flag(18);
  header.truncated = flag(19);
  header.sent = flag(20);
  header.unused = flags >> kFirstUnusedBit;
  header.captured = origin & 0xFFFFU;
  header.port = origin >> 16U & 0xFFU;
  header.mark = origin >> 24U;
  header.number = word(16);
  return header;
}

// The fault of a header, of which `bytes` are available; nothing if it is valid.
std::optional<std::string> faultOf(const RecordHeader& header, std::span<const std::uint8_t> bytes,
                                   std::uint32_t ports, std::uint32_t number) {
  if (header.mark != kMark) {
    return fmt::format("a header has the mark {:#04x} instead of {:#04x}", header.mark, kMark);
  }
  const auto rest = bytes.first(kCaptureUnit).subspan(kHeaderBytes);
  if (header.unused != 0 ||
      std::any_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0; })) {
    return "a header has reserved bits set";
  }
  if (header.number != number) {
    return fmt::format("a record has the number {} instead of {}", header.number, number);
  }
  if (header.port >= ports) {
    return fmt::format("a record is of port {} of a card with {} ports", header.port, ports);
  }
  const bool matches =
      header.truncated ? header.captured <= header.length : header.captured == header.length;
  if (!matches || header.length == 0) {
    return fmt::format("a record has {} bytes of {}frame of {} B", header.captured,
                       header.truncated ? "the beginning of a " : "a ", header.length);
  }
  if (header.recordBytes() > bytes.size()) {
    return fmt::format("a record of {} B ends behind what was written", header.recordBytes());
  }
  return std::nullopt;
}

}  // namespace

std::vector<CapturedFrame> CaptureRecords::read(std::span<const std::uint8_t> bytes) {
  std::vector<CapturedFrame> frames;
  while (!bytes.empty()) {
    const std::uint32_t number = next_++;
    RecordHeader header;
    std::optional<std::string> fault = "a header is cut off";
    if (bytes.size() >= kCaptureUnit) {
      header = headerOf(bytes);
      fault = faultOf(header, bytes, ports_, number);
    }
    if (fault) {
      throw Error(ErrorKind::kTester, "what the card has captured cannot be read: " + *fault,
                  fmt::format("capture record {}", number),
                  "the card loaded anew; card and driver of one source");
    }
    const std::size_t whole = header.recordBytes();
    if (!header.truncated) {
      const auto frame = bytes.subspan(kCaptureUnit, header.captured);
      frames.push_back({.port = header.port,
                        .sent = header.sent,
                        .timestamp = Picoseconds(static_cast<std::int64_t>(header.timestamp)),
                        .fcs_ok = header.fcs_ok,
                        .icrc_checked = header.icrc_checked,
                        .icrc_ok = header.icrc_ok,
                        .bytes = {frame.begin(), frame.end()}});
    }
    bytes = bytes.subspan(whole);
  }
  return frames;
}

}  // namespace plumbline::card
