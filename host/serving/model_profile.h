// Figures of a language model in the serving model: the sizes that determine the time of a step and
// the bytes of KV cache per token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::serving {

enum class KvKind {
  kGqa,  // keys and values of `kv_heads` heads (MHA is kv_heads = heads, MQA is 1)
  kMla,  // one latent vector per token and layer, not divisible between ranks
};

// Parameters are counted as numbers, whatever their precision. Embeddings take memory but no time.
struct ModelProfile {
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t heads = 0;  // of queries
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;
  double params_dense = 0;      // of all layers, used by every token; without experts
  double params_head = 0;       // projection to the vocabulary: once per sequence and step
  double params_embedding = 0;  // in memory only
  double params_expert = 0;     // one expert of one layer
  std::uint32_t experts = 0;    // routed experts per MoE layer; 0: dense model
  std::uint32_t top_k = 0;      // routed experts per token
  std::uint32_t moe_layers = 0;
  std::uint32_t shared_experts = 0;  // per MoE layer, as large as a routed one, used by every token
  std::uint32_t weight_bits = 16;    // per parameter
  std::uint32_t kv_bits = 16;        // per value of the KV cache
  std::uint32_t act_bits = 16;       // per activation
  KvKind kv = KvKind::kGqa;
  std::uint32_t mla_width = 0;  // values per token and layer, latent and rotary; MLA only
};

// Bytes of KV cache per token over all layers and ranks:
//   GQA 2 * layers * kv_heads * head_dim * kv_bits / 8, MLA layers * mla_width * kv_bits / 8.
// Exact; `model` has passed check().
std::uint64_t kvBytesPerToken(const ModelProfile& model);

// Matmul parameters per token without the projection to the vocabulary: dense, shared experts and
// top_k routed experts of each MoE layer.
double activeParameters(const ModelProfile& model);
// All parameters in memory.
double totalParameters(const ModelProfile& model);
// Bytes of all weights.
double weightBytes(const ModelProfile& model);

// Throws Error(kUsage) with the invalid field and the reason.
void check(const ModelProfile& model);

// Dense decoder of `layers` equal layers: attention of `heads` * head_dim, and an MLP of width
// `ffn`, gated (three matrices) or not (two).
struct DenseShape {
  std::uint32_t layers, hidden, heads, kv_heads, head_dim, ffn, vocabulary;
  bool gated = true;
};
ModelProfile denseModel(std::string name, const DenseShape& shape);

// The built-in profile of that name; nothing for any other name.
std::optional<ModelProfile> builtInModel(std::string_view name);
// In the order in which they are documented (docs/model/serving.md).
std::vector<std::string> builtInModels();

}  // namespace plumbline::serving
