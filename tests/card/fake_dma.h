// A card with a DMA in memory: FakeCard with the registers of the block "dma", and memory of its
// own. Behaves as documented in docs/registers.md, with injectable faults.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/device_buffer.h"
#include "card/register_bus.h"
#include "card/registers.h"
#include "tests/card/fake_card.h"

namespace plumbline::card {

// A frame as the card's capture streams give it.
struct FakeCapture {
  std::uint64_t timestamp = 0;
  std::uint32_t port = 0;
  bool sent = false;
  bool fcs_ok = true;
  bool icrc_checked = false;
  bool icrc_ok = false;
  std::vector<std::uint8_t> bytes{};
  std::uint32_t lost = 0;  // bytes of the frame's end that the card could not keep
};

inline void putLittleEndian(std::span<std::uint8_t> to, std::uint64_t value) {
  for (std::uint8_t& byte : to) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8U;
  }
}

// The record of a frame, bit by bit as the interface has it.
inline std::vector<std::uint8_t> captureRecord(const FakeCapture& frame, std::uint32_t number) {
  const std::size_t captured = frame.bytes.size();
  std::vector<std::uint8_t> record(64 + (captured + 63) / 64 * 64);
  const std::span<std::uint8_t> all(record);
  putLittleEndian(all.subspan(0, 8), frame.timestamp);
  putLittleEndian(all.subspan(8, 2), captured + frame.lost);
  record[10] = static_cast<std::uint8_t>((frame.fcs_ok ? 1 : 0) | (frame.icrc_checked ? 2 : 0) |
                                         (frame.icrc_ok ? 4 : 0) | (frame.lost > 0 ? 8 : 0) |
                                         (frame.sent ? 16 : 0));
  putLittleEndian(all.subspan(12, 2), captured);
  record[14] = static_cast<std::uint8_t>(frame.port);
  record[15] = 0x5A;
  putLittleEndian(all.subspan(16, 4), number);
  std::copy(frame.bytes.begin(), frame.bytes.end(), record.begin() + 64);
  return record;
}

class FakeDmaCard final : public RegisterBus {
 public:
  static constexpr std::uint64_t kMemoryBase = 0x4'0000'0000;

  explicit FakeDmaCard(std::size_t memory_bytes = std::size_t{1} << 17U) : memory(memory_bytes) {}

  FakeCard card;
  std::vector<std::uint8_t> memory;  // from kMemoryBase on
  std::size_t taken = 0;             // bytes of it that buffers have
  std::vector<std::uint32_t> dma{std::vector<std::uint32_t>(1024)};
  std::uint64_t single_writes = 0;  // by the host, to any register
  std::uint64_t single_reads = 0;
  std::uint64_t dropped = 0;             // frames that found no room
  std::optional<std::size_t> bad_entry;  // of a list: the card refuses it
  bool loader_stuck = false;
  bool answers_refused = false;  // by the memory

  // A frame has been captured.
  void capture(const FakeCapture& frame) {
    if ((dma[1] & 1U) == 0) return;
    const std::vector<std::uint8_t> record = captureRecord(frame, number_);
    const std::uint64_t size = dma[4];
    if (written_ + record.size() - given_back_ > size) {
      ++dropped;
      return;
    }
    const std::uint64_t ring = (std::uint64_t{dma[3]} << 32U | dma[2]) - kMemoryBase;
    for (const std::uint8_t byte : record) memory.at(ring + written_++ % size) = byte;
    ++number_;
  }

  // Consecutive buffers; no memory when it is used up.
  BufferSource source() {
    return [this](std::size_t bytes) -> std::unique_ptr<DeviceBuffer> {
      if (bytes > memory.size() - taken) throw Error(ErrorKind::kTester, "no memory");
      taken += bytes;
      return std::make_unique<Buffer>(*this, taken - bytes, bytes);
    };
  }

  std::uint32_t read(std::uint32_t offset) override {
    ++single_reads;
    if (offset < regs::dma::kBase) return card.read(offset);
    switch (offset - regs::dma::kBase) {
      case 0x000:
        return 0x504C444D;
      case 0x018:
        dma[0x1C / 4] = static_cast<std::uint32_t>(written_ >> 32U);
        return static_cast<std::uint32_t>(written_);
      case 0x03C:
        return 0;
      default:
        return dma.at((offset - regs::dma::kBase) / 4);
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) override {
    ++single_writes;
    if (offset < regs::dma::kBase) return card.write(offset, value);
    const std::uint32_t at = offset - regs::dma::kBase;
    if (at == 0x004 && (value & 1U) != 0 && (dma[1] & 1U) == 0) {
      written_ = given_back_ = 0;
      number_ = 0;
    }
    if (at == 0x020) given_back_ = std::uint64_t{dma[0x24 / 4]} << 32U | value;
    if (at == 0x03C && (value & 1U) != 0) return load();
    std::uint32_t& word = dma.at(at / 4);
    word = at == 0x028 ? word & ~value : value;
  }

  void wait(Picoseconds duration) override { card.wait(duration); }
  std::vector<CapturedFrame> readCaptured() override { return {}; }

  // Value of CAPTURE_WRITTEN, whatever was captured.
  void setWritten(std::uint64_t bytes) { written_ = bytes; }

 private:
  static constexpr std::uint32_t kReadBit = 1U << 16U;

  class Buffer final : public DeviceBuffer {
   public:
    Buffer(FakeDmaCard& card, std::size_t begin, std::size_t bytes)
        : all_(std::span(card.memory).subspan(begin, bytes)), address_(kMemoryBase + begin) {}
    [[nodiscard]] std::uint64_t address() const override { return address_; }
    [[nodiscard]] std::size_t size() const override { return all_.size(); }
    void write(std::size_t offset, std::span<const std::uint8_t> bytes) override {
      std::copy(bytes.begin(), bytes.end(), all_.subspan(offset, bytes.size()).begin());
    }
    void read(std::size_t offset, std::span<std::uint8_t> bytes) override {
      const auto part = all_.subspan(offset, bytes.size());
      std::copy(part.begin(), part.end(), bytes.begin());
    }

   private:
    std::span<std::uint8_t> all_;
    std::uint64_t address_;
  };

  void load() {
    std::uint32_t& status = dma[0x40 / 4];
    std::uint32_t& done = dma[0x44 / 4];
    status = loader_stuck ? 1 : 0;
    done = 0;
    std::uint64_t from = (std::uint64_t{dma[0x34 / 4]} << 32U | dma[0x30 / 4]) - kMemoryBase;
    std::uint64_t to = (std::uint64_t{dma[0x4C / 4]} << 32U | dma[0x48 / 4]) - kMemoryBase;
    const auto word = [&] {
      std::uint32_t value = 0;
      for (unsigned shift = 0; shift < 32; shift += 8) {
        value |= std::uint32_t{memory.at(from++)} << shift;
      }
      return value;
    };
    for (std::uint32_t i = 0; i < dma[0x38 / 4] && status == 0; ++i) {
      const std::uint32_t offset = word();
      const std::uint32_t value = word();
      if (bad_entry == i) {
        status = 2;
        return;
      }
      if ((offset & kReadBit) != 0) {
        const std::uint32_t answer = card.read(offset & ~kReadBit);
        putLittleEndian(std::span(memory).subspan(to, 4), answer);
        to += 4;
      } else {
        card.write(offset, value);
      }
      ++done;
    }
    for (; to % 64 != 0; ++to) memory.at(to) = 0;
    if (answers_refused) status = 2;
  }

  std::uint64_t written_ = 0;
  std::uint64_t given_back_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace plumbline::card
