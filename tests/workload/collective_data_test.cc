// Every collective computes its defined result, in any order of its messages' arrivals: each byte
// of each rank carries how often each rank's contribution is in it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "workload/schedule.h"

namespace plumbline::workload {
namespace {

using Contributions = std::vector<std::uint8_t>;  // by rank
using Buffer = std::vector<Contributions>;        // by byte

// Chunk that byte `byte` of `bytes` belongs to when `parts` chunks differ by at most one byte, the
// larger ones first: counted out chunk by chunk.
std::uint32_t chunkOfByte(std::uint64_t byte, std::uint64_t bytes, std::uint32_t parts) {
  std::uint64_t end = 0;
  for (std::uint32_t chunk = 0; chunk < parts; ++chunk) {
    end += bytes / parts + (chunk < bytes % parts ? 1 : 0);
    if (byte < end) return chunk;
  }
  return parts;
}

// Delivers messages and acknowledgements in random order, also to ranks that have not begun: those
// keep them, as TrainingTask does.
class Model {
 public:
  Model(const CollectiveSpec& spec, std::uint32_t ranks, std::uint64_t seed)
      : spec_(spec), random_(seed, "order"), ranks_(ranks) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      Node& node = nodes_.emplace_back();
      node.schedule = makeSchedule(spec, rank, ranks);
      node.buffer.assign(spec.bytes, Contributions(ranks, 0));
      for (std::uint64_t byte = 0; byte < spec.bytes; ++byte) setInput(rank, byte);
    }
  }

  void run() {
    std::vector<Rank> waiting;
    for (Rank rank = 0; rank < ranks_; ++rank) waiting.push_back(rank);
    while (!waiting.empty() || !flying_.empty()) {
      if (!waiting.empty() && random_.below(4) == 0) {
        const std::size_t chosen = random_.below(waiting.size());
        begin(waiting[chosen]);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
      } else if (!flying_.empty()) {
        const std::size_t chosen = random_.below(flying_.size());
        std::swap(flying_[chosen], flying_.back());
        Flying flying = std::move(flying_.back());
        flying_.pop_back();
        deliver(std::move(flying));
      }
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      EXPECT_TRUE(nodes_[rank].schedule->finished()) << "rank " << rank;
      EXPECT_TRUE(nodes_[rank].checked) << "rank " << rank;
    }
  }

  [[nodiscard]] std::uint64_t bytesSent(Rank rank) const { return nodes_[rank].bytes_sent; }
  [[nodiscard]] std::uint64_t messagesSent(Rank rank) const { return nodes_[rank].messages_sent; }

 private:
  struct Flying {
    bool acknowledgement = false;
    Rank from = 0;
    Rank to = 0;
    Transfer transfer;
    Buffer data;
  };
  struct Node {
    std::unique_ptr<Schedule> schedule;
    Buffer buffer;
    bool begun = false;
    bool checked = false;
    std::vector<Flying> early;
    std::uint64_t bytes_sent = 0;
    std::uint64_t messages_sent = 0;
  };
  struct Outbox : Sender {
    Outbox(Model& owner, Rank sender) : model(owner), rank(sender) {}
    void send(const Transfer& transfer) override { model.send(rank, transfer); }
    Model& model;
    Rank rank;
  };

  [[nodiscard]] std::uint32_t owner(std::uint64_t byte) const {
    return chunkOfByte(byte, spec_.bytes, ranks_);
  }
  [[nodiscard]] bool onRail(Rank rank, std::uint64_t byte) const {
    return chunkOfByte(byte, spec_.bytes, spec_.ranks_per_server) == rank % spec_.ranks_per_server;
  }

  void setInput(Rank rank, std::uint64_t byte) {
    Contributions& own = nodes_[rank].buffer[byte];
    if (spec_.algorithm == Algorithm::kHierarchical) {
      // After the reduce-scatter inside the server.
      const Rank server = rank / spec_.ranks_per_server;
      for (Rank i = 0; i < spec_.ranks_per_server; ++i) {
        own[server * spec_.ranks_per_server + i] = 1;
      }
    } else if (spec_.kind == CollectiveKind::kAllGather) {
      // Chunk r + 1 is rank r's.
      if (owner(byte) == (rank + 1) % ranks_) own[rank] = 1;
    } else if (spec_.kind == CollectiveKind::kBroadcast) {
      own[rank] = rank == 0 ? 1 : 0;
    } else {
      own[rank] = 1;
    }
  }

