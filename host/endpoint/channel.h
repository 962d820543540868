// Transport of a trial's messages: a channel from one host's endpoints to another's, and the
// carrier that makes channels. One implementation for libfabric, one for verbs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "bench/trial/bench.h"
#include "bench/trial/endpoint_spec.h"
#include "bench/trial/trial.h"

namespace plumbline::endpoint {

class Peer;

// Limits of these benches.
inline constexpr Bytes kLongestMessage{std::int64_t{8} << 30};
inline constexpr std::uint32_t kMaxQueuePairs = 256;

struct ChannelSpec {
  bench::Operation operation = bench::Operation::kWrite;
  Bytes message{64};              // at least Carrier::minMessage()
  std::uint32_t queue_pairs = 1;  // from the initiator to the target
  std::uint32_t window = 1;       // in-flight messages per queue pair, at most
};

// Whether the target's software gets a completion for messages of this operation.
constexpr bool targetIsNotified(bench::Operation operation) {
  return operation == bench::Operation::kSend || operation == bench::Operation::kWriteImmediate;
}

// What an initiator does to the target's memory without the target's software. The initiator's
// memory is never accessed remotely.
enum class RemoteAccess { kNone, kWrite, kRead };
constexpr RemoteAccess remoteAccess(bench::Operation operation) {
  switch (operation) {
    case bench::Operation::kWrite:
    case bench::Operation::kWriteImmediate:
      return RemoteAccess::kWrite;
    case bench::Operation::kRead:
      return RemoteAccess::kRead;
    case bench::Operation::kSend:
      break;
  }
  return RemoteAccess::kNone;
}

// Messages of one size from an initiator to a target over several queue pairs, which are connected
// when the channel is made. One thread calls post() and poll(), another one serve(). All of them
// throw endpoint::fault() for events that end a trial: a peer that is gone, a completion in error,
// a queue overrun.
class Channel {
 public:
  virtual ~Channel() = default;

  // Starts a message on `queue_pair`. False when its queue is full at present. `slot` is below
  // queue_pairs * window and not in use by a message in flight; poll() returns it.
  virtual bool post(std::uint32_t queue_pair, std::uint32_t slot) = 0;

  // Slots of messages that have completed since, up to the size of `slots`. A message has completed
  // when its bytes have arrived, as far as the carrier can tell (Carrier::configuration()).
  virtual std::size_t poll(std::span<std::uint32_t> slots) = 0;

  // Drives the target; returns the number of its software's completions since the last call. Always
  // 0 for writes and reads.
  virtual std::size_t serve() = 0;

  // Whether the receiving memory holds the sent pattern. After a message has completed, with both
  // threads idle.
  [[nodiscard]] virtual bool intact() const = 0;

  // Whether a completion proves arrival. If not, only the target's own count does, where it has
  // one.
  [[nodiscard]] virtual bool confirmsDelivery() const { return true; }

  // From another thread: cancels all waiting for answers.
  virtual void giveUp() {}
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  // Throws Error(kUnsupported) for a channel that it cannot carry, and endpoint::fault().
  virtual std::unique_ptr<Channel> connect(const ChannelSpec& spec) = 0;

  // The same with both ends on this host, whatever the target of connect().
  virtual std::unique_ptr<Channel> connectHere(const ChannelSpec& spec) { return connect(spec); }
  // The target of connect() on another host; nullptr for this host.
  [[nodiscard]] virtual const Peer* peer() const { return nullptr; }

  // Length of the shortest message that it can carry, usually 0 B.
  [[nodiscard]] virtual Bytes minMessage() const { return Bytes(0); }

  // Its environment for the report: names and values.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> configuration() const = 0;

  // The present values of the NIC's own counters; empty without any.
  [[nodiscard]] virtual std::vector<bench::HostCounter> counters() const = 0;

  // Figures of bench/sim/nic_figures.h that these counters lack, with the reason.
  [[nodiscard]] virtual std::vector<bench::Unobserved> uncounted() const {
    return {{"retransmissions, CNPs and packets out of sequence",
             "there is no NIC with hardware counters behind these endpoints"}};
  }
};

}  // namespace plumbline::endpoint
