// Captures by DMA: the card writes records into a ring buffer, which the host reads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "card/capture_records.h"
#include "card/device_buffer.h"
#include "card/dma_registers.h"
#include "card/register_bus.h"

namespace plumbline::card {

// Controls the ring by the registers of the card's DMA. Not thread-safe.
class CaptureRing {
 public:
  // `bus` must outlive it. `buffer`: a multiple of 4096 and less than 2 GiB. `ports`: of the
  // card. Errors of both are passed on.
  CaptureRing(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer, std::uint32_t ports);

  // Begins with an empty ring, whatever its contents.
  void start();
  // Frames written since the last call, whose room returns to the card. Throws Error(kTester) when
  // the card could not write, or for an invalid capture.
  std::vector<CapturedFrame> take();

 private:
  [[nodiscard]] std::vector<std::uint8_t> copyOf(std::uint64_t begin, std::uint64_t bytes);
  void returnBlocks(std::uint64_t read);
  void checkFaults();

  DmaRegisters registers_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::uint32_t ports_;
  CaptureRecords records_;
  std::uint64_t read_ = 0;  // bytes since the start
};

}  // namespace plumbline::card
