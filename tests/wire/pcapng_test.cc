#include "wire/pcapng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/error.h"
#include "base/random.h"
#include "worked_frames.h"

namespace plumbline::wire {
namespace {

Buffer toBytes(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<PcapngPacket> readAll(PcapngReader& reader) {
  std::vector<PcapngPacket> packets;
  while (const auto packet = reader.next()) packets.push_back(*packet);
  return packets;
}

void expectEqual(const PcapngPacket& a, const PcapngPacket& b) {
  EXPECT_EQ(a.interface, b.interface);
  EXPECT_EQ(a.timestamp, b.timestamp);
  EXPECT_EQ(a.original_length, b.original_length);
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.fcs_bytes, b.fcs_bytes);
  EXPECT_EQ(a.crc_error, b.crc_error);
  EXPECT_EQ(a.comment, b.comment);
  EXPECT_TRUE(std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end()));
}

// Blocks by hand, in either byte order: the oracle of the reader that the writer is not.
class FileMaker {
 public:
  explicit FileMaker(bool big_endian) : big_endian_(big_endian) {}

  FileMaker& u16(std::uint16_t v) { return integer(v, 2); }
  FileMaker& u32(std::uint32_t v) { return integer(v, 4); }
  FileMaker& u64(std::uint64_t v) { return integer(v, 8); }
  FileMaker& bytes(std::string_view text) {
    body_.insert(body_.end(), text.begin(), text.end());
    while (body_.size() % 4 != 0) body_.push_back(0);
    return *this;
  }
  FileMaker& option(std::uint16_t code, std::string_view value) {
    return u16(code).u16(static_cast<std::uint16_t>(value.size())).bytes(value);
  }
  // Wraps the collected bytes into a block of `type`.
  FileMaker& block(std::uint32_t type) {
    Buffer body;
    std::swap(body, body_);
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    u32(type).u32(length);
    body_.insert(body_.end(), body.begin(), body.end());
    u32(length);
    file_.insert(file_.end(), body_.begin(), body_.end());
    body_.clear();
    return *this;
  }
  FileMaker& section() { return u32(0x1A2B3C4D).u16(1).u16(0).u64(~0ULL).block(0x0A0D0D0A); }
  FileMaker& interface(std::uint32_t snap = 0) { return u16(1).u16(0).u32(snap).block(1); }
  FileMaker& interfaceWithResolution(char resolution) {
    return u16(1).u16(0).u32(0).option(9, std::string(1, resolution)).block(1);
  }
  FileMaker& packet(std::uint32_t interface, std::uint64_t time, std::string_view data) {
    const auto size = static_cast<std::uint32_t>(data.size());
    return u32(interface)
        .u32(static_cast<std::uint32_t>(time >> 32))
        .u32(static_cast<std::uint32_t>(time))
        .u32(size)
        .u32(size)
        .bytes(data)
        .block(6);
  }
  [[nodiscard]] const Buffer& file() const { return file_; }

 private:
  FileMaker& integer(std::uint64_t v, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (big_endian_ ? size - 1 - i : i);
      body_.push_back(static_cast<std::uint8_t>(v >> shift));
    }
    return *this;
  }

  bool big_endian_;
  Buffer body_;
  Buffer file_;
};

class PcapngRoundTrip : public testing::TestWithParam<PcapngResolution> {};

INSTANTIATE_TEST_SUITE_P(Resolutions, PcapngRoundTrip,
                         testing::Values(PcapngResolution::kNanoseconds,
                                         PcapngResolution::kPicoseconds),
                         [](const auto& info) {
                           return info.param == PcapngResolution::kNanoseconds ? "Nanoseconds"
                                                                               : "Picoseconds";
                         });

