#include "endpoint/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/work.h"
#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

constexpr std::size_t kPage = 4096;
// Bytes between two looks whether the work is still wanted: about 20 ms.
constexpr std::size_t kBytesPerCheck = std::size_t{1} << 26U;

// Four bytes of the pattern: a permutation of the word's number, which never repeats.
std::uint32_t word(std::size_t number) {
  auto value = static_cast<std::uint32_t>(number) + 0x9E37'79B9U;
  value = (value ^ (value >> 16)) * 0x85EB'CA6BU;
  value = (value ^ (value >> 13)) * 0xC2B2'AE35U;
  return value ^ (value >> 16);
}

// Calls visit(offset, word, bytes of the word that count) for the whole buffer until it is false.
template <typename Visit>
bool forWords(std::size_t count, const Visit& visit) {
  for (std::size_t offset = 0; offset < count; offset += sizeof(std::uint32_t)) {
    const std::size_t length = std::min(sizeof(std::uint32_t), count - offset);
    if (offset % kBytesPerCheck == 0 && offset > 0) checkWork();
    if (!visit(offset, word(offset / sizeof(std::uint32_t)), length)) return false;
  }
  return true;
}

}  // namespace

Buffer makeBuffer(std::size_t bytes) {
  const std::size_t size = std::max((bytes + kPage - 1) / kPage, std::size_t{1}) * kPage;
  Buffer buffer(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, size)));
  if (!buffer) {
    throw fault(FaultKind::kOther, fmt::format("no memory for {} B of messages", size), {});
  }
  for (std::size_t offset = 0; offset < size; offset += kBytesPerCheck) {
    if (offset > 0) checkWork();
    std::memset(buffer.get() + offset, 0, std::min(kBytesPerCheck, size - offset));
  }
  return buffer;
}

void fillPattern(std::uint8_t* bytes, std::size_t count) {
  forWords(count, [&](std::size_t offset, std::uint32_t value, std::size_t length) {
    std::memcpy(bytes + offset, &value, length);
    return true;
  });
}

bool holdsPattern(const std::uint8_t* bytes, std::size_t count) {
  return forWords(count, [&](std::size_t offset, std::uint32_t value, std::size_t length) {
    return std::memcmp(bytes + offset, &value, length) == 0;
  });
}

}  // namespace plumbline::endpoint
