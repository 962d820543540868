// The fields of a serving system's load.
#include "serving/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using serving::ArrivalKind;
using serving::ArrivalSpec;
using serving::LengthKind;
using serving::LengthSpec;
using serving::MooncakeRules;
using serving::PrefixSpec;
using serving::ServingProgram;
using serving::TraceFormat;
using serving::TraceRules;
using serving::WorkloadSpec;

template <ArrivalKind kKind>
bool arrives(const ArrivalSpec& spec) {
  return spec.kind == kKind;
}
bool hasRate(const ArrivalSpec& spec) {
  return spec.kind != ArrivalKind::kClosed && spec.kind != ArrivalKind::kTrace;
}

template <LengthKind kKind>
bool isLength(const LengthSpec& spec) {
  return spec.kind == kKind;
}
bool isDrawn(const LengthSpec& spec) {
  return spec.kind != LengthKind::kFixed && spec.kind != LengthKind::kTrace;
}
bool isZipf(const LengthSpec& spec) {
  return spec.kind == LengthKind::kZipfValue || spec.kind == LengthKind::kZipfRank;
}

}  // namespace

template <>
const Fields& fieldsOf<ArrivalSpec>() {
  static const Fields kFields{
      field<&ArrivalSpec::kind>("kind", "`closed`: a closed loop, which hides queues")
          .word("poisson", ArrivalKind::kPoisson)
          .word("gamma", ArrivalKind::kGamma)
          .word("constant", ArrivalKind::kConstant)
          .word("on-off", ArrivalKind::kOnOff)
          .word("trace", ArrivalKind::kTrace)
          .word("closed", ArrivalKind::kClosed)
          .selecting(),
      field<&ArrivalSpec::rate>("rate", "Requests per second, silences included")
          .above(0)
          .atMost(1e6)
          .onlyIf("an open loop, not of a trace", hasRate),
      field<&ArrivalSpec::cv>("cv", "Coefficient of variation of the gaps")
          .above(0)
          .atMost(100)
          .onlyIf("kind: gamma", arrives<ArrivalKind::kGamma>),
      field<&ArrivalSpec::on>("on", "Phase with requests")
          .in(Picoseconds(1), seconds(100'000))
          .onlyIf("kind: on-off", arrives<ArrivalKind::kOnOff>),
      field<&ArrivalSpec::off>("off", "Phase without")
          .in(Picoseconds(0), seconds(100'000))
          .onlyIf("kind: on-off", arrives<ArrivalKind::kOnOff>),
      field<&ArrivalSpec::time_scale>("time_scale",
                                      "Factor on the times of the trace: 0.5 is twice as fast")
          .above(0)
          .atMost(1e6)
          .onlyIf("kind: trace", arrives<ArrivalKind::kTrace>),
      field<&ArrivalSpec::keep>("keep", "Share of the trace's requests that arrive, at random")
          .above(0)
          .atMost(1)
          .onlyIf("kind: trace", arrives<ArrivalKind::kTrace>),
      field<&ArrivalSpec::concurrency>("concurrency", "Requests at any time")
          .in(1, 1'000'000)
          .onlyIf("kind: closed", arrives<ArrivalKind::kClosed>),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<LengthSpec>() {
  static const Fields kFields{
      field<&LengthSpec::kind>("kind",
                               "`zipf`: P(n) ~ n^-alpha; `zipf-rank`: P(n) ~ (n - low + 1)^-alpha")
          .word("fixed", LengthKind::kFixed)
          .word("uniform", LengthKind::kUniform)
          .word("zipf", LengthKind::kZipfValue)
          .word("zipf-rank", LengthKind::kZipfRank)
          .word("lognormal", LengthKind::kLognormal)
          .word("trace", LengthKind::kTrace)
          .selecting(),
      field<&LengthSpec::low>("tokens", "Tokens of each")
          .in(1, 10'000'000)
          .onlyIf("kind: fixed", isLength<LengthKind::kFixed>),
      field<&LengthSpec::low>("low", "Fewest tokens")
          .in(1, 10'000'000)
          .onlyIf("kind: uniform, zipf, zipf-rank or lognormal", isDrawn),
      field<&LengthSpec::high>("high", "Most tokens")
          .in(1, 10'000'000)
          .onlyIf("kind: uniform, zipf, zipf-rank or lognormal", isDrawn),
      field<&LengthSpec::alpha>("alpha", "Exponent")
          .atMost(20)
          .onlyIf("kind: zipf or zipf-rank", isZipf),
      field<&LengthSpec::mean>("mean",
                               "Mean of the distribution before it is clipped to low and high")
          .above(0)
          .onlyIf("kind: lognormal", isLength<LengthKind::kLognormal>),
      field<&LengthSpec::cv>(
          "cv", "Coefficient of variation of the distribution before it is clipped to low and high")
          .above(0)
          .onlyIf("kind: lognormal", isLength<LengthKind::kLognormal>),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TraceRules>() {
  static const Fields kFields{
      field<&TraceRules::format>("format", "Source of the trace, which determines its columns")
          .word("azure", TraceFormat::kAzure)
          .word("burstgpt", TraceFormat::kBurstGpt)
          .word("mooncake", TraceFormat::kMooncake),
      field<&TraceRules::skip>("skip", "Requests before this time are skipped")
          .in(Picoseconds(0), seconds(3'600'000)),
      field<&TraceRules::requests>("requests",
                                   "Number of requests that are read, from the first one on")
          .in(2, serving::kMaxStoredRequests),
      inlined<&TraceRules::mooncake>(),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<MooncakeRules>() {
  static const Fields kFields{
      field<&MooncakeRules::span>("span", "`mooncake`: tokens of a hash id").in(1, 1U << 26),
      field<&MooncakeRules::spread>(
          "spread", "`mooncake`: requests of one timestamp come evenly up to the next one"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<PrefixSpec>() {
  static const Fields kFields{
      field<&PrefixSpec::share>("share", "Share of the requests that begin with a common prefix")
          .atMost(1),
      field<&PrefixSpec::tokens>("tokens", "Tokens of a prefix"),
      field<&PrefixSpec::groups>("groups", "Different prefixes").atLeast(1),
      field<&PrefixSpec::alpha>("alpha", "Prefix g is chosen with probability ~ g^-alpha"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<WorkloadSpec>() {
  static const Fields kFields{
      block<&WorkloadSpec::arrivals>("arrivals", "When requests arrive")
          .otherwise("the test's, or the trace's"),
      block<&WorkloadSpec::prompt>("prompt", "Tokens of a prompt")
          .orAlone("tokens")
          .otherwise("the test's, or the trace's"),
      block<&WorkloadSpec::output>("output", "Tokens of an answer")
          .orAlone("tokens")
          .otherwise("the test's, or the trace's"),
      block<&WorkloadSpec::prefix>("prefix", "Common beginnings of prompts"),
      field<&WorkloadSpec::requests>("requests", "Requests at most")
          .atLeast(1)
          .otherwise("no limit but the trial's end"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<ServingProgram>() {
  static const Fields kFields{
      inlined<&ServingProgram::system>(),
      block<&ServingProgram::workload>("workload", "").notInScenario(),
      field<&ServingProgram::queue_pairs>("queue_pairs", "QPs or PDCs between two NICs, in turn")
          .in(1, 256),
      field<&ServingProgram::hosts>("hosts", "Hosts of the NICs, the prefill pool's first")
          .upTo(8192)
          .otherwise("0, 1, …"),
  };
  return kFields;
}

}  // namespace plumbline::spec