TEST_P(PcapngRoundTrip, EverythingComesBack) {
  std::ostringstream out;
  PcapngWriter writer(out, {GetParam(), "tester card", "plumbline"});
  const PcapngInterface port0{.name = "port0",
                              .description = "tester port 0",
                              .speed = gigabitsPerSecond(100),
                              .fcs_bytes = 4};
  const PcapngInterface port1{.snap_length = 128, .name = "port1"};
  EXPECT_EQ(writer.addInterface(port0), 0U);
  EXPECT_EQ(writer.addInterface(port1), 1U);

  RandomStream random(1, "capture");
  std::vector<PcapngPacket> packets;
  const auto& frames = test::workedFrames();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    PcapngPacket packet;
    packet.interface = i % 2;
    packet.timestamp = Picoseconds(static_cast<std::int64_t>(random.below(1ULL << 62)));
    packet.bytes = frames[i].bytes;
    packet.original_length = static_cast<std::uint32_t>(frames[i].bytes.size() + i % 3);
    packet.direction = static_cast<PacketDirection>(i % 3);
    if (i % 2 == 0) packet.fcs_bytes = 4;
    packet.crc_error = i % 5 == 0;
    if (i % 4 == 0) packet.comment = frames[i].name;
    packets.push_back(packet);
    writer.write(packet);
  }
  EXPECT_EQ(writer.packets(), packets.size());

  const Buffer file = toBytes(out.str());
  PcapngReader reader(file);
  const auto read = readAll(reader);
  EXPECT_EQ(reader.error(), PcapngError::kNone);
  EXPECT_EQ(reader.interfaces(), (std::vector<PcapngInterface>{port0, port1}));
  ASSERT_EQ(read.size(), packets.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (GetParam() == PcapngResolution::kNanoseconds) {
      packets[i].timestamp = Picoseconds(packets[i].timestamp.count() / 1000 * 1000);
    }
    expectEqual(read[i], packets[i]);
  }
}

TEST(PcapngReader, BothByteOrdersAndSeveralSections) {
  FileMaker little(false);
  little.section().interface().interface().packet(1, 5, "abc");
  FileMaker big(true);
  big.section().interfaceWithResolution(9).packet(0, 7, "defgh");
  Buffer file = little.file();
  file.insert(file.end(), big.file().begin(), big.file().end());
  PcapngReader reader(file);
  const auto packets = readAll(reader);
  ASSERT_EQ(reader.error(), PcapngError::kNone);
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0].interface, 1U);
  EXPECT_EQ(packets[0].timestamp, microseconds(5));  // the default resolution
  EXPECT_EQ(packets[0].bytes.size(), 3U);
  // Interfaces of the second section count on from those of the first.
  EXPECT_EQ(packets[1].interface, 2U);
  EXPECT_EQ(packets[1].timestamp, nanoseconds(7));
  EXPECT_EQ(packets[1].bytes.size(), 5U);
}

TEST(PcapngReader, SkipsUnknownBlocksAndReadsSimplePackets) {
  FileMaker maker(true);
  maker.section().interface(4);
  maker.bytes("something else").block(0x0BAD);
  maker.u32(6).bytes("123456").block(3);
  PcapngReader cut(maker.file());
  const auto packets = readAll(cut);
  ASSERT_EQ(cut.error(), PcapngError::kNone);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].original_length, 6U);
  EXPECT_EQ(packets[0].bytes.size(), 4U);  // the interface's snap length
  EXPECT_EQ(packets[0].direction, PacketDirection::kUnknown);
}

