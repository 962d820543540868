// Messages of the Precision Time Protocol: bytes written out by hand from IEEE 1588-2019, clause 13
// and Annex E, and as tshark reads them; what is refused; random bytes.
#include "firmware/ptp_message.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/wire/tool.h"

namespace plumbline::firmware_test {
namespace {

namespace ptp = firmware::ptp;
using ptp::Message;

constexpr std::uint8_t kMac[6] = {0x02, 0x55, 0x33, 0x11, 0x01, 0x00};

Message makeMessage(ptp::MessageType type) {
  Message made{};
  made.type = type;
  made.domain = 7;
  made.two_step = type == ptp::kSync;
  made.source = ptp::identityOf(kMac, 3);
  made.sequence = 0xBEEF;
  made.log_interval = -6;
  made.time_ps = 1'234'567'890'123'000;  // 1,234 s and 567,890,123 ns
  return made;
}

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::ostringstream text;
  for (std::size_t i = 0; i < count; ++i) {
    text << std::hex << std::setw(2) << std::setfill('0') << unsigned{bytes[i]};
  }
  return text.str();
}

struct Encoded {
  std::uint8_t bytes[ptp::kMaxFrameBytes];
  std::uint32_t length;
};
Encoded encoded(const Message& message) {
  Encoded made{};
  made.length = ptp::encode(message, kMac, made.bytes);
  return made;
}

constexpr const char* kAddresses =
    "011b19000000025533110100"
    "88f7";
constexpr const char* kIdentity =
    "025533fffe110100"
    "0003";
constexpr const char* kTime =
    "0000000004d2"
    "21d950cb";  // 1,234 s, 567,890,123 ns

TEST(PtpMessage, BytesAreThoseOfTheStandard) {
  Message sync = makeMessage(ptp::kSync);
  sync.correction = 0x0123'4567'89AB;
  const Encoded made = encoded(sync);
  EXPECT_EQ(made.length, 60U);
  EXPECT_EQ(hex(made.bytes, 58), std::string(kAddresses) +
                                     "0012002c0700"
                                     "0200"
                                     "00000123456789ab"
                                     "00000000" +
                                     kIdentity +
                                     "beef"
                                     "00"
                                     "fa" +
                                     kTime);
  EXPECT_EQ(hex(made.bytes + 58, 2), "0000");  // filled up to what Ethernet wants

  const Encoded follow = encoded(makeMessage(ptp::kFollowUp));
  EXPECT_EQ(hex(follow.bytes, 58), std::string(kAddresses) +
                                       "0812002c0700"
                                       "0000"
                                       "0000000000000000"
                                       "00000000" +
                                       kIdentity +
                                       "beef"
                                       "02"
                                       "fa" +
                                       kTime);

  Message response = makeMessage(ptp::kDelayResp);
  response.correction = -2;
  response.requester = {{1, 2, 3, 4, 5, 6, 7, 8}, 0x90A};
  const Encoded answer = encoded(response);
  EXPECT_EQ(answer.length, 68U);
  EXPECT_EQ(hex(answer.bytes, 68), std::string(kAddresses) +
                                       "091200360700"
                                       "0000"
                                       "fffffffffffffffe"
                                       "00000000" +
                                       kIdentity +
                                       "beef"
                                       "03"
                                       "fa" +
                                       kTime +
                                       "0102030405060708"
                                       "090a");

  const Encoded request = encoded(makeMessage(ptp::kDelayReq));
  EXPECT_EQ(hex(request.bytes + 14, 6), "0112002c0700");
  EXPECT_EQ(request.bytes[14 + 32], 1);

  const Encoded announce = encoded(makeMessage(ptp::kAnnounce));
  EXPECT_EQ(announce.length, 78U);
  EXPECT_EQ(hex(announce.bytes + 14, 6), "0b1200400700");
  EXPECT_EQ(hex(announce.bytes + 14 + 32, 32), std::string("05"
                                                           "fa") +
                                                   kTime +
                                                   "0000"
                                                   "00"
                                                   "80"
                                                   "f8feffff"
                                                   "80"
                                                   "025533fffe110100"
                                                   "0000"
                                                   "a0");
}

Message drawMessage(std::mt19937_64& random) {
  constexpr ptp::MessageType kTypes[] = {ptp::kSync, ptp::kDelayReq, ptp::kFollowUp,
                                         ptp::kDelayResp, ptp::kAnnounce};
  Message drawn{};
  drawn.type = kTypes[random() % 5];
  drawn.domain = static_cast<std::uint8_t>(random());
  drawn.two_step = random() % 2 == 0;
  drawn.correction = static_cast<std::int64_t>(random()) >> (12 + random() % 50);
  for (std::uint8_t& byte : drawn.source.clock) byte = static_cast<std::uint8_t>(random());
  drawn.source.port = static_cast<std::uint16_t>(random());
  drawn.sequence = static_cast<std::uint16_t>(random());
  drawn.log_interval = static_cast<std::int8_t>(random());
  drawn.time_ps = random() / 1000 * 1000;
  if (drawn.type == ptp::kDelayResp) drawn.requester = {{9, 8, 7, 6, 5, 4, 3, 2}, 1};
  return drawn;
}

void expectEqual(const Message& a, const Message& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.domain, b.domain);
  EXPECT_EQ(a.two_step, b.two_step);
  EXPECT_EQ(a.correction, b.correction);
  EXPECT_TRUE(a.source == b.source);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.log_interval, b.log_interval);
  EXPECT_EQ(a.time_ps, b.time_ps);
  EXPECT_TRUE(a.requester == b.requester);
}

