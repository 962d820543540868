// The fields of models and accelerators. Built-in ones and their sources: docs/model/serving.md.
#include <optional>
#include <string>
#include <utility>

#include "serving/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using serving::AcceleratorProfile;
using serving::Efficiency;
using serving::KvKind;
using serving::ModelProfile;

// A built-in profile of this name replaces all fields; later keys change single ones. Any other
// name has no figures: missing ones are refused.
template <typename Spec>
void useProfile(Spec& spec, std::optional<Spec> found, const Spec& unknown) {
  const std::string name = spec.name;
  spec = found ? *std::move(found) : unknown;
  spec.name = name;
}
void useBuiltIn(ModelProfile& model) { useProfile(model, serving::builtInModel(model.name), {}); }
void useBuiltIn(AcceleratorProfile& accelerator) {
  useProfile(accelerator, serving::builtInAccelerator(accelerator.name), {});
}
void useBuiltIn(Efficiency& efficiency) {
  Efficiency unknown;
  unknown.flops = unknown.memory = unknown.link = 0;
  useProfile(efficiency, serving::builtInEfficiency(efficiency.name), unknown);
}

bool isMla(const ModelProfile& model) { return model.kv == KvKind::kMla; }
bool isMoe(const ModelProfile& model) { return model.experts > 0; }

template <typename Spec>
auto profileName(const char* help) {
  return field<&Spec::name>("name", help).need().then([](Spec& spec) { useBuiltIn(spec); });
}

constexpr const char* kOfProfile = "the built-in profile's, else required";

}  // namespace

template <>
const Fields& fieldsOf<ModelProfile>() {
  static const Fields kFields{
      profileName<ModelProfile>("Built-in model (docs/model/serving.md), or a name of your own"),
      field<&ModelProfile::layers>("layers", "Transformer layers").otherwise(kOfProfile),
      field<&ModelProfile::hidden>("hidden", "Width of the hidden state").otherwise(kOfProfile),
      field<&ModelProfile::heads>("heads", "Query heads").otherwise(kOfProfile),
      field<&ModelProfile::kv_heads>("kv_heads", "Key and value heads").otherwise(kOfProfile),
      field<&ModelProfile::head_dim>("head_dim", "Values of a head").otherwise(kOfProfile),
      field<&ModelProfile::params_dense>("params_dense",
                                         "Parameters of all layers that every token is multiplied "
                                         "by, without experts")
          .otherwise(kOfProfile),
      field<&ModelProfile::params_head>("params_head",
                                        "Parameters of the projection to the vocabulary"),
      field<&ModelProfile::params_embedding>("params_embedding",
                                             "Parameters of the embedding: memory, no time"),
      field<&ModelProfile::experts>("experts", "Routed experts of an MoE layer; 0: dense model"),
      field<&ModelProfile::params_expert>("params_expert", "Parameters of one expert of one layer")
          .onlyIf("experts above 0", isMoe),
      field<&ModelProfile::top_k>("top_k", "Routed experts of a token")
          .onlyIf("experts above 0", isMoe),
      field<&ModelProfile::moe_layers>("moe_layers", "Layers with experts")
          .onlyIf("experts above 0", isMoe),
      field<&ModelProfile::shared_experts>("shared_experts",
                                           "Experts of an MoE layer that every token uses")
          .onlyIf("experts above 0", isMoe),
      field<&ModelProfile::weight_bits>("weight_bits", "Bits of a parameter: 4, 8, 16 or 32"),
      field<&ModelProfile::kv_bits>("kv_bits", "Bits of a value of the KV cache: 4, 8, 16 or 32"),
      field<&ModelProfile::act_bits>("act_bits", "Bits of an activation: 4, 8, 16 or 32"),
      field<&ModelProfile::kv>("kv", "What a token leaves in the KV cache")
          .word("gqa", KvKind::kGqa)
          .word("mla", KvKind::kMla),
      field<&ModelProfile::mla_width>("mla_width", "Values per token and layer, latent and rotary")
          .onlyIf("kv: mla", isMla),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<AcceleratorProfile>() {
  static const Fields kFields{
      profileName<AcceleratorProfile>("`h100`, `h200`, `h800`, `a100`, or a name of your own"),
      field<&AcceleratorProfile::flops_16>("flops_16", "Peak FLOP/s at 16 bits")
          .otherwise(kOfProfile),
      field<&AcceleratorProfile::flops_8>("flops_8", "Peak FLOP/s at 8 bits").otherwise(kOfProfile),
      field<&AcceleratorProfile::memory_bw>("memory_bw", "Memory bandwidth [byte/s]")
          .otherwise(kOfProfile),
      field<&AcceleratorProfile::memory>("memory", "Memory [bytes]").otherwise(kOfProfile),
      field<&AcceleratorProfile::nvlink>("nvlink", "NVLink, one direction [byte/s]")
          .otherwise(kOfProfile),
      field<&AcceleratorProfile::pcie>("pcie", "PCIe, one direction [byte/s]")
          .otherwise(kOfProfile),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Efficiency>() {
  static const Fields kFields{
      profileName<Efficiency>("`ideal`, `kernels`, `served`, `old`, or a name of your own"),
      field<&Efficiency::flops>("flops", "Share of the peak FLOP/s that software reaches")
          .above(0)
          .atMost(1)
          .otherwise(kOfProfile),
      field<&Efficiency::memory>("memory", "Share of the memory bandwidth")
          .above(0)
          .atMost(1)
          .otherwise(kOfProfile),
      field<&Efficiency::link>("link", "Share of NVLink").above(0).atMost(1).otherwise(kOfProfile),
      field<&Efficiency::allreduce>("allreduce", "Start of one tensor-parallel all-reduce")
          .in(Picoseconds(0), seconds(1)),
      field<&Efficiency::step>("step", "Host software per step").in(Picoseconds(0), seconds(1)),
  };
  return kFields;
}

}  // namespace plumbline::spec