TEST(PcapngReader, ResolutionsAndOffset) {
  const auto timeOf = [](FileMaker& maker) {
    PcapngReader reader(maker.file());
    const auto packet = reader.next();
    return packet ? std::optional(packet->timestamp) : std::nullopt;
  };
  FileMaker seconds_maker(false);
  seconds_maker.section().interfaceWithResolution(0).packet(0, 3, "");
  EXPECT_EQ(timeOf(seconds_maker), seconds(3));
  FileMaker fine(false);
  fine.section().interfaceWithResolution(15).packet(0, 2'999, "");
  EXPECT_EQ(timeOf(fine), Picoseconds(2));
  FileMaker binary(false);
  binary.section().interfaceWithResolution(static_cast<char>(0x8A)).packet(0, 512, "");
  EXPECT_EQ(timeOf(binary), milliseconds(500));
  FileMaker offset(false);
  offset.section().u16(1).u16(0).u32(0).option(9, "\x09");
  offset.u16(14).u16(8).u64(~0ULL).block(1);  // minus one second
  offset.packet(0, 1'500'000'000, "");
  EXPECT_EQ(timeOf(offset), milliseconds(500));

  FileMaker late(false);
  late.section().interfaceWithResolution(0).packet(0, 1ULL << 40, "");
  EXPECT_EQ(timeOf(late), std::nullopt);
  FileMaker before(false);
  before.section().u16(1).u16(0).u32(0).u16(14).u16(8).u64(~0ULL).block(1);
  before.packet(0, 0, "");
  EXPECT_EQ(timeOf(before), std::nullopt);
}

PcapngError errorOf(const Buffer& file) {
  PcapngReader reader(file);
  readAll(reader);
  EXPECT_LE(reader.errorOffset(), file.size());
  EXPECT_FALSE(reader.next().has_value());  // an error is final
  return reader.error();
}

TEST(PcapngReader, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf({}), PcapngError::kNone);  // no sections, no packets
  EXPECT_EQ(errorOf(toBytes("pcap")), PcapngError::kTruncated);
  EXPECT_EQ(errorOf(toBytes("not a capture at all")), PcapngError::kNotPcapng);

  const Buffer good = FileMaker(false).section().interface().packet(0, 1, "abc").file();
  EXPECT_EQ(errorOf(good), PcapngError::kNone);
  Buffer bad = good;
  bad[8] ^= 1;
  EXPECT_EQ(errorOf(bad), PcapngError::kByteOrder);
  bad = good;
  bad[12] = 2;
  EXPECT_EQ(errorOf(bad), PcapngError::kVersion);
  bad = good;
  bad[24] ^= 4;  // second copy of the section's length
  EXPECT_EQ(errorOf(bad), PcapngError::kBlockLength);
  bad = good;
  bad[32] = 21;  // the interface block's length
  EXPECT_EQ(errorOf(bad), PcapngError::kBlockLength);
  bad = good;
  bad[32] = 8;
  EXPECT_EQ(errorOf(bad), PcapngError::kBlockLength);

  EXPECT_EQ(errorOf(FileMaker(false).section().packet(0, 1, "abc").file()),
            PcapngError::kInterface);
  EXPECT_EQ(errorOf(FileMaker(false).section().u32(3).bytes("abc").block(3).file()),
            PcapngError::kInterface);
  EXPECT_EQ(errorOf(FileMaker(false).section().interface().u32(9).bytes("abc").block(3).file()),
            PcapngError::kPacketLength);
  EXPECT_EQ(errorOf(FileMaker(false)
                        .section()
                        .u16(1)
                        .u16(0)
                        .u32(0)
                        .u16(2)
                        .u16(100)
                        .bytes("cut")
                        .block(1)
                        .file()),
            PcapngError::kOption);
  // An option that ends four bytes after its block.
  FileMaker option(false);
  option.section().u16(1).u16(0).u32(0).u16(2).u16(8).bytes("cut!").block(1);
  EXPECT_EQ(errorOf(option.file()), PcapngError::kOption);
  // More bytes captured than the packet had.
  FileMaker longer(false);
  longer.section().interface().u32(0).u64(0).u32(8).u32(7).bytes("12345678").block(6);
  EXPECT_EQ(errorOf(longer.file()), PcapngError::kPacketLength);
}

TEST(PcapngReader, CutOrDamagedFilesNeverReadOutside) {
  FileMaker maker(true);
  maker.section().interfaceWithResolution(9).packet(0, 1, "abcdefg");
  maker.u32(6).bytes("123456").block(3);
  const Buffer& good = maker.file();
  for (std::size_t length = 0; length < good.size(); ++length) {
    // Exactly that long, so that an address sanitizer detects a read beyond the end.
    const Buffer cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    PcapngReader reader(cut);
    EXPECT_LE(readAll(reader).size(), 2U);
  }
  RandomStream random(3, "damage");
  for (int round = 0; round < 20'000; ++round) {
    Buffer bad = good;
    for (std::uint64_t i = random.below(4); i < 4; ++i) {
      bad[random.below(bad.size())] = static_cast<std::uint8_t>(random.next());
    }
    PcapngReader reader(bad);
    for (const PcapngPacket& packet : readAll(reader)) {
      EXPECT_LE(packet.bytes.size(), bad.size());
      EXPECT_LT(packet.interface, reader.interfaces().size());
    }
  }
}

TEST(PcapngWriter, RefusesWhatNoCaptureHolds) {
  std::ostringstream out;
  PcapngWriter writer(out, {});
  PcapngPacket packet;
  EXPECT_THROW(writer.write(packet), Error);  // no interface yet
  writer.addInterface({});
  const std::size_t before = out.str().size();
  packet.timestamp = Picoseconds(-1);
  EXPECT_THROW(writer.write(packet), Error);
  packet.timestamp = Picoseconds(0);
  const Buffer bytes(10);
  packet.bytes = bytes;
  packet.original_length = 9;
  EXPECT_THROW(writer.write(packet), Error);
  packet.original_length = 10;
  const std::string comment(0x10000, 'x');
  packet.comment = comment;
  EXPECT_THROW(writer.write(packet), Error);
  EXPECT_EQ(out.str().size(), before);  // a refused packet leaves no trace
  EXPECT_EQ(writer.packets(), 0U);
}

TEST(PcapngWriter, AFullDiskIsAnError) {
  std::ostringstream out;
  PcapngWriter writer(out, {});
  out.setstate(std::ios::badbit);
  try {
    writer.addInterface({});
    FAIL() << "a failed stream was taken for a good one";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kTester);
  }
}

}  // namespace
}  // namespace plumbline::wire
