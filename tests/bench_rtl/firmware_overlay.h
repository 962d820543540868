// A card on whose control processor firmware seems to run: its registers and its memory are the
// test's, everything else is the card's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "card/register_bus.h"
#include "card/registers.h"
#include "firmware/interface.h"

namespace plumbline::bench {

namespace core = card::regs::core;

// What the firmware says, and what it has been told. Every command is done at once.
struct ShownFirmware {
  firmware::Shared shared{};
  std::vector<std::vector<std::uint32_t>> commands;  // code and arguments

  ShownFirmware() {
    shared.magic = firmware::kSharedMagic;
    shared.interface_version = firmware::kInterfaceVersion;
    shared.version = 0x01020003;
    shared.state = firmware::kReady;
  }
};

class FirmwareOverlay final : public card::RegisterBus {
 public:
  FirmwareOverlay(std::unique_ptr<card::RegisterBus> card, ShownFirmware& firmware)
      : card_(std::move(card)), firmware_(firmware) {}

  std::uint32_t read(std::uint32_t offset) override {
    if (!isCore(offset)) return card_->read(offset);
    switch (offset - core::kBase) {
      case core::kCoreId:
        return core::kCoreIdValue;
      case core::kClockHz:
        return 322'265'625;
      case core::kMemoryBytes:
        return kMemoryBytes;
      case core::kStatus:
        return core::kStatusAsleep.of(1) | core::kStatusMailOutValid.of(answer_ ? 1 : 0);
      case core::kMailOut:
        answer_ = false;
        return firmware_.shared.reply.sequence;
      case core::kMemRead:
        return word(std::exchange(address_, address_ + 4));
      default:
        return 0;
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) override {
    if (!isCore(offset)) return card_->write(offset, value);
    switch (offset - core::kBase) {
      case core::kMemAddress:
        address_ = value;
        break;
      case core::kMemWrite:
        setWord(std::exchange(address_, address_ + 4), value);
        break;
      case core::kMailIn:
        carryOut(value);
        break;
      default:
        break;
    }
  }

  void wait(Picoseconds duration) override { card_->wait(duration); }
  std::vector<card::CapturedFrame> readCaptured() override { return card_->readCaptured(); }

 private:
  static constexpr std::uint32_t kMemoryBytes = 96 * 1024;
  static constexpr std::uint32_t kSharedOffset = 4096;

  static bool isCore(std::uint32_t offset) {
    return offset >= core::kBase && offset < core::kBase + core::kSize;
  }

  void carryOut(std::uint32_t sequence) {
    const firmware::Command& command = firmware_.shared.command;
    std::vector<std::uint32_t> told{command.code};
    told.insert(told.end(), std::begin(command.arguments), std::end(command.arguments));
    firmware_.commands.push_back(std::move(told));
    firmware_.shared.reply = {};
    firmware_.shared.reply.sequence = sequence;
    answer_ = true;
  }

  [[nodiscard]] std::uint32_t word(std::uint32_t address) const {
    std::uint32_t value = 0;
    if (address < sizeof(header_)) {
      std::memcpy(&value, reinterpret_cast<const char*>(&header_) + address, sizeof(value));
    } else if (inShared(address)) {
      std::memcpy(&value,
                  reinterpret_cast<const char*>(&firmware_.shared) + address - kSharedOffset,
                  sizeof(value));
    }
    return value;
  }
  void setWord(std::uint32_t address, std::uint32_t value) {
    if (!inShared(address)) return;
    std::memcpy(reinterpret_cast<char*>(&firmware_.shared) + address - kSharedOffset, &value,
                sizeof(value));
  }
  static bool inShared(std::uint32_t address) {
    return address >= kSharedOffset && address < kSharedOffset + sizeof(firmware::Shared);
  }

  std::unique_ptr<card::RegisterBus> card_;
  ShownFirmware& firmware_;
  firmware::ImageHeader header_{.jump = 0,
                                .magic = firmware::kImageMagic,
                                .interface_version = firmware::kInterfaceVersion,
                                .version = 0x01020003,
                                .map_version = 0,
                                .image_bytes = kSharedOffset,
                                .memory_bytes = 2 * kSharedOffset + sizeof(firmware::Shared),
                                .shared_offset = kSharedOffset,
                                .checksum = 0};
  std::uint32_t address_ = 0;
  bool answer_ = false;
};

}  // namespace plumbline::bench
