// The host's memory for the card's DMA: the slave end of an AXI4 bus of 512 bits, in front of given
// buffers. Its ready and response timing is configurable, and it checks the master's protocol.
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

// Values of the bus's response pins (BRESP, RRESP).
enum class AxiResponse : std::uint8_t {
  kOkay = 0,
  kSlaveError = 2,   // the memory has failed there
  kDecodeError = 3,  // nothing is at that address
};

// The write channels; constant pins are outputs of the master.
struct AxiWritePins {
  const std::uint64_t* awaddr;
  const std::uint8_t* awlen;
  const std::uint8_t* awsize;   // null: the master has no such pin; the size is 64 bytes
  const std::uint8_t* awburst;  // null: likewise, and means INCR
  const std::uint8_t* awvalid;
  std::uint8_t* awready;
  const std::uint32_t* wdata;
  const std::uint64_t* wstrb;  // null: likewise; all bytes are valid
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

// Timing of a channel's ready and responses. Default: immediately.
struct AxiTiming {
  // How often addresses and data are accepted (for reads: data are offered) [of 16 clocks].
  std::uint32_t address_sixteenths = 16;
  std::uint32_t data_sixteenths = 16;
  // Clocks from a burst's address and last beat to its response (for reads: from its address to its
  // first beat): drawn uniformly, responses stay in order.
  std::uint32_t min_latency = 1;
  std::uint32_t max_latency = 1;
  std::uint64_t seed = 1;
};

// Buffers at addresses of the bus.
class DeviceMemory {
 public:
  // Maps `bytes`, which the caller owns and which must outlive this, at `address`. Throws
  // Error(kTester) for an overlap or if either end is not a multiple of 64.
  void map(std::uint64_t address, std::span<std::uint8_t> bytes);
  // From now on every access to [address, address + size) is answered with kSlaveError.
  void fail(std::uint64_t address, std::uint64_t size);

  // The bytes of one beat at `address`, or the error response.
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

// Accepts an AXI4 master's writes. Written data becomes visible in the memory with the response,
// not before.
class AxiWriteSlave {
 public:
  // `memory` must outlive this.
  AxiWriteSlave(const AxiWritePins& pins, const DeviceMemory& memory, const AxiTiming& timing = {});

  // Just before a clock edge: records the handshakes that this edge completes. Throws
  // Error(kTester) for a protocol violation of the master: a burst that crosses 4 KiB, wlast at a
  // wrong beat, missing bytes, a change of signals before they were accepted.
  void sample();
  // Just after a clock edge: sets the pins for the coming clock.
  void drive();

  // Bursts with a response, and those still waiting for one.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] std::size_t underWay() const { return bursts_.size(); }
  // Holds back all responses until it is called with false.
  void holdAnswers(bool hold) { hold_answers_ = hold; }
  [[nodiscard]] AxiTiming& timing() { return timing_; }

 private:
  struct Burst {
    std::uint64_t address;
    std::size_t beats;
    std::optional<std::uint64_t> due;  // clock of the response; none while its data are incomplete
  };
  static constexpr std::size_t kBeatWords = kAxiBeatBytes / sizeof(std::uint32_t);
  struct Beat {
    std::array<std::uint32_t, kBeatWords> words;
    bool last;
  };

  void takeAddress();
  void takeData();
  // Matches bursts with arrived data and sets the times of their responses.
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
  bool answering_ = false;  // the first burst's response is on the pins
  std::deque<Burst> bursts_;
  std::size_t matched_ = 0;  // bursts at the front with all their data

  std::deque<Beat> beats_;             // of bursts without a response, in order
  std::deque<std::size_t> ends_;       // beats of each complete burst of data without an address
  std::size_t arriving_ = 0;           // beats of the incomplete burst of data
  std::optional<Burst> held_address_;  // offered and not taken
  std::optional<Beat> held_beat_;
};

// Returns read data to an AXI4 master, in order.
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
