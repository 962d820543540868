// links: plumbline_bench_ofi
// Any text as a message between the two ends of a libfabric channel: accepted messages are within
// the bench's bounds, and stable when written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench_ofi/ofi_message.h"

namespace {

using namespace plumbline;             // NOLINT: a program of its own
using namespace plumbline::bench_ofi;  // NOLINT

void require(bool holds) {
  if (!holds) std::abort();
}

void checkNames(const std::vector<OfiName>& names) {
  require(names.size() <= 256);
  for (const OfiName& name : names) require(!name.empty() && name.size() <= kLongestName);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string why;
  if (const auto request = decodeOfiRequest(text, why)) {
    checkNames(request->names);
    const auto again = decodeOfiRequest(encode(*request), why);
    require(again && again->names == request->names && again->provider == request->provider);
  } else {
    require(!why.empty());
  }
  if (const auto address = decodeOfiAddress(text, why)) {
    checkNames(address->names);
    const auto again = decodeOfiAddress(encode(*address), why);
    require(again && again->names == address->names && again->memory == address->memory);
  }
  return 0;
}
