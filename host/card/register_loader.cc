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
constexpr std::size_t kAnswerBytes = 4;
constexpr std::size_t kBeat = 64;  // bytes that the card moves at a time
constexpr std::size_t kMaxEntries = 1U << 20U;
constexpr std::uint32_t kRead = 1U << 16U;  // beside the offset
// The card's time per access, some ten clocks: polling earlier is useless.
constexpr Picoseconds kEntryTime = nanoseconds(30);
// An access may wait for a table, and reading memory takes time too.
constexpr Picoseconds kEntryLimit = microseconds(10);
constexpr Picoseconds kListLimit = milliseconds(10);

constexpr std::size_t roundedUp(std::size_t bytes) { return (bytes + kBeat - 1) / kBeat * kBeat; }

std::vector<std::uint8_t> encodeList(std::span<const RegisterAccess> accesses) {
  std::vector<std::uint8_t> list(roundedUp(accesses.size() * kEntryBytes));
  std::size_t at = 0;
  for (const RegisterAccess& one : accesses) {
    for (const std::uint32_t word : {one.offset | (one.reads ? kRead : 0), one.value}) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        list[at++] = static_cast<std::uint8_t>(word >> shift);
      }
    }
  }
  return list;
}

}  // namespace

RegisterLoader::RegisterLoader(RegisterBus& bus, std::unique_ptr<DeviceBuffer> buffer)
    : bus_(bus),
      registers_(bus),
      buffer_(std::move(buffer)),
      most_(std::min(buffer_->size() / (kEntryBytes + kAnswerBytes), kMaxEntries) / kBeat * kBeat),
      answers_at_(most_ * kEntryBytes) {}

std::vector<std::uint32_t> RegisterLoader::run(std::span<const RegisterAccess> accesses) {
  std::vector<std::uint32_t> answers;
  for (; !accesses.empty(); accesses = accesses.subspan(std::min(most_, accesses.size()))) {
    runPiece(accesses.first(std::min(most_, accesses.size())), answers);
  }
  return answers;
}

void RegisterLoader::runPiece(std::span<const RegisterAccess> accesses,
                              std::vector<std::uint32_t>& answers) {
  buffer_->write(0, encodeList(accesses));
  const std::uint64_t address = buffer_->address();
  registers_.write64(loader::kLoadAddressLo, address);
  registers_.write64(loader::kLoadAnswersLo, address + answers_at_);
  registers_.write(loader::kLoadCount, static_cast<std::uint32_t>(accesses.size()));
  registers_.write(loader::kLoadControl, loader::kLoadControlStart.of(1));
  const auto entries = static_cast<std::int64_t>(accesses.size());
  bus_.wait(entries * kEntryTime);
  std::uint32_t status = 0;
  const auto idle = [&] {
    status = registers_.read(loader::kLoadStatus);
    return loader::kLoadStatusBusy.get(status) == 0;
  };
  const bool ended = waitUntil(bus_, kListLimit + entries * kEntryLimit, idle);
  const std::uint32_t done = registers_.read(loader::kLoadDone);
  if (!ended || loader::kLoadStatusError.get(status) != 0 || done != accesses.size()) {
    const bool named = done < accesses.size();
    throw Error(ErrorKind::kTester,
                fmt::format("the card {} a list of register accesses: {} of {} done",
                            ended ? "could not carry out" : "does not come to the end of", done,
                            accesses.size()),
                named ? fmt::format("{} of register {:#06x}",
                                    accesses[done].reads ? "read" : "write", accesses[done].offset)
                      : std::string("LOAD_STATUS"),
                fmt::format("an xclbin that connects the card to the memory of its buffers; the "
                            "list is at {:#x}, its answers at {:#x}",
                            address, address + answers_at_));
  }

  const auto reads = static_cast<std::size_t>(std::count_if(
      accesses.begin(), accesses.end(), [](const RegisterAccess& one) { return one.reads; }));
  std::vector<std::uint8_t> bytes(roundedUp(reads * kAnswerBytes));
  if (!bytes.empty()) buffer_->read(answers_at_, bytes);
  for (std::size_t i = 0; i < reads; ++i) {
    std::uint32_t word = 0;
    for (std::size_t byte = 0; byte < kAnswerBytes; ++byte) {
      word |= std::uint32_t{bytes[i * kAnswerBytes + byte]} << 8U * byte;
    }
    answers.push_back(word);
  }
}

}  // namespace plumbline::card
