// The part of rdma-core that the verbs bench uses, behind an interface that tests can replace:
// devices, and ends of connected queue pairs. The real one is IbvLibrary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/endpoint_spec.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

inline bool isReliable(const bench::EndpointSpec& spec) {
  return spec.service == bench::QueuePairService::kReliable;
}

// Receives that a target keeps posted for each message in flight. With one, a sender that gets a
// completion before the receive is posted again finds none: an unreliable message is lost, a
// reliable one waits for a timer, which would be measured as the fabric's time.
inline constexpr std::uint32_t kReceivesPerMessage = 2;

struct EndSpec {
  std::string name;  // for messages: "initiator"
  std::uint32_t queue_pairs = 1;
  std::uint32_t window = 1;  // in-flight messages per queue pair
  std::size_t memory_bytes = 0;
  // Direct access of the peer to the memory.
  endpoint::RemoteAccess remote = endpoint::RemoteAccess::kNone;
};

// An end's memory, for a peer.
struct MemoryKey {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
};

// Data that queue pairs exchange before they are connected out of band.
struct PairAddress {
  std::uint32_t number = 0;
  std::uint32_t psn = 0;

  bool operator==(const PairAddress&) const = default;
};

// Data that an end sends to its peer before they are connected: of the device's port and the queue
// pairs, or where the connection manager listens.
struct EndAddress {
  std::array<std::uint8_t, 16> gid{};
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;  // as ibv_mtu counts
  std::vector<PairAddress> pairs;
  std::string manager_address;  // an IP address; empty without the connection manager
  std::uint16_t manager_port = 0;

  bool operator==(const EndAddress&) const = default;
};

enum class WorkStatus {
  kDone,
  kPeerSilent,  // retries, or retries after "receiver not ready", are exhausted
  kRefused,     // the peer's memory or operation did not permit it
  kFlushed,     // the queue pair was in the error state
  kFailed,
};

struct WorkCompletion {
  std::uint64_t id = 0;
  WorkStatus status = WorkStatus::kDone;
  std::string text;  // the library's text for a status that is not kDone
};

// Asynchronous events of a device.
enum class DeviceEvent { kNone, kQueueOverrun, kQueuePairError, kPortDown, kDeviceGone };

// One end of all queue pairs of a channel: with memory, one completion queue and the queue pairs.
class VerbsEnd {
 public:
  virtual ~VerbsEnd() = default;

  [[nodiscard]] virtual std::uint8_t* memory() const = 0;
  [[nodiscard]] virtual MemoryKey key() const = 0;

  // Starts a message of the whole memory. Returns 0 or an errno; ENOMEM means a full queue.
  virtual int post(std::uint32_t queue_pair, std::uint64_t id, bench::Operation operation,
                   const MemoryKey& remote) = 0;
  // Posts one receive. As post().
  virtual int postReceive(std::uint32_t queue_pair, std::uint64_t id) = 0;
  // Completions of both queues, up to the size of `completions`. Returns their number, or a
  // negative errno.
  virtual int poll(std::span<WorkCompletion> completions) = 0;
  // The next event of the device; does not wait.
  virtual DeviceEvent event() = 0;
};

// An end whose peer is in another program: both are opened, exchange addresses, and connect.
class UnconnectedEnd {
 public:
  virtual ~UnconnectedEnd() = default;

  [[nodiscard]] virtual EndAddress address() const = 0;
  // Connects the queue pairs with those of `peer`, number by number; once. With the connection
  // manager the initiator connects and the target accepts, so that both must be in it at the same
  // time. Throws verbsFault(), also when the peer does not respond.
  virtual std::unique_ptr<VerbsEnd> meet(const EndAddress& peer) = 0;
};

enum class Role { kInitiator, kTarget };

struct PortLimits {
  Bytes longest_message;
  Bytes mtu;  // payload of a packet, by the port's present MTU
};

struct EndPair {
  std::unique_ptr<VerbsEnd> initiator;
  std::unique_ptr<VerbsEnd> target;
};

class VerbsLibrary {
 public:
  virtual ~VerbsLibrary() = default;

  // Names of the RDMA devices of this machine; empty when there is none, or no support for them.
  [[nodiscard]] virtual std::vector<std::string> devices() const = 0;
  // Limits of the device's port. Throws Error(kTester), also when it is down.
  [[nodiscard]] virtual PortLimits port(const bench::EndpointSpec& spec) const = 0;
  // Both ends on the device of `spec`, their queue pairs connected number by number and ready to
  // send. Throws verbsFault().
  virtual EndPair connect(const bench::EndpointSpec& spec, const EndSpec& initiator,
                          const EndSpec& target) = 0;
  // One of two ends; the other one is a peer's. Throws verbsFault().
  virtual std::unique_ptr<UnconnectedEnd> open(const bench::EndpointSpec& spec, const EndSpec& end,
                                               Role role) = 0;
};

}  // namespace plumbline::bench_verbs
