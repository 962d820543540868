#include "endpoint/buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace plumbline::endpoint {
namespace {

TEST(Buffer, IsWholePagesOfZeros) {
  const Buffer buffer = makeBuffer(0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % 4096, 0U);
  for (std::size_t i = 0; i < 4096; ++i) EXPECT_EQ(buffer.get()[i], 0);
}

// Every single wrong byte is found, whatever the length; a copy that is off by a word as well.
TEST(Buffer, PatternShowsEveryMistake) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1001}}) {
    const Buffer buffer = makeBuffer(size + 4);
    EXPECT_FALSE(holdsPattern(buffer.get(), size));
    fillPattern(buffer.get(), size);
    EXPECT_TRUE(holdsPattern(buffer.get(), size));
    EXPECT_EQ(buffer.get()[size], 0);  // nothing behind it
    for (std::size_t i = 0; i < size; ++i) {
      buffer.get()[i] ^= 0x10;
      EXPECT_FALSE(holdsPattern(buffer.get(), size)) << i;
      buffer.get()[i] ^= 0x10;
    }
    if (size > 8) {
      EXPECT_FALSE(holdsPattern(buffer.get() + 4, size - 4));
    }
  }
}

}  // namespace
}  // namespace plumbline::endpoint
