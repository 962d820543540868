// The DMA of a card of one port between a host's register bus, the host's memory and a card that is
// only registers: what every test of it needs.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "Vplumb_dma.h"
#include "base/random.h"
#include "sim/axi_lite_master.h"
#include "sim/axi_memory.h"

namespace plumbline::hw_test {

// A register write, as it is in a list; one with kReadBit in its offset is a read.
struct RegisterWrite {
  std::uint32_t offset = 0;
  std::uint32_t value = 0;

  bool operator==(const RegisterWrite&) const = default;
};

inline constexpr std::uint32_t kReadBit = 0x1'0000;

// The bus from the DMA to the card; constant pins are outputs of the DMA.
struct CardBusPins {
  const std::uint16_t* awaddr;
  const std::uint8_t* awvalid;
  std::uint8_t* awready;
  const std::uint32_t* wdata;
  const std::uint8_t* wstrb;
  const std::uint8_t* wvalid;
  std::uint8_t* wready;
  std::uint8_t* bresp;
  std::uint8_t* bvalid;
  const std::uint8_t* bready;
  const std::uint16_t* araddr;
  const std::uint8_t* arvalid;
  std::uint8_t* arready;
  std::uint32_t* rdata;
  std::uint8_t* rresp;
  std::uint8_t* rvalid;
  const std::uint8_t* rready;
};

// The card's end of the register bus: takes addresses and data when it pleases, apart, and answers
// some clocks later. Reading gives what was written.
class RegisterSlave {
 public:
  RegisterSlave(const CardBusPins& pins, std::uint64_t seed) : pins_(pins), random_(seed, "card") {}

  void sample();
  void drive();
  // From now on an access to `offset` is answered with SLVERR.
  void refuse(std::uint32_t offset) { refused_.push_back(offset); }
  void slowest(std::uint64_t clocks) { slowest_ = clocks; }
  [[nodiscard]] const std::vector<RegisterWrite>& writes() const { return writes_; }
  void forgetWrites() { writes_.clear(); }

 private:
  CardBusPins pins_;
  RandomStream random_;
  std::uint64_t slowest_ = 10;
  std::uint64_t clock_ = 0;
  std::uint64_t due_ = 0;
  bool have_address_ = false;
  bool have_data_ = false;
  bool have_read_ = false;
  bool answered_ = false;
  std::uint32_t address_ = 0;
  std::uint32_t value_ = 0;
  std::vector<std::uint32_t> refused_;
  std::vector<RegisterWrite> writes_;
  std::map<std::uint32_t, std::uint32_t> values_;
};

class DmaBench {
 public:
  explicit DmaBench(const sim::AxiTiming& timing = {}, std::uint64_t seed = 1,
                    std::uint64_t memory_bytes = 1U << 20U);

  void clock();
  // The host's accesses, each to its end.
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  // How the last one was answered; 0 = OKAY.
  [[nodiscard]] std::uint8_t response() const { return host_.response(); }
  [[nodiscard]] std::uint64_t clocks() const { return clock_; }

  // Puts a list at `address` of the memory, filled up with what must never be carried out.
  void placeList(std::uint64_t address, const std::vector<RegisterWrite>& list);
  void startList(std::uint64_t address, std::uint32_t count, std::uint64_t answers = 0);
  // Until LOAD_STATUS says that the list has ended; the status.
  std::uint32_t finishList();

  // One captured frame of `bytes` (received, or sent), beat by beat, and its descriptor behind it.
  void capture(const std::vector<std::uint8_t>& bytes, bool sent);

  static constexpr std::uint64_t kMemoryAddress = 0x12'3456'0000;
  std::vector<std::uint8_t>& memory() { return bytes_; }
  sim::DeviceMemory& buffers() { return buffers_; }
  RegisterSlave& card() { return card_; }

 private:
  void access();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_dma> model_;
  std::vector<std::uint8_t> bytes_;
  sim::DeviceMemory buffers_;
  sim::AxiWriteSlave writer_;
  sim::AxiReadSlave reader_;
  sim::AxiLiteMaster host_;
  RegisterSlave card_;
  std::uint64_t clock_ = 0;
};

}  // namespace plumbline::hw_test
