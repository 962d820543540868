// links: plumbline_endpoint
// Any line as a message between a bench and a target program: accepted messages are within the
// bench's bounds, and stable when written and read again. Any line with a wrong seal is refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "endpoint/peer_message.h"
#include "endpoint/peer_token.h"

namespace {

using namespace plumbline;            // NOLINT: a program of its own
using namespace plumbline::endpoint;  // NOLINT

void require(bool holds) {
  if (!holds) std::abort();
}

void readRequest(std::string_view line) {
  std::string why;
  const auto request = decodeRequest(line, why);
  if (!request) return require(!why.empty());
  if (const auto& channel = request->channel) {
    require(channel->queue_pairs >= 1 && channel->queue_pairs <= 256);
    require(channel->window >= 1 && channel->window <= bench::EndpointSpec::kMaxWindow);
    require(channel->message >= Bytes(0) && channel->message <= Bytes(std::int64_t{8} << 30));
  }
  const auto again = decodeRequest(encode(*request), why);
  require(again && again->library == request->library && again->end == request->end &&
          again->channel.has_value() == request->channel.has_value() &&
          (!again->channel || again->channel->operation == request->channel->operation));
}

void readAnswer(std::string_view line) {
  std::string why;
  const auto answer = decodeAnswer(line, why);
  if (!answer) return require(!why.empty());
  require(jsonDepth(line) <= kMaxJsonDepth);
  const auto again = decodeAnswer(encode(*answer), why);
  require(again && again->end == answer->end && again->told == answer->told &&
          again->intact == answer->intact && again->configuration == answer->configuration &&
          again->fault.has_value() == answer->fault.has_value());
}

void readBeginning(std::string_view line) {
  std::string why;
  if (const auto greeting = decodeGreeting(line, why)) {
    const auto again = decodeGreeting(encode(*greeting), why);
    require(again && again->nonce == greeting->nonce);
  }
  if (const auto proof = decodeProof(line, why)) {
    const auto again = decodeProof(encode(*proof), why);
    require(again && again->nonce == proof->nonce && again->proof == proof->proof);
    require(!isProof(proof->proof, "secret", PeerRole::kBench, {"1", proof->nonce}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  readBeginning(line);
  readRequest(line);
  readAnswer(line);
  // The same with more levels than the stack holds.
  readAnswer(R"({"end":{"a":)" + std::string(100'000, '[') + std::string(line));
  if (const auto question = decodeQuestion(line)) {
    require(decodeQuestion(encode(*question)) == question);
  }
  require(!PeerSeal("secret", PeerRole::kTarget, {"1", "2"}).open(line));
  return 0;
}
