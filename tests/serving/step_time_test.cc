#include "serving/step_time.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace plumbline::serving {
namespace {

StepLoad stepOf(std::uint64_t sequences, std::uint64_t new_tokens, std::uint64_t cached) {
  StepLoad load;
  for (std::uint64_t i = 0; i < sequences; ++i) load.add(new_tokens, cached);
  return load;
}

// Two layers of four values, two query heads and one KV head of two: every sum by hand.
ModelProfile smallModel() {
  ModelProfile model;
  model.name = "small";
  model.layers = 2;
  model.hidden = 4;
  model.heads = 2;
  model.kv_heads = 1;
  model.head_dim = 2;
  model.params_dense = 100;
  model.params_head = 10;
  model.params_embedding = 1000;
  return model;
}

TEST(Roofline, FlopsAndBytesByHand) {
  const ModelProfile model = smallModel();
  // 3 new tokens on 5 cached ones: pairs 6 + 7 + 8 = 21.
  const StepLoad load = stepOf(1, 3, 5);
  EXPECT_EQ(load.pairs_2, 42U);
  EXPECT_DOUBLE_EQ(stepFlops(model, load), 2 * 100 * 3 + 2 * 10 + 4 * 2 * (2 * 2) * 21);
  // Weights (100 + 10) * 2 bytes; KV 2 * 2 * 1 * 2 * 2 = 16 bytes a token, 8 tokens.
  EXPECT_DOUBLE_EQ(stepBytes(model, load), 220 + 16 * 8);
}

// 4 experts, 2 per token: one token reads 2, two tokens 3, many 4, and the shared one always.
TEST(Roofline, ExpertsThatTokensRead) {
  ModelProfile model = smallModel();
  model.experts = 4;
  model.top_k = 2;
  model.moe_layers = 2;
  model.shared_experts = 1;
  model.params_expert = 7;
  const double kv = 16;
  EXPECT_DOUBLE_EQ(stepBytes(model, stepOf(1, 1, 0)), 2 * (110 + 14 * (2 + 1)) + kv);
  EXPECT_DOUBLE_EQ(stepBytes(model, stepOf(2, 1, 0)), 2 * (110 + 14 * (3 + 1)) + 2 * kv);
  EXPECT_NEAR(stepBytes(model, stepOf(100, 1, 0)), 2 * (110 + 14 * (4 + 1)) + 100 * kv, 1e-9);
  EXPECT_DOUBLE_EQ(stepFlops(model, stepOf(1, 1, 0)), 2 * (100 + 14 * 3) + 20 + 4 * 2 * 4);
}

// A rank of two has two of the four experts: the experts hit by both ranks' tokens, divided by two;
// and all other parts, its own tokens' KV cache and FLOP.
TEST(ExpertStep, ARankHasItsShareOfTheExperts) {
  const AcceleratorProfile accelerator{"a", 1e6, 1e6, 1e2, 1e9, 50, 1};
  const Efficiency efficiency = *builtInEfficiency("ideal");
  ModelProfile model = smallModel();
  model.experts = 4;
  model.top_k = 2;
  model.moe_layers = 2;
  model.shared_experts = 1;
  model.params_expert = 7;
  const double kv = 16;
  // One token of each rank: two tokens hit three of four experts, 1.5 of each rank.
  const StepTime one = expertStep(model, accelerator, efficiency, 2, stepOf(1, 1, 0));
  EXPECT_DOUBLE_EQ(one.memory, (2 * (110 + 14 * (1.5 + 1)) + kv) / 100);
  EXPECT_DOUBLE_EQ(one.compute, (2 * (100 + 14 * 3) + 20 + 4 * 2 * 4) / 1e6);
  EXPECT_EQ(one.parallel, 0);
  EXPECT_EQ(one.total, milliseconds(3060));
  // Alone it is the roofline's step.
  EXPECT_EQ(expertStep(model, accelerator, efficiency, 1, stepOf(3, 1, 9)).total,
            rooflineStep(model, accelerator, efficiency, 1, stepOf(3, 1, 9)).total);
  EXPECT_DOUBLE_EQ(expertRankBytes(model, 2), 2 * (1110 + 14 * (2 + 1)));
  EXPECT_DOUBLE_EQ(expertRankBytes(model, 1), weightBytes(model));
}

TEST(Roofline, TheSlowerSideAndTheAllReduceCount) {
  const AcceleratorProfile accelerator{"a", 1e3, 2e3, 1e2, 1e9, 50, 1};
  Efficiency efficiency = *builtInEfficiency("ideal");
  const ModelProfile model = smallModel();
  const StepLoad load = stepOf(1, 3, 5);
  // 1,292 FLOP at 1,000/s, 348 bytes at 100/s.
  const StepTime one = rooflineStep(model, accelerator, efficiency, 1, load);
  EXPECT_EQ(one.total, milliseconds(3480));
  EXPECT_DOUBLE_EQ(one.compute, 1.292);
  EXPECT_EQ(one.parallel, 0);
  // Two: half of it, and 4 all-reduces of 0.5 s + 2 * 1/2 * 3 * 4 * 2 bytes at 50 * 0.5 byte/s.
  efficiency.allreduce = milliseconds(500);
  efficiency.link = 0.5;
  efficiency.step = milliseconds(10);
  const StepTime two = rooflineStep(model, accelerator, efficiency, 2, load);
  EXPECT_DOUBLE_EQ(two.parallel, 4 * (0.5 + 24.0 / 25));
  EXPECT_EQ(two.total, milliseconds(10 + 1740 + 5840));
}

double stepMs(const ModelProfile& model, const char* accelerator, const char* preset,
              std::uint32_t tp, const StepLoad& load) {
  return rooflineStep(model, *builtInAccelerator(accelerator), *builtInEfficiency(preset), tp, load)
             .total.toSeconds() *
         1e3;
}

ModelProfile llama70b(std::uint32_t weight_bits) {
  ModelProfile model = *builtInModel("llama-70b");
  model.weight_bits = weight_bits;
  return model;
}

// NIM, Llama-3.3-70B FP8 on two H100: published time to first token and inter-token latency at
// concurrency 1 (docs.nvidia.com/nim/benchmarking 1.0.0).
TEST(Roofline, NimPointsWithin15Percent) {
  const ModelProfile model = llama70b(8);
  EXPECT_NEAR(stepMs(model, "h100", "served", 2, stepOf(1, 5000, 0)), 406.8, 0.15 * 406.8);
  EXPECT_NEAR(stepMs(model, "h100", "served", 2, stepOf(1, 500, 0)), 47.8, 0.15 * 47.8);
  EXPECT_NEAR(stepMs(model, "h100", "served", 2, stepOf(1, 1, 5200)), 18.6, 0.15 * 18.6);
  EXPECT_NEAR(stepMs(model, "h100", "served", 2, stepOf(1, 1, 1500)), 18.9, 0.15 * 18.9);
}

// vLLM with four H200, batch 8; Vidur's operators without attention on eight H100.
TEST(Roofline, OtherPublishedPointsWithin25Percent) {
  const ModelProfile model = llama70b(16);
  EXPECT_NEAR(stepMs(model, "h200", "served", 4, stepOf(8, 1, 512)), 16.2, 0.25 * 16.2);
  const auto without_attention = [](std::uint64_t tokens) { return StepLoad{1, tokens, 0, 0}; };
  const auto operators = [&](std::uint64_t tokens) {
    return stepMs(model, "h100", "served", 8, without_attention(tokens));
  };
  EXPECT_NEAR(operators(2048), 95, 0.25 * 95);
  EXPECT_NEAR(operators(4096), 173, 0.25 * 173);
  EXPECT_NEAR(operators(1), 12.2, 0.25 * 12.2);
  EXPECT_NEAR(operators(64), 14.4, 0.25 * 14.4);
}

// Software of 2023 (splitwise) with the preset `old`: 512 and 2,048 tokens, and one decode step.
TEST(Roofline, OldSoftwareWithin25Percent) {
  const ModelProfile model = llama70b(16);
  EXPECT_NEAR(stepMs(model, "h100", "old", 8, stepOf(1, 512, 0)), 54, 0.25 * 54);
  EXPECT_NEAR(stepMs(model, "h100", "old", 8, stepOf(1, 2048, 0)), 137, 0.25 * 137);
  EXPECT_NEAR(stepMs(model, "h100", "old", 8, stepOf(1, 1, 512)), 30.6, 0.25 * 30.6);
}

TEST(Roofline, StepsBeyondAllMeasureAreRefused) {
  const ModelProfile model = *builtInModel("cfg-c");
  EXPECT_THROW(stepMs(model, "a100", "old", 1, stepOf(1, 1ULL << 26, 0)), Error);
}

StepTable tableOf(const std::string& text) {
  std::istringstream stream(text);
  return StepTable::parse(stream, "t.csv");
}

constexpr const char* kTable =
    "phase,batch,tokens,context,ms\n"
    "prefill,1,100,0,10\nprefill,1,200,0,18\n"
    "decode,1,1,1000,5\ndecode,1,1,2000,6\ndecode,3,3,1000,7\ndecode,3,3,2000,12\n";

TEST(StepTable, IsBilinear) {
  const StepTable table = tableOf(kTable);
  EXPECT_EQ(table.prefill(stepOf(1, 150, 0)).total, milliseconds(14));
  EXPECT_EQ(table.decode(stepOf(1, 1, 1000)).total, milliseconds(5));
  EXPECT_EQ(table.decode(stepOf(3, 1, 2000)).total, milliseconds(12));
  // Middle of the cell: the mean of its corners, (5 + 6 + 7 + 12) / 4.
  EXPECT_EQ(table.decode(stepOf(2, 1, 1500)).total, microseconds(7500));
  EXPECT_FALSE(table.decode(stepOf(2, 1, 1500)).extrapolated);
}

TEST(StepTable, ExtrapolationIsMarkedBeyond10Percent) {
  const StepTable table = tableOf(kTable);
  const StepTime near = table.prefill(stepOf(1, 220, 0));
  EXPECT_FALSE(near.extrapolated);
  EXPECT_EQ(near.total, microseconds(19'600));
  const StepTime far = table.prefill(stepOf(1, 221, 0));
  EXPECT_TRUE(far.extrapolated);
  EXPECT_TRUE(table.decode(stepOf(4, 1, 1000)).extrapolated);
  EXPECT_TRUE(table.decode(stepOf(1, 1, 899)).extrapolated);
  EXPECT_TRUE(table.prefill(stepOf(1, 100, 1)).extrapolated);  // measured without context only
  // 10 - 8 * 0.99 = 2.08 ms would be next to nothing: half of the nearest line is the least.
  EXPECT_EQ(table.prefill(stepOf(1, 1, 0)).total, milliseconds(5));
}

std::string placeOfFault(const std::string& text) {
  try {
    tableOf(text);
  } catch (const Error& error) {
    return error.where();
  }
  return "none";
}

// As Python and pandas write them.
TEST(StepTable, ReadsFloats) {
  const StepTable table = tableOf("phase,batch,tokens,context,ms\ndecode,2.0,2.0,0.0,5e1\n");
  EXPECT_EQ(table.decode(stepOf(2, 1, 0)).total, milliseconds(50));
}

TEST(StepTable, BadLinesAreRefusedWithTheirPlace) {
  const std::string head = "phase,batch,tokens,context,ms\n";
  EXPECT_EQ(placeOfFault(""), "t.csv:1:1");
  EXPECT_EQ(placeOfFault(head), "t.csv:2:1");
  EXPECT_EQ(placeOfFault("phase,batch,tokens,ms,context\n"), "t.csv:1:20");
  EXPECT_EQ(placeOfFault(head + "prefill,1,5,0\n"), "t.csv:2:13");
  EXPECT_EQ(placeOfFault(head + "warmup,1,5,0,1\n"), "t.csv:2:1");
  EXPECT_EQ(placeOfFault(head + "prefill,2,5,0,1\n"), "t.csv:2:9");
  EXPECT_EQ(placeOfFault(head + "decode,2,5,0,1\n"), "t.csv:2:10");
  EXPECT_EQ(placeOfFault(head + "decode,0,0,0,1\n"), "t.csv:2:8");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,-1,1\n"), "t.csv:2:12");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,0\n"), "t.csv:2:14");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,nan\n"), "t.csv:2:14");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,1e8\n"), "t.csv:2:14");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,1e-999\n"), "t.csv:2:14");
  EXPECT_EQ(placeOfFault(head + "decode,1.5,1.5,0,1\n"), "t.csv:2:8");
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,1\ndecode,1,1,0,2\n"), "t.csv:3:1");
  // A hole in the grid.
  EXPECT_EQ(placeOfFault(head + "decode,1,1,0,1\ndecode,2,2,9,2\n"), "t.csv:3:1");
  EXPECT_EQ(placeOfFault(kTable), "none");
}

TEST(StepTable, APhaseWithoutLinesHasNoTime) {
  const StepTable table = tableOf("phase,batch,tokens,context,ms\ndecode,1,1,0,1\n");
  EXPECT_NO_THROW(static_cast<void>(table.decode(stepOf(1, 1, 0))));
  EXPECT_THROW(static_cast<void>(table.prefill(stepOf(1, 1, 0))), Error);
}

}  // namespace
}  // namespace plumbline::serving
