// Messages of a mixture of experts over the fabric, and inside servers: the same for all ranks of a
// job, computed once, then constant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "workload/moe_routing.h"
#include "workload/moe_spec.h"

namespace plumbline::workload {

// Copies of tokens in the dispatch of one layer. A combine sends as many results back.
struct MoeTraffic {
  std::uint64_t selections = 0;     // tokens x experts, not dropped; the rank's own included
  std::uint64_t dropped = 0;        // selections beyond the experts' capacity
  std::uint64_t fabric_copies = 0;  // that go to another server
  std::uint64_t intra_copies = 0;   // between ranks of one server
  // Of these, those of the busiest rank: sent or received, whichever is larger.
  std::uint64_t intra_busiest = 0;
  // Selections of the most selected rank, over the mean.
  double busiest_over_mean = 0;
  // Of the copies between each two ranks that may send to each other over the fabric: standard
  // deviation over mean. Nothing without any.
  std::optional<double> pair_cv;
};

class MoePlan {
 public:
  // Throws as checkMoe(), and Error(kUsage) for too many layers and pairs, or messages of a pair.
  // `name`: of the job.
  MoePlan(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
          const std::string& name);

  // Of a job: 2 for each layer, first the dispatch.
  [[nodiscard]] std::uint32_t phases() const { return program_.layers * 2; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] const MoeTraffic& traffic(std::uint32_t layer) const { return traffic_[layer]; }

  // Copies that `from` sends `to` over the fabric in the dispatch of a layer.
  [[nodiscard]] std::uint32_t copies(std::uint32_t layer, std::uint32_t from,
                                     std::uint32_t to) const {
    return copies_[layer * pairs() + pairOf(from, to)];
  }
  // Messages between the two, numbered through all phases: those of phase p are from end(p - 1) to
  // below end(p).
  [[nodiscard]] std::uint32_t end(std::uint32_t phase, std::uint32_t from, std::uint32_t to) const {
    return ends_[pairOf(from, to) * phases() + phase];
  }
  [[nodiscard]] std::uint32_t begin(std::uint32_t phase, std::uint32_t from,
                                    std::uint32_t to) const {
    return phase == 0 ? 0 : end(phase - 1, from, to);
  }
  [[nodiscard]] std::uint32_t phaseOf(std::uint32_t from, std::uint32_t to,
                                      std::uint32_t number) const;
  // Bytes of one of them, `place` counted from the phase's first.
  [[nodiscard]] std::uint64_t bytesOf(std::uint32_t phase, std::uint32_t from, std::uint32_t to,
                                      std::uint32_t place) const;
  // Messages that `rank` receives in a phase.
  [[nodiscard]] std::uint32_t expected(std::uint32_t phase, std::uint32_t rank) const;

  // Payload of a whole dispatch or combine over all ranks.
  [[nodiscard]] std::uint64_t copyBytes(std::uint32_t phase) const {
    return phase % 2 == 0 ? program_.dispatch_bytes : program_.combine_bytes;
  }

 private:
  [[nodiscard]] std::size_t pairs() const { return std::size_t{ranks_} * ranks_; }
  [[nodiscard]] std::size_t pairOf(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{from} * ranks_ + to;
  }
  [[nodiscard]] std::uint32_t copiesIn(std::uint32_t phase, std::uint32_t from,
                                       std::uint32_t to) const {
    return phase % 2 == 0 ? copies(phase / 2, from, to) : copies(phase / 2, to, from);
  }
  [[nodiscard]] std::uint32_t messagesOf(std::uint32_t copies) const;
  MoeTraffic addLayer(std::uint32_t layer, const ExpertMap& map, const LayerRouting& routing);

  MoeProgram program_;
  std::uint32_t ranks_;
  std::vector<std::uint32_t> copies_;  // by layer and pair
  std::vector<std::uint32_t> ends_;    // by pair and phase
  std::vector<MoeTraffic> traffic_;    // by layer
};

// Time that the busiest rank of a layer needs inside its server, at the rate of the program. A
// lower bound, without contention or waiting.
Picoseconds intraTime(const MoeProgram& program, const MoeTraffic& traffic,
                      std::uint64_t copy_bytes);

}  // namespace plumbline::workload
