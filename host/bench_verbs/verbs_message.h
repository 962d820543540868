// What the two ends of a verbs channel tell each other, each an object of JSON in a message of
// endpoint/peer_message.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

// The initiator's end.
struct VerbsRequest {
  bench::QueuePairService service = bench::QueuePairService::kReliable;
  bench::Connection connection = bench::Connection::kOutOfBand;
  EndAddress address;  // nothing in it when the connection manager connects
};

std::string encode(const VerbsRequest& request);
std::string encode(const EndAddress& address);
std::string encode(const MemoryKey& key);

// Nothing, and the reason in `why`, for text that is no such object.
std::optional<VerbsRequest> decodeVerbsRequest(std::string_view text, std::string& why);
std::optional<EndAddress> decodeAddress(std::string_view text, std::string& why);
std::optional<MemoryKey> decodeKey(std::string_view text, std::string& why);

}  // namespace plumbline::bench_verbs
