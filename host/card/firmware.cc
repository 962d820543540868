#include "card/firmware.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "card/mac.h"
#include "card/polling.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

// Start-up zeroes memory, and asks the card for what it has: some 60,000 clocks.
constexpr Picoseconds kStartLimit = milliseconds(4);
// Longest wait for a whole window of MAC_CLOCK_COUNT behind the start of the MAC's clock.
constexpr Picoseconds kClockWindow = milliseconds(1);
// Largest deviation of the processor's clock: oscillators and the count's resolution are far below.
constexpr double kMaxClockDeviation = 0.001;
constexpr const char* kReloadHint = "stop the firmware and load it anew";

std::string statusText(std::uint32_t status) {
  switch (status) {
    case firmware::kUnknownCommand:
      return "it does not know the command";
    case firmware::kBadArgument:
      return "an argument is outside of what the card has";
    case firmware::kAccessFailed:
      return "the card refused an access to its registers";
    default:
      return fmt::format("status {}", status);
  }
}

}  // namespace

Firmware::Firmware(RegisterBus& bus) : bus_(bus), core_(bus) { checkClock(); }

void Firmware::checkClock() {
  Mac mac(bus_, 0);
  if (!mac.present()) return;
  const double stated = core_.clockHz();
  std::optional<double> measured;
  const auto as_stated = [&] {
    measured = mac.busClockHz();
    return !measured || std::abs(*measured / stated - 1) <= kMaxClockDeviation;
  };
  if (waitUntil(bus_, kClockWindow, as_stated)) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("the control processor's clock runs at {:.1f} MHz and not at the {:.1f} MHz that "
                  "the card states: all times of the firmware would be wrong by {:.1f} %",
                  *measured / 1e6, stated / 1e6, 100 * std::abs(*measured / stated - 1)),
      "CLOCK_HZ, MAC_CLOCK_COUNT",
      "a kernel that was linked at the frequency of ApClockHz, with a reference clock of "
      "161.1328125 MHz");
}

void Firmware::load(const FirmwareImage& image) {
  if (image.header.memory_bytes > core_.memoryBytes()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the firmware needs {} bytes of memory, and the card's control processor "
                    "has {}",
                    image.header.memory_bytes, core_.memoryBytes()),
        "MEMORY_BYTES", "a smaller image");
  }
  checkMap(image.header);
  stop();
  core_.write(0, image.words);
  // What an earlier run has left must not be taken for an answer of this one.
  core_.write(image.header.shared_offset, std::array<std::uint32_t, 1>{0});
  const auto count = static_cast<std::uint32_t>(image.words.size());
  const std::vector<std::uint32_t> written = core_.read(0, count);
  const auto [got, expected] =
      std::mismatch(written.begin(), written.end(), image.words.begin(), image.words.end());
  if (got == written.end()) return;
  // The shared block may lie within the image; its first word is the firmware's to write.
  const auto at = static_cast<std::uint32_t>(4 * (got - written.begin()));
  if (at == image.header.shared_offset) return;
  throw Error(
      ErrorKind::kTester,
      fmt::format("the firmware does not read back: 0x{:08X} instead of 0x{:08X}", *got, *expected),
      fmt::format("offset {:#x} of the control processor's memory", at));
}

void Firmware::checkMap(const firmware::ImageHeader& header) {
  const std::uint32_t card = core_.mapVersion();
  const auto major = [](std::uint32_t version) { return regs::global::kVersionMajor.get(version); };
  const auto minor = [](std::uint32_t version) { return regs::global::kVersionMinor.get(version); };
  if (major(card) == major(header.map_version) && minor(card) >= minor(header.map_version)) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("the firmware was built with version {} of the register map, and the card "
                  "has {}",
                  firmwareVersionText(header.map_version), firmwareVersionText(card)),
      "VERSION", "firmware and card of one release");
}

void Firmware::start() {
  if (core_.state() != CoreState::kReset) stop();
  const std::uint32_t offset = loadedHeader().shared_offset;
  core_.write(offset, std::array<std::uint32_t, 1>{0});
  shared_offset_ = offset;
  core_.run();
  const auto up = [&] { return core_.read(offset, 1).front() == firmware::kSharedMagic; };
  if (!waitUntil(bus_, kStartLimit, up)) {
    throw Error(ErrorKind::kTester,
                fmt::format("the firmware has not come up within {} us: {}",
                            kStartLimit.count() / 1'000'000, silenceReason()),
                {}, kReloadHint);
  }
  checkShared(readShared(0, 2));
}

