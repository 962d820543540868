// When frames must leave: the schedule and the gate of docs/card.md as a plain program, one flow at
// a time in order of due time.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tests/hw/tx/tx_bench.h"
#include "tests/hw/tx/tx_flow.h"

namespace plumbline::test {

struct Departure {
  std::uint32_t flow = 0;
  std::uint64_t number = 0;     // of the flow's frame
  Due due = 0;                  // Q64.16 ps from the epoch
  std::uint64_t departure = 0;  // card time [ps]
  std::uint64_t edge = 0;       // edge at which the first beat crosses
  std::uint32_t length = 0;
};

class TxModel {
 public:
  // `configs[i]` is flow i. `first_edge`: no frame crosses before this edge.
  TxModel(std::vector<FlowConfig> configs, const std::vector<Entry>& schedule,
          std::uint64_t start_time, std::uint64_t byte_time_ps, std::uint64_t first_edge,
          std::vector<std::uint64_t> gap_list = {});

  // The gaps refer to the list in here.
  TxModel(const TxModel&) = delete;
  TxModel& operator=(const TxModel&) = delete;

  [[nodiscard]] bool done() const { return order_.empty(); }
  // The next frame; not when done().
  Departure next();

 private:
  struct FlowState {
    std::uint64_t sent = 0;
    std::uint64_t in_burst = 0;
    std::uint64_t bursts = 0;
    Due burst_start = 0;
  };

  std::vector<FlowConfig> configs_;
  std::vector<FlowState> states_;
  std::vector<std::uint64_t> gap_list_;
  std::vector<GapSource> gaps_;  // per flow
  std::set<std::pair<Due, std::uint32_t>> order_;
  std::uint64_t start_time_;
  std::uint64_t byte_time_ps_;
  std::uint64_t edge_;           // first edge that the next frame may use
  std::uint64_t wire_free_ = 0;  // card time [ps]
};

}  // namespace plumbline::test
