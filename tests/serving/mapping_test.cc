#include "serving/mapping.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace plumbline::serving {
namespace {

ModelProfile cfgB() { return *builtInModel("cfg-b"); }  // 8 KV heads, 327,680 bytes per token

MappingSpec specOf(PoolShape prefill, PoolShape decode) {
  MappingSpec spec;
  spec.prefill = prefill;
  spec.decode = decode;
  return spec;
}

MappingLoad loadOf(const MappingSpec& spec, const ModelProfile& model, std::uint64_t tokens) {
  const Mapping mapping(spec, model);
  return mappingLoad(mapping.flows({}, {}, 0), kvBytesPerToken(model), tokens);
}

constexpr std::uint64_t kS4k = 1'342'177'280;  // CFG B, 4,096 tokens

TEST(Mapping, EqualTpIsRankToRankOnItsRail) {
  const Mapping mapping(specOf({3, 8}, {9, 8}), cfgB());
  EXPECT_EQ(mapping.nics(), 96U);
  const auto flows = mapping.flows({2, 0}, {4, 0}, 7);
  ASSERT_EQ(flows.size(), 8U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(flows[i], (KvFlow{i, i, 16 + i, 24 + 32 + i, 1, 8})) << i;
  }
  const MappingLoad load = mappingLoad(flows, 327'680, 4096);
  EXPECT_EQ(load.bytes, kS4k);
  EXPECT_EQ(load.receivers.size(), 8U);
  EXPECT_EQ(load.receivers[0].bytes, kS4k / 8);
  EXPECT_EQ(load.incast, 1);
  EXPECT_EQ(load.concentration, 1);
}

// P8 to D4: 8 flows, 2:1 into each of 4 NICs. P4 to D8: 8 flows, 1:2.
TEST(Mapping, UnequalTp) {
  const MappingLoad in = loadOf(specOf({1, 8}, {2, 4}), cfgB(), 4096);
  EXPECT_EQ(in.senders.size(), 8U);
  ASSERT_EQ(in.receivers.size(), 4U);
  for (const NicShare& share : in.receivers) {
    EXPECT_EQ(share.flows, 2U);
    EXPECT_EQ(share.bytes, kS4k / 4);
  }
  EXPECT_EQ(in.incast, 2);
  EXPECT_EQ(in.concentration, 2);
  EXPECT_EQ(in.bytes, kS4k);

  const MappingLoad out = loadOf(specOf({2, 4}, {1, 8}), cfgB(), 4096);
  ASSERT_EQ(out.senders.size(), 4U);
  EXPECT_EQ(out.senders[0].flows, 2U);
  EXPECT_EQ(out.receivers.size(), 8U);
  EXPECT_EQ(out.incast, 1);
  EXPECT_EQ(out.concentration, 0.5);
  EXPECT_EQ(out.bytes, kS4k);
}

// The second worker of a server with TP 4 is on its upper four NICs.
TEST(Mapping, WorkersShareAServer) {
  const Mapping mapping(specOf({1, 8}, {2, 4}), cfgB());
  EXPECT_EQ(mapping.decodeServers(), 1U);
  const auto flows = mapping.flows({}, {1, 0}, 0);
  EXPECT_EQ(flows.front().to_nic, 8U + 4U);
  EXPECT_EQ(flows.back().to_nic, 8U + 7U);
}

// 4 KV heads on 8 decode ranks: each head twice, or once and over NVLink.
TEST(Mapping, CopiesOfHeads) {
  ModelProfile model = cfgB();
  model.kv_heads = 4;
  MappingSpec spec = specOf({1, 4}, {1, 8});
  const std::uint64_t all = kvBytesPerToken(model) * 100;
  const MappingLoad sent = loadOf(spec, model, 100);
  EXPECT_EQ(sent.bytes, all * 8 / 4);
  EXPECT_EQ(sent.receivers.size(), 8U);
  spec.copies = HeadCopies::kNvlink;
  const MappingLoad once = loadOf(spec, model, 100);
  EXPECT_EQ(once.bytes, all);
  EXPECT_EQ(once.receivers.size(), 4U);
  // More prefill ranks than heads: each decode rank has its head from one of the copies.
  spec = specOf({1, 8}, {1, 8});
  const MappingLoad copies = loadOf(spec, model, 100);
  EXPECT_EQ(copies.bytes, all * 8 / 4);
  EXPECT_EQ(copies.senders.size(), 8U);
  spec = specOf({1, 8}, {1, 4});
  EXPECT_EQ(loadOf(spec, model, 100).bytes, all);
}

TEST(Mapping, LatentIsWholeOnEveryRank) {
  const ModelProfile model = *builtInModel("deepseek-v3");
  MappingSpec spec = specOf({1, 8}, {1, 8});
  const MappingLoad one = loadOf(spec, model, 4096);
  EXPECT_EQ(one.bytes, 287'834'112U);
  EXPECT_EQ(one.receivers.size(), 1U);
  const Mapping mapping(spec, model);
  EXPECT_EQ(mapping.flows({}, {}, 3).front().to_rank, 3U);
  EXPECT_EQ(mapping.flows({}, {}, 11).front().from_rank, 3U);
  spec.mla = MlaPlacement::kAll;
  const MappingLoad all = loadOf(spec, model, 4096);
  EXPECT_EQ(all.bytes, std::uint64_t{8} * 287'834'112U);
  EXPECT_EQ(all.receivers.size(), 8U);
}

// DP attention of TP 8: a request goes to 8, 4, 2, 1 NICs, which take 3.4, 6.8, 13.7, 27.4 ms for
// 4,096 tokens of CFG B at 49.02 GB/s of payload.
TEST(Mapping, DataParallelAttentionConcentrates) {
  const double expected_ms[] = {3.42, 6.85, 13.69, 27.38};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t dp = 1U << i;
    const MappingLoad load = loadOf(specOf({1, 8}, {1, 8, dp}), cfgB(), 4096);
    ASSERT_EQ(load.receivers.size(), 8U >> i);
    EXPECT_EQ(load.receivers[0].bytes, kS4k >> (3 - i));
    EXPECT_NEAR(static_cast<double>(load.receivers[0].bytes) / 49.02e6, expected_ms[i], 0.01);
    EXPECT_EQ(load.incast, dp);
    EXPECT_EQ(load.bytes, kS4k);
  }
  // Group 2 of four has ranks 4 and 5.
  const Mapping mapping(specOf({1, 8}, {1, 8, 4}), cfgB());
  const auto flows = mapping.flows({}, {0, 2}, 0);
  EXPECT_EQ(flows.front().to_rank, 4U);
  EXPECT_EQ(flows.back().to_rank, 5U);
}

TEST(Mapping, FewerNicsAndShiftedRails) {
  MappingSpec spec = specOf({1, 8}, {1, 8});
  spec.nics = 2;
  const MappingLoad load = loadOf(spec, cfgB(), 4096);
  ASSERT_EQ(load.receivers.size(), 2U);
  EXPECT_EQ(load.receivers[0].nic, 2U);
  EXPECT_EQ(load.receivers[0].flows, 4U);
  EXPECT_EQ(load.receivers[0].bytes, kS4k / 2);
  spec.nics = 8;
  spec.rail_shift = 3;
  const auto flows = Mapping(spec, cfgB()).flows({}, {}, 0);
  EXPECT_EQ(flows[0].to_nic, 8U + 3U);
  EXPECT_EQ(flows[7].to_nic, 8U + 2U);
}

std::string refusal(const MappingSpec& spec, const ModelProfile& model) {
  try {
    const Mapping mapping(spec, model);
  } catch (const Error& error) {
    return error.where();
  }
  return "none";
}

TEST(Mapping, ImpossibleOnesAreRefused) {
  EXPECT_EQ(refusal(specOf({1, 16}, {1, 8}), cfgB()), "prefill");
  EXPECT_EQ(refusal(specOf({1, 8}, {1, 3}), cfgB()), "decode");
  EXPECT_EQ(refusal(specOf({0, 8}, {1, 8}), cfgB()), "prefill");
  EXPECT_EQ(refusal(specOf({1, 8}, {1, 8, 3}), cfgB()), "decode");
  MappingSpec spec = specOf({1, 8}, {1, 8});
  spec.nics = 3;
  EXPECT_EQ(refusal(spec, cfgB()), "nics");
  ModelProfile model = cfgB();
  model.kv_heads = 6;
  EXPECT_EQ(refusal(specOf({1, 8}, {1, 8}), model), "tp");
  spec = specOf({1, 4}, {1, 6});
  spec.gpus = spec.nics = 12;
  EXPECT_EQ(refusal(spec, cfgB()), "decode");
}

// Eight H100: 80 GiB * 0.9 - 141.1 GB / 8 - 3.5 GB on each, 40,960 bytes per token and rank.
TEST(KvTokens, IsWhatTheWeightsLeave) {
  const AcceleratorProfile h100 = *builtInAccelerator("h100");
  const double room = 85'899'345'920.0 * 0.9 - weightBytes(cfgB()) / 8 - 3.5e9;
  EXPECT_EQ(kvTokens(cfgB(), h100, {1, 8}, {}), static_cast<std::uint64_t>(room / 40'960));
  // Two attention groups: half of the ranks have one request's heads.
  EXPECT_EQ(kvTokens(cfgB(), h100, {1, 8, 2}, {}), static_cast<std::uint64_t>(room / 81'920));
  EXPECT_THROW(kvTokens(cfgB(), h100, {1, 1}, {}), Error);
}

}  // namespace
}  // namespace plumbline::serving
