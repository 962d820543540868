// Register writes in a list that the card fetches and carries out by itself.
#pragma once

#include <memory>
#include <span>

#include "card/device_buffer.h"
#include "card/dma_registers.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Not thread-safe.
class RegisterLoader {
 public:
  // `bus` must outlive it. `buffer`: where lists lie; longer ones go in pieces. Errors of
  // both are passed on.
  RegisterLoader(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer);

  // Returns when the card has done all of `writes`, in their order; none of them to the DMA itself.
  // Throws Error(kTester) naming the register when the card could not.
  void load(std::span<const RegisterWrite> writes);

 private:
  void loadPiece(std::span<const RegisterWrite> writes);

  RegisterBus& bus_;
  DmaRegisters registers_;
  std::unique_ptr<DeviceBuffer> buffer_;
};

}  // namespace plumbline::card
