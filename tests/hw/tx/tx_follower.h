// Runs flows on plumb_tx and follows what leaves with the reference model, frame by frame.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tests/hw/tx/tx_bench.h"
#include "tests/hw/tx/tx_model.h"

namespace plumbline::test {

class Follower {
 public:
  Follower(std::vector<FlowConfig> flows, std::vector<Entry> schedule,
           std::vector<std::uint64_t> gap_list = {})
      : flows_(std::move(flows)), schedule_(std::move(schedule)), gap_list_(std::move(gap_list)) {}

  // Loads and starts; the schedule begins `ahead` ps from then.
  void start(std::uint64_t ahead = 8'000'000);
  void runFrames(std::uint64_t frames);

  TxBench bench;
  std::vector<Departure> departures;
  std::uint64_t checked = 0;
  std::uint64_t smallest_gap_ps = ~0ULL;  // between the end of a slot and the next departure
  // Sees each frame after its time was checked.
  std::function<void(const SentFrame&, const Departure&)> observe;

 private:
  void check(const SentFrame& frame);

  std::vector<FlowConfig> flows_;
  std::vector<Entry> schedule_;
  std::vector<std::uint64_t> gap_list_;
  std::optional<TxModel> model_;
  std::uint64_t wire_free_ = 0;
};

}  // namespace plumbline::test
