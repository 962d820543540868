// links: plumbline_bench_verbs
// Any line as what a bench and a target program tell each other: what is understood is within the
// bench's bounds, and is written as it is understood again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench_verbs/peer_message.h"

namespace {

using namespace plumbline;               // NOLINT: a program of its own
using namespace plumbline::bench_verbs;  // NOLINT

void require(bool holds) {
  if (!holds) std::abort();
}

void readRequest(std::string_view line) {
  std::string why;
  const auto request = decodeRequest(line, why);
  if (!request) return require(!why.empty());
  require(request->channel.queue_pairs >= 1 && request->channel.queue_pairs <= 256);
  require(request->channel.window >= 1 &&
          request->channel.window <= bench::EndpointSpec::kMostWindow);
  require(request->channel.message >= Bytes(0) &&
          request->channel.message <= Bytes(std::int64_t{8} << 30));
  const bool managed = request->connection == bench::Connection::kConnectionManager;
  require(managed || request->address.pairs.size() == request->channel.queue_pairs);
  const auto again = decodeRequest(encode(*request), why);
  require(again && again->address == request->address && again->service == request->service &&
          again->channel.operation == request->channel.operation);
}

void readAnswer(std::string_view line) {
  std::string why;
  const auto answer = decodeAnswer(line, why);
  if (!answer) return require(!why.empty());
  const auto again = decodeAnswer(encode(*answer), why);
  require(again && again->address == answer->address && again->told == answer->told &&
          again->intact == answer->intact && again->key.has_value() == answer->key.has_value() &&
          again->fault.has_value() == answer->fault.has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  readRequest(line);
  readAnswer(line);
  if (const auto question = decodeQuestion(line)) {
    require(decodeQuestion(encode(*question)) == question);
  }
  return 0;
}
