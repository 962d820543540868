// The registers of the card's DMA (docs/registers.md, block "dma"), by their offsets in the block.
#pragma once

#include <cstdint>

#include "card/register_bus.h"
#include "card/registers.h"

namespace plumbline::card {

class DmaRegisters {
 public:
  // `bus` must outlive it. Errors are those of the bus.
  explicit DmaRegisters(RegisterBus& bus) : bus_(bus) {}

  // Whether the card has the block.
  [[nodiscard]] bool present() const { return read(regs::dma::kDmaId) == regs::dma::kDmaIdValue; }

  [[nodiscard]] std::uint32_t read(std::uint32_t offset) const {
    return bus_.read(regs::dma::kBase + offset);
  }
  void write(std::uint32_t offset, std::uint32_t value) const {
    bus_.write(regs::dma::kBase + offset, value);
  }
  // Pairs of registers, the low half at `low`. Reading it latches the high half; writing it takes
  // effect.
  [[nodiscard]] std::uint64_t read64(std::uint32_t low) const {
    const std::uint64_t half = read(low);
    return std::uint64_t{read(low + 4)} << 32U | half;
  }
  void write64(std::uint32_t low, std::uint64_t value) const {
    write(low + 4, static_cast<std::uint32_t>(value >> 32U));
    write(low, static_cast<std::uint32_t>(value));
  }

 private:
  RegisterBus& bus_;
};

}  // namespace plumbline::card
