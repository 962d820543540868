// The register bus of a card in a PCIe slot, through the Xilinx Runtime (XRT); its emulation mode
// works the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "card/card_dma.h"
#include "card/register_bus.h"

namespace plumbline::card {

struct XrtOptions {
  // As `xbutil examine` counts them ("0"), or the PCIe address ("0000:3b:00.1").
  std::string device = "0";
  std::filesystem::path xclbin;  // the packed card
};

// A device that the runtime has found, whatever is loaded into it.
struct XrtDevice {
  std::string number;  // "0"
  std::string bdf;     // "0000:3b:00.1"; empty where the runtime does not say
  std::string name;    // of its platform
};

// How many devices this host has, none of them opened; under the runtime's emulation one. Throws as
// xrtDevices().
std::uint32_t xrtDeviceCount();
// The devices of this host, in the runtime's order. Throws Error(kUnsupported) when the runtime is
// not set up.
std::vector<XrtDevice> xrtDevices();

// Opens the device, loads the xclbin unless the device runs it already (that of the same UUID), and
// takes the card for itself: no second process can have it. Registers are single accesses of a
// user-managed kernel. Captures, and long lists of accesses, go through buffers in the memory bank
// that the xclbin connects the card to, taken when they are first needed; a card without a DMA has
// no captures.
class XrtBus final : public RegisterBus {
 public:
  // Throws Error(kUnsupported) when there is no XRT, no such device, or the xclbin holds no
  // Plumbline card for it; Error(kUsage) when there is no such file.
  explicit XrtBus(const XrtOptions& options);
  ~XrtBus() override;

  // Throw Error(kTester) when the device is gone: the runtime says so, or all that is read is ones,
  // as of a PCIe slot in which nothing answers.
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  std::vector<std::uint32_t> accessAll(std::span<const RegisterAccess> accesses) override;
  // Sleeps, then looks at the card's clock until it has gone on by `duration`: an emulated card's
  // is slow.
  void wait(Picoseconds duration) override;
  void startCapture() override;
  void stopCapture() override;
  std::vector<CapturedFrame> takeCaptured() override;

  // The device and what runs on it, for people: number, platform, UUID of the xclbin.
  [[nodiscard]] const std::string& description() const;

 private:
  class Impl;

  [[nodiscard]] Picoseconds cardTime();

  std::unique_ptr<Impl> impl_;
  CardDma dma_;
};

}  // namespace plumbline::card