  // Expected value of the byte at the end; false if any value is allowed.
  bool expected(Rank rank, std::uint64_t byte, Contributions& result) const {
    result.assign(ranks_, 0);
    switch (spec_.kind) {
      case CollectiveKind::kAllGather:
        result[(owner(byte) + ranks_ - 1) % ranks_] = 1;
        return true;
      case CollectiveKind::kBroadcast:
        result[0] = 1;
        return true;
      case CollectiveKind::kReduceScatter:
        result.assign(ranks_, 1);
        return owner(byte) == (rank + 1) % ranks_;
      default:
        result.assign(ranks_, 1);
        return spec_.algorithm != Algorithm::kHierarchical || onRail(rank, byte);
    }
  }

  void send(Rank from, const Transfer& transfer) {
    ASSERT_GT(transfer.range.bytes, 0U);
    ASSERT_LE(transfer.range.offset + transfer.range.bytes, spec_.bytes);
    ASSERT_NE(transfer.to, from);
    ASSERT_LT(transfer.to, ranks_);
    ASSERT_LT(transfer.step, kMaxSteps);
    ASSERT_TRUE(labels_.emplace(from, transfer.to, transfer.step).second) << "a label twice";
    Node& node = nodes_[from];
    node.bytes_sent += transfer.range.bytes;
    ++node.messages_sent;
    const auto first = node.buffer.begin() + static_cast<std::ptrdiff_t>(transfer.range.offset);
    flying_.push_back({false, from, transfer.to, transfer,
                       Buffer(first, first + static_cast<std::ptrdiff_t>(transfer.range.bytes))});
  }

  void begin(Rank rank) {
    Node& node = nodes_[rank];
    node.begun = true;
    Outbox outbox(*this, rank);
    node.schedule->start(outbox);
    check(rank);
    for (Flying& flying : std::vector<Flying>(std::move(node.early))) take(std::move(flying));
  }

  void deliver(Flying flying) {
    Node& node = nodes_[flying.to];
    if (flying.acknowledgement || node.begun) {
      take(std::move(flying));
    } else {
      node.early.push_back(std::move(flying));
    }
  }

  void take(Flying flying) {
    const Rank rank = flying.to;
    Node& node = nodes_[rank];
    Outbox outbox(*this, rank);
    if (flying.acknowledgement) {
      node.schedule->completed(flying.from, flying.transfer.step, outbox);
    } else {
      for (std::uint64_t i = 0; i < flying.data.size(); ++i) {
        Contributions& mine = node.buffer[flying.transfer.range.offset + i];
        for (Rank from = 0; from < ranks_; ++from) {
          mine[from] = static_cast<std::uint8_t>(
              flying.data[i][from] +
              (flying.transfer.operation == Operation::kReduce ? mine[from] : 0));
        }
      }
      flying_.push_back({true, rank, flying.from, flying.transfer, {}});
      node.schedule->arrived(flying.from, flying.transfer.step, outbox);
    }
    check(rank);
  }

  // As soon as the rank reports its end, its result must be there.
  void check(Rank rank) {
    Node& node = nodes_[rank];
    if (node.checked || !node.schedule->finished()) return;
    node.checked = true;
    Contributions wanted;
    for (std::uint64_t byte = 0; byte < spec_.bytes; ++byte) {
      if (expected(rank, byte, wanted)) {
        ASSERT_EQ(node.buffer[byte], wanted) << "rank " << rank << " byte " << byte;
      }
    }
  }

  CollectiveSpec spec_;
  RandomStream random_;
  std::uint32_t ranks_;
  std::vector<Node> nodes_;
  std::vector<Flying> flying_;
  std::set<std::tuple<Rank, Rank, std::uint32_t>> labels_;
};

CollectiveSpec spec(CollectiveKind kind, Algorithm algorithm, std::uint64_t bytes,
                    std::uint64_t chunk = 0) {
  CollectiveSpec made;
  made.kind = kind;
  made.algorithm = algorithm;
  made.bytes = bytes;
  made.chunk_bytes = chunk;
  return made;
}

std::vector<std::uint32_t> manyRanks() {
  std::vector<std::uint32_t> ranks{64};
  for (std::uint32_t n = 1; n <= 17; ++n) ranks.push_back(n);
  return ranks;
}

// Sizes that do and do not divide by n, fewer bytes than ranks, and none.
std::vector<std::uint64_t> sizesFor(std::uint32_t ranks) {
  if (ranks == 64) return {129, 40};
  return {2ULL * ranks, 3ULL * ranks + 2, ranks - 1ULL, 1, 0};
}

struct Case {
  CollectiveKind kind;
  Algorithm algorithm;
  std::uint64_t chunk;
};

class Dataflow : public testing::TestWithParam<Case> {};

