#include "wire/crc.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>

namespace plumbline::wire {
namespace {

ByteView bytesOf(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One bit at a time, straight from the definition of a reflected CRC.
std::uint32_t bitwise(ByteView bytes, std::uint32_t polynomial) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::uint32_t feedback = (state ^ (byte >> bit)) & 1U;
      state = (state >> 1) ^ (feedback != 0 ? polynomial : 0U);
    }
  }
  return ~state;
}

TEST(Crc, CheckValues) {
  EXPECT_EQ(crc32(bytesOf("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32c(bytesOf("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(Crc, RegisterAfterTheIcrcPlaceholder) {
  Crc32 crc;
  crc.update(std::array<std::uint8_t, 8>{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
  EXPECT_EQ(crc.state(), 0xDEBB20E3U);
}

TEST(Crc, AGoodFrameLeavesTheResidue) {
  Buffer frame(100, 0x5A);
  appendFcs(frame);
  Crc32 crc;
  crc.update(frame);
  EXPECT_EQ(crc.state(), kCrc32Residue);
  EXPECT_TRUE(fcsOk(frame));
  frame[50] ^= 1;
  EXPECT_FALSE(fcsOk(frame));
  EXPECT_FALSE(fcsOk({}));
  EXPECT_FALSE(fcsOk(ByteView(frame).first(4)));
}

TEST(Crc, SlicesEqualTheBitwiseDefinitionAtEveryLengthAndSplit) {
  std::mt19937 random(11);
  Buffer bytes(300);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const ByteView view = ByteView(bytes).first(length);
    ASSERT_EQ(crc32(view), bitwise(view, 0xEDB88320)) << length;
    ASSERT_EQ(crc32c(view), bitwise(view, 0x82F63B78)) << length;
    Crc32 pieces;
    const std::size_t cut = length == 0 ? 0 : random() % length;
    pieces.update(view.first(cut));
    pieces.update(view.subspan(cut));
    ASSERT_EQ(pieces.value(), crc32(view)) << length << " cut at " << cut;
  }
}

}  // namespace
}  // namespace plumbline::wire
