// The serving model's network at flow level: KV cache as fluid over the links of a fabric.
// docs/model/flow-level.md.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "bench/flow/flow_level.h"
#include "bench/flow/fluid.h"
#include "serving/transfer_network.h"

namespace plumbline::bench {

// Messages of one queue pair leave one after the other; the posting NIC serves its queue pairs to
// the same NIC in turn, as at packet level. The last byte arrives `there` after it left. A message
// alone takes its bytes over its slowest link, rounded up to a picosecond, plus `there`.
class FlowServingNetwork final : public serving::TransferNetwork {
 public:
  struct Shape {
    std::uint32_t nics = 0;
    std::uint32_t queue_pairs = 1;  // between two NICs
    bool reads = false;             // the receiving NIC posts
  };
  // Path from one NIC to another on their queue pair `flow`; called once for each.
  using PathOf = std::function<FlowPath(std::uint32_t from, std::uint32_t to, std::uint32_t flow)>;

  // `capacities`: payload that each link carries, above 0 [bytes/ps].
  FlowServingNetwork(std::vector<double> capacities, const Shape& shape, PathOf path_of);

  void post(const serving::Transfer& transfer) override;
  [[nodiscard]] Picoseconds nextEvent() const override;
  void runUntil(Picoseconds time, std::vector<serving::Arrival>& arrivals) override;

  [[nodiscard]] const Fluid& fluid() const { return fluid_; }

 private:
  struct Posted {
    serving::Transfer transfer;
    std::uint64_t sequence = 0;
    bool operator>(const Posted& o) const {
      return transfer.at != o.transfer.at ? transfer.at > o.transfer.at : sequence > o.sequence;
    }
  };
  struct Later {
    bool operator()(const serving::Arrival& a, const serving::Arrival& b) const;
  };
  // A connection of the fluid model.
  struct Connection {
    std::uint32_t to = 0;
    Picoseconds there;
  };

  std::uint32_t connectionOf(const serving::Transfer& transfer);
  void departed(Picoseconds now);

  Shape shape_;
  PathOf path_of_;
  Fluid fluid_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by NICs and queue pair
  std::vector<Connection> connections_;
  std::vector<std::uint64_t> turns_;  // of queue pairs, by the NIC that posts
  std::priority_queue<Posted, std::vector<Posted>, std::greater<>> posted_;
  std::priority_queue<serving::Arrival, std::vector<serving::Arrival>, Later> delivered_;
  std::vector<Fluid::Departure> gone_;
  std::uint64_t sequence_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t calls_ = 0;  // of runUntil()
  Picoseconds now_;
};

}  // namespace plumbline::bench
