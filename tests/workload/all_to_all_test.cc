#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "workload/schedule.h"

namespace plumbline::workload {
namespace {

// All ranks of one AlltoAll; messages and acknowledgements in random order.
class Exchange {
 public:
  Exchange(const CollectiveSpec& spec, std::uint32_t ranks, std::uint64_t seed)
      : random_(seed, "order"), open_(ranks, 0), most_open_(ranks, 0) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      schedules_.push_back(makeSchedule(spec, rank, ranks));
      outboxes_.push_back(std::make_unique<Outbox>(*this, rank));
    }
    for (Rank rank = 0; rank < ranks; ++rank) schedules_[rank]->start(*outboxes_[rank]);
    while (!flying_.empty()) {
      const std::size_t chosen = random_.below(flying_.size());
      std::swap(flying_[chosen], flying_.back());
      const Flying flying = flying_.back();
      flying_.pop_back();
      if (flying.acknowledgement) {
        --open_[flying.to];
        schedules_[flying.to]->completed(flying.from, flying.step, *outboxes_[flying.to]);
      } else {
        flying_.push_back({true, flying.to, flying.from, flying.step});
        schedules_[flying.to]->arrived(flying.from, flying.step, *outboxes_[flying.to]);
      }
    }
  }

  std::map<std::pair<Rank, Rank>, std::uint64_t> bytes;
  std::vector<std::vector<Rank>> order = std::vector<std::vector<Rank>>(64);

  [[nodiscard]] bool finished() const {
    return std::all_of(schedules_.begin(), schedules_.end(),
                       [](const auto& schedule) { return schedule->finished(); });
  }
  [[nodiscard]] std::uint32_t mostOpen() const {
    return *std::max_element(most_open_.begin(), most_open_.end());
  }

 private:
  struct Flying {
    bool acknowledgement = false;
    Rank from = 0;
    Rank to = 0;
    std::uint32_t step = 0;
  };
  struct Outbox : Sender {
    Outbox(Exchange& owner, Rank sender) : exchange(owner), rank(sender) {}
    void send(const Transfer& transfer) override {
      ASSERT_TRUE(
          exchange.bytes.emplace(std::pair(rank, transfer.to), transfer.range.bytes).second);
      exchange.order[rank].push_back(transfer.to);
      exchange.most_open_[rank] = std::max(exchange.most_open_[rank], ++exchange.open_[rank]);
      exchange.flying_.push_back({false, rank, transfer.to, transfer.step});
    }
    Exchange& exchange;
    Rank rank;
  };

  RandomStream random_;
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::vector<std::unique_ptr<Outbox>> outboxes_;
  std::vector<Flying> flying_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> most_open_;
};

CollectiveSpec allToAll(Algorithm algorithm, std::uint64_t bytes, std::uint32_t window) {
  CollectiveSpec spec;
  spec.kind = CollectiveKind::kAllToAll;
  spec.algorithm = algorithm;
  spec.bytes = bytes;
  spec.window = window;
  return spec;
}

TEST(AllToAll, EveryPairExchangesExactlyItsChunk) {
  for (const Algorithm algorithm : {Algorithm::kLinearShift, Algorithm::kXor}) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 16U, 17U}) {
      if (algorithm == Algorithm::kXor && (ranks & (ranks - 1)) != 0) continue;
      for (const std::uint64_t bytes : {0U, 1U, 7U, 16U, 53U, 160U}) {
        for (const std::uint32_t window : {0U, 1U, 3U, 100U}) {
          SCOPED_TRACE(testing::Message() << ranks << " ranks " << bytes << " B " << window);
          const Exchange exchange(allToAll(algorithm, bytes, window), ranks, bytes + window);
          EXPECT_TRUE(exchange.finished());
          for (Rank from = 0; from < ranks; ++from) {
            for (Rank to = 0; to < ranks; ++to) {
              const std::uint64_t chunk = bytes / ranks + (to < bytes % ranks ? 1 : 0);
              const auto it = exchange.bytes.find({from, to});
              if (from == to || chunk == 0) {
                EXPECT_EQ(it, exchange.bytes.end());
              } else {
                ASSERT_NE(it, exchange.bytes.end());
                EXPECT_EQ(it->second, chunk);
              }
            }
          }
          if (window != 0) {
            EXPECT_LE(ranks == 1 ? 0 : exchange.mostOpen(), window);
          }
        }
      }
    }
  }
}

TEST(AllToAll, RoundsGoByShiftOrByXor) {
  const Exchange shift(allToAll(Algorithm::kLinearShift, 50, 1), 5, 1);
  EXPECT_EQ(shift.order[3], (std::vector<Rank>{4, 0, 1, 2}));
  const Exchange exclusive(allToAll(Algorithm::kXor, 80, 1), 8, 1);
  EXPECT_EQ(exclusive.order[5], (std::vector<Rank>{4, 7, 6, 1, 0, 3, 2}));
}

TEST(AllToAll, AllAtOnceOpensAllPeers) {
  const Exchange direct(allToAll(Algorithm::kLinearShift, 800, 0), 8, 1);
  EXPECT_EQ(direct.mostOpen(), 7U);
}

TEST(Collectives, ThatDoNotExistAreRefused) {
  CollectiveSpec spec = allToAll(Algorithm::kXor, 60, 0);
  EXPECT_THROW(makeSchedule(spec, 0, 6), Error);
  spec.algorithm = Algorithm::kRing;
  EXPECT_THROW(makeSchedule(spec, 0, 4), Error);
  spec.kind = CollectiveKind::kBroadcast;
  EXPECT_THROW(makeSchedule(spec, 0, 4), Error);
  spec.kind = CollectiveKind::kAllReduce;
  spec.algorithm = Algorithm::kHalvingDoubling;
  EXPECT_THROW(makeSchedule(spec, 0, 12), Error);
  spec.algorithm = Algorithm::kHierarchical;
  spec.ranks_per_server = 8;
  EXPECT_THROW(makeSchedule(spec, 0, 12), Error);
  spec.algorithm = Algorithm::kTree;
  spec.bytes = 1U << 20;
  spec.chunk_bytes = 1;
  EXPECT_THROW(makeSchedule(spec, 0, 4), Error);
  spec.algorithm = Algorithm::kRing;
  EXPECT_THROW(makeSchedule(spec, 0, 4), Error);
  spec.chunk_bytes = 0;
  spec.element_bytes = 0;
  EXPECT_THROW(makeSchedule(spec, 0, 4), Error);
}

}  // namespace
}  // namespace plumbline::workload
