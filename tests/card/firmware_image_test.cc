// Images and memory of firmware as bytes: what is refused, and with which reason. Images are put
// together here, with a CRC-32 worked out bit by bit.
#include "card/firmware_image.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace plumbline::card {
namespace {

// CRC-32 of IEEE 802.3: reflected, initial value and final XOR all ones.
std::uint32_t slowCrc(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t word, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[4 * word + i] = static_cast<std::uint8_t>(value >> 8 * i);
  }
}

// Words of the header as docs/firmware.md numbers them.
enum HeaderWord : std::size_t {
  kMagic = 1,
  kInterface = 2,
  kVersion = 3,
  kMap = 4,
  kImageBytes = 5,
  kMemoryBytes = 6,
  kSharedOffset = 7,
  kChecksum = 8,
};

constexpr std::size_t kBytes = 64;

std::vector<std::uint8_t> sealed(std::vector<std::uint8_t> bytes) {
  put(bytes, kChecksum, 0);
  put(bytes, kChecksum, slowCrc(bytes));
  return bytes;
}

std::vector<std::uint8_t> unsealed() {
  std::vector<std::uint8_t> bytes(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::uint8_t>(7 * i);
  put(bytes, kMagic, 0x504C4657);
  put(bytes, kInterface, 0x00010001);
  put(bytes, kVersion, 0x02030004);
  put(bytes, kMap, 0x01040000);
  put(bytes, kImageBytes, kBytes);
  put(bytes, kMemoryBytes, 8192);
  put(bytes, kSharedOffset, 1024);
  return bytes;
}

std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    (void)parseFirmwareImage(bytes, "some.bin");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.where(), "some.bin");
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "taken";
}

void expectRefusal(const std::vector<std::uint8_t>& bytes, const std::string& reason) {
  const std::string text = refusal(bytes);
  EXPECT_NE(text.find(reason), std::string::npos) << text;
}

TEST(FirmwareImage, GoodOneIsTaken) {
  const FirmwareImage image = parseFirmwareImage(sealed(unsealed()), "some.bin");
  EXPECT_EQ(image.words.size(), kBytes / 4);
  EXPECT_EQ(firmwareVersionText(image.header.version), "2.3.4");
  EXPECT_EQ(interfaceVersionText(image.header.interface_version), "1.1");
  EXPECT_EQ(image.header.shared_offset, 1024u);
  EXPECT_EQ(image.words[0], 0x150E0700u);
}

TEST(FirmwareImage, EverythingElseIsRefusedWithItsReason) {
  expectRefusal({}, "0 bytes are too few");
  expectRefusal(std::vector<std::uint8_t>(35), "35 bytes are too few");
  auto bytes = unsealed();
  put(bytes, kMagic, 0x504C4658);
  expectRefusal(sealed(bytes), "no image of firmware");
  bytes = sealed(unsealed());
  bytes.resize(kBytes - 4);
  expectRefusal(bytes, "cut short");
  bytes = sealed(unsealed());
  bytes.push_back(0);
  expectRefusal(bytes, "too long");
}

// Any bit that has changed is found: in the header by what it says, or by the checksum.
TEST(FirmwareImage, EveryChangedBitIsFound) {
  const auto good = sealed(unsealed());
  for (std::size_t bit = 0; bit < 8 * kBytes; ++bit) {
    auto bytes = good;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_NE(refusal(bytes), "taken") << "bit " << bit;
  }
  auto bytes = good;
  bytes[kBytes - 1] ^= 1;
  expectRefusal(bytes, "damaged");
}

TEST(FirmwareImage, OtherInterfacesAreRefused) {
  const auto with = [](std::uint32_t version) {
    auto bytes = unsealed();
    put(bytes, kInterface, version);
    return sealed(bytes);
  };
  expectRefusal(with(0x00020000), "version 2.0, is newer than this program");
  expectRefusal(with(0x00000009), "version 0.9, is older than this program");
  EXPECT_EQ(refusal(with(0x00010003)), "taken");  // has something more
}

