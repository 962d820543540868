// Drives plumb_tx clock by clock: its card time, its tables, its MAC; gathers what it sends.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tests/hw/tx/tx_flow.h"
#include "wire/bytes.h"

class Vplumb_tx;
class VerilatedContext;

namespace plumbline::test {

// Time of clock edge n [ps].
constexpr std::uint64_t edgeTime(std::uint64_t n) { return n * 102400 / 33; }

constexpr std::uint64_t kClockPs = 3104;  // one clock, rounded up

// Time on the wire of a frame with all that goes with it, at 100 Gb/s [ps].
constexpr std::uint64_t slot(std::uint32_t length) { return (length + 20) * 80ULL; }

// tx_user_o: what plumb_tx says of a frame beside it.
struct SentUser {
  bool control = false;
  bool icrc = false;
  std::uint32_t priority = 0;
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint32_t length = 0;

  bool operator==(const SentUser&) const = default;
};

struct SentFrame {
  SentUser user;
  std::uint64_t departure = 0;   // tx_departure_o
  std::uint64_t crossing = 0;    // time of the edge at which the first beat crossed
  std::uint64_t first_edge = 0;  // its number
  std::uint64_t last_edge = 0;   // of the last beat's edge
  std::uint32_t length = 0;
  wire::Buffer bytes;  // empty unless TxBench::keep_bytes
};

// An entry of the schedule; due is Q64.16 ps from the epoch.
struct Entry {
  Due due = 0;
  std::uint32_t flow = 0;
};

// Credit that lets every frame go.
inline constexpr std::uint32_t kUnlimitedCredit = 0x3FFF;

struct TxCounters {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t late = 0;
  std::uint64_t late_max_ps = 0;
  std::uint64_t pfc_skipped = 0;
  std::uint64_t credit_skipped = 0;
  std::uint64_t waited = 0;
  std::uint64_t stall_clocks = 0;
  std::uint64_t displaced = 0;
  std::uint64_t displaced_max_ps = 0;

  bool operator==(const TxCounters&) const = default;
};
void PrintTo(const TxCounters& counters, std::ostream* out);

struct TxState {
  std::uint64_t sequence = 0;
  std::uint64_t bursts = 0;
  std::uint64_t in_burst = 0;

  bool operator==(const TxState&) const = default;
};
void PrintTo(const TxState& state, std::ostream* out);

class TxBench {
 public:
  TxBench();  // reset and the clear behind it are over; byte time 80 ps, start time 20 us
  ~TxBench();

  // One clock. Checks the rules of AXI4-Stream as it goes.
  void clock();
  void clocks(std::uint64_t n);
  // Runs until active_o is low (at most `limit` clocks; a test failure beyond).
  void runUntilIdle(std::uint64_t limit);
  [[nodiscard]] std::uint64_t edge() const { return edge_; }
  [[nodiscard]] std::uint64_t now() const { return edgeTime(edge_); }

  // Lets the clock run to edge `edge` without running the model: time that nothing happens in.
  void skipTo(std::uint64_t edge);

  // MAC: tready of each clock.
  std::function<bool()> ready;
  std::function<void(const SentFrame&)> on_frame;  // instead of collecting in `sent`
  bool keep_bytes = false;
  std::vector<SentFrame> sent;
  std::uint64_t stall_pulses = 0;
  std::uint64_t late_pulses = 0;

  // Tables. Returns the clocks from request to acknowledge.
  std::uint64_t writeRow(std::uint32_t table, std::uint32_t row, const Row& data);
  std::uint64_t readRow(std::uint32_t table, std::uint32_t row, Row& data);
  void loadFlow(std::uint32_t flow, const FlowConfig& config);
  // Writes the entries in order of due time (then flow) from the root on.
  void loadSchedule(std::vector<Entry> entries);
  TxState state(std::uint32_t flow);

  // Inputs.
  void setRunning(bool running);
  void setEnable(bool enable);
  void setStartTime(std::uint64_t ps);
  [[nodiscard]] std::uint64_t startTime() const;
  void setByteTime(std::uint32_t ps);
  void setOffset(std::int32_t ps);
  void setLateThreshold(std::uint32_t ps);
  void setPaused(std::uint32_t mask);
  void setUntil(std::uint32_t priority, std::uint64_t ps);  // card time at which a pause runs out
  void setCredit(std::uint32_t priority, std::uint32_t bytes);  // longest frame that may go
  void setCreditBusy(std::uint32_t mask);
  void setWait(bool wait);

  // Control frames: requested at once, offered one after the other.
  void requestControl(const std::array<std::uint8_t, 60>& bytes);
  void pulseClear();  // the pulse only
  void clear();       // and until it is done

  [[nodiscard]] TxCounters counters() const;
  [[nodiscard]] bool active() const;
  [[nodiscard]] bool clearBusy() const;

 private:
  void offerControl();
  void takeControlFrame();
  std::uint64_t access(std::uint32_t table, std::uint32_t row, bool write, Row& data);

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_tx> model_;
  std::uint64_t edge_ = 0;  // the last edge that was
  SentFrame frame_;
  bool inside_ = false;
  std::array<std::uint32_t, 16> held_{};  // beat offered and not taken
  bool holding_ = false;
  std::deque<std::array<std::uint8_t, 60>> control_;  // not yet taken
  bool control_sent_ = false;                         // the first was taken in the last clock
};

}  // namespace plumbline::test
