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
    capture.write(3, Picoseconds(5), {1, 2, 3}, "made up");
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

TEST(CaptureFile, SaysWhenItCannotBeWritten) {
  EXPECT_THROW(CaptureFile("/no/such/directory/c.pcapng"), Error);
}

}  // namespace
}  // namespace plumbline::session