void Firmware::stop() {
  core_.reset();
  shared_offset_.reset();
}

firmware::ImageHeader Firmware::loadedHeader() {
  return parseLoadedHeader(core_.read(0, firmware::kHeaderWords), core_.memoryBytes());
}

std::uint32_t Firmware::sharedOffset() {
  if (!shared_offset_) shared_offset_ = loadedHeader().shared_offset;
  return *shared_offset_;
}

std::vector<std::uint32_t> Firmware::readShared(std::size_t offset, std::size_t words) {
  return core_.read(sharedOffset() + static_cast<std::uint32_t>(offset),
                    static_cast<std::uint32_t>(words));
}

firmware::Shared Firmware::shared() { return parseShared(readShared(0, firmware::kSharedWords)); }

void Firmware::writeCommand(firmware::CommandCode code,
                            std::initializer_list<std::uint32_t> arguments) {
  if (arguments.size() > firmware::kArguments) {
    throw Error(ErrorKind::kUsage, "too many arguments for a command of the firmware", {},
                fmt::format("up to {}", firmware::kArguments));
  }
  std::vector<std::uint32_t> words{sequence_, code};
  words.insert(words.end(), arguments);
  words.resize(2 + firmware::kArguments);
  core_.write(sharedOffset() + offsetof(firmware::Shared, command), words);
}

firmware::Reply Firmware::send(firmware::CommandCode code,
                               std::initializer_list<std::uint32_t> arguments, Picoseconds limit) {
  // The numbers go on from those of an earlier host.
  sequence_ = readShared(offsetof(firmware::Shared, command), 1).front() + 1;
  while (core_.receive()) {
  }  // an answer that its host has not taken
  writeCommand(code, arguments);
  const auto send = [&] { return core_.send(sequence_); };
  const auto answered = [&] { return core_.receive() == sequence_; };
  if (!waitUntil(bus_, limit, send) || !waitUntil(bus_, limit, answered)) {
    throw Error(
        ErrorKind::kTester,
        fmt::format("the firmware does not answer command {} within {} us: {}",
                    static_cast<std::uint32_t>(code), limit.count() / 1'000'000, silenceReason()),
        {}, kReloadHint);
  }
  const auto words = readShared(offsetof(firmware::Shared, reply), sizeof(firmware::Reply) / 4);
  firmware::Reply reply{};
  std::memcpy(&reply, words.data(), sizeof(reply));
  if (reply.sequence != sequence_) {
    throw Error(ErrorKind::kTester,
                fmt::format("the firmware answers command {} when it was asked {}", reply.sequence,
                            sequence_),
                "mailbox", "one host at a time");
  }
  if (reply.status != firmware::kDone) {
    throw Error(ErrorKind::kTester,
                fmt::format("the firmware refuses command {}: {}", static_cast<std::uint32_t>(code),
                            statusText(reply.status)));
  }
  return reply;
}

std::string Firmware::silenceReason() {
  switch (core_.state()) {
    case CoreState::kReset:
      return "the processor is held in reset";
    case CoreState::kHalted:
      return "the processor is halted";
    default:
      break;
  }
  const std::vector<std::uint32_t> words = readShared(0, firmware::kSharedWords);
  if (words.front() == firmware::kSharedMagic) {
    const firmware::Shared block = parseShared(words);
    if (block.state == firmware::kFaulted) {
      return fmt::format("it stopped at {:#010x} with exception {} (value {:#x})",
                         block.fault.address, block.fault.cause, block.fault.value);
    }
  }
  return core_.state() == CoreState::kAsleep ? "the processor sleeps" : "the processor runs";
}

FirmwareInfo Firmware::info() {
  const firmware::Reply reply = send(firmware::kInfo);
  // Its first words alone: the whole block takes the host longer than some watchdogs allow.
  const std::vector<std::uint32_t> head =
      readShared(0, offsetof(firmware::Shared, command) / sizeof(std::uint32_t));
  checkShared(head);
  const auto word = [&](std::size_t offset) { return head[offset / sizeof(std::uint32_t)]; };
  const auto clocks = [&](std::uint32_t low) {
    return reply.values[low] | std::uint64_t{reply.values[low + 1]} << 32U;
  };
  FirmwareInfo info{.version = word(offsetof(firmware::Shared, version)),
                    .interface_version = word(offsetof(firmware::Shared, interface_version)),
                    .state = word(offsetof(firmware::Shared, state)),
                    .uptime = timeOf(clocks(firmware::kUptimeLow))};
  if (const std::uint64_t watchdog = clocks(firmware::kWatchdogLow); watchdog != 0) {
    info.watchdog = timeOf(watchdog);
  }
  return info;
}

