// A buffer of the Xilinx Runtime on the card, with its copy in the host.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <string>

#include "card/device_buffer.h"

namespace plumbline::card {

class XrtBuffer final : public DeviceBuffer {
 public:
  // In the memory bank `group` of `device`. `where`: the device, for messages. Throws
  // Error(kTester) when the runtime has no memory for it.
  XrtBuffer(const xrt::device& device, xrt::memory_group group, std::size_t bytes,
            std::string where);

  [[nodiscard]] std::uint64_t address() const override { return buffer_.address(); }
  [[nodiscard]] std::size_t size() const override { return buffer_.size(); }
  void write(std::size_t offset, std::span<const std::uint8_t> bytes) override;
  void read(std::size_t offset, std::span<std::uint8_t> bytes) override;

 private:
  xrt::bo buffer_;
  std::string where_;
};

}  // namespace plumbline::card
