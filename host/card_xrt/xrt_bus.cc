#include "card_xrt/xrt_bus.h"

#include <experimental/xrt_ip.h>
#include <experimental/xrt_xclbin.h>
#include <fmt/format.h>
#include <xrt/xrt_device.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/error.h"
#include "card/registers.h"
#include "card_xrt/kernel_layout.h"

namespace plumbline::card {
namespace {

// A card whose clock has not gone on by what was asked for after this time stands still.
constexpr std::chrono::seconds kClockPatience{60};

std::string instanceName() { return fmt::format("{}:{{{}}}", kKernelName, kKernelInstance); }

// The runtime needs to be told where it lies, and says so badly.
void requireRuntime() {
  if (std::getenv("XILINX_XRT") == nullptr) {
    throw Error(ErrorKind::kUnsupported, "the Xilinx Runtime is not set up", "XILINX_XRT",
                "the runtime's directory, as its setup.sh sets it");
  }
}

xrt::device openDevice(std::uint32_t index) {
  requireRuntime();
  try {
    return xrt::device(index);
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUnsupported, fmt::format("no card: {}", fault.what()),
                fmt::format("device {}", index),
                "a device that `xbutil examine` lists, with its platform's driver loaded");
  }
}

xrt::xclbin readXclbin(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(ErrorKind::kUsage, "there is no such file", path.string(),
                "the packed card, an .xclbin");
  }
  try {
    xrt::xclbin xclbin(path.string());
    for (const xrt::xclbin::ip& ip : xclbin.get_ips()) {
      if (ip.get_name() == fmt::format("{}:{}", kKernelName, kKernelInstance)) return xclbin;
    }
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kUnsupported, fmt::format("not an xclbin: {}", fault.what()),
                path.string(), "the packed card, an .xclbin");
  }
  throw Error(ErrorKind::kUnsupported, "the xclbin holds no Plumbline card", path.string(),
              fmt::format("one with the kernel {}", kKernelName));
}

}  // namespace

class XrtBus::Impl {
 public:
  explicit Impl(const XrtOptions& options) {
    const xrt::xclbin xclbin = readXclbin(options.xclbin);
    device_ = openDevice(options.device);
    try {
      name_ = device_.get_info<xrt::info::device::name>();
      const xrt::uuid uuid = device_.load_xclbin(xclbin);
      card_ = xrt::ip(device_, uuid, instanceName());
    } catch (const std::exception& fault) {
      throw Error(
          ErrorKind::kUnsupported, fmt::format("the card cannot be loaded: {}", fault.what()),
          fmt::format("device {}, {}", options.device, options.xclbin.string()),
          "an xclbin built for this device's platform, and no other process that holds the card");
    }
  }

  std::uint32_t read(std::uint32_t offset) {
    return guarded("read", offset, [&] { return card_.read_register(offset); });
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    guarded("write", offset, [&] {
      card_.write_register(offset, value);
      return 0U;
    });
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  template <typename Access>
  std::uint32_t guarded(const char* kind, std::uint32_t offset, const Access& access) {
    try {
      return access();
    } catch (const std::exception& fault) {
      throw Error(ErrorKind::kTester, fmt::format("the card is gone: {}", fault.what()),
                  fmt::format("{} of register {:#06x}", kind, offset));
    }
  }

  xrt::device device_;
  xrt::ip card_;
  std::string name_;
};

XrtBus::XrtBus(const XrtOptions& options) : impl_(std::make_unique<Impl>(options)) {}
XrtBus::~XrtBus() = default;

std::uint32_t XrtBus::read(std::uint32_t offset) { return impl_->read(offset); }
void XrtBus::write(std::uint32_t offset, std::uint32_t value) { impl_->write(offset, value); }

void XrtBus::wait(Picoseconds duration) {
  const Picoseconds until = cardTime() + duration;
  std::this_thread::sleep_for(std::chrono::nanoseconds(duration.count() / 1000));
  const auto deadline = std::chrono::steady_clock::now() + kClockPatience;
  while (cardTime() < until) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(ErrorKind::kTester, "the card's clock stands still", impl_->name());
    }
  }
}

Picoseconds XrtBus::cardTime() {
  using namespace regs::global;
  write(kControl, kControlLatchTime.of(1));
  const std::uint64_t low = read(kTimeLo);
  return Picoseconds(static_cast<std::int64_t>(std::uint64_t{read(kTimeHi)} << 32U | low));
}

const std::string& XrtBus::deviceName() const { return impl_->name(); }

}  // namespace plumbline::card
