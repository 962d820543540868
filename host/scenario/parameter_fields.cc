// The fields of `parameters:`.
#include "card/damage.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using scenario::CardParameters;
using scenario::ExpertParameters;
using scenario::kMaxListed;
using scenario::Parameters;
using scenario::Progress;
using scenario::Soak;

constexpr std::uint32_t kMaxFrames = 1U << 24;
constexpr std::size_t kMaxWeights = 4096;
constexpr std::size_t kMaxGaps = 4096;

constexpr const char* kProfile = "the profile's";
constexpr const char* kTests = "the test's";

}  // namespace

template <>
const Fields& fieldsOf<Progress>() {
  static const Fields kFields{
      field<&Progress::per_iteration>("per_iteration", "What a whole step gets done")
          .in(1, std::uint64_t{1} << 40)
          .need(),
      field<&Progress::unit>("unit", "Of it: images, tokens").longest(20).need(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Soak>() {
  static const Fields kFields{
      field<&Soak::duration>("duration", "How long")
          .in(seconds(1), seconds(2'592'000))
          .otherwise(kProfile),
      field<&Soak::interval>("interval", "How often it is sampled")
          .in(seconds(1), seconds(86'400))
          .otherwise(kProfile),
      field<&Soak::flap>("flap", "I13.3: how long the link is down, in simulated time")
          .in(microseconds(1), seconds(3'600))
          .otherwise(kProfile),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<CardParameters>() {
  using C = CardParameters;
  static const Fields kFields{
      field<&C::damage>("damage", "Kinds of damage (`bit-errors`); `icrc` for RoCEv2 only")
          .oneOf(scenario::kDamageWords)
          .otherwise("all"),
      field<&C::error_ratios>("error_ratios",
                              "Random errors per bit (`bit-errors`, `llr-retry`, `llr-hops`)")
          .in(card::kMinBitErrorRatio, card::kMaxBitErrorRatio)
          .upTo(kMaxListed)
          .otherwise(kTests),
      field<&C::damage_every>("damage_every", "Every n-th frame is damaged (`bit-errors`)")
          .in(1, 1'000'000)
          .otherwise("`10`"),
      field<&C::quanta>("quanta", "Of a PAUSE frame (`pfc-storm`)")
          .in(1, 65'535)
          .upTo(kMaxListed)
          .otherwise(kTests),
      field<&C::storm_frames>("storm_frames", "PAUSE frames of a storm (`pfc-storm`, `bit-errors`)")
          .in(1, 100'000'000)
          .otherwise(kTests),
      field<&C::stagger>("stagger",
                         "From one sender's bursts to the next one's (`incast-phase`, `kv-incast`)")
          .in(Picoseconds(0), milliseconds(1))
          .upTo(kMaxListed)
          .otherwise(kTests),
      field<&C::burst_frames>("burst_frames", "Frames of a burst (`incast-phase`)")
          .in(1, kMaxFrames)
          .otherwise(kTests),
      field<&C::bursts>("bursts", "Bursts of each sender (`incast-phase`)")
          .in(1, kMaxFrames)
          .otherwise(kTests),
      field<&C::background>(
          "background", "Load of Poisson gaps from one more port to the receiver (`incast-phase`)")
          .in(Fraction::percent(1), Fraction::percent(100))
          .otherwise("none"),
      field<&C::background_gaps>(
          "background_gaps",
          "The same stream with these gaps instead, round and round; no shorter than a frame")
          .in(nanoseconds(1), milliseconds(1))
          .upTo(kMaxGaps)
          .otherwise("none"),
      field<&C::entropy>("entropy",
                         "Where the UDP source port comes from (`rocev2-qps`, `uet-entropy`)")
          .oneOf(scenario::kEntropyWords)
          .otherwise(kTests),
      field<&C::entropy_values>("entropy_values", "Source ports of `round-robin` and `random`")
          .in(1, 16'384)
          .otherwise("`64`"),
      field<&C::weights>(
          "weights", "Turns of the queue pairs in a round, repeated over all of them; may be equal")
          .in(1, kMaxWeights)
          .upTo(kMaxWeights)
          .repeatable()
          .otherwise("one each"),
      field<&C::message_frames>("message_frames", "Frames of a message")
          .in(1, 65'535)
          .otherwise("`1`"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<ExpertParameters>() {
  using E = ExpertParameters;
  static const Fields kFields{
      field<&E::models>("models", "Rows of the draft's table 7; `m5` is the scenario's own")
          .oneOf(scenario::kExpertModelWords)
          .otherwise(kProfile)
          .from("inference draft, 7.1"),
      field<&E::batches>("batches", "Tokens of a rank in a layer")
          .in(1, 65'536)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&E::routings>("routings", "How tokens select experts (I7.2)")
          .oneOf(scenario::kExpertRoutingWords)
          .otherwise(kProfile)
          .from("inference draft, table 8"),
      field<&E::experts>("experts", "Of `m5`").in(1, 4'096).otherwise("`256`"),
      field<&E::top_k>("top_k", "Of `m5`: experts that a token selects")
          .in(1, 4'096)
          .otherwise("`8`"),
      field<&E::redundant>("redundant", "Of `m5`: replicas of experts")
          .in(0, 4'096)
          .otherwise("`0`"),
      field<&E::dispatch>("dispatch", "Of `m5`: bytes of a token to an expert")
          .in(Bytes(1), Bytes(1 << 30))
          .otherwise("`14336B`"),
      field<&E::layers>("layers", "MoE layers of a step that are simulated (I10.2)")
          .in(1, 1'000)
          .otherwise(kProfile),
      field<&E::nics>(
          "nics", "Dispatches and KV transfers on the same NICs, or on neighbouring ones (I7.4)")
          .oneOf(scenario::kExpertNicWords)
          .otherwise(kProfile),
      field<&E::ranks_per_server>(
          "ranks_per_server",
          "Number of consecutive ranks of a server; they send each other nothing over the fabric")
          .in(1, 256),
      field<&E::intra_rate>("intra_rate", "Of a rank inside its server, one way; modelled")
          .atLeast(BitRate(1'000'000)),
      field<&E::overhead>("overhead",
                          "Kernel, packing and completion of a dispatch: a model input, added to "
                          "what the network takes")
          .in(Picoseconds(0), seconds(1))
          .from("docs/model/moe.md"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Parameters>() {
  using P = Parameters;
  static const Fields kFields{
      field<&P::repetitions>("repetitions", "Of every trial").in(1, 10'000).otherwise(kProfile),
      field<&P::duration>("duration",
                          "Of one trial at a constant load. Kept to: no trial ends early")
          .in(microseconds(1), seconds(86'400))
          .otherwise(kProfile),
      field<&P::drain>("drain", "Longest wait for residual frames after a trial")
          .in(Picoseconds(0), seconds(10))
          .otherwise(kProfile),
      field<&P::resolution>("resolution", "Last step of the throughput search, of line rate")
          .in(Fraction::partsPerTrillion(1'000'000), Fraction::percent(50))
          .otherwise(kProfile),
      special("loads",
              "At which latency is measured, preamble and gap counted (L1); background of I7.4 and "
              "I10.4, of payload",
              "shares such as `50%`, or rates such as `25G` that are an exact share of the link's; "
              "one or a list",
              R"({"anyOf": [{"type": "string"},
                  {"type": "array", "minItems": 1, "maxItems": 64, "items": {"type": "string"}}]})"),
      field<&P::incast_ratios>(
          "incast_ratios", "Senders per receiver of a burst, at most the number of hosts less 1")
          .in(1, fabric::kMaxHosts - 1)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::max_burst>("max_burst", "Longest burst tried, frames per sender")
          .in(1, kMaxFrames)
          .otherwise(kProfile),
      field<&P::prompts>("prompts", "Tokens of a prompt (inference tests)")
          .in(1, 1'000'000)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::rates>("rates", "Requests per second (inference tests)")
          .above(0)
          .atMost(1e6)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::prefix_shares>("prefix_shares", "Requests that begin with a common prefix (I9.2)")
          .in(Fraction::percent(1), Fraction::percent(100))
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::prefixes>("prefixes", "Tokens of a common prefix (I9.2)")
          .in(1, 1'000'000)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::tenants>("tenants", "Serving systems on the fabric, all like `serving` (I10.3)")
          .in(2, 64)
          .otherwise("`2`"),
      field<&P::output>("output", "Tokens of an answer (I10.2)")
          .in(2, 1'000'000)
          .otherwise(kProfile),
      field<&P::nodes>("nodes", "Servers of the cluster, half of them prefill (I12.1)")
          .in(2, fabric::kMaxHosts)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::packet_nodes>("packet_nodes",
                              "Up to so many servers a cluster is also simulated packet by packet "
                              "(I12.1)")
          .in(2, fabric::kMaxHosts)
          .otherwise(kProfile),
      field<&P::stall>("stall", "A longer gap between two tokens is a stall (I10.2)")
          .in(microseconds(1), seconds(3'600))
          .from("inference draft, 10.2"),
      field<&P::sizes>("sizes", "Messages, or buffers of collectives (T6 to T12)")
          .in(Bytes(1), Bytes(std::int64_t{16} << 30))
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::ranks>("ranks", "Hosts that take part, at most all (T6 to T12)")
          .in(2, fabric::kMaxHosts)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::flows>("flows", "QPs or PDCs per pair, or flows in all (T6 to T12)")
          .in(1, 256)
          .upTo(kMaxListed)
          .otherwise(kProfile),
      field<&P::balancing>("balancing", "Load balancing that tests compare (T6 to T12)")
          .oneOf(scenario::kBalancingWords)
          .otherwise(kProfile),
      field<&P::compute>("compute", "Compute phase of an iteration (T6 to T12)")
          .in(Picoseconds(0), seconds(3'600))
          .upTo(kMaxListed)
          .otherwise(kProfile),
      block<&P::progress>("progress", "What a whole step gets done (T10.2)"),
      field<&P::iterations>(
          "iterations",
          "Of a collective or job, or messages of a pair (T6 to T12). Kept to: no job ends early")
          .in(1, 10'000'000)
          .otherwise(kProfile),
      block<&P::soak>("soak", "A soak (T12.1, T12.2, I13.1 to I13.3)"),
      block<&P::experts>("experts", "Mixtures of experts (I7.1 to I7.4, I10.2)"),
      inlined<&P::card>(),
  };
  return kFields;
}

}  // namespace plumbline::spec
