#include "card/control_core.h"

#include <fmt/format.h>

#include "base/error.h"
#include "card/registers.h"

namespace plumbline::card {
namespace {

namespace core = regs::core;

}  // namespace

bool ControlCore::isPresent(RegisterBus& bus) {
  // The block answers on cards whose other registers have no clock at the moment.
  if (bus.read(core::kBase + core::kCoreId) == core::kCoreIdValue) return true;
  return regs::global::kFeaturesCore.get(bus.read(regs::global::kFeatures)) != 0;
}

ControlCore::ControlCore(RegisterBus& bus) : bus_(bus) {
  if (!isPresent(bus)) {
    throw Error(ErrorKind::kUnsupported,
                "the card has no control processor, so no firmware runs on it", "FEATURES.core",
                "a card that was built with one");
  }
  const std::uint32_t id = readRegister(core::kCoreId);
  if (id != core::kCoreIdValue) {
    throw Error(ErrorKind::kTester,
                fmt::format("the card says that it has a control processor, but its block reads "
                            "0x{:08X}",
                            id),
                "CORE_ID", fmt::format("0x{:08X}", core::kCoreIdValue));
  }
  memory_bytes_ = readRegister(core::kMemoryBytes);
  clock_hz_ = readRegister(core::kClockHz);
  if (clock_hz_ == 0) {
    throw Error(ErrorKind::kTester, "the clock of the control processor has no frequency",
                "CLOCK_HZ", "1 Hz and more");
  }
}

std::uint32_t ControlCore::mapVersion() { return readRegister(core::kMapVersion); }

CoreState ControlCore::state() {
  if (core::kControlReset.get(readRegister(core::kControl)) != 0) return CoreState::kReset;
  const std::uint32_t status = readRegister(core::kStatus);
  if (core::kStatusHalted.get(status) != 0) return CoreState::kHalted;
  return core::kStatusAsleep.get(status) != 0 ? CoreState::kAsleep : CoreState::kRunning;
}

void ControlCore::reset() {
  writeRegister(core::kControl, core::kControlReset.of(1) | core::kControlHalt.of(1));
}

void ControlCore::run() { writeRegister(core::kControl, 0); }

void ControlCore::write(std::uint32_t offset, std::span<const std::uint32_t> words) {
  checkRange(offset, words.size());
  std::vector<RegisterAccess> list{RegisterAccess::write(core::kBase + core::kMemAddress, offset)};
  for (const std::uint32_t word : words) {
    list.push_back(RegisterAccess::write(core::kBase + core::kMemWrite, word));
  }
  bus_.accessAll(list);
}

std::vector<std::uint32_t> ControlCore::read(std::uint32_t offset, std::uint32_t count) {
  checkRange(offset, count);
  std::vector<RegisterAccess> list{RegisterAccess::write(core::kBase + core::kMemAddress, offset)};
  list.resize(1 + count, RegisterAccess::read(core::kBase + core::kMemRead));
  return bus_.accessAll(list);
}

bool ControlCore::send(std::uint32_t word) {
  if (core::kStatusMailInFull.get(readRegister(core::kStatus)) != 0) return false;
  writeRegister(core::kMailIn, word);
  return true;
}

std::optional<std::uint32_t> ControlCore::receive() {
  if (core::kStatusMailOutValid.get(readRegister(core::kStatus)) == 0) return std::nullopt;
  return readRegister(core::kMailOut);
}

std::uint32_t ControlCore::readRegister(std::uint32_t offset) {
  return bus_.read(core::kBase + offset);
}

void ControlCore::writeRegister(std::uint32_t offset, std::uint32_t value) {
  bus_.write(core::kBase + offset, value);
}

void ControlCore::checkRange(std::uint32_t offset, std::size_t count) const {
  if (offset % 4 != 0 || offset > memory_bytes_ || count > (memory_bytes_ - offset) / 4) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} words at offset {:#x} are not in the memory of the control processor",
                    count, offset),
        {}, fmt::format("multiples of 4 below {:#x}", memory_bytes_));
  }
}

}  // namespace plumbline::card