TEST(FirmwareImage, HeadersThatContradictThemselvesAreRefused) {
  const auto with = [](std::size_t word, std::uint32_t value) {
    auto bytes = unsealed();
    put(bytes, word, value);
    return sealed(bytes);
  };
  constexpr const char* kReason = "contradicts itself";
  expectRefusal(with(kMemoryBytes, kBytes - 4), kReason);
  expectRefusal(with(kMemoryBytes, 0xFFFFFFFF), kReason);
  expectRefusal(with(kSharedOffset, 1026), kReason);
  expectRefusal(with(kSharedOffset, 8192 - sizeof(firmware::Shared) + 4), kReason);
  expectRefusal(with(kSharedOffset, 0xFFFFFFFC), kReason);
  EXPECT_EQ(refusal(with(kSharedOffset, 8192 - sizeof(firmware::Shared))), "taken");
}

std::vector<std::uint32_t> wordsOf(const std::vector<std::uint8_t>& bytes) {
  return parseFirmwareImage(bytes, "").words;
}

TEST(FirmwareMemory, LoadedHeaderIsRead) {
  auto words = wordsOf(sealed(unsealed()));
  EXPECT_EQ(parseLoadedHeader(words, 98'304).shared_offset, 1024u);
  EXPECT_THROW((void)parseLoadedHeader(words, 8188), Error);  // needs more than there is
  EXPECT_THROW(
      (void)parseLoadedHeader(std::vector<std::uint32_t>(words.begin(), words.begin() + 8), 98'304),
      Error);
  words[kInterface] = 0x00020000;
  EXPECT_THROW((void)parseLoadedHeader(words, 98'304), Error);
  words[kMagic] = 0;
  try {
    (void)parseLoadedHeader(words, 98'304);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no firmware is loaded"), std::string::npos);
  }
}

// The last entries of the log, whatever the counter says.
TEST(FirmwareMemory, LogIsUnrolled) {
  std::vector<std::uint32_t> words(1097);  // the shared block of docs/firmware.md
  words[0] = 0x504C5348;
  words[1] = 0x00010001;
  constexpr std::size_t kLogWritten = 39;
  constexpr std::size_t kLog = 40;
  for (std::uint32_t i = 0; i < 64; ++i) words[kLog + 4 * i + 3] = i;  // arguments
  const auto arguments = [&](std::uint32_t written) {
    words[kLogWritten] = written;
    std::vector<std::uint32_t> found;
    for (const auto& entry : logOf(parseShared(words))) found.push_back(entry.argument);
    return found;
  };
  EXPECT_TRUE(arguments(0).empty());
  EXPECT_EQ(arguments(2), (std::vector<std::uint32_t>{0, 1}));
  const auto around = arguments(66);
  ASSERT_EQ(around.size(), 64u);
  EXPECT_EQ(around.front(), 2u);
  EXPECT_EQ(around.back(), 1u);
  EXPECT_EQ(arguments(0xFFFFFFFF).size(), 64u);

  words.pop_back();
  EXPECT_THROW((void)parseShared(words), Error);
  words.push_back(0);
  words[1] = 0x00020000;
  EXPECT_THROW((void)parseShared(words), Error);
  words[0] = 0;
  EXPECT_THROW((void)parseShared(words), Error);
}

TEST(FirmwareMemory, EntriesAndStatesAreInWords) {
  EXPECT_EQ(describe({0, 0, 1, 0x01020003}), "firmware 1.2.3 has started");
  EXPECT_EQ(describe({0, 0, 5, 0}), "transmitter parked: the host was silent for too long");
  EXPECT_EQ(describe({0, 0, 99, 16}), "event 99 with 0x10");
  EXPECT_EQ(stateName(2), "parked");
  EXPECT_EQ(stateName(17), "unknown state 17");
}

}  // namespace
}  // namespace plumbline::card
