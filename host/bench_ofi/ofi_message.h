// Messages between the two ends of a libfabric channel, each a JSON object in a message of
// endpoint/peer_message.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_ofi/ofi_side.h"

namespace plumbline::bench_ofi {

// The initiator's end: the provider for both sides, and the names of its endpoints. Without names
// it only queries the target's host.
struct OfiRequest {
  std::string provider;
  std::vector<OfiName> names;
};

// The target's end: names of as many endpoints, and the location of its memory.
struct OfiAddress {
  std::vector<OfiName> names;
  OfiMemory memory;
};

std::string encode(const OfiRequest& request);
std::string encode(const OfiAddress& address);

// Nothing, and the reason in `why`, for invalid text.
std::optional<OfiRequest> decodeOfiRequest(std::string_view text, std::string& why);
std::optional<OfiAddress> decodeOfiAddress(std::string_view text, std::string& why);

}  // namespace plumbline::bench_ofi
