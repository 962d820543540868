// What benches on ordinary hosts (libfabric, verbs) are told beside a trial: what carries its
// messages, and how. `endpoint:` of a scenario (docs/endpoint-benches.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::bench {

enum class Operation {
  kWrite,           // one-sided: the target's software does not notice
  kWriteImmediate,  // one-sided, and the target is told of each message
  kSend,
  kRead,  // the message travels from target to initiator
};

// What the queue pairs of the verbs bench promise: reliable or unreliable connections.
enum class QueuePairService { kReliable, kUnreliable };

// How the verbs bench's queue pairs get to know each other: their numbers handed over by the
// program itself, or by the connection manager.
enum class Connection { kOutOfBand, kConnectionManager };

struct EndpointSpec {
  // Nothing: what the streams' transport says, a write or a send.
  std::optional<Operation> operation;
  std::uint32_t window = 16;  // messages under way of each queue pair, at most; 1 to kMostWindow
  // libfabric: provider ("tcp;ofi_rxm"), and the domain; empty = the provider's first.
  // verbs: the device; empty = the first one.
  std::string provider = "tcp;ofi_rxm";
  std::string device;
  std::string address = "127.0.0.1";  // of this host, where a provider has IP addresses
  // verbs alone: service, connection, port and gid_index.
  QueuePairService service = QueuePairService::kReliable;
  Connection connection = Connection::kOutOfBand;
  std::uint8_t port = 1;
  std::uint8_t gid_index = 1;
  // IP address and TCP port of the target's program on another host; empty = both ends on this one.
  std::string peer;
  std::uint16_t peer_port = kDefaultPeerPort;
  // Of a scenario that several hosts run: the address of each, and its peer's. Both as
  // canonicalAddress() writes them. Empty = `peer` and `address` are what counts.
  std::vector<std::pair<std::string, std::string>> peers;
  // Its first line is the token of the target's program; empty = it has none.
  std::string token_file;

  static constexpr std::uint32_t kMostWindow = 1024;
  static constexpr std::uint16_t kDefaultPeerPort = 18590;

  bool operator==(const EndpointSpec&) const = default;
};

}  // namespace plumbline::bench
