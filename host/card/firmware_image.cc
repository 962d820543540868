#include "card/firmware_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "card/firmware_ports.h"
#include "firmware/mac_bring_up.h"
#include "wire/crc.h"

namespace plumbline::card {
namespace {

constexpr std::size_t kImageHeaderBytes = sizeof(firmware::ImageHeader);
constexpr std::size_t kChecksumAt = offsetof(firmware::ImageHeader, checksum);
constexpr std::size_t kMaxMemoryBytes = std::size_t{16}
                                        << 20U;  // no memory of a processor is as large

std::uint32_t wordAt(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8U |
         std::uint32_t{bytes[at + 2]} << 16U | std::uint32_t{bytes[at + 3]} << 24U;
}

template <typename Record>
Record fromWords(std::span<const std::uint32_t> words) {
  Record record{};
  std::memcpy(&record, words.data(), sizeof(Record));
  return record;
}

// Why this program cannot talk to firmware of the interface `version`; empty if it can.
std::string interfaceFault(std::uint32_t version) {
  const std::uint32_t major = version >> 16U;
  const std::uint32_t minor = version & 0xFFFFU;
  const bool older = major < firmware::kInterfaceMajor ||
                     (major == firmware::kInterfaceMajor && minor < firmware::kInterfaceMinor);
  if (!older && major == firmware::kInterfaceMajor) return {};
  return fmt::format("its interface, version {}, is {} than this program",
                     interfaceVersionText(version), older ? "older" : "newer");
}

std::string knownInterfaces() {
  return fmt::format("version {} or a later {}.x",
                     interfaceVersionText(firmware::kInterfaceVersion), firmware::kInterfaceMajor);
}

std::string rangeFault(const firmware::ImageHeader& header) {
  if (header.memory_bytes < header.image_bytes || header.memory_bytes > kMaxMemoryBytes ||
      header.shared_offset % 4 != 0 || header.shared_offset > header.memory_bytes ||
      header.memory_bytes - header.shared_offset < sizeof(firmware::Shared)) {
    return fmt::format("its header contradicts itself: image {}, memory {}, shared block at {}",
                       header.image_bytes, header.memory_bytes, header.shared_offset);
  }
  return {};
}

// Magic and version of the interface.
constexpr std::size_t kCheckedWords = 2;

Error sharedFault(const std::string& fault) {
  return Error(ErrorKind::kTester, fault, "shared block of the firmware",
               "stop the firmware and load it anew");
}

// Of an argument with a byte for each: port, state, reason, and one more.
std::string linkText(std::uint32_t argument) {
  const std::uint32_t state = argument >> 8U & 0xFFU;
  const std::uint32_t reason = argument >> 16U & 0xFFU;
  std::string text = fmt::format("port {}: link {}", argument & 0xFFU, linkStateName(state));
  if (state == static_cast<std::uint32_t>(firmware::MacState::kUp)) {
    return text + (argument >> 24U != 0 ? ", RS-FEC" : ", no FEC");
  }
  return reason == 0 ? text : text + ", " + linkReasonText(reason);
}

std::string retryText(std::uint32_t argument) {
  const std::uint32_t reason = argument >> 16U & 0xFFU;
  std::string text = fmt::format("port {}: link-level retry {}, attempt {}", argument & 0xFFU,
                                 retryStateName(argument >> 8U & 0xFFU), argument >> 24U);
  return reason == 0 ? text : text + ", " + retryReasonText(reason);
}

}  // namespace

std::string firmwareVersionText(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version >> 24U, version >> 16U & 0xFFU, version & 0xFFFFU);
}

std::string interfaceVersionText(std::uint32_t version) {
  return fmt::format("{}.{}", version >> 16U, version & 0xFFFFU);
}

FirmwareImage parseFirmwareImage(std::span<const std::uint8_t> bytes, const std::string& name) {
  const auto refuse = [&name](const std::string& fault, const std::string& remedy) -> Error {
    return Error(ErrorKind::kUsage, fault, name, remedy);
  };
  constexpr const char* kExpectedImage = "an image as firmware/make_image.py writes it";
  if (bytes.size() < kImageHeaderBytes) {
    throw refuse(fmt::format("{} bytes are too few for an image of firmware", bytes.size()),
                 kExpectedImage);
  }
  if (bytes.size() > kMaxMemoryBytes) {
    throw refuse(fmt::format("{} bytes are too many for an image of firmware", bytes.size()),
                 kExpectedImage);
  }
  FirmwareImage image;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4)
    image.words.push_back(wordAt(bytes, at));
  image.header = fromWords<firmware::ImageHeader>(image.words);
  const firmware::ImageHeader& header = image.header;
  if (header.magic != firmware::kImageMagic) {
    throw refuse(fmt::format("no image of firmware: its second word is 0x{:08X}", header.magic),
                 fmt::format("0x{:08X} there, as make_image.py writes it", firmware::kImageMagic));
  }
  // First, as the rest of the header is what the interface says.
  if (const std::string fault = interfaceFault(header.interface_version); !fault.empty()) {
    throw refuse(fmt::format("this firmware cannot be used: {}", fault), knownInterfaces());
  }
  if (header.image_bytes != bytes.size()) {
    throw refuse(fmt::format("the image is {}: it has {} bytes and its header says {}",
                             bytes.size() < header.image_bytes ? "cut short" : "too long",
                             bytes.size(), header.image_bytes),
                 "the file as it was built");
  }
  std::vector<std::uint8_t> checked(bytes.begin(), bytes.end());
  std::fill_n(checked.begin() + kChecksumAt, 4, std::uint8_t{0});
  if (const std::uint32_t sum = wire::crc32(checked); sum != header.checksum) {
    throw refuse(fmt::format("the image is damaged: its checksum is 0x{:08X} and its header says "
                             "0x{:08X}",
                             sum, header.checksum),
                 "the file as it was built");
  }
  if (bytes.size() % 4 != 0) {
    throw refuse(fmt::format("an image of {} bytes is not one of whole words", bytes.size()),
                 kExpectedImage);
  }
  if (const std::string fault = rangeFault(header); !fault.empty()) {
    throw refuse("the image cannot be used: " + fault, kExpectedImage);
  }
  return image;
}

