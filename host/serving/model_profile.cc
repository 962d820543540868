#include "serving/model_profile.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace plumbline::serving {
namespace {

constexpr std::uint32_t kMaxLayers = 10'000;
constexpr std::uint32_t kMaxWidth = 1'000'000;

// Shapes from the models' published configurations. The draft's CFG A and B name only their KV
// shape: they are the Llama-3 models with it. CFG C, with 64 KV heads over 96 layers, matches no
// published model: hidden 64 * 128, an MLP of 4 * hidden without gate, a vocabulary of 50,257.
constexpr DenseShape kLlama8b{32, 4096, 32, 8, 128, 14'336, 128'256};
constexpr DenseShape kLlama70b{80, 8192, 64, 8, 128, 28'672, 128'256};
constexpr DenseShape kLlama405b{126, 16'384, 128, 8, 128, 53'248, 128'256};
constexpr DenseShape kQwen3x8b{36, 4096, 32, 8, 128, 12'288, 151'936};
constexpr DenseShape kLargeMha{96, 8192, 64, 64, 128, 32'768, 50'257, false};

// Mixtral 8x7B: M1 of the draft, 8 experts, 2 of them per token, hidden 4096.
ModelProfile mixtral(std::string name) {
  DenseShape shape{32, 4096, 32, 8, 128, 0, 32'000};
  ModelProfile model = denseModel(std::move(name), shape);
  model.experts = 8;
  model.top_k = 2;
  model.moe_layers = 32;
  model.params_expert = 3.0 * 4096 * 14'336;
  model.params_dense += 32.0 * 4096 * 8;  // gates
  return model;
}

// DeepSeek-V3/R1: 61 layers, of which 58 are MoE, FP8 weights, MLA (512 + 64 values per layer).
ModelProfile deepseek(std::string name, std::uint32_t experts, std::uint32_t top_k) {
  constexpr double kHidden = 7168;
  constexpr double kLayers = 61;
  constexpr double kMoeLayers = 58;
  constexpr double kAttention = kHidden * 1536 + 1536.0 * 128 * 192 + kHidden * 576 +
                                512.0 * 128 * 256 + 128.0 * 128 * kHidden;
  ModelProfile model;
  model.name = std::move(name);
  model.layers = 61;
  model.hidden = 7168;
  model.heads = 128;
  model.kv_heads = 128;
  model.head_dim = 128;
  model.params_dense =
      kLayers * kAttention + 3 * 3 * kHidden * 18'432 + kMoeLayers * kHidden * experts;
  model.params_head = kHidden * 129'280;
  model.params_embedding = kHidden * 129'280;
  model.params_expert = 3 * kHidden * 2048;
  model.experts = experts;
  model.top_k = top_k;
  model.moe_layers = 58;
  model.shared_experts = 1;
  model.weight_bits = 8;
  model.kv = KvKind::kMla;
  model.mla_width = 576;
  return model;
}

constexpr std::array<const char*, 13> kNames{
    "cfg-a",    "cfg-b", "cfg-c", "cfg-d", "llama-8b", "llama-70b",  "llama-405b",
    "qwen3-8b", "m1",    "m2",    "m3",    "m4",       "deepseek-v3"};

void within(const char* field, double value, double min, double max) {
  if (value >= min && value <= max) return;
  throw Error(ErrorKind::kUsage, fmt::format("the model's {} is {}", field, value), field,
              fmt::format("{} to {}", min, max));
}

void checkExperts(const ModelProfile& model) {
  if (model.experts == 0) {
    if (model.top_k != 0 || model.moe_layers != 0 || model.shared_experts != 0) {
      throw Error(ErrorKind::kUsage,
                  "a model without experts has no top_k, moe_layers or shared_experts", "experts",
                  "give the number of experts per layer");
    }
    return;
  }
  within("experts", model.experts, 1, kMaxWidth);
  within("top_k", model.top_k, 1, model.experts);
  within("moe_layers", model.moe_layers, 1, model.layers);
  within("params_expert", model.params_expert, 1, 1e13);
}

void checkKv(const ModelProfile& model) {
  if (model.kv == KvKind::kMla) {
    within("mla_width", model.mla_width, 1, kMaxWidth);
  } else if (model.heads % model.kv_heads != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} query heads cannot share {} KV heads evenly", model.heads, model.kv_heads),
        "kv_heads", "a divisor of heads");
  }
  const auto precision = [](const char* field, std::uint32_t bits) {
    if (bits == 4 || bits == 8 || bits == 16 || bits == 32) return;
    throw Error(ErrorKind::kUsage, fmt::format("values of {} bits", bits), field,
                "4, 8, 16 or 32 bits");
  };
  precision("weight_bits", model.weight_bits);
  precision("kv_bits", model.kv_bits);
  precision("act_bits", model.act_bits);
  // A head's keys in one layer are whole bytes, so that every share of a rank is.
  const std::uint64_t width = model.kv == KvKind::kMla ? model.mla_width : model.head_dim;
  if (width * model.kv_bits % 8 != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} values of {} bits are no whole number of bytes", width, model.kv_bits),
        "kv_bits", "a precision that fills whole bytes");
  }
}

}  // namespace

