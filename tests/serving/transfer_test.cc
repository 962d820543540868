#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/exponential.h"
#include "serving/kv_transfer.h"
#include "serving/transfer_network.h"
#include "stats/summary.h"

namespace plumbline::serving {
namespace {

constexpr BitRate kRate{400'000'000'000};  // 20 ps a byte

std::vector<Arrival> allArrivals(TransferNetwork& network) {
  std::vector<Arrival> arrivals;
  while (network.nextEvent() != kNever) network.runUntil(network.nextEvent(), arrivals);
  return arrivals;
}

TEST(SharedRateNetwork, AloneIsExact) {
  SharedRateNetwork network(2, kRate, nanoseconds(700));
  network.post({7, 0, 1, 1'342'177'280, microseconds(3)});
  const auto arrivals = allArrivals(network);
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].id, 7U);
  EXPECT_EQ(arrivals[0].nic, 1U);
  EXPECT_EQ(arrivals[0].time,
            microseconds(3) + Picoseconds(1'342'177'280LL * 20) + nanoseconds(700));
  EXPECT_EQ(network.received(1), 1'342'177'280U);
}

// 1,000 and 3,000 bytes into one NIC: shared until the first is done at 2,000 byte times, the
// second has 2,000 left and is done at 4,000.
TEST(SharedRateNetwork, IncastIsShared) {
  SharedRateNetwork network(3, kRate, {});
  network.post({1, 0, 2, 1000, {}});
  network.post({2, 1, 2, 3000, {}});
  const auto arrivals = allArrivals(network);
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].time, Picoseconds(2000 * 20));
  EXPECT_EQ(arrivals[1].time, Picoseconds(4000 * 20));
}

// Both directions of a NIC, and NICs without each other, do not share.
TEST(SharedRateNetwork, OtherNicsAndDirectionsAreFree) {
  SharedRateNetwork network(4, kRate, {});
  network.post({1, 0, 1, 1000, {}});
  network.post({2, 1, 0, 1000, {}});
  network.post({3, 2, 3, 1000, {}});
  for (const Arrival& arrival : allArrivals(network)) {
    EXPECT_EQ(arrival.time, Picoseconds(20'000)) << arrival.id;
  }
}

// A sender of two messages, one into a NIC with another message: no message exceeds its share, and
// a message that joins later slows the others from then on.
TEST(SharedRateNetwork, JoiningLater) {
  SharedRateNetwork network(3, kRate, {});
  network.post({1, 0, 1, 1000, {}});
  network.post({2, 0, 2, 1000, Picoseconds(10'000)});
  const auto arrivals = allArrivals(network);
  // At 10,000 ps half of the first is left, which takes 1,000 byte times from there: 30,000 ps. By
  // then half of the second is there; it ends 10,000 ps later.
  EXPECT_EQ(arrivals[0].time, Picoseconds(30'000));
  EXPECT_EQ(arrivals[1].time, Picoseconds(40'000));
}

TEST(SharedRateNetwork, RefusesWhatCannotBe) {
  EXPECT_THROW(SharedRateNetwork(2, BitRate(0), {}), Error);
  SharedRateNetwork network(2, kRate, {});
  EXPECT_THROW(network.post({1, 0, 2, 1, {}}), Error);
  EXPECT_THROW(network.post({1, 0, 1, 0, {}}), Error);
}

// M/G/1-PS: mean time S / (1 - rho), whatever the distribution of sizes. Two sizes, 1:9, rho 0.6.
TEST(SharedRateNetwork, MeanTimeIsThatOfProcessorSharing) {
  SharedRateNetwork network(2, kRate, {});
  RandomStream random(3, "sizes");
  constexpr int kMessages = 200'000;
  constexpr double kMeanSize = 0.5 * 10'000 + 0.5 * 90'000;
  const Picoseconds gap(static_cast<std::int64_t>(kMeanSize * 20 / 0.6));
  std::vector<Picoseconds> posted;
  Picoseconds now;
  for (int i = 0; i < kMessages; ++i) {
    now += exponentialGap(random, gap);
    posted.push_back(now);
    const std::uint64_t bytes = random.below(2) == 0 ? 10'000 : 90'000;
    network.post({static_cast<std::uint64_t>(i), 0, 1, bytes, now});
  }
  std::vector<double> times(kMessages);
  for (const Arrival& arrival : allArrivals(network)) {
    times[arrival.id] = (arrival.time - posted[arrival.id]).toSeconds();
  }
  // Batch means: the times of neighbours depend on each other.
  std::vector<double> batches;
  constexpr int kBatch = 5000;
  for (int first = kMessages / 10; first + kBatch <= kMessages; first += kBatch) {
    double sum = 0;
    for (int i = first; i < first + kBatch; ++i) sum += times[static_cast<std::size_t>(i)];
    batches.push_back(sum / kBatch);
  }
  const auto summary = stats::summarize(batches);
  const double expected = kMeanSize * 20e-12 / (1 - 0.6);
  EXPECT_GT(expected, summary.ci95->low - 0.01 * expected);
  EXPECT_LT(expected, summary.ci95->high + 0.01 * expected);
  EXPECT_LT(summary.ci95->high - summary.ci95->low, 0.1 * expected);
}

TEST(InfiniteNetwork, ArrivesWhenPosted) {
  InfiniteNetwork network;
  network.post({1, 0, 1, 1000, Picoseconds(50)});
  network.post({2, 0, 0, 1000, Picoseconds(20)});
  const auto arrivals = allArrivals(network);
  EXPECT_EQ(arrivals[0].id, 2U);
  EXPECT_EQ(arrivals[0].time, Picoseconds(20));
  EXPECT_EQ(arrivals[1].time, Picoseconds(50));
}

// CFG B, 4,096 tokens, TP 8, pages of 16: 40,960 descriptors of 4 KiB per rank page by page, 256 of
// 640 KiB with all layers of a page together.
TEST(KvMessages, UnitsOfCfgB) {
  const ModelProfile model = *builtInModel("cfg-b");
  const KvFlow flow{0, 0, 0, 8, 1, 8};
  const PrefillChunk chunk{{}, milliseconds(80), 4096};
  constexpr std::uint64_t kRankBytes = 1'342'177'280 / 8;
  TransferSpec spec;
  const auto totals = [&](TransferUnit unit) {
    spec.unit = unit;
    std::uint64_t bytes = 0;
    std::uint64_t descriptors = 0;
    for (const auto& message : kvMessages(spec, model, flow, chunk, true, 4096, 16)) {
      bytes += message.bytes;
      descriptors += message.descriptors;
    }
    EXPECT_EQ(bytes, kRankBytes);
    return descriptors;
  };
  EXPECT_EQ(totals(TransferUnit::kRequest), 1U);
  EXPECT_EQ(totals(TransferUnit::kLayer), 80U);
  EXPECT_EQ(totals(TransferUnit::kBlock), 256U);
  EXPECT_EQ(kRankBytes / 256, 640U * 1024);
  EXPECT_EQ(totals(TransferUnit::kPage), 40'960U);
  EXPECT_EQ(kRankBytes / 40'960, 4096U);

  spec.unit = TransferUnit::kLayer;
  const auto layers = kvMessages(spec, model, flow, chunk, true, 4096, 16);
  EXPECT_EQ(layers.front().ready, milliseconds(1));
  EXPECT_EQ(layers.back().ready, milliseconds(80));
  spec.unit = TransferUnit::kRequest;
  EXPECT_TRUE(kvMessages(spec, model, flow, chunk, false, 4096, 16).empty());
  // 100 tokens are 7 pages, of which the last has 4 tokens: in 3 messages of 3, 3 and 1 pages.
  spec.unit = TransferUnit::kBlock;
  spec.messages = 3;
  const auto blocks = kvMessages(spec, model, flow, chunk, true, 100, 16);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].bytes, 48U * 40'960);
  EXPECT_EQ(blocks[2].bytes, 4U * 40'960);
  EXPECT_EQ(blocks[2].descriptors, 1U);
}

TEST(KvMessages, LatentPagesAreOneDescriptor) {
  const ModelProfile model = *builtInModel("deepseek-v3");
  TransferSpec spec;
  spec.unit = TransferUnit::kPage;
  const auto messages = kvMessages(spec, model, {}, {{}, milliseconds(61), 32}, true, 32, 16);
  ASSERT_EQ(messages.size(), 61U);
  EXPECT_EQ(messages[0].descriptors, 2U);
  EXPECT_EQ(messages[0].bytes, 32U * 1152);
}

// By hand, 80 layers and 800 ms of prefill: wire 1 ms per layer is hidden except for the last one;
// 20 ms per layer is 1,600 ms of wire that begins after 10 ms and ends 810 ms after prefill.
TEST(LayerwiseExposure, HiddenAndNot) {
  EXPECT_EQ(layerwiseExposure(milliseconds(800), milliseconds(1), 80), milliseconds(1));
  EXPECT_EQ(layerwiseExposure(milliseconds(800), milliseconds(10), 80), milliseconds(10));
  EXPECT_EQ(layerwiseExposure(milliseconds(800), milliseconds(20), 80), milliseconds(810));
}

TEST(TransferSpec, LayersCannotBeReadAfterPrefill) {
  TransferSpec spec;
  EXPECT_NO_THROW(check(spec));
  spec.verb = TransferVerb::kRead;
  EXPECT_THROW(check(spec), Error);
  spec.unit = TransferUnit::kBlock;
  EXPECT_NO_THROW(check(spec));
  spec.outstanding = 0;
  EXPECT_THROW(check(spec), Error);
}

}  // namespace
}  // namespace plumbline::serving
