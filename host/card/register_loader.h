// Lists of register accesses that the card fetches and executes itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "card/device_buffer.h"
#include "card/dma_registers.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Not thread-safe.
class RegisterLoader {
 public:
  // `bus` must outlive it. `buffer`: memory for lists and the results of their reads; longer lists
  // are split. Errors of both are passed on.
  RegisterLoader(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer);

  // Returns when the card has executed all of `accesses` in order, none of which may be to the DMA
  // itself. Returns the results of the reads. Throws Error(kTester) naming the register when the
  // card failed.
  std::vector<std::uint32_t> run(std::span<const RegisterAccess> accesses);

 private:
  void runPiece(std::span<const RegisterAccess> accesses, std::vector<std::uint32_t>& answers);

  RegisterBus& bus_;
  DmaRegisters registers_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::size_t most_;        // most entries per piece, which are at the buffer's beginning
  std::size_t answers_at_;  // offset of the results in the buffer
};

}  // namespace plumbline::card
