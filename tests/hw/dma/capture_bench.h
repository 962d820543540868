// The capture writer of a card of two ports behind its taps, with sources of frames, the host's
// memory and a host that reads the ring: what every test of it needs.
#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "Vtapped_writer.h"
#include "base/random.h"
#include "sim/axi_memory.h"

namespace plumbline::hw_test {

inline constexpr std::size_t kStreams = 4;  // 2p received, 2p + 1 sent
inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kLongestKept = 16384;  // bytes of a frame

// A frame of a stream, made up from its number: everything that its record has to say.
struct SourceFrame {
  std::size_t stream = 0;
  std::uint64_t number = 0;  // within the stream
  std::uint32_t length = 0;

  [[nodiscard]] std::vector<std::uint8_t> bytes() const;
  [[nodiscard]] std::uint64_t timestamp() const;
  [[nodiscard]] std::uint32_t flags() const;  // FCS right, ICRC checked, ICRC right
};

// What the host has read of one record.
struct Record {
  std::uint64_t at = 0;  // bytes of the ring before it
  std::uint32_t number = 0;
  SourceFrame frame;
  std::uint64_t captured = 0;
  bool truncated = false;
};

// Sizes of the harness that a test may choose.
struct CaptureSetup {
  std::uint64_t ring_bytes = 65536;
  sim::AxiTiming timing{};
  // Room that the host leaves unread at most, drawn anew each time it looks [bytes]; 0: it reads
  // everything at once.
  std::uint64_t host_lag = 0;
  std::uint64_t seed = 1;
};

class CaptureBench {
 public:
  static constexpr std::uint64_t kRingAddress = 0x40'1234'5000;

  explicit CaptureBench(const CaptureSetup& setup);

  // Queues a frame for a stream; it is sent when those before it have been and `gap` clocks have
  // passed, or, with a negative gap, as soon as the line at 100 Gb/s has room.
  void send(std::size_t stream, std::uint32_t length, int gap = kLineRate);
  static constexpr int kLineRate = -1;

  void enable(bool on) { model_->enable_i = on ? 1 : 0; }
  void hostReads(bool on) { host_reads_ = on; }
  // Makes the length in the next descriptor of a stream wrong.
  void spoilDescriptor(std::size_t stream) { spoil_[stream] = true; }
  // The ring is begun anew: forgets where the host has read.
  void restartHost();

  void clock();
  void run(std::uint64_t clocks) {
    for (std::uint64_t i = 0; i < clocks; ++i) clock();
  }
  // Until all frames have been sent and nothing has moved for a while.
  void settle();

  [[nodiscard]] bool sending() const;
  // Frames queued or sent of a stream without a record yet, as far as is known.
  [[nodiscard]] std::uint64_t open(std::size_t stream) const {
    return streams_[stream].next_number - dropped_[stream] - whole_[stream];
  }
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  void forgetRecords() { records_.clear(); }
  [[nodiscard]] std::uint64_t sent(std::size_t stream) const { return sent_[stream]; }
  [[nodiscard]] std::uint64_t dropped(std::size_t stream) const { return dropped_[stream]; }
  [[nodiscard]] std::uint64_t droppedInAll() const;
  // Records that say the whole frame was captured.
  [[nodiscard]] std::uint64_t whole(std::size_t stream) const { return whole_[stream]; }
  [[nodiscard]] std::uint64_t written() const { return model_->written_o * 64; }
  [[nodiscard]] std::uint64_t beatsWritten() const { return beats_written_; }
  [[nodiscard]] std::uint64_t writeErrors() const { return write_errors_; }
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  sim::AxiWriteSlave& memory() { return memory_; }
  sim::DeviceMemory& buffers() { return buffers_; }
  // Records in memory that failed are not looked at: from here on nothing is.
  void lookAway() { looks_ = false; }

 private:
  struct Queued {
    SourceFrame frame;
    int gap;
  };
  struct Stream {
    std::deque<Queued> queued;
    std::vector<std::uint8_t> bytes;  // of the frame on its way
    std::size_t beat = 0;
    std::uint64_t wait_until = 0;  // clock
    std::int64_t line_free_ps = 0;
    std::deque<std::pair<std::uint64_t, SourceFrame>> descriptors;  // clock, frame
    std::uint64_t next_number = 0;
    std::uint64_t last_recorded = 0;  // number + 1
  };

  void driveSource(std::size_t s);
  void readRing();
  Record parse(std::uint64_t at) const;

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtapped_writer> model_;
  CaptureSetup setup_;
  RandomStream random_;
  std::vector<std::uint8_t> ring_;
  sim::DeviceMemory buffers_;
  sim::AxiWriteSlave memory_;
  std::array<Stream, kStreams> streams_;
  std::array<std::uint64_t, kStreams> sent_{};
  std::array<std::uint64_t, kStreams> dropped_{};
  std::array<std::uint64_t, kStreams> whole_{};
  std::array<bool, kStreams> spoil_{};
  std::vector<Record> records_;
  std::uint64_t clock_ = 0;
  std::uint64_t read_ = 0;      // bytes that the host has read
  std::uint64_t released_ = 0;  // and given back
  std::uint32_t next_record_ = 0;
  std::uint64_t beats_written_ = 0;
  std::uint64_t write_errors_ = 0;
  std::uint64_t mismatches_ = 0;
  bool host_reads_ = true;
  bool looks_ = true;
};

}  // namespace plumbline::hw_test
