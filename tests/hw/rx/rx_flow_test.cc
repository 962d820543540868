// The flow table of plumb_rx against a reference that remembers every sequence number.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"
#include "tests/hw/rx/rx_reference.h"

namespace plumbline::test {
namespace {

wire::Buffer flowFrame(std::uint32_t row, std::uint64_t sequence, RandomStream& random,
                       std::uint32_t length = 64, wire::Ecn ecn = wire::Ecn::kEct0) {
  FrameOptions options{.ecn = ecn, .length = length};
  options.tag = wire::TestTag{.id = wire::TestTag::makeId(0, row), .sequence = sequence};
  return makeFrame(options, random);
}

// Sends the numbers to one row with a fixed distance in clocks between the frames' beats.
void expectScript(const std::vector<std::uint64_t>& script, std::uint64_t distance) {
  RxBench bench;
  RandomStream random(distance, "flow/script");
  ReferenceRow reference;
  for (const std::uint64_t sequence : script) {
    bench.send(flowFrame(5, sequence, random));
    reference.receive(sequence, 64, false);
    bench.idle(distance - 1);
  }
  bench.settle();
  EXPECT_EQ(bench.flowRow(5), reference.row()) << "distance " << distance;
}

class RxFlowDistance : public testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Clocks, RxFlowDistance, testing::Range<std::uint64_t>(1, 9));

TEST_P(RxFlowDistance, InOrder) {
  std::vector<std::uint64_t> script;
  for (std::uint64_t s = 0; s < 300; ++s) script.push_back(s);
  expectScript(script, GetParam());
}

TEST_P(RxFlowDistance, DropsDuplicatesReorders) {
  std::vector<std::uint64_t> script = {3, 3, 0, 1, 1, 0, 2, 3, 10, 9, 8, 8, 7, 11, 4, 5, 6, 6};
  for (std::uint64_t s = 20; s < 200; s += 2) {
    script.push_back(s + 1);
    script.push_back(s);
    if (s % 5 == 0) script.push_back(s);
    if (s % 7 == 0) script.push_back(s - 10);
  }
  expectScript(script, GetParam());
}

TEST_P(RxFlowDistance, EdgesOfTheWindow) {
  std::vector<std::uint64_t> script = {1000};
  // next = 1001: 873 is the last inside, 872 the first outside.
  for (const std::uint64_t s : {873, 872, 873, 874, 1000, 999, 871, 0}) script.push_back(s);
  // Moves by one keep everything, by 127 one number, by 128 none, by more none.
  for (const std::uint64_t s : {1001, 874, 875, 1128, 1001, 1002, 1256, 1128, 1129, 1255, 1512,
                                1256, 1385, 1384, 5000, 4999, 4872, 4871, 1512}) {
    script.push_back(s);
  }
  expectScript(script, GetParam());
}

TEST_P(RxFlowDistance, FarJumps) {
  std::vector<std::uint64_t> script = {0};
  std::uint64_t at = 0;
  for (int bit = 0; bit < 63; ++bit) {
    at += 1ULL << bit;
    script.push_back(at);
    script.push_back(at - (at > 127 ? 127 : at));
    script.push_back(at - (at > 128 ? 128 : at));
    script.push_back(at > 100000 ? at - 100000 : 0);
  }
  script.push_back(~0ULL - 1);
  script.push_back(~0ULL - 2);
  script.push_back(~0ULL - 200);
  expectScript(script, GetParam());
}

// Frames of a stream pass a device that drops, duplicates, delays and reorders.
std::vector<std::uint64_t> impaired(std::uint64_t count, RandomStream& random) {
  constexpr std::uint64_t kSlot = 16;                             // finer than one frame
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arrivals;  // (position, number)
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t fate = random.below(100);
    const std::uint64_t position = kSlot * s;
    if (fate < 5) continue;
    if (fate < 10) arrivals.emplace_back(position + random.below(kSlot * 300), s);
    if (fate < 20) {
      arrivals.emplace_back(position + random.below(kSlot * 40), s);
    } else if (fate < 22) {
      arrivals.emplace_back(position + kSlot * 100 + random.below(kSlot * 60), s);
    } else {
      arrivals.emplace_back(position, s);
    }
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint64_t> numbers;
  numbers.reserve(arrivals.size());
  for (const auto& arrival : arrivals) numbers.push_back(arrival.second);
  return numbers;
}

TEST(RxFlow, RandomImpairmentsOfManyFlowsAreCountedExactly) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RxBench bench;
    RandomStream random(seed, "flow/random");
    // Few flows meet often, with every distance between frames of a row.
    const std::uint32_t flows = seed % 2 == 1 ? 3 : 37;
    std::vector<std::uint32_t> rows;
    std::vector<std::vector<std::uint64_t>> streams;
    std::vector<std::size_t> next(flows, 0);
    std::vector<ReferenceRow> references(flows);
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      rows.push_back((flow * 613 + static_cast<std::uint32_t>(seed)) % 2048);
      streams.push_back(impaired(20000 / flows, random));
    }
    std::uint64_t frames = 0;
    std::uint32_t flow = 0;
    for (std::size_t left = flows; left > 0;) {
      if (random.below(3) != 0) flow = static_cast<std::uint32_t>(random.below(flows));
      if (next[flow] >= streams[flow].size()) {
        left = 0;
        for (std::uint32_t f = 0; f < flows; ++f) left += next[f] < streams[f].size() ? 1 : 0;
        flow = (flow + 1) % flows;
        continue;
      }
      const std::uint64_t sequence = streams[flow][next[flow]++];
      const bool ce = random.below(10) == 0;
      const auto length = static_cast<std::uint32_t>(64 + (random.below(8) == 0 ? 40 : 0));
      bench.send(
          flowFrame(rows[flow], sequence, random, length, ce ? wire::Ecn::kCe : wire::Ecn::kEct1));
      references[flow].receive(sequence, length, ce);
      ++frames;
      // On average more than two clocks per frame, so that the queue never fills.
      bench.idle(random.below(5));
    }
    bench.settle();
    for (std::uint32_t f = 0; f < flows; ++f) {
      EXPECT_EQ(bench.flowRow(rows[f]), references[f].row()) << "seed " << seed << " flow " << f;
    }
    EXPECT_EQ(bench.counters().frames, frames);
    EXPECT_EQ(bench.counters().event_overflow, 0U);
    EXPECT_EQ(bench.flowRow(2040), FlowRow{});
  }
}