TEST(PtpMessage, WhatIsWrittenIsReadAgain) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Message message = drawMessage(random);
    const Encoded made = encoded(message);
    Message read{};
    ASSERT_TRUE(ptp::decode(made.bytes, made.length, read));
    expectEqual(read, message);
  }
}

TEST(PtpMessage, WhatIsNoneOfTheMessagesIsRefused) {
  const auto refused = [](ptp::MessageType type, std::size_t at, std::uint8_t value) {
    Encoded made = encoded(makeMessage(type));
    made.bytes[at] = value;
    Message read{};
    return !ptp::decode(made.bytes, made.length, read);
  };
  EXPECT_TRUE(refused(ptp::kSync, 12, 0x89));           // EtherType
  EXPECT_TRUE(refused(ptp::kSync, 14, 0x10));           // of gPTP
  EXPECT_TRUE(refused(ptp::kSync, 14, 0x02));           // Pdelay_Req
  EXPECT_TRUE(refused(ptp::kSync, 15, 0x01));           // version 1
  EXPECT_FALSE(refused(ptp::kSync, 15, 0x02));          // 2.0
  EXPECT_TRUE(refused(ptp::kSync, 17, 43));             // too short for a Sync
  EXPECT_TRUE(refused(ptp::kSync, 17, 47));             // longer than the frame
  EXPECT_TRUE(refused(ptp::kSync, 22, 0x40));           // correction of 2^62
  EXPECT_TRUE(refused(ptp::kSync, 14 + 34 + 6, 0x3C));  // 10^9 ns and more
  for (const ptp::MessageType type : {ptp::kSync, ptp::kDelayResp, ptp::kAnnounce}) {
    const Encoded made = encoded(makeMessage(type));
    Message read{};
    for (std::uint32_t length = 0; length < 14 + ptp::messageBytes(type); ++length) {
      EXPECT_FALSE(ptp::decode(made.bytes, length, read)) << length;
    }
  }
}

