// Messages between the two ends of a verbs channel, each a JSON object in a message of
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
  EndAddress address;  // empty when the connection manager connects
};

std::string encode(const VerbsRequest& request);
std::string encode(const EndAddress& address);
std::string encode(const MemoryKey& key);

// Nothing, and the reason in `why`, for invalid text.
std::optional<VerbsRequest> decodeVerbsRequest(std::string_view text, std::string& why);
std::optional<EndAddress> decodeAddress(std::string_view text, std::string& why);
std::optional<MemoryKey> decodeKey(std::string_view text, std::string& why);

}  // namespace plumbline::bench_verbs
