// Parameters of benches on ordinary hosts (libfabric, verbs) besides the trial: what carries the
// messages, and how. `endpoint:` of a scenario (docs/endpoint-benches.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::bench {

enum class Operation {
  kWrite,           // one-sided: the target's software gets no completion
  kWriteImmediate,  // one-sided, with a completion for each message at the target
  kSend,
  kRead,  // the message travels from target to initiator
};

// Service of the verbs bench's queue pairs: reliable or unreliable connections.
enum class QueuePairService { kReliable, kUnreliable };

// How the verbs bench connects its queue pairs: the program exchanges their numbers itself, or the
// connection manager does.
enum class Connection { kOutOfBand, kConnectionManager };

struct EndpointSpec {
  // Nothing: as the streams' transport, a write or a send.
  std::optional<Operation> operation;
  std::uint32_t window = 16;  // in-flight messages per queue pair, at most; 1 to kMaxWindow
  // libfabric: provider ("tcp;ofi_rxm"), and domain (empty = the provider's first). verbs: device
  // (empty = the first one).
  std::string provider = "tcp;ofi_rxm";
  std::string device;
  std::string address = "127.0.0.1";  // of this host, for providers with IP addresses
  // verbs only: service, connection, port and gid_index.
  QueuePairService service = QueuePairService::kReliable;
  Connection connection = Connection::kOutOfBand;
  std::uint8_t port = 1;
  std::uint8_t gid_index = 1;
  // IP address and TCP port of the target program on another host; empty = both ends are on this
  // host.
  std::string peer;
  std::uint16_t peer_port = kDefaultPeerPort;
  // For a scenario that several hosts run: the address of each host, and its peer's. Both as
  // canonicalAddress() writes them. Empty = `peer` and `address` apply.
  std::vector<std::pair<std::string, std::string>> peers;
  // File whose first line is the token of the target program; empty = no token.
  std::string token_file;

  static constexpr std::uint32_t kMaxWindow = 1024;
  static constexpr std::uint16_t kDefaultPeerPort = 18590;

  bool operator==(const EndpointSpec&) const = default;
};

}  // namespace plumbline::bench
