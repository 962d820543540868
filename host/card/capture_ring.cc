#include "card/capture_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"

namespace plumbline::card {
namespace {

namespace capture = regs::dma;

}  // namespace

CaptureRing::CaptureRing(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer,
                         std::uint32_t ports)
    : registers_(bus), buffer_(std::move(buffer)), ports_(ports), records_(ports) {}

void CaptureRing::start() {
  registers_.write(capture::kCaptureControl, 0);
  registers_.write64(capture::kCaptureAddressLo, buffer_->address());
  registers_.write(capture::kCaptureSize, static_cast<std::uint32_t>(buffer_->size()));
  returnBlocks(0);
  registers_.write(capture::kCaptureSticky, capture::kCaptureStickyWriteError.mask() |
                                                capture::kCaptureStickyMismatch.mask());
  registers_.write(capture::kCaptureControl, capture::kCaptureControlEnable.of(1));
  records_ = CaptureRecords(ports_);
}

std::vector<CapturedFrame> CaptureRing::take() {
  const std::uint64_t written = registers_.read64(capture::kCaptureWrittenLo);
  checkFaults();  // faults of all frames up to `written`
  const std::uint64_t fresh = written - read_;
  if (fresh == 0) return {};
  if (fresh > buffer_->size() || fresh % kCaptureUnit != 0) {
    throw Error(ErrorKind::kTester,
                fmt::format("the card says that it has written {} B of captures, of which {} were "
                            "read",
                            written, read_),
                "CAPTURE_WRITTEN",
                fmt::format("at most {} B more, in units of {}", buffer_->size(), kCaptureUnit));
  }
  const std::vector<std::uint8_t> bytes = copyOf(read_, fresh);
  returnBlocks(written);
  return records_.read(bytes);
}

std::vector<std::uint8_t> CaptureRing::copyOf(std::uint64_t begin, std::uint64_t bytes) {
  std::vector<std::uint8_t> copy(bytes);
  const std::span<std::uint8_t> all(copy);
  const std::uint64_t offset = begin % buffer_->size();
  const std::uint64_t before_wrap = std::min(bytes, buffer_->size() - offset);
  buffer_->read(offset, all.first(before_wrap));
  if (before_wrap < bytes) buffer_->read(0, all.subspan(before_wrap));
  return copy;
}

void CaptureRing::returnBlocks(std::uint64_t read) {
  registers_.write64(capture::kCaptureReadLo, read);
  read_ = read;
}

void CaptureRing::checkFaults() {
  const std::uint32_t sticky = registers_.read(capture::kCaptureSticky);
  if (capture::kCaptureStickyWriteError.get(sticky) != 0) {
    throw Error(
        ErrorKind::kTester, "the card could not write captured frames to its memory",
        fmt::format("CAPTURE_STICKY, buffer of {} B at {:#x}", buffer_->size(), buffer_->address()),
        "an xclbin that connects the card to the memory that its buffers are in");
  }
  if (capture::kCaptureStickyMismatch.get(sticky) != 0) {
    throw Error(ErrorKind::kTester, "frames and descriptors of the card's captures do not match",
                "CAPTURE_STICKY", "the card loaded anew");
  }
}

}  // namespace plumbline::card
