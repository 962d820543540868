// The firmware on the card's control processor, from the host: load, start, send, stop
// (docs/firmware.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/control_core.h"
#include "card/firmware_image.h"
#include "card/mac_link.h"
#include "card/register_bus.h"

namespace plumbline::card {

// How the card keeps its time to another's. Intervals are powers of two of a second.
struct PtpSettings {
  firmware::PtpRole role = firmware::kPtpOff;
  std::uint32_t port = 0;
  std::uint8_t domain = 0;
  std::array<std::uint8_t, 6> mac{};  // of the port: the source of its frames, and its identity
  int log_sync = -6;                  // -7 to 4. A slave takes the master's
  int log_delay = -4;                 // of Delay_Req: -7 to 4
  int log_announce = 0;               // -3 to 4
};

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
  // control processor, and for one whose processor does not run at the frequency that the card
  // states, measured against the MAC's clock where there is one. Firmware that runs already is left
  // alone.
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
  // Throws Error(kUsage) unless it is a clock of the processor at least.
  void armWatchdog(Picoseconds silence);
  void disarmWatchdog();

  // Ports that the firmware watches: all of the card.
  [[nodiscard]] std::uint32_t ports();
  // Link, link-level retry and counts of `port` (firmware_ports.h), of one moment. Throws
  // Error(kUsage) for a port that the card does not have, Error(kTester) when the firmware does not
  // leave them alone for long enough.
  [[nodiscard]] firmware::PortStatus port(std::uint32_t port);

  // Of a port with a MAC; Error(kTester) for another one. The link comes up anew.
  void setFec(std::uint32_t port, MacFec fec);
  void restartLink(std::uint32_t port);
  // While the firmware does not leave a port to the host, only it may use the port's block mac.
  void setLinkMode(std::uint32_t port, firmware::LinkMode mode);
  // The port's counts begin anew, within the time from one reading to the next (0.1 s).
  void clearHealth(std::uint32_t port);
  // What the firmware does with link-level retry of a port that has it; Error(kTester) for another
  // one. kRetryInit: up to `attempts` (1 to 255) of at most `limit` (100 us to 1 s) each. Timers,
  // limits and actions stay as LinkRetry has set them.
  void setRetry(std::uint32_t port, firmware::RetryPolicy policy, std::uint32_t attempts = 5,
                Picoseconds limit = milliseconds(1));

  // What the card's time follows (firmware_ports.h), of one moment. Errors as of port().
  [[nodiscard]] firmware::PtpStatus ptp();
  // Throws Error(kTester) for a card without block time, and for what is out of its range.
  void setPtp(const PtpSettings& settings);

  // Clocks of the processor, which the firmware's times are, as time, rounded down.
  [[nodiscard]] Picoseconds timeOf(std::uint64_t clocks) const;

 private:
  [[nodiscard]] firmware::ImageHeader loadedHeader();
  [[nodiscard]] std::uint32_t sharedOffset();
  // Words of the shared block from `offset` [bytes] on.
  [[nodiscard]] std::vector<std::uint32_t> readShared(std::size_t offset, std::size_t words);
  // A record of the shared block that begins with its sequence number.
  template <typename Record>
  [[nodiscard]] Record consistent(std::size_t offset);
  // Refuses a card whose processor does not run at the frequency that it states.
  void checkClock();
  void checkMap(const firmware::ImageHeader& header);
  void writeCommand(firmware::CommandCode code, std::initializer_list<std::uint32_t> arguments);
  [[nodiscard]] std::string silenceReason();

  RegisterBus& bus_;
  ControlCore core_;
  std::optional<std::uint32_t> shared_offset_;
  std::uint32_t sequence_ = 0;
};

}  // namespace plumbline::card
