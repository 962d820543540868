// links: plumbline_bench_verbs
// Any text as a message between the two ends of a verbs channel: accepted messages are within the
// bench's bounds, and stable when written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench_verbs/verbs_message.h"

namespace {

using namespace plumbline;               // NOLINT: a program of its own
using namespace plumbline::bench_verbs;  // NOLINT

void require(bool holds) {
  if (!holds) std::abort();
}

void readVerbsRequest(std::string_view text) {
  std::string why;
  const auto request = decodeVerbsRequest(text, why);
  if (!request) return require(!why.empty());
  require(request->address.pairs.size() <= 256);
  const auto again = decodeVerbsRequest(encode(*request), why);
  require(again && again->address == request->address && again->service == request->service &&
          again->connection == request->connection);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  readVerbsRequest(text);
  std::string why;
  if (const auto address = decodeAddress(text, why)) {
    require(decodeAddress(encode(*address), why) == address);
  }
  if (const auto key = decodeKey(text, why)) {
    const auto again = decodeKey(encode(*key), why);
    require(again && again->address == key->address && again->rkey == key->rkey);
  }
  return 0;
}