// Any bytes are refused, or are a message that is read the same when it is written again.
TEST(PtpMessage, RandomBytes) {
  std::mt19937_64 random(2);
  int taken = 0;
  for (int i = 0; i < 300'000; ++i) {
    Encoded made = encoded(drawMessage(random));
    for (std::uint64_t changes = random() % 6; changes > 0; --changes) {
      made.bytes[random() % ptp::kMaxFrameBytes] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) made.length = static_cast<std::uint32_t>(random() % 200);
    Message read{};
    if (!ptp::decode(made.bytes, made.length, read)) continue;
    ++taken;
    read.time_ps = read.time_ps / 1000 * 1000;  // seconds beyond 2^64 ps wrap to any ps
    const Encoded again = encoded(read);
    Message second{};
    ASSERT_TRUE(ptp::decode(again.bytes, again.length, second));
    expectEqual(second, read);
  }
  EXPECT_GT(taken, 50'000);
  EXPECT_LT(taken, 280'000);
}

// ---- tshark ----

void putLittle(std::ofstream& file, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(value >> 8 * i));
}

// A capture of the format pcap, of Ethernet.
void writePcap(const std::string& path, const std::vector<Encoded>& frames) {
  std::ofstream file(path, std::ios::binary);
  putLittle(file, 0xA1B2C3D4, 4);
  putLittle(file, 2, 2);
  putLittle(file, 4, 2);
  for (const std::uint32_t word : {0U, 0U, 65'535U, 1U}) putLittle(file, word, 4);
  for (const Encoded& frame : frames) {
    for (const std::uint32_t word : {0U, 0U, frame.length, frame.length}) putLittle(file, word, 4);
    file.write(reinterpret_cast<const char*>(frame.bytes), frame.length);
  }
}

TEST(PtpMessage, TsharkReadsThemAsMeant) {
  if (wire::test::runTool("tshark --version").exit_code != 0) {
    GTEST_SKIP() << "tshark is not installed (package tshark): messages not dissected by it";
  }
  Message sync = makeMessage(ptp::kSync);
  sync.correction = 0x5'8000;  // 5.5 ns
  Message follow = makeMessage(ptp::kFollowUp);
  follow.sequence = 0x1234;
  Message response = makeMessage(ptp::kDelayResp);
  response.requester = {{1, 2, 3, 4, 5, 6, 7, 8}, 77};
  Message announce = makeMessage(ptp::kAnnounce);
  announce.log_interval = 1;
  const std::string path = wire::test::scratchFile("ptp.pcap").string();
  writePcap(path, {encoded(sync), encoded(makeMessage(ptp::kDelayReq)), encoded(follow),
                   encoded(response), encoded(announce)});
  // Fields, and what each of the five frames has in them; "-" where the message has none.
  const std::vector<std::array<std::string, 6>> expected{
      {"eth.dst", "01:1b:19:00:00:00", "01:1b:19:00:00:00", "01:1b:19:00:00:00",
       "01:1b:19:00:00:00", "01:1b:19:00:00:00"},
      {"eth.src", "02:55:33:11:01:00", "02:55:33:11:01:00", "02:55:33:11:01:00",
       "02:55:33:11:01:00", "02:55:33:11:01:00"},
      {"ptp.v2.messagetype", "0x00", "0x01", "0x08", "0x09", "0x0b"},
      {"ptp.v2.versionptp", "2", "2", "2", "2", "2"},
      {"ptp.v2.messagelength", "44", "44", "44", "54", "64"},
      {"ptp.v2.domainnumber", "7", "7", "7", "7", "7"},
      {"ptp.v2.flags.twostep", "1", "0", "0", "0", "0"},
      {"ptp.v2.correction.ns", "5", "0", "0", "0", "0"},
      {"ptp.v2.correction.subns", "0.5", "0", "0", "0", "0"},
      {"ptp.v2.clockidentity", "0x025533fffe110100", "0x025533fffe110100", "0x025533fffe110100",
       "0x025533fffe110100", "0x025533fffe110100"},
      {"ptp.v2.sourceportid", "3", "3", "3", "3", "3"},
      {"ptp.v2.sequenceid", "48879", "48879", "4660", "48879", "48879"},
      {"ptp.v2.controlfield", "0", "1", "2", "3", "5"},
      {"ptp.v2.logmessageperiod", "-6", "-6", "-6", "-6", "1"},
      {"ptp.v2.sdr.origintimestamp.seconds", "1234", "1234", "-", "-", "-"},
      {"ptp.v2.sdr.origintimestamp.nanoseconds", "567890123", "567890123", "-", "-", "-"},
      {"ptp.v2.fu.preciseorigintimestamp.seconds", "-", "-", "1234", "-", "-"},
      {"ptp.v2.fu.preciseorigintimestamp.nanoseconds", "-", "-", "567890123", "-", "-"},
      {"ptp.v2.dr.receivetimestamp.seconds", "-", "-", "-", "1234", "-"},
      {"ptp.v2.dr.receivetimestamp.nanoseconds", "-", "-", "-", "567890123", "-"},
      {"ptp.v2.dr.requestingsourceportidentity", "-", "-", "-", "0x0102030405060708", "-"},
      {"ptp.v2.dr.requestingsourceportid", "-", "-", "-", "77", "-"},
      {"ptp.v2.an.priority1", "-", "-", "-", "-", "128"},
      {"ptp.v2.an.grandmasterclockclass", "-", "-", "-", "-", "248"},
      {"ptp.v2.an.grandmasterclockaccuracy", "-", "-", "-", "-", "0xfe"},
      {"ptp.v2.an.priority2", "-", "-", "-", "-", "128"},
      {"ptp.v2.an.grandmasterclockidentity", "-", "-", "-", "-", "0x025533fffe110100"},
      {"ptp.v2.an.localstepsremoved", "-", "-", "-", "-", "0"},
      {"_ws.malformed", "-", "-", "-", "-", "-"},
  };
  std::string command = "tshark -n -r " + path + " -T fields -E occurrence=f";
  for (const auto& field : expected) command += " -e " + field[0];
  const wire::test::ToolResult result = wire::test::runTool(command);
  ASSERT_EQ(result.exit_code, 0);
  ASSERT_EQ(result.lines.size(), 5U);
  for (std::size_t frame = 0; frame < 5; ++frame) {
    const std::vector<std::string> fields = wire::test::splitTabs(result.lines[frame]);
    ASSERT_EQ(fields.size(), expected.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string& value = expected[i][frame + 1];
      EXPECT_EQ(fields[i], value == "-" ? "" : value) << expected[i][0] << ", frame " << frame;
    }
  }
}

}  // namespace
}  // namespace plumbline::firmware_test
