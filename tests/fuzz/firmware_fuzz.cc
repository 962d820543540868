// links: plumbline_card
// Any bytes as an image of firmware, and as what a card's processor has in its memory. Both are
// taken whole and within their bounds, or refused with place and remedy.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "card/firmware_image.h"
#include "card/firmware_ports.h"

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

// Whatever a port says of itself has a text, and its ratios are numbers or not there.
void requireTexts(const firmware::PortStatus& port) {
  require(!card::linkModeName(port.link.mode).empty() &&
          !card::linkStateName(port.link.state).empty() &&
          !card::linkReasonText(port.link.reason).empty() &&
          !card::fecPolicyName(port.link.fec).empty());
  require(!card::retryPolicyName(port.retry.policy).empty() &&
          !card::retryStateName(port.retry.state).empty() &&
          !card::retryReasonText(port.retry.reason).empty());
  const card::MacCounters health = card::healthOf(port.health).counted;
  for (const auto& ratio :
       {health.correctedRatio(), health.uncorrectedRatio(), health.symbolErrorRatio()}) {
    require(!ratio || (std::isfinite(*ratio) && *ratio >= 0));
  }
}

void requireTexts(const firmware::PtpStatus& status) {
  const card::CardClock clock = card::clockOf(status);
  require(!card::ptpRoleName(clock.role).empty() && !card::ptpStateName(clock.state).empty());
  require(clock.master.empty() == (status.master_high == 0 && status.master_low == 0));
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
    for (const firmware::PortStatus& port : shared.port) requireTexts(port);
    requireTexts(shared.ptp);
  });
  return 0;
}
