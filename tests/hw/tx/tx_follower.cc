#include "tests/hw/tx/tx_follower.h"

#include <algorithm>

namespace plumbline::test {

void Follower::start(std::uint64_t ahead) {
  for (std::uint32_t i = 0; i < gap_list_.size(); ++i) {
    Row row{};
    setBits(row, 0, 64, gap_list_[i]);
    bench.writeRow(6, i, row);
  }
  for (std::uint32_t f = 0; f < flows_.size(); ++f) bench.loadFlow(f, flows_[f]);
  bench.loadSchedule(schedule_);
  bench.setStartTime(bench.now() + ahead);
  bench.on_frame = [this](const SentFrame& frame) { check(frame); };
  model_.emplace(flows_, schedule_, bench.startTime(), 80, bench.edge() + 40, gap_list_);
  bench.setRunning(true);
}

void Follower::runFrames(std::uint64_t frames) {
  const std::uint64_t limit = bench.edge() + 40'000'000;
  while (checked < frames && bench.edge() < limit && !testing::Test::HasFatalFailure()) {
    bench.clock();
  }
  EXPECT_EQ(checked, frames);
}

void Follower::check(const SentFrame& frame) {
  if (testing::Test::HasFatalFailure()) return;
  ASSERT_FALSE(model_->done()) << "frame " << checked << " is one too many";
  const Departure want = model_->next();
  ASSERT_EQ(frame.length, want.length) << "frame " << checked;
  ASSERT_EQ(frame.departure, want.departure) << "frame " << checked;
  ASSERT_EQ(frame.first_edge, want.edge) << "frame " << checked;
  // A frame is on the boundary at most one clock before its departure, and never behind (but for
  // the fraction of a picosecond that card time does not have).
  ASSERT_LE(frame.crossing, frame.departure + 1);
  ASSERT_LT(frame.departure, frame.crossing + kClockPs);
  ASSERT_EQ(frame.last_edge, frame.first_edge + (frame.length - 1) / 64) << "a bubble";
  if (checked > 0) {
    ASSERT_GE(frame.departure, wire_free_) << "frame " << checked << " overlaps";
    smallest_gap_ps = std::min(smallest_gap_ps, frame.departure - wire_free_);
  }
  wire_free_ = frame.departure + slot(frame.length);
  departures.push_back(want);
  ++checked;
  if (observe) observe(frame, want);
}

}  // namespace plumbline::test