void Firmware::armWatchdog(Picoseconds silence) {
  const std::int64_t hz = core_.clockHz();
  const std::int64_t second = seconds(1).count();
  const std::int64_t clocks =
      silence.count() / second * hz + silence.count() % second / 1'000 * hz / (second / 1'000);
  if (clocks < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a watchdog of {} ps is shorter than a clock of the control processor",
                            silence.count()),
                {}, "a clock at least");
  }
  const auto count = static_cast<std::uint64_t>(clocks);
  send(firmware::kArmWatchdog,
       {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32U)});
}

void Firmware::disarmWatchdog() { send(firmware::kDisarmWatchdog); }

std::uint32_t Firmware::ports() { return readShared(offsetof(firmware::Shared, ports), 1).front(); }

template <typename Record>
Record Firmware::consistent(std::size_t offset) {
  Record record{};
  // An update takes the firmware far less time than the host the reading.
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    const auto words = readShared(offset, sizeof(record) / 4);
    std::memcpy(&record, words.data(), sizeof(record));
    const std::uint32_t after = readShared(offset, 1).front();
    if (record.sequence == after && after % 2 == 0) return record;
  }
  throw Error(ErrorKind::kTester, "the firmware changes what it says of itself without a pause",
              fmt::format("offset {} of the shared block", offset), kReloadHint);
}

firmware::PortStatus Firmware::port(std::uint32_t port) {
  const std::uint32_t count = std::min(ports(), firmware::kMaxPorts);
  if (port >= count) {
    throw Error(ErrorKind::kUsage, fmt::format("the card has no port {}", port), {},
                fmt::format("ports below {}", count));
  }
  using firmware::PortStatus;
  return consistent<PortStatus>(offsetof(firmware::Shared, port) + port * sizeof(PortStatus));
}

firmware::PtpStatus Firmware::ptp() {
  return consistent<firmware::PtpStatus>(offsetof(firmware::Shared, ptp));
}

void Firmware::setPtp(const PtpSettings& settings) {
  const auto byte = [](int value) { return static_cast<std::uint32_t>(value) & 0xFFU; };
  const auto& mac = settings.mac;
  send(firmware::kSetPtp, {settings.role | std::min(settings.port, 0xFFU) << 8U |
                               std::uint32_t{settings.domain} << 16U,
                           byte(settings.log_sync) | byte(settings.log_delay) << 8U |
                               byte(settings.log_announce) << 16U,
                           mac[0] | std::uint32_t{mac[1]} << 8U | std::uint32_t{mac[2]} << 16U |
                               std::uint32_t{mac[3]} << 24U,
                           mac[4] | std::uint32_t{mac[5]} << 8U});
}

void Firmware::setFec(std::uint32_t port, MacFec fec) {
  send(firmware::kSetFec, {port, static_cast<std::uint32_t>(fec)});
}

void Firmware::restartLink(std::uint32_t port) { send(firmware::kRestartLink, {port}); }

void Firmware::setLinkMode(std::uint32_t port, firmware::LinkMode mode) {
  send(firmware::kSetLink, {port, mode});
}

void Firmware::clearHealth(std::uint32_t port) { send(firmware::kClearHealth, {port}); }

void Firmware::setRetry(std::uint32_t port, firmware::RetryPolicy policy, std::uint32_t attempts,
                        Picoseconds limit) {
  const auto limit_us = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(limit.count() / 1'000'000, 0, firmware::kMaxLimitUs + 1));
  send(firmware::kSetRetry, {port, policy, attempts, limit_us});
}

Picoseconds Firmware::timeOf(std::uint64_t clocks) const {
  const std::uint64_t hz = core_.clockHz();
  // A remainder below 2^32 times 10^12 does not fit: whole seconds, then ns, then ps.
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  constexpr std::uint64_t kPsPerNs = 1'000;
  const std::uint64_t ns = clocks % hz * kNsPerSecond;
  const std::uint64_t ps = ns / hz * kPsPerNs + ns % hz * kPsPerNs / hz;
  return seconds(static_cast<std::int64_t>(clocks / hz)) +
         Picoseconds(static_cast<std::int64_t>(ps));
}

}  // namespace plumbline::card