firmware::ImageHeader parseLoadedHeader(std::span<const std::uint32_t> words,
                                        std::uint32_t memory_bytes) {
  const auto refuse = [](const std::string& fault) -> Error {
    return Error(ErrorKind::kUnsupported, fault, "memory of the control processor",
                 "load the firmware of this program anew");
  };
  if (words.size() < firmware::kHeaderWords) throw refuse("too little for a header of firmware");
  const auto header = fromWords<firmware::ImageHeader>(words);
  if (header.magic != firmware::kImageMagic) throw refuse("no firmware is loaded");
  if (const std::string fault = interfaceFault(header.interface_version); !fault.empty()) {
    throw refuse(fmt::format("other firmware is loaded: {}", fault));
  }
  if (const std::string fault = rangeFault(header); !fault.empty()) {
    throw refuse("the loaded firmware is damaged: " + fault);
  }
  if (header.memory_bytes > memory_bytes) {
    throw refuse(fmt::format("the loaded firmware needs {} bytes, and the memory has {}",
                             header.memory_bytes, memory_bytes));
  }
  return header;
}

void checkShared(std::span<const std::uint32_t> words) {
  if (words.size() < kCheckedWords) throw sharedFault("the shared block is cut short");
  if (words[0] != firmware::kSharedMagic) {
    throw sharedFault(fmt::format(
        "the firmware has not filled in its shared block: it begins with 0x{:08X}", words[0]));
  }
  if (const std::string fault = interfaceFault(words[1]); !fault.empty()) {
    throw sharedFault("the firmware that runs is another than the one that was loaded: " + fault);
  }
}

firmware::Shared parseShared(std::span<const std::uint32_t> words) {
  if (words.size() < firmware::kSharedWords) throw sharedFault("the shared block is cut short");
  checkShared(words);
  return fromWords<firmware::Shared>(words);
}

std::vector<firmware::LogEntry> logOf(const firmware::Shared& shared) {
  const std::uint32_t kept = std::min(shared.log_written, firmware::kLogEntries);
  std::vector<firmware::LogEntry> entries;
  for (std::uint32_t i = 0; i < kept; ++i) {
    entries.push_back(shared.log[(shared.log_written - kept + i) % firmware::kLogEntries]);
  }
  return entries;
}

std::string describe(const firmware::LogEntry& entry) {
  switch (entry.event) {
    case firmware::kLogStarted:
      return fmt::format("firmware {} has started", firmwareVersionText(entry.argument));
    case firmware::kLogCommandRefused:
      return fmt::format("command {} was refused", entry.argument);
    case firmware::kLogWatchdogArmed:
      return fmt::format("watchdog armed, {} clocks (low 32 bits)", entry.argument);
    case firmware::kLogWatchdogDisarmed:
      return "watchdog disarmed";
    case firmware::kLogParked:
      return entry.argument == firmware::kHostSilent
                 ? "transmitter parked: the host was silent for too long"
                 : "transmitter parked: the host asked for it";
    case firmware::kLogAccessFailed:
      return fmt::format("the card refused an access near register {:#06x}", entry.argument);
    case firmware::kLogFault:
      return fmt::format("exception, cause {}", entry.argument);
    case firmware::kLogLink:
      return linkText(entry.argument);
    case firmware::kLogRetry:
      return retryText(entry.argument);
    case firmware::kLogPtp:
      return fmt::format("time: {} at port {}, {}", ptpRoleName(entry.argument >> 8U & 0xFFU),
                         entry.argument >> 16U, ptpStateName(entry.argument & 0xFFU));
    case firmware::kLogPtpStep:
      return fmt::format("time stepped by {} ns", static_cast<std::int32_t>(entry.argument));
    default:
      return fmt::format("event {} with {:#x}", entry.event, entry.argument);
  }
}

std::string stateName(std::uint32_t state) {
  switch (state) {
    case firmware::kStarting:
      return "starting";
    case firmware::kReady:
      return "ready";
    case firmware::kParked:
      return "parked";
    case firmware::kFaulted:
      return "faulted";
    default:
      return fmt::format("unknown state {}", state);
  }
}

}  // namespace plumbline::card