TEST_P(Dataflow, EveryRankEndsWithTheResult) {
  const Case& param = GetParam();
  for (const std::uint32_t ranks : manyRanks()) {
    if (param.algorithm == Algorithm::kHalvingDoubling && (ranks & (ranks - 1)) != 0) continue;
    for (const std::uint64_t bytes : sizesFor(ranks)) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, " << bytes << " B, seed " << seed);
        Model model(spec(param.kind, param.algorithm, bytes, param.chunk), ranks, seed);
        model.run();
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collectives, Dataflow,
    testing::Values(Case{CollectiveKind::kAllReduce, Algorithm::kRing, 0},
                    Case{CollectiveKind::kAllReduce, Algorithm::kRing, 1},
                    Case{CollectiveKind::kReduceScatter, Algorithm::kRing, 0},
                    Case{CollectiveKind::kReduceScatter, Algorithm::kRing, 2},
                    Case{CollectiveKind::kAllGather, Algorithm::kRing, 0},
                    Case{CollectiveKind::kAllGather, Algorithm::kRing, 2},
                    Case{CollectiveKind::kAllReduce, Algorithm::kTree, 0},
                    Case{CollectiveKind::kAllReduce, Algorithm::kTree, 2},
                    Case{CollectiveKind::kAllReduce, Algorithm::kDoubleTree, 2},
                    Case{CollectiveKind::kBroadcast, Algorithm::kTree, 0},
                    Case{CollectiveKind::kBroadcast, Algorithm::kTree, 1},
                    Case{CollectiveKind::kAllReduce, Algorithm::kHalvingDoubling, 0}));

TEST(Dataflow, RailsReduceTheirShardsOverAllServers) {
  for (const std::uint32_t servers : {1U, 2U, 3U, 8U}) {
    for (const std::uint64_t bytes : {0U, 5U, 64U, 101U}) {
      CollectiveSpec rails = spec(CollectiveKind::kAllReduce, Algorithm::kHierarchical, bytes);
      rails.ranks_per_server = 4;
      Model model(rails, 4 * servers, servers + bytes);
      model.run();
    }
  }
}

// Bytes per rank of the schedule table: ring and halving-doubling 2(n-1)/n S, halves half of it.
TEST(Dataflow, SendsAsManyBytesAsTheSchedulesSay) {
  constexpr std::uint32_t kRanks = 16;
  constexpr std::uint64_t kBytes = 160;
  const auto sent = [&](CollectiveKind kind, Algorithm algorithm, Rank rank) {
    Model model(spec(kind, algorithm, kBytes, 0), kRanks, 9);
    model.run();
    return model.bytesSent(rank);
  };
  for (const Rank rank : {0U, 7U, 15U}) {
    EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kRing, rank), 300U);
    EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kHalvingDoubling, rank), 300U);
    EXPECT_EQ(sent(CollectiveKind::kReduceScatter, Algorithm::kRing, rank), 150U);
    EXPECT_EQ(sent(CollectiveKind::kAllGather, Algorithm::kRing, rank), 150U);
  }
  // Root 2S, inner 3S, leaf S.
  EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kTree, 0), 2 * kBytes);
  EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kTree, 1), 3 * kBytes);
  EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kTree, 15), kBytes);
  // Two trees: inner in one and leaf in the other, S/2 each.
  EXPECT_EQ(sent(CollectiveKind::kAllReduce, Algorithm::kDoubleTree, 5), 2 * kBytes);
}

TEST(Dataflow, RingSlicesAndTreeChunksAreAsManyAsAsked) {
  Model ring(spec(CollectiveKind::kAllReduce, Algorithm::kRing, 80, 5), 4, 1);
  ring.run();
  EXPECT_EQ(ring.messagesSent(2), 6U * 4);
  Model tree(spec(CollectiveKind::kBroadcast, Algorithm::kTree, 80, 5), 2, 1);
  tree.run();
  EXPECT_EQ(tree.messagesSent(0), 16U);
}

TEST(Dataflow, ElementsAreNotCut) {
  CollectiveSpec elements = spec(CollectiveKind::kAllReduce, Algorithm::kRing, 42);
  elements.element_bytes = 4;
  struct Collect : Sender {
    std::vector<Transfer> sent;
    void send(const Transfer& transfer) override { sent.push_back(transfer); }
  } collect;
  for (Rank rank = 0; rank < 4; ++rank) makeSchedule(elements, rank, 4)->start(collect);
  // Eleven elements, the last of two bytes: 3 + 3 + 3 + 2.
  ASSERT_EQ(collect.sent.size(), 4U);
  const std::vector<std::uint64_t> offsets{0, 12, 24, 36};
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(collect.sent[rank].range.offset, offsets[rank]);
    EXPECT_EQ(collect.sent[rank].range.bytes, rank == 3 ? 6U : 12U);
  }
}

}  // namespace
}  // namespace plumbline::workload
