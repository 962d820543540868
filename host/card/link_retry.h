// Link-level retry at one port of the card: configuration, state, counters (docs/card.md,
// "Link-level retry"). Retry times are read by the driver (Driver::retryLatency).
#pragma once

#include <cstdint>

#include "base/units.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Treatment of eligible frames before the sender and its peer are initialised.
enum class LlrAction : std::uint8_t { kDiscard = 0, kBlock = 1, kBestEffort = 2 };

enum class LlrTxState : std::uint8_t {
  kOff = 0,
  kInit = 1,     // INIT is sent until the peer echoes it
  kAdvance = 2,  // frames are numbered and kept
  kReplay = 3,   // kept frames are sent again
  kFlush = 4,    // given up
};

enum class LlrRxState : std::uint8_t { kOff = 0, kSendAcks = 1, kSendNack = 2, kNackSent = 3 };

// Cause of a retry, as seen by its receiver.
enum class RetryCause : std::uint8_t { kDamaged = 0, kMissing = 1 };

// Largest sequence number, and largest replay count.
inline constexpr std::uint32_t kLlrMaxSeq = (1U << 20) - 1;
inline constexpr std::uint32_t kLlrMaxReplays = 254;

// Times are rounded up to clocks of the card. The defaults are those of the drafts of the link
// layer where they give one.
struct LlrConfig {
  bool send = true;     // number, keep and replay
  bool receive = true;  // check frames, acknowledge them, request replays
  bool re_init_on_flush = true;
  bool mac_control_eligible = false;
  bool init_data_low_first = false;  // byte order of init_data; high byte first otherwise
  LlrAction init_action = LlrAction::kBlock;
  LlrAction flush_action = LlrAction::kBlock;
  std::uint32_t init_seq = 0;
  std::uint16_t init_data = 0;
  Picoseconds init_interval = microseconds(5);
  std::uint32_t max_frames = 4095;  // outstanding; the buffer may hold fewer
  std::uint32_t max_bytes = 256 * 1024;
  Picoseconds replay_timer = microseconds(20);  // longer than the round trip; zero: never
  std::uint32_t replay_count_max = 1;           // kLlrMaxReplays + 1: no limit
  Picoseconds pcs_lost = microseconds(100);     // zero: never
  Picoseconds data_age;                         // zero: any
  Bytes ack_spacing{2048};                      // as time on a line of `line_rate`
  BitRate line_rate = gigabitsPerSecond(100);
};

struct LlrStatus {
  LlrTxState tx = LlrTxState::kOff;
  LlrRxState rx = LlrRxState::kOff;
  bool link_up = false;
  std::uint32_t outstanding = 0;  // frames
};

// Of one port; tx: as a sender of messages or frames, rx: as their receiver.
struct LlrCounters {
  std::uint64_t tx_init = 0;
  std::uint64_t tx_echo = 0;
  std::uint64_t tx_ack = 0;
  std::uint64_t tx_nack = 0;
  std::uint64_t rx_init = 0;
  std::uint64_t rx_echo = 0;
  std::uint64_t rx_ack = 0;
  std::uint64_t rx_nack = 0;
  std::uint64_t rx_ctl_bad = 0;  // ordered sets without their marks
  std::uint64_t rx_ok = 0;       // eligible frames received, by their FCS
  std::uint64_t rx_poisoned = 0;
  std::uint64_t rx_bad = 0;
  std::uint64_t expected_good = 0;  // with the expected number
  std::uint64_t expected_poisoned = 0;
  std::uint64_t expected_bad = 0;
  std::uint64_t missing_seq = 0;  // gaps found
  std::uint64_t duplicate_seq = 0;
  std::uint64_t rx_replay = 0;     // retries that ended well
  std::uint64_t rx_discarded = 0;  // good frames dropped while waiting for a replay or an INIT
  std::uint64_t seq_error = 0;     // ACKs and NACKs outside the window
  std::uint64_t tx_discarded = 0;  // frames never sent
  std::uint64_t tx_ok = 0;         // eligible frames sent for the first time
  std::uint64_t tx_poisoned = 0;   // the same, poisoned
  std::uint64_t tx_replay = 0;     // replays begun
  std::uint64_t tx_replay_frames = 0;
  std::uint64_t delayed = 0;  // frames that left later than their departure time
  std::uint64_t flushed = 0;  // frames given up
};

// Made by Driver::linkRetry(). Methods throw Error(kUsage) for values outside the card's range.
class LinkRetry {
 public:
  // `base`: bus address of the port's registers; clock period in ps as a fraction.
  LinkRetry(RegisterBus& bus, std::uint32_t base, std::uint32_t clock_period_num,
            std::uint32_t clock_period_den);

  // Takes effect between frames. Enabling a direction starts its initialisation; the receiver must
  // be enabled at the other end.
  void configure(const LlrConfig& config);
  void disable();
  // Gives up outstanding frames and initialises again.
  void reInit();

  [[nodiscard]] LlrStatus status();
  // All latched at one clock edge, as are the port's others.
  [[nodiscard]] LlrCounters counters();

 private:
  [[nodiscard]] std::uint32_t clocks(Picoseconds time, std::uint32_t max, const char* what) const;

  RegisterBus& bus_;
  std::uint32_t base_;
  std::uint64_t period_num_;
  std::uint64_t period_den_;
};

}  // namespace plumbline::card
