// The firmware on the card's control processor, from the host: load, start, ask, stop
// (docs/firmware.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/control_core.h"
#include "card/firmware_image.h"
#include "card/register_bus.h"

namespace plumbline::card {

// What the firmware says of itself.
struct FirmwareInfo {
  std::uint32_t version = 0;            // firmwareVersionText()
  std::uint32_t interface_version = 0;  // interfaceVersionText()
  std::uint32_t state = 0;              // firmware::State
  Picoseconds uptime{};
  std::optional<Picoseconds> watchdog = {};  // the silence that it allows the host, when armed
};

// One user at a time: commands carry a number, and a second host's would be taken for this one's.
// Errors of the bus are passed on.
class Firmware {
 public:
  // The card behind `bus`, which must outlive it. Throws Error(kUnsupported) for a card without a
  // control processor. Firmware that runs already is left alone.
  explicit Firmware(RegisterBus& bus);

  // Stops what runs, writes `image` to the memory and reads it back. Throws Error(kUnsupported)
  // when the memory is too small for it or the card's register map is older than the one that it
  // was built with, Error(kTester) when a word does not read back.
  void load(const FirmwareImage& image);
  // Lets what is loaded run, and waits until it is ready. Throws Error(kUnsupported) when nothing
  // is loaded, Error(kTester) when it does not come up.
  void start();
  // Holds the processor in reset.
  void stop();
  [[nodiscard]] CoreState processor() { return core_.state(); }

  // Lets the firmware execute `code` with `arguments`, and returns its reply. Throws Error(kTester)
  // when it does not answer within `limit` or refuses, with its reason.
  firmware::Reply send(firmware::CommandCode code,
                       std::initializer_list<std::uint32_t> arguments = {},
                       Picoseconds limit = milliseconds(1));

  [[nodiscard]] FirmwareInfo info();
  // Its block of memory, as it is now: state, statistics, log.
  [[nodiscard]] firmware::Shared shared();

  // From now on the firmware parks the transmitter when the host has not spoken for `silence`.
  // Throws Error(kUsage) unless it is a clock at least.
  void armWatchdog(Picoseconds silence);
  void disarmWatchdog();

  // Clocks of the card as time.
  [[nodiscard]] Picoseconds timeOf(std::uint64_t clocks) const;

 private:
  [[nodiscard]] firmware::ImageHeader loadedHeader();
  [[nodiscard]] std::uint32_t sharedOffset();
  // Words of the shared block from `offset` [bytes] on.
  [[nodiscard]] std::vector<std::uint32_t> readShared(std::size_t offset, std::size_t words);
  void checkMap(const firmware::ImageHeader& header);
  void writeCommand(firmware::CommandCode code, std::initializer_list<std::uint32_t> arguments);
  [[nodiscard]] std::string silenceReason();

  RegisterBus& bus_;
  ControlCore core_;
  std::uint32_t period_num_ = 0;  // clock period in ps as a fraction
  std::uint32_t period_den_ = 1;
  std::optional<std::uint32_t> shared_offset_;
  std::uint32_t sequence_ = 0;
};

}  // namespace plumbline::card
