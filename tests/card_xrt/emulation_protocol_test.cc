#include "emulation_protocol.h"

#include <gtest/gtest.h>

#include <array>

namespace plumbline::card_xrt_test {
namespace {

TEST(EmulationProtocolTest, FieldsAreReadAsTheyWereWritten) {
  Encoded bytes = numberField(1, 0x1801234567);
  for (const Encoded& more :
       {bytesField(4, Encoded{1, 2, 3}), numberField(20, 0), Encoded{3 << 3 | 5, 9, 0, 0, 1}}) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  const auto message = decodeMessage(bytes);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->number(1), 0x1801234567U);
  EXPECT_EQ(message->number(3), 0x01000009U);
  EXPECT_EQ(message->number(7), 0U);
  EXPECT_EQ(message->bytes.at(4), (Encoded{1, 2, 3}));
}

TEST(EmulationProtocolTest, WhatEndsTooEarlyIsNoMessage) {
  const Encoded whole = bytesField(4, Encoded(300, 7));
  for (std::size_t length = 1; length < whole.size(); ++length) {
    EXPECT_FALSE(decodeMessage(std::span(whole).first(length)).has_value()) << length;
  }
  EXPECT_FALSE(decodeMessage(Encoded(11, 0xFF)).has_value()) << "a number without end";
  EXPECT_FALSE(decodeMessage(Encoded{0, 0}).has_value()) << "field 0";
}

TEST(EmulationProtocolTest, HeadersOfRequestAndReply) {
  const std::array<std::uint8_t, kRequestHeaderBytes> head{0x09, 0x34, 0x12, 0,  0, 0, 0,
                                                           0,    0,    0x15, 51, 0, 0, 0};
  const auto header = decodeRequestHeader(head);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->length, 0x1234U);
  EXPECT_EQ(header->call, Call::kWriteRegister);
  EXPECT_EQ(encodeReply(Encoded{5, 6}), (Encoded{0x09, 2, 0, 0, 0, 0, 0, 0, 0, 5, 6}));
}

// A length in a header alone does not allocate memory.
TEST(EmulationProtocolTest, LongerBodiesThanThereAreAreRefused) {
  std::array<std::uint8_t, kRequestHeaderBytes> head{0x09, 0, 0,    0x10, 0, 0, 0,
                                                     0,    0, 0x15, 51,   0, 0, 0};
  EXPECT_TRUE(decodeRequestHeader(head)) << "1 MiB";
  head[1] = 1;
  EXPECT_FALSE(decodeRequestHeader(head));
  head[8] = 0xFF;
  EXPECT_FALSE(decodeRequestHeader(head));
}

}  // namespace
}  // namespace plumbline::card_xrt_test
