// What carries the messages of a trial: a channel from one host's endpoints to another's, and the
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
inline constexpr std::uint32_t kMostQueuePairs = 256;

struct ChannelSpec {
  bench::Operation operation = bench::Operation::kWrite;
  Bytes message{64};              // at least Carrier::leastMessage()
  std::uint32_t queue_pairs = 1;  // from the initiator to the target
  std::uint32_t window = 1;       // messages under way of each, at most
};

// Whether the target's software is told of a message of this operation.
constexpr bool targetIsTold(bench::Operation operation) {
  return operation == bench::Operation::kSend || operation == bench::Operation::kWriteImmediate;
}

// What an initiator does to the target's memory without the target's software. Nobody does anything
// to the initiator's.
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

// Messages of one size from an initiator to a target over several queue pairs, whose connections
// stand when the channel is made. One thread calls post() and poll(), another one serve(). All of
// them throw endpoint::fault() for what ends a trial: a peer that is gone, a completion in error, a
// queue that overran.
class Channel {
 public:
  virtual ~Channel() = default;

  // Starts a message on `queue_pair`. False when its queue is full for now. `slot` is below
  // queue_pairs * window and of no message under way; poll() gives it back.
  virtual bool post(std::uint32_t queue_pair, std::uint32_t slot) = 0;

  // Slots of messages that have completed since, at most as many as there is room for. A message
  // has completed when its bytes have arrived, as far as the carrier can tell
  // (Carrier::configuration()).
  virtual std::size_t poll(std::span<std::uint32_t> slots) = 0;

  // Drives the target: messages that its software was told of since the last call. None ever of a
  // write or a read.
  virtual std::size_t serve() = 0;

  // Whether the receiving memory holds what was sent. Once a message has completed, and with both
  // threads at rest.
  [[nodiscard]] virtual bool intact() const = 0;

  // Whether a message that completed has arrived. Of one that may not have, only the target's word
  // counts, where it has one.
  [[nodiscard]] virtual bool confirmsDelivery() const { return true; }

  // From another thread: nobody waits for an answer any longer.
  virtual void giveUp() {}
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  // Throws Error(kUnsupported) for what it cannot carry, and endpoint::fault().
  virtual std::unique_ptr<Channel> connect(const ChannelSpec& spec) = 0;

  // The same with both ends on this host, wherever connect() leads.
  virtual std::unique_ptr<Channel> connectHere(const ChannelSpec& spec) { return connect(spec); }
  // Where connect() leads on another host; nullptr when it does not.
  [[nodiscard]] virtual const Peer* peer() const { return nullptr; }

  // The shortest message it carries: 0 B, unless it cannot.
  [[nodiscard]] virtual Bytes leastMessage() const { return Bytes(0); }

  // What it runs on, for the report: name and value.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> configuration() const = 0;

  // The NIC's own counters as they stand; empty where there are none.
  [[nodiscard]] virtual std::vector<bench::HostCounter> counters() const = 0;

  // Figures of bench/sim/nic_figures.h that those counters do not have, with the reason.
  [[nodiscard]] virtual std::vector<bench::Unobserved> uncounted() const {
    return {{"retransmissions, CNPs and packets out of sequence",
             "there is no NIC with hardware counters behind these endpoints"}};
  }
};

}  // namespace plumbline::endpoint
