#include "card_xrt/xrt_buffer.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/error.h"

namespace plumbline::card {
namespace {

xrt::bo allocate(const xrt::device& device, xrt::memory_group group, std::size_t bytes,
                 const std::string& where) {
  try {
    return {device, bytes, group};
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kTester,
                fmt::format("no memory for a buffer of {} KiB: {}", bytes / 1024, fault.what()),
                fmt::format("{}, memory bank {}", where, group),
                "an end of the other programs that hold the card's memory (`xbutil examine -r "
                "memory`)");
  }
}

template <typename Copy>
void copied(const std::string& where, std::size_t bytes, const Copy& copy) {
  try {
    copy();
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::kTester,
                fmt::format("the card does not answer any more: {}", fault.what()),
                fmt::format("{}, copy of {} B of its memory", where, bytes),
                "a look at the slot, the card's power and the kernel's log");
  }
}

}  // namespace

XrtBuffer::XrtBuffer(const xrt::device& device, xrt::memory_group group, std::size_t bytes,
                     std::string where)
    : buffer_(allocate(device, group, bytes, where)), where_(std::move(where)) {}

void XrtBuffer::write(std::size_t offset, std::span<const std::uint8_t> bytes) {
  copied(where_, bytes.size(), [&] {
    buffer_.write(bytes.data(), bytes.size(), offset);
    buffer_.sync(XCL_BO_SYNC_BO_TO_DEVICE, bytes.size(), offset);
  });
}

void XrtBuffer::read(std::size_t offset, std::span<std::uint8_t> bytes) {
  copied(where_, bytes.size(), [&] {
    buffer_.sync(XCL_BO_SYNC_BO_FROM_DEVICE, bytes.size(), offset);
    buffer_.read(bytes.data(), bytes.size(), offset);
  });
}

}  // namespace plumbline::card
