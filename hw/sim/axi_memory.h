// The host's memory as the card's DMA sees it: the slave end of an AXI4 bus of 512 bits, in front
// of buffers of ours. It takes and answers when it is told to, and holds the master to the
// protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"

namespace plumbline::sim {

inline constexpr std::size_t kAxiBeatBytes = 64;
// No burst crosses a multiple of this.
inline constexpr std::uint64_t kAxiPageBytes = 4096;
inline constexpr std::size_t kAxiMaxBeats = 64;

// Answers of the bus, as in its response pins.
enum class AxiResponse : std::uint8_t {
  kOkay = 0,
  kSlaveError = 2,   // the memory has failed there
  kDecodeError = 3,  // nothing is at that address
};

// The write channels; constant pins are outputs of the master.
struct AxiWritePins {
  const std::uint64_t* awaddr;
  const std::uint8_t* awlen;
  const std::uint8_t* awsize;   // null: the master has no such pin and means 64 bytes
  const std::uint8_t* awburst;  // null: likewise, and means INCR
  const std::uint8_t* awvalid;
  std::uint8_t* awready;
  const std::uint32_t* wdata;
  const std::uint64_t* wstrb;  // null: likewise, and means all bytes
  const std::uint8_t* wlast;
  const std::uint8_t* wvalid;
  std::uint8_t* wready;
  std::uint8_t* bresp;
  std::uint8_t* bvalid;
  const std::uint8_t* bready;
};

// The read channels.
struct AxiReadPins {
  const std::uint64_t* araddr;
  const std::uint8_t* arlen;
  const std::uint8_t* arsize;   // null: as awsize
  const std::uint8_t* arburst;  // null: as awburst
  const std::uint8_t* arvalid;
  std::uint8_t* arready;
  std::uint32_t* rdata;
  std::uint8_t* rresp;
  std::uint8_t* rlast;  // null: the master has no such pin
  std::uint8_t* rvalid;
  const std::uint8_t* rready;
};

// When a channel takes and answers. Without changes: everything at once.
struct AxiTiming {
  // How often addresses and data are taken (data: offered, when the master reads) [of 16 clocks].
  std::uint32_t address_sixteenths = 16;
  std::uint32_t data_sixteenths = 16;
  // Clocks from a burst's address and last beat to its answer (from its address to its first beat,
  // when the master reads): drawn evenly, answers stay in order.
  std::uint32_t min_latency = 1;
  std::uint32_t max_latency = 1;
  std::uint64_t seed = 1;
};

// Buffers at addresses of the bus.
class DeviceMemory {
 public:
  // Puts `bytes`, which stay the caller's and must outlive this, at `address`. Throws
  // Error(kTester) if something is there already or either end is no multiple of 64.
  void map(std::uint64_t address, std::span<std::uint8_t> bytes);
  // From now on every access that touches [address, address + size) is answered with kSlaveError.
  void fail(std::uint64_t address, std::uint64_t size);

  // The bytes of one beat at `address`, or how the bus answers in their place.
  struct Place {
    AxiResponse response;
    std::uint8_t* bytes;  // kAxiBeatBytes of them; null unless kOkay
  };
  [[nodiscard]] Place find(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t address;
    std::uint64_t size;
    std::uint8_t* bytes;
  };
  static const Range* containing(const std::vector<Range>& ranges, std::uint64_t address);

  std::vector<Range> buffers_;
  std::vector<Range> failing_;
};

// Takes what an AXI4 master writes. What it has written shows in the memory when the answer is
// given, not before.
class AxiWriteSlave {
 public:
  // `memory` must outlive this.
  AxiWriteSlave(const AxiWritePins& pins, const DeviceMemory& memory, const AxiTiming& timing = {});

  // Just before a clock edge: takes note of the handshakes that this edge completes. Throws
  // Error(kTester) when the master breaks the protocol: a burst that crosses 4 KiB, a wlast
  // elsewhere than its address said, bytes left out, anything changed that was not taken yet.
  void sample();
  // Just after a clock edge: sets the pins for the coming clock.
  void drive();

  // Bursts that have been answered, and those that were not.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] std::size_t underWay() const { return bursts_.size(); }
  // Until it is called again with false no answer is given.
  void holdAnswers(bool hold) { hold_answers_ = hold; }
  [[nodiscard]] AxiTiming& timing() { return timing_; }

 private:
  struct Burst {
    std::uint64_t address;
    std::size_t beats;
    std::optional<std::uint64_t> due;  // clock of the answer; none while its data are awaited
  };
  static constexpr std::size_t kBeatWords = kAxiBeatBytes / sizeof(std::uint32_t);
  struct Beat {
    std::array<std::uint32_t, kBeatWords> words;
    bool last;
  };

  void takeAddress();
  void takeData();
  // Compares bursts with the data that have come and sets when they are answered.
  void match();
  AxiResponse store(const Burst& burst);

  AxiWritePins pins_;
  const DeviceMemory& memory_;
  AxiTiming timing_;
  RandomStream random_;
  std::uint64_t clock_ = 0;
  std::uint64_t last_due_ = 0;
  std::uint64_t answered_ = 0;
  bool hold_answers_ = false;
  bool answering_ = false;  // the first burst's answer is on the pins
  std::deque<Burst> bursts_;
  std::size_t matched_ = 0;  // bursts at the front that have all their data

  std::deque<Beat> beats_;        // of bursts that were not answered, in order
  std::deque<std::size_t> ends_;  // beats of each burst of data that is whole and has no address
  std::size_t arriving_ = 0;      // beats of the burst of data that is not whole
  std::optional<Burst> held_address_;  // offered and not taken
  std::optional<Beat> held_beat_;
};

// Gives an AXI4 master what it reads, in order.
class AxiReadSlave {
 public:
  // `memory` must outlive this.
  AxiReadSlave(const AxiReadPins& pins, const DeviceMemory& memory, const AxiTiming& timing = {});

  // As those of AxiWriteSlave.
  void sample();
  void drive();

  [[nodiscard]] std::uint64_t beatsGiven() const { return given_; }
  [[nodiscard]] AxiTiming& timing() { return timing_; }

 private:
  struct Burst {
    std::uint64_t address;
    std::size_t beats;
    std::uint64_t due;  // clock of the first beat
  };

  // Puts the next beat on the pins.
  void give();

  AxiReadPins pins_;
  const DeviceMemory& memory_;
  AxiTiming timing_;
  RandomStream random_;
  std::uint64_t clock_ = 0;
  std::uint64_t given_ = 0;
  bool giving_ = false;  // a beat is on the pins
  std::deque<Burst> bursts_;
  std::size_t next_beat_ = 0;  // of the first burst
  std::optional<Burst> held_address_;
};

}  // namespace plumbline::sim
