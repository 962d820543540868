// The fields of a serving system: servers, memory, schedulers, KV transfer, router.
#include "serving/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using serving::Batching;
using serving::FirstToken;
using serving::HeadCopies;
using serving::KvMemory;
using serving::MappingSpec;
using serving::MlaPlacement;
using serving::PoolShape;
using serving::Preemption;
using serving::Reserve;
using serving::RouterPolicy;
using serving::RouterSpec;
using serving::ScalingSpec;
using serving::SchedulerSpec;
using serving::ServingSpec;
using serving::SloSpec;
using serving::TransferSpec;
using serving::TransferUnit;
using serving::TransferVerb;
using serving::WindowSpec;

constexpr std::uint32_t kMaxWorkers = 1024;
constexpr std::uint32_t kMaxGpus = 64;

}  // namespace

template <>
const Fields& fieldsOf<PoolShape>() {
  static const Fields kFields{
      field<&PoolShape::workers>("workers", "Workers of the pool").in(1, kMaxWorkers),
      field<&PoolShape::tp>("tp", "Accelerators of a worker, all of one server").in(1, kMaxGpus),
      field<&PoolShape::dp_attention>("dp_attention",
                                      "Attention groups of a worker; a request is in one of them")
          .in(1, kMaxGpus),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<MappingSpec>() {
  static const Fields kFields{
      block<&MappingSpec::prefill>("prefill", "Pool that computes prompts").orAlone("workers"),
      block<&MappingSpec::decode>("decode", "Pool that generates tokens").orAlone("workers"),
      field<&MappingSpec::gpus>("gpus", "Accelerators of a server").in(1, kMaxGpus),
      field<&MappingSpec::nics>("nics", "NICs of a server; accelerator g uses NIC g·nics/gpus")
          .in(1, kMaxGpus),
      field<&MappingSpec::rail_shift>("rail_shift",
                                      "Decode accelerator g uses the NIC of accelerator g + this"),
      field<&MappingSpec::mla>("mla", "MLA latent: to one decode rank, or to each")
          .word("one", MlaPlacement::kOne)
          .word("all", MlaPlacement::kAll),
      field<&MappingSpec::copies>("copies", "More decode ranks than KV heads: how copies get there")
          .word("sent", HeadCopies::kSent)
          .word("nvlink", HeadCopies::kNvlink),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<KvMemory>() {
  static const Fields kFields{
      field<&KvMemory::usable>("usable", "Share of the memory that the engine takes").atMost(1),
      field<&KvMemory::activations>("activations", "Activations [bytes per accelerator]")
          .atMost(1e13),
      field<&KvMemory::leak>("leak",
                             "A planted fault: share of the pages given back that are lost (I13.2)")
          .atMost(1),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<SchedulerSpec>() {
  static const Fields kFields{
      field<&SchedulerSpec::page>("page", "Tokens of a page of KV cache").in(1, 512),
      field<&SchedulerSpec::max_tokens>("max_tokens", "New tokens of a prefill step").atLeast(1),
      field<&SchedulerSpec::chunk>(
          "chunk", "Maximum number of new tokens of one prompt in a step; 0: whole prompts"),
      field<&SchedulerSpec::max_prefill_batch>("max_prefill_batch", "Prompts of a prefill step")
          .atLeast(1),
      field<&SchedulerSpec::max_batch>("max_batch", "Sequences of a decode step").atLeast(1),
      field<&SchedulerSpec::watermark>("watermark",
                                       "Share of pages kept free when a request is admitted")
          .below(1),
      field<&SchedulerSpec::prefix_cache>("prefix_cache", "Pages of common prefixes are kept"),
      field<&SchedulerSpec::batching>("batching", "When requests join a batch")
          .word("continuous", Batching::kContinuous)
          .word("static", Batching::kStatic),
      field<&SchedulerSpec::reserve>("reserve", "Room that decode keeps for a request")
          .word("prompt", Reserve::kPrompt)
          .word("prompt+max", Reserve::kPromptMax),
      field<&SchedulerSpec::max_output>("max_output",
                                        "An answer ends here at the latest; 0: no limit"),
      field<&SchedulerSpec::preemption>("preemption",
                                        "Action for a request that finds no free page")
          .word("recompute", Preemption::kRecomputeDecode)
          .word("recompute-prefill", Preemption::kRecomputePrefill)
          .word("swap", Preemption::kSwap)
          .otherwise("`recompute`, unless a test of overload has its own"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TransferSpec>() {
  static const Fields kFields{
      field<&TransferSpec::unit>("unit", "What a message of KV cache holds")
          .word("request", TransferUnit::kRequest)
          .word("layer", TransferUnit::kLayer)
          .word("block", TransferUnit::kBlock)
          .word("page", TransferUnit::kPage),
      field<&TransferSpec::verb>("verb", "How KV cache moves: prefill writes, or decode reads")
          .word("write-immediate", TransferVerb::kWriteImmediate)
          .word("read", TransferVerb::kRead),
      field<&TransferSpec::post>("post", "Host software per descriptor, one after the other")
          .in(Picoseconds(0), milliseconds(100)),
      field<&TransferSpec::outstanding>("outstanding",
                                        "Maximum number of outstanding messages of a flow")
          .atLeast(1),
      field<&TransferSpec::messages>("messages", "`unit: block`: messages of a flow at most")
          .atLeast(1),
      field<&TransferSpec::control>("control", "One way of a control message between workers")
          .in(Picoseconds(0), seconds(3'600)),
      field<&TransferSpec::missing_only>("missing_only",
                                         "Pages that decode has in its cache are not sent"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<RouterSpec>() {
  const auto policies = [](auto made) {
    return std::move(made)
        .word("round-robin", RouterPolicy::kRoundRobin)
        .word("random", RouterPolicy::kRandom)
        .word("power-of-two", RouterPolicy::kPowerOfTwo)
        .word("least-outstanding", RouterPolicy::kLeastOutstanding)
        .word("least-kv", RouterPolicy::kLeastKv)
        .word("kv-aware", RouterPolicy::kKvAware)
        .word("prefix-aware", RouterPolicy::kPrefixAware)
        .word("congestion-aware", RouterPolicy::kCongestionAware);
  };
  static const Fields kFields{
      policies(field<&RouterSpec::prefill>("prefill", "Choice of the prefill worker")),
      policies(field<&RouterSpec::decode>("decode", "Choice of the decode worker")),
      field<&RouterSpec::weight>("weight", "`kv-aware`: of pages that are not cached"),
      field<&RouterSpec::threshold>("threshold",
                                    "`prefix-aware`: cached share of a prompt that decides"),
      field<&RouterSpec::balance_abs>("balance_abs",
                                      "`prefix-aware`: uneven if max - min is above"),
      field<&RouterSpec::balance_rel>("balance_rel", "and max above this * min"),
      field<&RouterSpec::signal_interval>(
          "signal_interval", "Between two reports of a worker's load; 0: always known"),
      field<&RouterSpec::staleness>("staleness",
                                    "`congestion-aware`: age at which a path's time is known"),
      field<&RouterSpec::memory>("memory", "How long routed prefixes are remembered"),
      field<&RouterSpec::delay>("delay", "From a request's arrival to its prefill worker"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<WindowSpec>() {
  static const Fields kFields{
      field<&WindowSpec::warmup>("warmup", "Before the measuring window"),
      field<&WindowSpec::measure>("measure", "Requests that arrive in it are measured"),
      field<&WindowSpec::drain>("drain", "Wait for the last of them"),
      field<&WindowSpec::quiet>("quiet", "No request after it, until the system is empty"),
      field<&WindowSpec::sample>("sample", "Between two samples of the system's state; 0: none"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<ScalingSpec>() {
  static const Fields kFields{
      field<&ScalingSpec::joining>("joining", "Decode workers that join, the last ones"),
      field<&ScalingSpec::join>("join", "Time at which the router knows them"),
      field<&ScalingSpec::leaving>("leaving", "Decode workers that leave, the last ones"),
      field<&ScalingSpec::leave>("leave", "Time from which they get no more requests"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<ServingSpec>() {
  static const Fields kFields{
      block<&ServingSpec::model>("model", "The language model").orAlone("name"),
      block<&ServingSpec::accelerator>("accelerator", "What computes it").orAlone("name"),
      block<&ServingSpec::efficiency>("efficiency", "Share of its peak that software reaches")
          .orAlone("name"),
      block<&ServingSpec::servers>("servers", "Pools, parallelism, accelerators and NICs"),
      block<&ServingSpec::memory>("memory", "Memory that is left for KV cache"),
      block<&ServingSpec::scheduler>("scheduler", "How workers batch, admit and preempt"),
      block<&ServingSpec::transfer>("transfer", "How KV cache becomes messages"),
      block<&ServingSpec::router>("router", "Choice of the worker for a request"),
      field<&ServingSpec::first_token>("first_token",
                                       "Pool that emits the first token of an answer")
          .word("decode", FirstToken::kDecode)
          .word("prefill", FirstToken::kPrefill),
      field<&ServingSpec::reaction>("reaction",
                                    "Time from a decision of host software to its effect")
          .in(nanoseconds(1), milliseconds(10)),
      field<&ServingSpec::prefill_pages>("prefill_pages", "Pages of a prefill attention group")
          .in(2, 4'000'000'000)
          .otherwise("what the memory has room for"),
      field<&ServingSpec::decode_pages>("decode_pages", "Pages of a decode attention group")
          .in(2, 4'000'000'000)
          .otherwise("what the memory has room for"),
      block<&ServingSpec::window>("window", "").notInScenario(),
      block<&ServingSpec::scaling>("scaling", "").notInScenario(),
      field<&ServingSpec::seed>("", "Of arrivals, lengths and the router").as("seed"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<SloSpec>() {
  static const Fields kFields{
      field<&SloSpec::ttft>("ttft", "Time to the first token").from("inference draft, appendix B"),
      field<&SloSpec::tpot>("tpot", "Mean time per further token of a request")
          .from("inference draft, appendix B"),
      field<&SloSpec::longest_gap>("longest_gap", "Longest gap between two tokens")
          .otherwise("no limit"),
  };
  return kFields;
}

}  // namespace plumbline::spec
