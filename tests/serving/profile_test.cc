#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "serving/accelerator_profile.h"
#include "serving/model_profile.h"

namespace plumbline::serving {
namespace {

ModelProfile model(const char* name) { return *builtInModel(name); }

// S = 2 L H_kv D P, computed by hand; MLA (512 + 64) values of 61 layers.
TEST(ModelProfile, KvBytesPerTokenAreExact) {
  EXPECT_EQ(kvBytesPerToken(model("cfg-a")), 131'072U);
  EXPECT_EQ(kvBytesPerToken(model("cfg-b")), 327'680U);
  EXPECT_EQ(kvBytesPerToken(model("cfg-c")), 3'145'728U);
  EXPECT_EQ(kvBytesPerToken(model("cfg-d")), 163'840U);
  EXPECT_EQ(kvBytesPerToken(model("llama-8b")), 131'072U);
  EXPECT_EQ(kvBytesPerToken(model("qwen3-8b")), 147'456U);
  EXPECT_EQ(kvBytesPerToken(model("llama-405b")), 516'096U);
  EXPECT_EQ(kvBytesPerToken(model("deepseek-v3")), 70'272U);
}

// The parameter counts by the models' publishers.
TEST(ModelProfile, ParametersAreThoseOfTheModels) {
  EXPECT_NEAR(totalParameters(model("llama-8b")), 8.03e9, 0.005e9);
  EXPECT_NEAR(totalParameters(model("llama-70b")), 70.55e9, 0.01e9);
  EXPECT_NEAR(totalParameters(model("llama-405b")), 405.85e9, 0.1e9);
  EXPECT_NEAR(totalParameters(model("qwen3-8b")), 8.19e9, 0.01e9);
  EXPECT_NEAR(totalParameters(model("m1")), 46.7e9, 0.1e9);
  EXPECT_NEAR(activeParameters(model("m1")), 12.6e9, 0.2e9);  // 12.9 with both vocabularies
  EXPECT_NEAR(totalParameters(model("deepseek-v3")), 671e9, 1e9);
  const double active = activeParameters(model("deepseek-v3")) + model("deepseek-v3").params_head;
  EXPECT_NEAR(active, 37e9, 0.6e9);
  EXPECT_DOUBLE_EQ(weightBytes(model("cfg-d")), totalParameters(model("llama-70b")));
}

TEST(ModelProfile, EveryBuiltInPassesItsCheck) {
  for (const std::string& name : builtInModels()) {
    ASSERT_TRUE(builtInModel(name)) << name;
    EXPECT_NO_THROW(check(*builtInModel(name))) << name;
    EXPECT_EQ(builtInModel(name)->name, name);
  }
  EXPECT_FALSE(builtInModel("llama"));
}

std::string profileFault(const std::function<void(ModelProfile&)>& change) {
  ModelProfile changed = model("m1");
  change(changed);
  try {
    check(changed);
  } catch (const Error& error) {
    return error.where();
  }
  return "none";
}

TEST(ModelProfile, ImpossibleOnesAreRefused) {
  EXPECT_EQ(profileFault([](ModelProfile&) {}), "none");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.layers = 0; }), "layers");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.kv_heads = 0; }), "kv_heads");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.kv_heads = 5; }), "kv_heads");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.kv_heads = 64; }), "kv_heads");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.top_k = 9; }), "top_k");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.top_k = 0; }), "top_k");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.moe_layers = 33; }), "moe_layers");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.experts = 0; }), "experts");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.params_dense = 0; }), "params_dense");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.kv_bits = 12; }), "kv_bits");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.head_dim = 5, m.kv_bits = 4; }), "kv_bits");
  EXPECT_EQ(profileFault([](ModelProfile& m) { m.kv = KvKind::kMla; }), "mla_width");
}

TEST(AcceleratorProfile, BuiltInsPassTheirChecks) {
  for (const std::string& name : builtInAccelerators()) check(*builtInAccelerator(name));
  for (const std::string& name : builtInEfficiencies()) check(*builtInEfficiency(name));
  EXPECT_FALSE(builtInAccelerator("h1000"));
  EXPECT_FALSE(builtInEfficiency("best"));
  EXPECT_EQ(builtInEfficiency("served")->step, Efficiency().step);
}

TEST(AcceleratorProfile, ImpossibleOnesAreRefused) {
  AcceleratorProfile accelerator = *builtInAccelerator("h100");
  accelerator.nvlink = 0;
  EXPECT_THROW(check(accelerator), Error);
  Efficiency efficiency;
  efficiency.flops = 1.01;
  EXPECT_THROW(check(efficiency), Error);
  efficiency = {};
  efficiency.step = Picoseconds(-1);
  EXPECT_THROW(check(efficiency), Error);
}

}  // namespace
}  // namespace plumbline::serving
