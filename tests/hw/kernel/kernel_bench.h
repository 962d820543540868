// The packed kernel (plumb_kernel) as on a board: its register bus on ap_clk, models of its two
// MACs, each with a clock of its own, a cable between them, and memory at m_axi. A register bus
// whose time passes with its accesses.
#pragma once

#include <Vplumb_kernel.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "card/card_dma.h"
#include "card/register_bus.h"
#include "sim/axi_lite_master.h"
#include "sim/axi_memory.h"
#include "sim/mac_rx_model.h"
#include "sim/mac_status_model.h"
#include "sim/mac_tx_model.h"
#include "sim/wire.h"
#include "tests/hw/shared_memory.h"

namespace plumbline::hw_test {

// What a board may differ in.
struct KernelOptions {
  std::int64_t second_clock_ppm = 0;  // by which the second MAC's clock is slower than the first's
  Picoseconds second_clock_phase{1'000};
  // Bytes that may wait in a MAC for the wire before it withholds tready.
  std::int64_t mac_fifo_bytes = 8192;
};

class KernelBench final : public card::RegisterBus {
 public:
  static constexpr std::uint32_t kPorts = 2;
  // Of the cable: long enough for the longest frame to have left the card before its first bit
  // arrives.
  static constexpr Picoseconds kCableDelay = nanoseconds(800);

  // Comes up out of ap_rst_n.
  explicit KernelBench(const KernelOptions& options = {});
  ~KernelBench() override;
  KernelBench(const KernelBench&) = delete;
  KernelBench& operator=(const KernelBench&) = delete;

  // An access as the host's bus sees it.
  struct Answer {
    std::uint8_t response;  // 0: done, 2: SLVERR
    std::uint32_t value;
    std::int64_t clocks;  // of ap_clk until the answer
  };
  Answer tryRead(std::uint32_t offset);
  Answer tryWrite(std::uint32_t offset, std::uint32_t value);

  // Both throw Error(kTester) for SLVERR.
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  // Through lists in memory once useMemory() has been called.
  std::vector<std::uint32_t> accessAll(std::span<const card::RegisterAccess> all) override;
  void wait(Picoseconds duration) override;
  void startCapture() override { dma_->startCapture(); }
  void stopCapture() override;
  std::vector<card::CapturedFrame> readCaptured() override { return dma_->readCaptured(); }
  // From now on captures and long lists of accesses go through the memory at m_axi.
  void useMemory();

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] Vplumb_kernel& pins() { return *kernel_; }
  // Conditions of a MAC's link and clock.
  void setConditions(std::uint32_t port, const sim::MacConditions& conditions) {
    macs_[port].setConditions(conditions, now_);
  }
  // Bursts at m_axi that the memory has answered, and beats that it has given.
  [[nodiscard]] std::uint64_t memoryWrites() const { return memory_write_->answered(); }
  [[nodiscard]] std::uint64_t memoryBeatsRead() const { return memory_read_->beatsGiven(); }

  // Frames that the MACs have taken from the kernel, whatever became of them on the cable.
  std::array<std::vector<sim::FrameBytes>, kPorts> sent;
  // Of these, frames with another preamble than the ordinary one.
  std::array<std::int64_t, kPorts> other_preambles{};
  // The MAC flags the next frame that it receives as damaged.
  std::array<bool, kPorts> flag_next{};
  // Called before each edge of a MAC's clock, to set pins that the models leave alone.
  std::function<void(std::uint32_t port)> before_mac_edge;
  // Clocks in which a MAC withheld tready while the kernel offered a beat.
  std::array<std::int64_t, kPorts> withheld{};
  [[nodiscard]] std::uint64_t underruns(std::uint32_t port) const {
    return tx_[port].stats().underruns;
  }

 private:
  // A clock: its edges are at phase + n * num / den [ps].
  struct Clock {
    std::int64_t num;
    std::int64_t den;
    Picoseconds phase;
    std::int64_t edges = 0;
    [[nodiscard]] Picoseconds next() const { return phase + Picoseconds(edges * num / den); }
  };

  Answer finish();
  void step();
  void apEdge();
  void macEdge(std::uint32_t port);
  void takeSentBeat(std::uint32_t port);
  void forward(std::uint32_t from, sim::MacTxModel::Sent sent);
  void driveMac(std::uint32_t port);
  void playStatus(std::uint32_t port);
  void setClockPin(std::uint32_t port, bool level);

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vplumb_kernel> kernel_ = std::make_unique<Vplumb_kernel>(context_.get());
  sim::AxiLiteMaster axi_;
  SharedMemory memory_;
  std::optional<sim::AxiWriteSlave> memory_write_;
  std::optional<sim::AxiReadSlave> memory_read_;
  std::optional<card::CardDma> dma_;
  std::array<sim::MacStatusModel, kPorts> macs_{sim::MacStatusModel(1), sim::MacStatusModel(2)};
  std::vector<sim::MacTxModel> tx_;
  std::array<sim::MacRxModel, kPorts> rx_;
  std::array<bool, kPorts> inside_frame_{};  // of what is received
  Clock ap_{10'000, 3, Picoseconds(500)};
  std::array<Clock, kPorts> mac_clocks_;
  Picoseconds now_;
  Picoseconds next_play_;
};

}  // namespace plumbline::hw_test
