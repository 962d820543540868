#include "session/capture_file.h"

#include <gtest/gtest.h>

#include <iterator>

#include "base/error.h"
#include "tests/results/temp_directory.h"

namespace plumbline::session {
namespace {

TEST(CaptureFile, HoldsFramesPortsTimesAndTrials) {
  const TempDirectory directory;
  const std::string file = (directory.path() / "c.pcapng").string();
  {
    CaptureFile capture(file);
    card::CapturedFrame frame;
    frame.port = 3;
    frame.timestamp = Picoseconds(1'234'567'891'011);
    frame.bytes.assign(64, 0xAB);
    capture.write(frame, "first");
    frame.sent = true;
    frame.fcs_ok = false;
    capture.write(frame, "first");
    frame.port = 0;
    capture.write(frame, "second");
    capture.write(3, Picoseconds(5), {1, 2, 3}, "made up");  // writes held-back frames first
    EXPECT_EQ(capture.packets(), 4u);
  }
  std::ifstream stream(file, std::ios::binary);
  const std::vector<std::uint8_t> content{std::istreambuf_iterator<char>(stream), {}};
  wire::PcapngReader reader(content);

  auto packet = reader.next();
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->timestamp, Picoseconds(1'234'567'891'011));
  EXPECT_EQ(packet->bytes.size(), 64u);
  EXPECT_EQ(packet->direction, wire::PacketDirection::kInbound);
  EXPECT_EQ(packet->comment, "first");
  EXPECT_FALSE(packet->crc_error);
  const auto port3 = packet->interface;

  packet = reader.next();
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->direction, wire::PacketDirection::kOutbound);
  EXPECT_EQ(packet->comment, "");
  EXPECT_TRUE(packet->crc_error);

  packet = reader.next();
  ASSERT_TRUE(packet.has_value());
  EXPECT_NE(packet->interface, port3);
  EXPECT_EQ(packet->comment, "second");

  packet = reader.next();
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->interface, port3);
  EXPECT_EQ(packet->bytes.size(), 3u);
  EXPECT_EQ(packet->comment, "made up");

  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.error(), wire::PcapngError::kNone);
  ASSERT_EQ(reader.interfaces().size(), 2u);
  EXPECT_EQ(reader.interfaces()[port3].name, "port3");
}

std::vector<std::int64_t> timesOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<std::uint8_t> content{std::istreambuf_iterator<char>(stream), {}};
  wire::PcapngReader reader(content);
  std::vector<std::int64_t> times;
  while (const auto packet = reader.next()) {
    times.push_back(packet->timestamp.count());
    if (!packet->comment.empty()) times.push_back(-1);  // after the time of a trial's first frame
  }
  return times;
}

// The card hands over a port's received frames and then its sent ones of the same time.
TEST(CaptureFile, FramesOfATrialAreInTheOrderOfTheirTimes) {
  const TempDirectory directory;
  const std::string file = (directory.path() / "c.pcapng").string();
  CaptureFile capture(file);
  const auto write = [&](std::int64_t time, bool sent, const char* trial) {
    card::CapturedFrame frame;
    frame.timestamp = Picoseconds(time);
    frame.sent = sent;
    frame.bytes.assign(64, 0);
    capture.write(frame, trial);
  };
  for (const std::int64_t time : {100, 300, 500}) write(time, false, "first");
  for (const std::int64_t time : {0, 200, 400}) write(time, true, "first");
  EXPECT_EQ(capture.packets(), 0u);  // held back
  write(30, false, "second");        // another trial, whose clock restarted
  write(10, true, "second");
  capture.endTrial();
  EXPECT_EQ(timesOf(file), (std::vector<std::int64_t>{0, -1, 100, 200, 300, 400, 500, 10, -1, 30}));
}

TEST(CaptureFile, HoldsNoMoreThanItsWindow) {
  const TempDirectory directory;
  const std::string file = (directory.path() / "c.pcapng").string();
  card::CapturedFrame frame;
  frame.bytes.assign(64, 0);
  {
    CaptureFile capture(file);
    for (int i = 0; i < 1'000; ++i) {
      frame.timestamp = CaptureFile::kReorderWindow * i;
      capture.write(frame, "t");
    }
    EXPECT_EQ(capture.packets(), 998u);  // the last and the one a window earlier are not over
    // Not even when time stands still.
    for (std::size_t i = 0; i < CaptureFile::kMaxBufferedFrames; ++i) capture.write(frame, "t");
    EXPECT_EQ(capture.packets(), 1'000u);
  }
  EXPECT_EQ(timesOf(file).size(), 1'001u + CaptureFile::kMaxBufferedFrames);
}

TEST(CaptureFile, SaysWhenItCannotBeWritten) {
  EXPECT_THROW(CaptureFile("/no/such/directory/c.pcapng"), Error);
}

}  // namespace
}  // namespace plumbline::session
