// Two plumb_llr back to back on a simulated link: lines of 100 Gb/s with a delay, on which frames
// and ordered sets can be lost or damaged on purpose.
//
// Either end has a source, which offers queued frames to the sender as fast as it takes them, and a
// sink, which gathers what the receiver passes on.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "wire/bytes.h"

class Vplumb_llr;
class VerilatedContext;

namespace plumbline::test {

// Time of clock edge n [ps].
constexpr std::int64_t edgeTime(std::int64_t n) { return n * 102400 / 33; }
// The first edge at or after `time`.
std::int64_t edgeAt(std::int64_t time);

// The delay of 100 m of fibre [ps].
constexpr std::int64_t kHundredMetres = 500'000;
constexpr std::int64_t kByteTimePs = 80;
constexpr std::uint64_t kOrdinaryPreamble = 0xD5555555555555;

// Fields of an ordered set, taken apart independently of the RTL.
struct OrderedSet {
  std::uint32_t type = 0;  // 1 ACK, 2 NACK, 3 INIT, 4 ECHO
  std::uint32_t seq = 0;
  std::uint32_t d5 = 0;
  std::uint32_t d6 = 0;
  bool marked = false;

  static OrderedSet of(std::uint64_t word);
  [[nodiscard]] std::uint64_t word() const;
};

// Configuration of one end; times in clocks.
struct LlrSettings {
  bool tx_enable = true;
  bool rx_enable = true;
  bool re_init_on_flush = true;
  std::uint32_t init_action = 1;  // 0 discard, 1 block, 2 best effort
  std::uint32_t flush_action = 1;
  bool mac_control_eligible = false;
  bool init_data_low_first = false;
  bool nack_once = false;
  std::uint32_t init_seq = 0;
  std::uint32_t init_data = 0x1234;
  std::uint32_t init_interval = 1000;
  std::uint32_t max_frames = 4000;
  std::uint32_t max_bytes = 200'000;
  std::uint32_t replay_timer = 2000;
  std::uint32_t replay_count_max = 255;
  std::uint32_t pcs_lost = 100'000;
  std::uint32_t data_age = 0;
  std::uint32_t ack_spacing = 53;
};

// A frame for a source.
struct SourceFrame {
  wire::Buffer bytes;  // with FCS
  bool control = false;
  bool poisoned = false;
};

// A frame on the line.
struct LineFrame {
  wire::Buffer bytes;
  std::uint64_t preamble = 0;
  std::int64_t first_bit = 0;  // ps, on the line
  bool replay = false;
  std::uint64_t departure = 0;  // as the sender says
  std::uint32_t number = 0;     // of its flow, as the sender says

  [[nodiscard]] bool eligible() const { return (preamble & 0xF) == 0x7; }
  [[nodiscard]] std::uint32_t seq() const;
};

// A frame that a sink has got.
struct SinkFrame {
  wire::Buffer bytes;
  std::int64_t stamp = 0;  // card time at which it came [ps]
  std::int64_t clock = 0;  // in which its first beat was passed on
};

struct LlrCounters {
  // In the order of the RTL.
  std::uint64_t tx_init, tx_echo, tx_ack, tx_nack, rx_init, rx_echo, rx_ack, rx_nack, rx_ctl_bad;
  std::uint64_t rx_ok, rx_poisoned, rx_bad, expected_good, expected_poisoned, expected_bad;
  std::uint64_t missing_seq, duplicate_seq, rx_replay, rx_discarded;
  std::uint64_t seq_error, tx_discarded, tx_ok, tx_poisoned, tx_replay, tx_replay_frames, delayed;
  std::uint64_t flushed;
};

// Retries as the histogram block has them.
struct RetryGroup {
  std::uint64_t count = 0;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::uint64_t sum = 0;
};

class LlrLink {
 public:
  enum class Fate { kPass, kDamage, kLose };

  LlrLink(const LlrSettings& left, const LlrSettings& right, std::int64_t delay_ps);
  ~LlrLink();

  void clock();
  void clocks(std::int64_t n);
  // Until `done`, at most `limit` clocks (a test failure beyond).
  void runUntil(const std::function<bool()>& done, std::int64_t limit);
  // Until both ends have left Init.
  void bringUp();
  [[nodiscard]] std::int64_t edge() const { return edge_; }

  void configure(int side, const LlrSettings& settings);
  void setLinkUp(int side, bool up);
  void pulseReInit(int side);
  void pulseClear(int side);

  // What happens to what a side sends; a frame may be changed. Default: everything passes.
  std::function<Fate(int side, LineFrame& frame)> on_frame;
  std::function<bool(int side, std::uint64_t& set)> on_set;
  // Frame and ordered set as sent, before anything happens to them.
  std::function<void(int side, const LineFrame& frame)> saw_frame;
  std::function<void(int side, const OrderedSet& set, std::int64_t edge)> saw_set;
  std::function<bool()> mac_ready;      // tready of each clock
  std::function<bool()> source_bubble;  // true: the source offers nothing in this clock
  std::function<void(int side, SinkFrame frame)> on_received;
  // Puts an ordered set on the line towards `side`, as if the peer had sent it.
  void inject(int side, std::uint64_t set);
  // A set for a side's arbiter from somebody else than LLR.
  void offerSet(int side, std::uint64_t set);

  std::array<std::deque<SourceFrame>, 2> source;

  [[nodiscard]] LlrCounters counters(int side) const;
  [[nodiscard]] std::uint32_t txState(int side) const;
  [[nodiscard]] std::uint32_t rxState(int side) const;
  [[nodiscard]] std::uint32_t outstanding(int side) const;
  [[nodiscard]] bool hold(int side) const;
  RetryGroup retries(int side, std::uint32_t group);
  std::uint64_t retryBucket(int side, std::uint32_t group, std::uint32_t bucket);
  // Nothing queued, on its way or outstanding.
  [[nodiscard]] bool quiet() const;

 private:
  struct End;
  struct Arriving;

  void driveSource(End& end, int side);
  void driveLine(End& end);
  void takeSent(End& end, int side);
  void takeReceived(End& end, int side);
  void finishFrame(End& end, int side);
  void placeSet(End& end, int side);

  std::unique_ptr<VerilatedContext> context_;
  std::int64_t delay_;
  std::int64_t edge_ = 0;
  std::array<std::unique_ptr<End>, 2> ends_;
};

// A good frame of `length` bytes that carries `number` behind the Ethernet header.
wire::Buffer numberedFrame(std::uint64_t number, std::size_t length);
std::uint64_t numberOf(const wire::Buffer& frame);

}  // namespace plumbline::test
