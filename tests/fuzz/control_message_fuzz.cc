// links: plumbline_control_client
// Any text as a message of the live stream, as a request, and as an address. Accepted text is
// stable when written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "control/client.h"
#include "control/live_message.h"

namespace {

using namespace plumbline::control;  // NOLINT: a program of its own

void require(bool holds) {
  if (!holds) std::abort();
}

std::string textOf(const LiveMessage& message) {
  return std::visit([](const auto& content) { return toMessage(content); }, message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto message = parseMessage(text)) {
    const auto again = parseMessage(textOf(*message));
    require(again && textOf(*again) == textOf(*message));
    if (const auto* live = std::get_if<LiveInterval>(&*message); live != nullptr && live->latency) {
      std::vector<std::uint64_t> counts;
      addLatency(*live->latency, counts);
    }
  }
  RunRequest request;
  if (readRequest(text, request).empty()) {
    RunRequest again;
    require(readRequest(toJson(request), again).empty() && toJson(again) == toJson(request));
  }
  try {
    const ServerAddress address = ServerAddress::parse(std::string(text));
    require(!address.host.empty() && address.port > 0);
  } catch (const plumbline::Error&) {
    // Not an address.
  }
  return 0;
}
