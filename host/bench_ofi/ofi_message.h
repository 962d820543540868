// What the two ends of a libfabric channel tell each other, each an object of JSON in a message of
// endpoint/peer_message.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_ofi/ofi_side.h"

namespace plumbline::bench_ofi {

// The initiator's end: the provider, which both sides take, and the names of its endpoints. None
// when it only asks what the target's host has.
struct OfiRequest {
  std::string provider;
  std::vector<OfiName> names;
};

// The target's: names of as many endpoints, and where its memory is.
struct OfiAddress {
  std::vector<OfiName> names;
  OfiMemory memory;
};

std::string encode(const OfiRequest& request);
std::string encode(const OfiAddress& address);

// Nothing, and the reason in `why`, for text that is no such object.
std::optional<OfiRequest> decodeOfiRequest(std::string_view text, std::string& why);
std::optional<OfiAddress> decodeOfiAddress(std::string_view text, std::string& why);

}  // namespace plumbline::bench_ofi
