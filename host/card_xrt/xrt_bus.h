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
  // The number shown by `xbutil examine` ("0"), or the PCIe address ("0000:3b:00.1").
  std::string device = "0";
  std::filesystem::path xclbin;  // the packed card
};

// A device that the runtime has found, whatever image is loaded.
struct XrtDevice {
  std::string number;  // "0"
  std::string bdf;     // "0000:3b:00.1"; empty if the runtime does not report it
  std::string name;    // of its platform
};

// Number of devices of this host, without opening them; one under the runtime's emulation. Throws
// as xrtDevices().
std::uint32_t xrtDeviceCount();
// The devices of this host, in the runtime's order. Throws Error(kUnsupported) when the runtime is
// not set up.
std::vector<XrtDevice> xrtDevices();

// Opens the device, loads the xclbin unless the device runs it already (the same UUID), and takes
// exclusive access: no second process can open it. Registers are single accesses of a user-managed
// kernel. Captures, and long lists of accesses, use buffers in the memory bank to which the xclbin
// connects the card, allocated on first use; a card without a DMA has no captures.
class XrtBus final : public RegisterBus {
 public:
  // Throws Error(kUnsupported) without XRT or the device, or when the xclbin has no Plumbline card
  // for it; Error(kUsage) for a missing file.
  explicit XrtBus(const XrtOptions& options);
  ~XrtBus() override;

  // Throw Error(kTester) when the device is gone: the runtime reports it, or all reads return ones,
  // as from an empty PCIe slot.
  std::uint32_t read(std::uint32_t offset) override;
  void write(std::uint32_t offset, std::uint32_t value) override;
  std::vector<std::uint32_t> accessAll(std::span<const RegisterAccess> accesses) override;
  // Sleeps, then polls the card's clock until it has advanced by `duration`: an emulated card's is
  // slow.
  void wait(Picoseconds duration) override;
  void startCapture() override;
  void stopCapture() override;
  std::vector<CapturedFrame> readCaptured() override;

  // The device and its image, for people: number, platform, UUID of the xclbin.
  [[nodiscard]] const std::string& description() const;

 private:
  class Impl;

  [[nodiscard]] Picoseconds cardTime();

  std::unique_ptr<Impl> impl_;
  CardDma dma_;
};

}  // namespace plumbline::card