std::uint64_t kvBytesPerToken(const ModelProfile& model) {
  const std::uint64_t values =
      model.kv == KvKind::kMla ? std::uint64_t{model.layers} * model.mla_width
                               : std::uint64_t{2} * model.layers * model.kv_heads * model.head_dim;
  return values * model.kv_bits / 8;
}

double activeParameters(const ModelProfile& model) {
  return model.params_dense +
         model.params_expert * model.moe_layers * (model.top_k + model.shared_experts);
}

double totalParameters(const ModelProfile& model) {
  return model.params_dense + model.params_head + model.params_embedding +
         model.params_expert * model.moe_layers *
             (static_cast<double>(model.experts) + model.shared_experts);
}

double weightBytes(const ModelProfile& model) {
  return totalParameters(model) * model.weight_bits / 8;
}

void check(const ModelProfile& model) {
  within("layers", model.layers, 1, kMaxLayers);
  within("hidden", model.hidden, 1, kMaxWidth);
  within("heads", model.heads, 1, kMaxWidth);
  within("kv_heads", model.kv_heads, 1, model.heads);
  within("head_dim", model.head_dim, 1, kMaxWidth);
  within("params_dense", model.params_dense, 1, 1e15);
  within("params_head", model.params_head, 0, 1e13);
  within("params_embedding", model.params_embedding, 0, 1e13);
  checkExperts(model);
  checkKv(model);
}

ModelProfile denseModel(std::string name, const DenseShape& shape) {
  const double hidden = shape.hidden;
  const double queries = static_cast<double>(shape.heads) * shape.head_dim;
  const double keys = static_cast<double>(shape.kv_heads) * shape.head_dim;
  const double attention = 2 * hidden * queries + 2 * hidden * keys;  // q, o; k, v
  const double mlp = (shape.gated ? 3 : 2) * hidden * shape.ffn;
  ModelProfile model;
  model.name = std::move(name);
  model.layers = shape.layers;
  model.hidden = shape.hidden;
  model.heads = shape.heads;
  model.kv_heads = shape.kv_heads;
  model.head_dim = shape.head_dim;
  model.params_dense = shape.layers * (attention + mlp);
  model.params_head = hidden * shape.vocabulary;
  model.params_embedding = hidden * shape.vocabulary;
  return model;
}

std::optional<ModelProfile> builtInModel(std::string_view name) {
  const std::string text(name);
  if (name == "cfg-a" || name == "llama-8b") return denseModel(text, kLlama8b);
  if (name == "cfg-b" || name == "llama-70b") return denseModel(text, kLlama70b);
  if (name == "cfg-c") return denseModel(text, kLargeMha);
  if (name == "cfg-d") {
    ModelProfile model = denseModel(text, kLlama70b);
    model.weight_bits = 8;
    model.kv_bits = 8;
    return model;
  }
  if (name == "llama-405b") return denseModel(text, kLlama405b);
  if (name == "qwen3-8b") return denseModel(text, kQwen3x8b);
  if (name == "m1") return mixtral(text);
  if (name == "m2") return deepseek(text, 64, 4);
  if (name == "m3") return deepseek(text, 256, 2);
  if (name == "m4" || name == "deepseek-v3") return deepseek(text, 256, 8);
  return std::nullopt;
}

std::vector<std::string> builtInModels() { return {kNames.begin(), kNames.end()}; }

}  // namespace plumbline::serving
