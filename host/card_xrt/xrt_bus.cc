#include "card_xrt/xrt_bus.h"

#include <experimental/xrt_ip.h>
#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>
#include <fmt/format.h>
#include <xrt/xrt_device.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/whole_number.h"
#include "card/registers.h"
#include "card_xrt/kernel_layout.h"
#include "card_xrt/xrt_buffer.h"

namespace plumbline::card {
namespace {

// A card whose clock has not advanced far enough after this time has stopped.
constexpr std::chrono::seconds kClockTimeout{60};
// Between two reads of a clock: about the shortest sleep that the system provides.
constexpr std::chrono::microseconds kPollInterval{100};

// Result of reading an empty PCIe slot.
constexpr std::uint32_t kAllOnes = 0xFFFFFFFF;

std::string readOf(std::uint32_t offset) { return fmt::format("read of register {:#06x}", offset); }

std::string instanceName() { return fmt::format("{}:{{{}}}", kKernelName, kKernelInstance); }

// The runtime needs its location in the environment, and reports its absence badly.
void requireRuntime() {
  if (std::getenv("XILINX_XRT") == nullptr) {
    throw Error(ErrorKind::kUnsupported, "the Xilinx Runtime is not set up", "XILINX_XRT",
                "the runtime's directory, as its setup.sh sets it");
  }
}

xrt::device openDevice(const std::string& device) {
  requireRuntime();
  const auto number = wholeNumberUpTo(device, std::numeric_limits<unsigned>::max());
  try {
    return number ? xrt::device(static_cast<unsigned>(*number)) : xrt::device(device);
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUnsupported, fmt::format("no card: {}", fault.what()),
                fmt::format("device {}", device),
                "a device that `plumbline ports` and `xbutil examine` list, with its platform's "
                "driver loaded");
  }
}

// The packed card in the file, with the file.
struct PackedCard {
  xrt::xclbin xclbin;
  xrt::xclbin::ip card;
};

PackedCard readXclbin(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(ErrorKind::kUsage, "there is no such file", path.string(),
                "the packed card, an .xclbin");
  }
  try {
    xrt::xclbin xclbin(path.string());
    for (const xrt::xclbin::ip& ip : xclbin.get_ips()) {
      if (ip.get_name() == fmt::format("{}:{}", kKernelName, kKernelInstance)) return {xclbin, ip};
    }
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUnsupported, fmt::format("not an xclbin: {}", fault.what()),
                path.string(), "the packed card, an .xclbin");
  }
  throw Error(ErrorKind::kUnsupported, "the xclbin holds no Plumbline card", path.string(),
              fmt::format("one with the kernel {}", kKernelName));
}

template <typename List>
auto listed(const List& list) {
  try {
    return list();
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUnsupported, fmt::format("devices cannot be listed: {}", fault.what()),
                "Xilinx Runtime", "what `xbutil examine` says");
  }
}

}  // namespace

std::uint32_t xrtDeviceCount() {
  requireRuntime();
  const unsigned count = listed([] { return xrt::system::enumerate_devices(); });
  // The runtime's emulation reports no devices, but provides every requested one.
  return count == 0 && std::getenv("XCL_EMULATION_MODE") != nullptr ? 1 : count;
}

std::vector<XrtDevice> xrtDevices() {
  const std::uint32_t count = xrtDeviceCount();
  return listed([count] {
    std::vector<XrtDevice> devices;
    for (std::uint32_t number = 0; number < count; ++number) {
      const xrt::device device(number);
      devices.push_back({std::to_string(number), device.get_info<xrt::info::device::bdf>(),
                         device.get_info<xrt::info::device::name>()});
    }
    return devices;
  });
}

class XrtBus::Impl {
 public:
  explicit Impl(const XrtOptions& options) {
    const PackedCard packed = readXclbin(options.xclbin);
    layout_ = packed.card;
    place_ = fmt::format("device {}, {}", options.device, options.xclbin.string());
    device_ = openDevice(options.device);
    try {
      const xrt::uuid uuid = device_.load_xclbin(packed.xclbin);
      card_ = xrt::ip(device_, uuid, instanceName());
      description_ = fmt::format("device {}, {}, xclbin {}", options.device,
                                 device_.get_info<xrt::info::device::name>(), uuid.to_string());
    } catch (const std::exception& fault) {
      throw Error(
          ErrorKind::kUnsupported, fmt::format("the card cannot be loaded: {}", fault.what()),
          place_,
          "an xclbin built for this device's platform, and no other process that holds the card");
    }
  }

