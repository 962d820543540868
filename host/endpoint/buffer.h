// Memory for messages: whole pages, with a pattern that proves the arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace plumbline::endpoint {

struct FreeBuffer {
  void operator()(std::uint8_t* bytes) const { std::free(bytes); }
};
using Buffer = std::unique_ptr<std::uint8_t, FreeBuffer>;

// `bytes` rounded up to whole pages, at least one; all zero. Throws fault(kOther) when there is not
// enough memory, and as checkWork().
Buffer makeBuffer(std::size_t bytes);

// A pattern whose words of four bytes do not repeat below 2^34 bytes, so that a shifted copy
// differs from it.
void fillPattern(std::uint8_t* bytes, std::size_t count);
bool holdsPattern(const std::uint8_t* bytes, std::size_t count);

}  // namespace plumbline::endpoint
