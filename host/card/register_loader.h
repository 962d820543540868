// Register accesses in a list that the card fetches and carries out by itself.
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
  // `bus` must outlive it. `buffer`: where lists and the answers of their reads lie; longer ones go
  // in pieces. Errors of both are passed on.
  RegisterLoader(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer);

  // Returns when the card has done all of `accesses`, in their order; none of them to the DMA
  // itself. The value: what the reads gave. Throws Error(kTester) naming the register when the card
  // could not.
  std::vector<std::uint32_t> run(std::span<const RegisterAccess> accesses);

 private:
  void runPiece(std::span<const RegisterAccess> accesses, std::vector<std::uint32_t>& answers);

  RegisterBus& bus_;
  DmaRegisters registers_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::size_t most_;        // entries of a piece, which are at the buffer's begin
  std::size_t answers_at_;  // offset of the answers in the buffer
};

}  // namespace plumbline::card
