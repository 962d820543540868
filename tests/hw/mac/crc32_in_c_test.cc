// The CRC of simulated cards, as fast as the processor can and by tables, against one bit by bit.
#include "sim/crc32_in_c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "base/random.h"

namespace {

using plumbline::RandomStream;
using plumbline::sim::crcAfterZerosByTables;
using plumbline::sim::crcOfBeatByTables;

using Words = std::array<std::uint64_t, 8>;

// The register after `bits` bits of `word`, the lowest first.
std::uint32_t bitByBit(std::uint32_t state, std::uint64_t word, unsigned bits) {
  for (; bits > 0; --bits, word >>= 1) {
    const bool odd = ((state ^ word) & 1U) != 0;
    state = (state >> 1) ^ (odd ? 0xEDB88320U : 0U);
  }
  return state;
}

void expectBeat(const Words& words, std::uint32_t count) {
  SCOPED_TRACE(testing::Message() << count << " bytes");
  std::uint32_t expected = 0;
  for (std::uint32_t byte = 0; byte < count; ++byte) {
    expected = bitByBit(expected, words[byte / 8] >> (8 * (byte % 8)), 8);
  }
  EXPECT_EQ(crcOfBeatByTables(words, count), expected);
  EXPECT_EQ(plumb_crc32_beat(words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                             words[7], count),
            expected);
}

TEST(Crc32InC, EveryBitOfABeat) {
  for (unsigned bit = 0; bit < 512; ++bit) {
    SCOPED_TRACE(bit);
    Words words{};
    words[bit / 64] = std::uint64_t{1} << (bit % 64);
    expectBeat(words, 64);
  }
}

TEST(Crc32InC, RandomBeats) {
  RandomStream random(1, "beats");
  for (int i = 0; i < 2000; ++i) {
    Words words{};
    for (std::uint64_t& word : words) word = random.next();
    expectBeat(words, 64);
  }
}

TEST(Crc32InC, EveryNumberOfBytesLeavesTheOthersOut) {
  RandomStream random(2, "beats");
  for (std::uint32_t count = 1; count <= 64; ++count) {
    for (int i = 0; i < 20; ++i) {
      Words words{};
      for (std::uint64_t& word : words) word = random.next();
      expectBeat(words, count);
    }
  }
}

TEST(Crc32InC, ZerosBehindEveryBitOfTheRegister) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    for (std::uint32_t count = 4; count <= 64; count += 4) {
      SCOPED_TRACE(testing::Message() << "bit " << bit << ", " << count << " bytes");
      std::uint32_t expected = 1U << bit;
      for (std::uint32_t i = 0; i < count; i += 4) expected = bitByBit(expected, 0, 32);
      EXPECT_EQ(crcAfterZerosByTables(1U << bit, count), expected);
      EXPECT_EQ(plumb_crc32_zeros(1U << bit, count), expected);
    }
  }
}

}  // namespace
