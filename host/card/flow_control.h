// Flow control of one port of the card: PFC that it sends, its virtual receive buffer, the log of
// pauses, credit-based flow control (docs/card.md, "Flow control"). Counters are the driver's
// (Driver::counters).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Deepest log of pauses between two readings.
inline constexpr std::uint32_t kPauseLogDepth = 1024;
// Largest fill level, capacity and credit limit.
inline constexpr std::uint32_t kMaxCells = (1U << 20) - 1;

// A PFC frame: priorities (bit p = priority p) and the length of their pause, in units of 512 bit
// times; 0 ends their pause.
struct PfcFrame {
  std::uint8_t priorities = 0;
  std::uint16_t quanta = 0;
};

// The same frame repeatedly, on an absolute grid of times.
struct PfcStorm {
  PfcFrame frame;
  std::uint32_t frames = 0;  // 0: until stopped
  Picoseconds period;        // at least four clocks of the card
  // Card time at which the first frame crosses the MAC boundary; without it, at once.
  std::optional<Picoseconds> start = {};
};

// One priority of the virtual receive buffer.
struct BufferLevel {
  std::uint32_t capacity = kMaxCells;  // [cells]; later frames are dropped from it and counted
  BitRate drain;                       // rate at which it empties
  bool pfc = false;                    // pause the sender by the thresholds below
  std::uint32_t xoff = kMaxCells;      // [cells] XOFF at this fill or above
  std::uint32_t xon = 0;               // [cells] XON at this fill or below
};

// Fill level of a receiver that accepts every good frame: it exists in the card's counters only.
struct VirtualBuffer {
  std::uint32_t cell_bytes = 1;     // a power of two, 1 to 2048
  std::int32_t overhead_bytes = 0;  // added to each frame, -128 to 127
  bool by_dscp = false;             // priority: upper three bits of the DSCP; else of the VLAN tag
  std::uint32_t default_priority = 0;       // of frames that have neither
  std::uint16_t quanta = 0xFFFF;            // of its XOFF frames
  Picoseconds refresh = microseconds(100);  // XOFF again after this time, as long as it lasts
  std::array<BufferLevel, 8> levels{};
};

// Credit-based flow control. Virtual channels are the priorities; a credit is a cell of the virtual
// buffer, which grants the cells that it has freed.
struct Cbfc {
  // Per channel: send only within this many credits.
  std::array<std::optional<std::uint32_t>, 8> credit_limit{};
  std::uint8_t receive = 0;  // channels that grant credits
  Picoseconds cf_min;        // shortest time from one CF_Update to the next
  Picoseconds cf_max;        // all totals again after this time; zero: never
  Picoseconds cc_period;     // from one CC_Update to the next; zero: none
};

// Priorities that became paused and priorities that are no longer paused, at one time.
struct PauseEvent {
  Picoseconds time;   // card time, to a clock
  bool sent = false;  // pauses that this port sent; false: that it received
  std::uint8_t starts = 0;
  std::uint8_t ends = 0;

  bool operator==(const PauseEvent&) const = default;
};

// Sticky faults.
struct FlowControlFaults {
  bool storm_late = false;    // a storm was started after its time
  bool pauses_lost = false;   // the log was full
  bool credit_error = false;  // the totals of both ends contradict each other
};

// Made by Driver::flowControl(). Methods throw Error(kUsage) for values outside the card's range,
// Error(kUnsupported) for features that it lacks, and Error(kTester) when it does not answer in
// time.
class FlowControl {
 public:
  struct Abilities {
    bool pfc_send = false;
    bool cbfc = false;
    std::uint32_t clock_period_num = 0;  // clock period in ps as a fraction
    std::uint32_t clock_period_den = 1;
  };

  // `base`: bus address of the port's registers.
  FlowControl(RegisterBus& bus, std::uint32_t base, const Abilities& abilities);

  // Turns everything off: no storm, buffer, credits, log; blocked frames are given up. The log
  // keeps its entries.
  void reset();

  // Source address of the port's control frames.
  void setSource(const std::array<std::uint8_t, 6>& address);
  // Whether a frame that is due while its priority is paused or without credit waits, or is given
  // up.
  void setWait(bool wait);

  // Sends one frame, and returns when it has left.
  void send(const PfcFrame& frame);

  void startStorm(const PfcStorm& storm);
  void stopStorm();
  [[nodiscard]] bool stormActive();
  // Remaining frames of a storm with an end.
  [[nodiscard]] std::uint32_t stormLeft();

  void setBuffer(const VirtualBuffer& buffer);
  [[nodiscard]] std::uint32_t bufferFill(std::uint32_t priority);  // [cells]

  // The buffer's cell must be 32 bytes at least. Zeroes all totals.
  void setCbfc(const Cbfc& cbfc);
  [[nodiscard]] std::uint32_t creditsUsed(std::uint32_t channel);

  // Starts or ends the recording of pauses.
  void setPauseLog(bool record);
  // Takes the entries of the log, oldest first.
  [[nodiscard]] std::vector<PauseEvent> readPauses();

  [[nodiscard]] FlowControlFaults faults();

 private:
  void write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  void require(bool present, const char* what) const;
  [[nodiscard]] std::uint32_t clocks(Picoseconds time, const char* what) const;

  RegisterBus& bus_;
  std::uint32_t base_;
  Abilities abilities_;
};

}  // namespace plumbline::card
