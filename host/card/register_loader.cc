#include "card/register_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "card/polling.h"

namespace plumbline::card {
namespace {

namespace loader = regs::dma;

constexpr std::size_t kEntryBytes = 8;
constexpr std::size_t kListUnit = 64;  // bytes that the card fetches at a time
constexpr std::size_t kMostEntries = 1U << 20U;
// A write may wait for a table; the memory's answers take their time too.
constexpr Picoseconds kEntryLimit = microseconds(10);
constexpr Picoseconds kListLimit = milliseconds(10);

std::vector<std::uint8_t> encodeList(std::span<const RegisterWrite> writes) {
  const std::size_t bytes = writes.size() * kEntryBytes;
  std::vector<std::uint8_t> list((bytes + kListUnit - 1) / kListUnit * kListUnit);
  std::size_t at = 0;
  for (const RegisterWrite& one : writes) {
    for (const std::uint32_t word : {one.offset, one.value}) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        list[at++] = static_cast<std::uint8_t>(word >> shift);
      }
    }
  }
  return list;
}

}  // namespace

RegisterLoader::RegisterLoader(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer)
    : bus_(bus), registers_(bus), buffer_(std::move(buffer)) {}

void RegisterLoader::load(std::span<const RegisterWrite> writes) {
  const std::size_t most = std::min(buffer_->size() / kEntryBytes, kMostEntries);
  for (; !writes.empty(); writes = writes.subspan(std::min(most, writes.size()))) {
    loadPiece(writes.first(std::min(most, writes.size())));
  }
}

void RegisterLoader::loadPiece(std::span<const RegisterWrite> writes) {
  buffer_->write(0, encodeList(writes));
  const std::uint64_t address = buffer_->address();
  registers_.write64(loader::kLoadAddressLo, address);
  registers_.write(loader::kLoadCount, static_cast<std::uint32_t>(writes.size()));
  registers_.write(loader::kLoadControl, loader::kLoadControlStart.of(1));
  std::uint32_t status = 0;
  const auto idle = [&] {
    status = registers_.read(loader::kLoadStatus);
    return loader::kLoadStatusBusy.get(status) == 0;
  };
  const Picoseconds limit = kListLimit + static_cast<std::int64_t>(writes.size()) * kEntryLimit;
  const bool ended = waitUntil(bus_, limit, idle);
  const std::uint32_t done = registers_.read(loader::kLoadDone);
  if (ended && loader::kLoadStatusError.get(status) == 0 && done == writes.size()) return;
  throw Error(
      ErrorKind::kTester,
      fmt::format("the card {} a list of register writes: {} of {} done",
                  ended ? "could not carry out" : "does not come to the end of", done,
                  writes.size()),
      done < writes.size() ? fmt::format("write of register {:#06x}", writes[done].offset)
                           : std::string("LOAD_STATUS"),
      fmt::format("an xclbin that connects the card to the memory of its buffers; the list is at "
                  "{:#x}",
                  address));
}

}  // namespace plumbline::card