TEST(RxFlow, RowsReadUnderTrafficAreWholeAndDisturbNothing) {
  RxBench bench;
  RandomStream random(6, "flow/read");
  constexpr std::uint32_t kFlows = 2;
  struct Flow {
    std::uint32_t row;
    ReferenceRow reference;
    std::uint64_t sequence = 0;
    // Every state the row has been in; a read must give one of them, and never an older one than
    // the read before.
    std::vector<FlowRow> states = {FlowRow{}};
    std::size_t oldest = 0;
    std::size_t reads = 0;
  };
  std::vector<Flow> flows(kFlows);
  flows[0].row = 77;
  flows[1].row = 1029;
  std::uint64_t slowest = 0;
  std::uint64_t asked = 0;  // flow of the read under way
  for (int i = 0; i < 8000; ++i) {
    Flow& flow = flows[random.below(kFlows)];
    flow.sequence += random.below(4);
    const bool late = random.below(8) == 0 && flow.sequence > 3;
    const std::uint64_t sent = late ? flow.sequence - 3 : flow.sequence;
    bench.send(flowFrame(flow.row, sent, random));
    flow.reference.receive(sent, 64, false);
    flow.states.push_back(flow.reference.row());
    if (i % 3 == 0) {
      // Three frames apart: the answer to the read before is there.
      asked = random.below(kFlows);
      bench.requestTable(4, flows[asked].row);
    }
    bench.idle(1);
    if (random.below(20) == 0) bench.idle(random.below(30));
    while (!bench.answers.empty()) {
      const TableAnswer answer = bench.answers.front();
      bench.answers.pop_front();
      slowest = std::max(slowest, answer.answered - answer.requested);
      const FlowRow row = decodeFlowRow(answer.words);
      Flow& read = flows[asked];
      while (read.oldest < read.states.size() && !(read.states[read.oldest] == row)) ++read.oldest;
      ASSERT_LT(read.oldest, read.states.size())
          << "a row that never was: " << testing::PrintToString(row);
      ++read.reads;
    }
  }
  bench.settle();
  for (const Flow& flow : flows) {
    EXPECT_EQ(bench.flowRow(flow.row), flow.reference.row());
    EXPECT_GT(flow.reads, 1000U);
  }
  EXPECT_LE(slowest, 5U);
}

}  // namespace
}  // namespace plumbline::test
