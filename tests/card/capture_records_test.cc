// Records of captured frames: their contents, and that invalid records are refused.
#include "card/capture_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "tests/base/error_of.h"
#include "tests/card/fake_dma.h"

namespace plumbline::card {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kRecordPorts = 2;

FakeCapture someFrame(std::size_t bytes, std::uint32_t port = 0, bool sent = false) {
  FakeCapture frame{.timestamp = 0x123456789AB + bytes, .port = port, .sent = sent};
  frame.bytes.resize(bytes);
  std::iota(frame.bytes.begin(), frame.bytes.end(), static_cast<std::uint8_t>(bytes));
  return frame;
}

Error faultIn(const std::vector<std::uint8_t>& bytes) {
  return errorOf([&] { static_cast<void>(CaptureRecords(kRecordPorts).read(bytes)); });
}

// A record of a frame of 100 bytes with one byte changed.
Error faultWith(std::size_t at, std::uint8_t value) {
  std::vector<std::uint8_t> record = captureRecord(someFrame(100), 0);
  record.at(at) = value;
  return faultIn(record);
}

TEST(CaptureRecordsTest, FramesOfEveryLengthAreRead) {
  std::vector<std::uint8_t> stream;
  std::vector<FakeCapture> frames;
  for (const std::size_t bytes : {1, 63, 64, 65, 127, 128, 129, 1518, 9216, 65535}) {
    FakeCapture frame = someFrame(bytes, frames.size() % 2, frames.size() % 3 == 0);
    frame.fcs_ok = frames.size() % 4 != 0;
    frame.icrc_checked = frames.size() % 5 != 0;
    frame.icrc_ok = frames.size() % 7 != 0;
    const auto record = captureRecord(frame, static_cast<std::uint32_t>(frames.size()));
    stream.insert(stream.end(), record.begin(), record.end());
    frames.push_back(frame);
  }
  const std::vector<CapturedFrame> read = CaptureRecords(kRecordPorts).read(stream);
  ASSERT_EQ(read.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(read[i].timestamp.count(), static_cast<std::int64_t>(frames[i].timestamp));
    EXPECT_EQ(read[i].port, frames[i].port);
    EXPECT_EQ(read[i].sent, frames[i].sent);
    EXPECT_EQ(read[i].fcs_ok, frames[i].fcs_ok);
    EXPECT_EQ(read[i].icrc_checked, frames[i].icrc_checked);
    EXPECT_EQ(read[i].icrc_ok, frames[i].icrc_ok);
    EXPECT_EQ(read[i].bytes, frames[i].bytes);
  }
}

TEST(CaptureRecordsTest, NumbersGoOnFromCallToCall) {
  CaptureRecords records(kRecordPorts);
  EXPECT_EQ(records.read(captureRecord(someFrame(64), 0)).size(), 1U);
  EXPECT_THAT(records.read({}), IsEmpty());
  EXPECT_EQ(records.read(captureRecord(someFrame(64), 1)).size(), 1U);
  const Error error = errorOf([&] { records.read(captureRecord(someFrame(64), 1)); });
  EXPECT_EQ(error.kind(), ErrorKind::kTester);
  EXPECT_THAT(error.what(), HasSubstr("the number 1 instead of 2"));
}

TEST(CaptureRecordsTest, AFrameCutShortIsLeftOut) {
  FakeCapture cut = someFrame(128);
  cut.lost = 900;
  FakeCapture nothing = someFrame(0);
  nothing.lost = 64;
  std::vector<std::uint8_t> stream = captureRecord(cut, 0);
  for (const auto& more : {captureRecord(nothing, 1), captureRecord(someFrame(70), 2)}) {
    stream.insert(stream.end(), more.begin(), more.end());
  }
  const auto read = CaptureRecords(kRecordPorts).read(stream);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].bytes.size(), 70U);
}

TEST(CaptureRecordsTest, WhatIsNoRecordIsRefusedAndNamed) {
  EXPECT_THAT(faultWith(15, 0x5B).what(), HasSubstr("the mark 0x5b instead of 0x5a"));
  EXPECT_THAT(faultWith(14, 2).what(), HasSubstr("port 2 of a card with 2 ports"));
  EXPECT_THAT(faultWith(16, 9).what(), HasSubstr("the number 9 instead of 0"));
  EXPECT_THAT(faultWith(8, 101).what(), HasSubstr("100 bytes of a frame of 101 B"));
  EXPECT_THAT(faultWith(12, 99).what(), HasSubstr("99 bytes of a frame of 100 B"));
  for (const std::size_t unused : {10U, 11U, 20U, 40U, 63U}) {
    EXPECT_THAT(faultWith(unused, 0x80).what(), HasSubstr("reserved bits set")) << unused;
  }
  EXPECT_THAT(faultWith(15, 0).where(), HasSubstr("record 0"));
  EXPECT_THAT(faultWith(15, 0).remedy(), HasSubstr("loaded anew"));
  // Cut short to more than it had.
  std::vector<std::uint8_t> more = captureRecord(someFrame(100), 0);
  more[10] |= 8;
  more[8] = 50;
  EXPECT_THAT(faultIn(more).what(), HasSubstr("100 bytes of the beginning of a frame of 50 B"));
  EXPECT_THAT(faultIn(captureRecord(someFrame(0), 0)).what(), HasSubstr("frame of 0 B"));
}

TEST(CaptureRecordsTest, NothingIsReadBehindTheEnd) {
  const std::vector<std::uint8_t> record = captureRecord(someFrame(200), 0);
  for (std::size_t bytes = 1; bytes < record.size(); ++bytes) {
    const Error error = faultIn({record.begin(), record.begin() + static_cast<long>(bytes)});
    EXPECT_THAT(error.what(), HasSubstr(bytes < 64 ? "cut off" : "ends behind")) << bytes;
  }
}

}  // namespace
}  // namespace plumbline::card
