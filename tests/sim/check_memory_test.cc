// Checks do not allocate the memory that a trial may need later.
#include <gtest/gtest.h>

#include "base/work.h"
#include "bench/sim/sim_bench.h"
#include "tests/sim/stack.h"
#include "transport/roce/roce_spec.h"

namespace plumbline::sim::testing {
namespace {

// 64 ranks with 10^7 iterations each, of which a trial of a millisecond begins a few: their records
// would take 10 GB.
TEST(CheckMemory, IterationsToComeTakeNone) {
  TrialSpec spec;
  spec.dut.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.dut.topology.hosts = 64;
  spec.transport = transport::RoceSpec{};
  spec.duration = milliseconds(1);
  workload::JobSpec job;
  job.name = "job";
  job.placement.ranks = 64;
  workload::TrainingProgram program;
  program.collectives.emplace_back();
  program.iterations = 10'000'000;
  job.program = program;
  spec.workload.emplace().jobs = {job};
  bench::SimBench bench({.line_rate = spec.dut.topology.link_rate});
  const std::uint64_t before = memoryInUse();
  EXPECT_TRUE(bench.refusals(spec).empty());
  const bench::TrialResult result = bench.run(spec, {});
  EXPECT_LT(memoryInUse() - before, 1'000'000'000U);
  ASSERT_TRUE(result.fabric);
  EXPECT_FALSE(result.fabric->jobs.front().finished);
}

}  // namespace
}  // namespace plumbline::sim::testing
