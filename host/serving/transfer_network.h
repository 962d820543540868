// Interface of the network that carries KV cache between NICs: messages are posted with the time at
// which the NIC gets them, and arrive later. The simulated fabric and its flow-level model
// implement it outside this library; this file has two networks without packets.
//
// Driven by one loop (ServingModel::run): runUntil(min(next event of the model, just before
// nextEvent() + reaction)), arrivals in the order (time, NIC, sequence), then the events of the
// model up to there. Posts of the model take effect `reaction` or more later, so always after the
// time that the network has already simulated.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "base/units.h"

namespace plumbline::serving {

// Later than any event.
inline constexpr Picoseconds kNever{INT64_MAX};

// One message from NIC to NIC. A transfer of zero bytes is not allowed.
struct Transfer {
  std::uint64_t id = 0;  // chosen by the caller; several messages may share it
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;  // payload
  Picoseconds at;           // when the sending NIC gets it
};

// The receiver has all of it, or it was given up.
struct Arrival {
  Picoseconds time;
  std::uint32_t nic = 0;       // the receiver, or the NIC that gave it up
  std::uint64_t sequence = 0;  // of arrivals at this network
  std::uint64_t id = 0;
  bool lost = false;  // given up by its sender: the arrival of some bytes is unknown
};

class TransferNetwork {
 public:
  virtual ~TransferNetwork() = default;

  // `transfer.at` is not before the last runUntil(), and after it if the reaction is above 0.
  virtual void post(const Transfer& transfer) = 0;
  // Time before which the network has no event; kNever if no message is in flight.
  [[nodiscard]] virtual Picoseconds nextEvent() const = 0;
  // Simulates up to and including `time` and appends arrivals to `arrivals`, in the order (time,
  // NIC, sequence).
  virtual void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) = 0;
  // Messages in flight will neither arrive nor be given up: the network is deadlocked.
  [[nodiscard]] virtual bool stuck() const { return false; }
};

// Every message arrives when it is posted: transfer costs nothing.
class InfiniteNetwork : public TransferNetwork {
 public:
  void post(const Transfer& transfer) override;
  [[nodiscard]] Picoseconds nextEvent() const override;
  void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) override;

 private:
  struct Later {
    bool operator()(const Arrival& a, const Arrival& b) const;
  };
  std::priority_queue<Arrival, std::vector<Arrival>, Later> waiting_;
  std::uint64_t sequence_ = 0;
};

// NICs of one rate, full duplex, connected without further bottlenecks. The messages of a NIC share
// its rate equally in each direction (processor sharing, as queue pairs that take turns); the rate
// of a message is the smaller of its shares at both ends. That is max-min fair where all messages
// have their bottleneck at the same end, and never more: a share that a message cannot use because
// of its other end is not redistributed. The last byte arrives `latency` after it was sent. Alone,
// a message takes bytes / rate + latency, to the picosecond.
class SharedRateNetwork : public TransferNetwork {
 public:
  // `rate` of payload, in each direction of each NIC, above 0.
  SharedRateNetwork(std::uint32_t nics, BitRate rate, Picoseconds latency);

  void post(const Transfer& transfer) override;
  [[nodiscard]] Picoseconds nextEvent() const override;
  void runUntil(Picoseconds time, std::vector<Arrival>& arrivals) override;

  // Payload bytes that `nic` has sent and received so far, of messages that are finished.
  [[nodiscard]] std::uint64_t sent(std::uint32_t nic) const { return nics_[nic].sent; }
  [[nodiscard]] std::uint64_t received(std::uint32_t nic) const { return nics_[nic].received; }

 private:
  struct Flow {
    Transfer transfer;
    double left = 0;  // bytes
    double rate = 0;  // bytes per ps
    Picoseconds updated;
    std::uint32_t version = 0;   // of the valid finish time
    std::size_t from_place = 0;  // in its NICs' lists
    std::size_t to_place = 0;
  };
  struct Nic {
    std::vector<std::uint32_t> out;
    std::vector<std::uint32_t> in;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  struct Finish {
    Picoseconds time;
    std::uint64_t sequence = 0;
    std::uint32_t flow = 0;
    std::uint32_t version = 0;
    bool operator>(const Finish& o) const {
      return time != o.time ? time > o.time : sequence > o.sequence;
    }
  };
  struct Posted {
    Transfer transfer;
    std::uint64_t sequence = 0;
    bool operator>(const Posted& o) const {
      return transfer.at != o.transfer.at ? transfer.at > o.transfer.at : sequence > o.sequence;
    }
  };

  void start(const Transfer& transfer);
  void finish(std::uint32_t index, Picoseconds now);
  void share(std::uint32_t from, std::uint32_t to, Picoseconds now);
  void setRate(std::uint32_t index, Picoseconds now);
  void dropStale();

  std::vector<Nic> nics_;
  double rate_;  // bytes per ps
  Picoseconds latency_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
  std::priority_queue<Posted, std::vector<Posted>, std::greater<>> posted_;
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishes_;
  std::deque<Arrival> delivered_;  // sent, and on their way
  std::uint64_t sequence_ = 0;
  Picoseconds now_;
};

}  // namespace plumbline::serving
