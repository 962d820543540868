// links: plumbline_card
// Any bytes as the output of the card's DMA. Reading ends within them, with frames that fit into
// them or with the one error that describes the fault.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "card/capture_records.h"

namespace {

using namespace plumbline;  // NOLINT: a program of its own

constexpr std::uint32_t kPorts = 2;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::size_t room = size;
    for (const card::CapturedFrame& frame : card::CaptureRecords(kPorts).read({data, size})) {
      require(frame.port < kPorts && !frame.bytes.empty());
      require(frame.bytes.size() + card::kCaptureUnit <= room);
      room -= frame.bytes.size() + card::kCaptureUnit;
    }
    require(size % card::kCaptureUnit == 0);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kTester);
    require(!error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