  std::uint32_t read(std::uint32_t offset) {
    const std::uint32_t value =
        guarded("read", offset, [&] { return card_.read_register(offset); });
    if (value == kAllOnes && gone()) {
      throw Error(ErrorKind::kTester, "the card does not answer any more", readOf(offset),
                  "a look at the slot, the card's power and the kernel's log");
    }
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    guarded("write", offset, [&] {
      card_.write_register(offset, value);
      return 0U;
    });
  }
  // All ones is what a read of a card gives that is not there. Block core answers while the card's
  // clock is stopped, ID on cards without that block.
  bool gone() {
    constexpr std::uint32_t kCoreId = regs::core::kBase + regs::core::kCoreId;
    return card_.read_register(regs::global::kId) == kAllOnes &&
           card_.read_register(kCoreId) == kAllOnes;
  }
  // In the first memory bank that an argument of the card is connected to.
  std::unique_ptr<DeviceBuffer> buffer(std::size_t bytes) {
    for (const xrt::xclbin::arg& argument : layout_.get_args()) {
      for (const xrt::xclbin::mem& memory : argument.get_mems()) {
        return std::make_unique<XrtBuffer>(
            device_, static_cast<xrt::memory_group>(memory.get_index()), bytes, place_);
      }
    }
    throw Error(ErrorKind::kUnsupported, "the xclbin connects the card to no memory", place_,
                "a packed card whose memory port is connected to a bank");
  }
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  template <typename Access>
  std::uint32_t guarded(const char* kind, std::uint32_t offset, const Access& access) {
    try {
      return access();
    } catch (const std::exception& fault) {
      throw Error(ErrorKind::kTester,
                  fmt::format("the card does not answer any more: {}", fault.what()),
                  fmt::format("{} of register {:#06x}", kind, offset));
    }
  }

  xrt::device device_;
  xrt::ip card_;
  xrt::xclbin::ip layout_;
  std::string place_;  // for messages
  std::string description_;
};

XrtBus::XrtBus(const XrtOptions& options)
    : impl_(std::make_unique<Impl>(options)),
      dma_(*this, [this](std::size_t bytes) { return impl_->buffer(bytes); }) {}

// The card must not write to buffers that are gone.
XrtBus::~XrtBus() {
  try {
    dma_.release();
  } catch (const Error&) {  // neither must one that is gone
  }
}

std::uint32_t XrtBus::read(std::uint32_t offset) { return impl_->read(offset); }
void XrtBus::write(std::uint32_t offset, std::uint32_t value) { impl_->write(offset, value); }
std::vector<std::uint32_t> XrtBus::accessAll(std::span<const RegisterAccess> accesses) {
  return dma_.accessAll(accesses);
}
void XrtBus::startCapture() { dma_.startCapture(); }
void XrtBus::stopCapture() { dma_.stopCapture(); }
std::vector<CapturedFrame> XrtBus::readCaptured() { return dma_.readCaptured(); }

void XrtBus::wait(Picoseconds duration) {
  Picoseconds now = cardTime();
  const Picoseconds until = now + duration;
  const auto deadline = std::chrono::steady_clock::now() + kClockTimeout +
                        std::chrono::nanoseconds(duration.count() / 1000);
  for (; now < until; now = cardTime()) {
    const std::chrono::nanoseconds left((until - now).count() / 1000);
    std::this_thread::sleep_for(std::max<std::chrono::nanoseconds>(left, kPollInterval));
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(ErrorKind::kTester, "the card's clock stands still", impl_->description());
    }
  }
}

Picoseconds XrtBus::cardTime() {
  using namespace regs::global;
  write(kControl, kControlLatchTime.of(1));
  const std::uint64_t low = read(kTimeLo);
  return Picoseconds(static_cast<std::int64_t>(std::uint64_t{read(kTimeHi)} << 32U | low));
}

const std::string& XrtBus::description() const { return impl_->description(); }

}  // namespace plumbline::card
