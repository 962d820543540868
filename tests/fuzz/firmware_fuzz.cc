// links: plumbline_card
// Any bytes as an image of firmware, and as what a card's processor has in its memory. Both are
// taken whole and within their bounds, or refused with place and remedy.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "card/firmware_image.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Parse>
void expectAnswer(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    require(!error.where().empty() && !error.remedy().empty());
  }
}

void requireRange(const firmware::ImageHeader& header, std::size_t memory) {
  require(header.memory_bytes <= memory && header.shared_offset % 4 == 0);
  require(header.shared_offset + sizeof(firmware::Shared) <= header.memory_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expectAnswer([&] {
    const card::FirmwareImage image = card::parseFirmwareImage({data, size}, "image");
    require(4 * image.words.size() == size && image.header.image_bytes == size);
    requireRange(image.header, std::size_t{1} << 24U);
  });
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + 4 <= size; at += 4) {
    words.push_back(std::uint32_t{data[at]} | std::uint32_t{data[at + 1]} << 8U |
                    std::uint32_t{data[at + 2]} << 16U | std::uint32_t{data[at + 3]} << 24U);
  }
  constexpr std::uint32_t kMemory = 98'304;
  expectAnswer([&] { requireRange(card::parseLoadedHeader(words, kMemory), kMemory); });
  expectAnswer([&] {
    const firmware::Shared shared = card::parseShared(words);
    require(card::logOf(shared).size() <= firmware::kLogEntries);
    for (const firmware::LogEntry& entry : card::logOf(shared)) {
      require(!card::describe(entry).empty());
    }
    require(!card::stateName(shared.state).empty());
  });
  return 0;
}
