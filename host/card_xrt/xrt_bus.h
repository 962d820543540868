// The register bus of a card in a PCIe slot, through the Xilinx Runtime (XRT); its emulation mode
// works the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/register_bus.h"

namespace plumbline::card {

struct XrtOptions {
  std::uint32_t device = 0;      // as `xbutil examine` counts them
  std::filesystem::path xclbin;  // the packed card
};

// Opens the device, loads the xclbin unless the device runs it already, and takes the card for
// itself: no second process can have it. Registers are single accesses of a user-managed kernel.
// What the card captures comes by DMA, which the packed card does not have yet: takeCaptured() is
// always empty.
class XrtBus final : public RegisterBus {
 public:
  // Throws Error(kUnsupported) when there is no XRT, no such device, or the xclbin holds no
  // Plumbline card for it; Error(kUsage) when there is no such file.
  explicit XrtBus(const XrtOptions& options);
  ~XrtBus() override;

  // Throw Error(kTester) when the device is gone.
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  // Sleeps, then looks at the card's clock until it has gone on by `duration`: an emulated card's
  // is slow.
  void wait(Picoseconds duration) override;
  std::vector<CapturedFrame> takeCaptured() override { return {}; }

  [[nodiscard]] const std::string& deviceName() const;  // as the runtime says

 private:
  class Impl;

  [[nodiscard]] Picoseconds cardTime();

  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::card
