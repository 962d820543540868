// What the bench and the target program on another host tell each other over TCP: a line of JSON
// each. The bench asks for a channel, and while it stands, after its state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "bench_verbs/verbs_library.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

// The bench's first line: a channel whose target the other side is to be.
struct PeerRequest {
  endpoint::ChannelSpec channel;
  bench::QueuePairService service = bench::QueuePairService::kReliable;
  bench::Connection connection = bench::Connection::kOutOfBand;
  EndAddress address;  // of the initiator; nothing in it when the connection manager connects
};

// What the bench asks of a channel that stands.
enum class PeerQuestion {
  kTold,    // how many messages the target's software was told of
  kIntact,  // whether the target's memory holds what was sent
};

struct PeerAnswer {
  std::optional<EndAddress> address;  // first answer: what the initiator must know to connect
  std::optional<MemoryKey> key;       // second: the target is ready
  std::optional<std::uint64_t> told;
  std::optional<bool> intact;
  // Instead of any of them: the target has given up. Where and remedy are within its words.
  std::optional<Error> fault;
};

// Each without the end of the line.
std::string encode(const PeerRequest& request);
std::string encode(PeerQuestion question);
std::string encode(const PeerAnswer& answer);

// Nothing, and the reason in `why`, for a line that is no such message or goes beyond what the
// bench can ask for. Lines of other versions are none.
std::optional<PeerRequest> decodeRequest(std::string_view line, std::string& why);
std::optional<PeerQuestion> decodeQuestion(std::string_view line);
std::optional<PeerAnswer> decodeAnswer(std::string_view line, std::string& why);

}  // namespace plumbline::bench_verbs
