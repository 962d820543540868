// The fields of a SwitchSpec. How they act, and where their defaults come from:
// docs/model/switch.md.
#include <algorithm>

#include "fabric/spec/spec_checks.h"
#include "fabric/spec/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using fabric::CbfcSpec;
using fabric::EcnSpec;
using fabric::Forwarding;
using fabric::kMaxBuffer;
using fabric::kMaxDelay;
using fabric::kMinBuffer;
using fabric::LlrSpec;
using fabric::LoadBalancingKind;
using fabric::LoadBalancingSpec;
using fabric::PfcSpec;
using fabric::SharedBufferSpec;
using fabric::SwitchSpec;
using fabric::TrimSpec;
using fabric::VirtualChannelSpec;
using fabric::WatchdogSpec;

constexpr Picoseconds kInstant{1};
// Most bytes of a weighted queue's quantum.
constexpr Bytes kMaxQuantum{std::int64_t{1} << 24};
// Switches keep it in units of this (docs/model/switch.md).
constexpr Fraction kMinAlpha = Fraction::partsPerTrillion(Fraction::kOne / 4096);
constexpr Fraction kMaxAlpha = Fraction::partsPerTrillion(1024 * Fraction::kOne);
// Longest time a receiver may take to react; the bounds of IEEE 802.3 Annex 31B are a thousandth.
constexpr Picoseconds kMaxReaction = milliseconds(1);
constexpr Picoseconds kMaxWatchdog = seconds(100);
constexpr Bytes kMinTrimmedLength{60};  // headers of every encapsulation fit
constexpr Bytes kMaxTrimmedLength{9'216};
constexpr std::uint32_t kMaxCredits = (1U << 20) - 1;  // 20-bit counters

constexpr const char* kPfcStandard = "IEEE 802.1Q cl. 36 (802.1Qbb), IEEE 802.3 Annex 31D";
constexpr const char* kSonic = "SONiC PFC watchdog";
constexpr const char* kUltraEthernet = "Ultra Ethernet 1.0, link layer";

bool isFlowlet(const LoadBalancingSpec& balancing) {
  return balancing.kind == LoadBalancingKind::kFlowlet;
}

void keepXonDistance(PfcSpec& pfc) {
  const PfcSpec usual;
  pfc.xon = std::max(Bytes(0), pfc.xoff - (usual.xoff - usual.xon));
}

}  // namespace

template <>
const Fields& fieldsOf<SharedBufferSpec>() {
  static const Fields kFields{
      field<&SharedBufferSpec::total>("total", "Of the switch, reserves and PFC headrooms included")
          .in(kMinBuffer, kMaxBuffer),
      field<&SharedBufferSpec::alpha>("alpha", "Share of the free buffer that one queue may have")
          .factor()
          .in(kMinAlpha, kMaxAlpha)
          .from("dynamic threshold, Choudhury and Hahne 1998"),
      field<&SharedBufferSpec::reserve_per_port>("reserve", "Of each port, before the shared part")
          .as("reserve_per_port")
          .in(Bytes(0), kMaxBuffer),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<EcnSpec>() {
  static const Fields kFields{
      field<&EcnSpec::priorities>("priorities", "The rule is for these").priorities(),
      field<&EcnSpec::kmin>("kmin", "Queue up to which nothing is marked")
          .in(Bytes(0), kMaxBuffer)
          .from("DCQCN, Zhu et al. 2015"),
      field<&EcnSpec::kmax>("kmax", "Queue above which every ECT frame is marked, at least `kmin`")
          .in(Bytes(0), kMaxBuffer)
          .from("DCQCN, Zhu et al. 2015"),
      field<&EcnSpec::pmax>("pmax", "Probability of a mark at `kmax`, linear from `kmin` on")
          .in(Fraction(), Fraction::one())
          .from("DCQCN, Zhu et al. 2015"),
      field<&EcnSpec::at_dequeue>(
          "at", "Decided when a frame comes, or when it leaves, on the queue behind it")
          .as("at_dequeue")
          .word("enqueue", false)
          .word("dequeue", true),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<WatchdogSpec>() {
  static const Fields kFields{
      field<&WatchdogSpec::poll>("poll", "Time between two looks at the queues")
          .in(microseconds(1), kMaxWatchdog)
          .from(kSonic),
      field<&WatchdogSpec::detection>(
          "detection", "A queue that is stuck this long is acted upon; at least `poll`")
          .in(microseconds(1), kMaxWatchdog)
          .from(kSonic),
      field<&WatchdogSpec::restoration>(
          "restoration", "Time without a pause after which all is as before; at least `poll`")
          .in(microseconds(1), kMaxWatchdog)
          .from(kSonic),
      field<&WatchdogSpec::action>("action", "Discard what waits, or ignore pauses")
          .word("drop", WatchdogSpec::Action::kDrop)
          .word("forward", WatchdogSpec::Action::kForward)
          .from(kSonic),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<PfcSpec>() {
  static const Fields kFields{
      field<&PfcSpec::priorities>("priorities", "Lossless priorities").priorities(),
      field<&PfcSpec::xoff>("xoff", "Queue of an input and priority at which it is paused")
          .in(Bytes(1), kMaxBuffer)
          .then(keepXonDistance),
      field<&PfcSpec::xon>("xon", "Queue at which it may send again, at most `xoff`")
          .in(Bytes(0), kMaxBuffer)
          .otherwise("3KB below `xoff`"),
      field<&PfcSpec::dynamic_alpha>(
          "alpha", "`xoff` is this share of the free shared buffer instead; needs `shared_buffer`")
          .as("dynamic_alpha")
          .factor()
          .in(kMinAlpha, kMaxAlpha)
          .otherwise("`xoff` is static"),
      field<&PfcSpec::headroom>("headroom", "Of an input and priority, above `xoff`")
          .in(Bytes(0), kMaxBuffer),
      field<&PfcSpec::quanta>("quanta", "Of a PAUSE frame, 512 bit times each")
          .in(1, 0xFFFF)
          .from(kPfcStandard),
      field<&PfcSpec::response>("response", "From the last bit of a PAUSE to its effect")
          .in(Picoseconds(0), kMaxReaction)
          .from(kPfcStandard),
      block<&PfcSpec::watchdog>("watchdog", "Acts upon queues that are paused for too long"),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<TrimSpec>() {
  static const Fields kFields{
      field<&TrimSpec::threshold>("threshold", "Queue above which frames are trimmed")
          .in(Bytes(0), kMaxBuffer),
      field<&TrimSpec::keep>("keep", "Of a trimmed frame, FCS included")
          .in(kMinTrimmedLength, kMaxTrimmedLength),
      field<&TrimSpec::priority>("priority", "Of trimmed frames; not a lossless one").in(0, 7),
      field<&TrimSpec::limit>("limit", "Of the queue of trimmed frames, at least `keep`")
          .in(kMinTrimmedLength, kMaxBuffer),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<VirtualChannelSpec>() {
  static const Fields kFields{
      field<&VirtualChannelSpec::priorities>(
          "priorities", "Of `channels`, each in one virtual channel; they share its credits")
          .priorities(),
      field<&VirtualChannelSpec::credits>("credits", "Limit of the virtual channel")
          .in(1, kMaxCredits),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<CbfcSpec>() {
  static const Fields kFields{
      field<&CbfcSpec::channels>("channels", "Lossless priorities; not those of PFC").priorities(),
      field<&CbfcSpec::credits>("credits", "Limit of a virtual channel")
          .in(1, kMaxCredits)
          .from(kUltraEthernet),
      items<&CbfcSpec::virtual_channels>(
          "virtual_channels", "Priorities that share a virtual channel; the others have one each"),
      field<&CbfcSpec::credit_size>("credit_size", "Of one credit")
          .in(Bytes(32), Bytes(2'048))
          .powerOfTwo()
          .from(kUltraEthernet),
      field<&CbfcSpec::packet_overhead>(
          "packet_overhead", "Bytes added to each frame before it is rounded up to credits")
          .in(-16, 127)
          .storedAs("packet_overhead_bytes")
          .from(kUltraEthernet),
      field<&CbfcSpec::update_spacing>("update_spacing",
                                       "Freed bytes between two CF_Updates, at least")
          .in(Bytes(1), kMaxBuffer),
      field<&CbfcSpec::update_period>("update_period", "Until freed credits are told, at most")
          .in(kInstant, kMaxDelay),
      field<&CbfcSpec::processing>("processing", "From the last bit of an update to its effect")
          .in(Picoseconds(0), kMaxReaction),
      field<&CbfcSpec::consumed_period>("consumed_period",
                                        "How often a sender tells what it consumed, so that "
                                        "credits of lost frames come back; 0: never")
          .in(microseconds(1), milliseconds(250))
          .orZero()
          .from(kUltraEthernet),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<LlrSpec>() {
  static const Fields kFields{
      field<&LlrSpec::receiver_processing>(
          "receiver_processing", "From the end of a damaged frame to the NACK's first bit")
          .in(Picoseconds(0), kMaxReaction),
      field<&LlrSpec::sender_processing>("sender_processing",
                                         "From a NACK's arrival to the start of the replay")
          .in(Picoseconds(0), kMaxReaction),
      field<&LlrSpec::replay_timer>("replay_timer",
                                    "Time without progress after which a sender replays unasked")
          .otherwise("twice a retry of 9216B on the link")
          .from(kUltraEthernet),
      field<&LlrSpec::max_replays>("max_replays",
                                   "Replays without progress before what is held is dropped")
          .in(0, 254)
          .otherwise("no limit")
          .from(kUltraEthernet),
      field<&LlrSpec::replay_buffer>("replay_buffer",
                                     "Held bytes up to which a frame starts behind a damaged one")
          .otherwise("no limit"),
      field<&LlrSpec::pcs_lost>(
          "pcs_lost", "Outages of a cable up to this long are waited for, and nothing is lost")
          .in(kInstant, kMaxDelay)
          .otherwise("outages lose what is under way")
          .from(kUltraEthernet),
      field<&LlrSpec::data_age>("data_age", "Age at which a frame is given up")
          .in(kInstant, kMaxDelay)
          .otherwise("no limit")
          .from(kUltraEthernet),
      field<&LlrSpec::init_interval>("init_interval", "From one INIT to the next")
          .in(nanoseconds(1), kMaxDelay),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<LoadBalancingSpec>() {
  static const Fields kFields{
      field<&LoadBalancingSpec::kind>(
          "kind",
          "`ecmp`: hash of the 5-tuple; `ecmp-qp`: of the destination QP as well; `flowlet`: the "
          "least loaded path after a gap; `spray-…`: every packet by itself; `weighted`: ECMP by "
          "the "
          "rate of links")
          .wordsOf(fabric::kLoadBalancings)
          .need()
          .selecting(),
      field<&LoadBalancingSpec::flowlet_gap>("gap", "Pause after which a flow may change its path")
          .as("flowlet_gap")
          .storedAs("gap_ps")
          .in(kInstant, kMaxDelay)
          .onlyIf("kind: flowlet", isFlowlet),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<SwitchSpec>() {
  static const Fields kFields{
      field<&SwitchSpec::buffer_per_port>(
          "buffer",
          "Of each output port, all priorities together; a frame that does not fit is dropped")
          .as("buffer_per_port")
          .in(kMinBuffer, kMaxBuffer)
          .storedIf([](const SwitchSpec& one) { return !one.shared_buffer; }),
      block<&SwitchSpec::shared_buffer>("shared_buffer", "Instead of `buffer`, one for all ports"),
      field<&SwitchSpec::latency>(
          "latency",
          "First bit in (cut-through) or last bit in (store-and-forward) to "
          "first bit out of an idle switch")
          .in(kInstant, kMaxDelay),
      field<&SwitchSpec::forwarding>("forwarding", "Whether a switch waits for a frame's last bit")
          .word("store-and-forward", Forwarding::kStoreAndForward)
          .word("cut-through", Forwarding::kCutThrough),
      group(
          "scheduler", "Deficit round robin among priorities",
          {weights<&SwitchSpec::weights>(
               "weights",
               "Share of a priority; those without one are strict, higher first, before the others")
               .storedIfChanged()
               .otherwise("all strict"),
           // Less than a smallest frame a round would make rounds without end.
           field<&SwitchSpec::dwrr_quantum>("quantum", "Bytes per round and unit of weight")
               .as("dwrr_quantum")
               .in(kMinBuffer, kMaxQuantum)
               .storedIfChanged()}),
      field<&SwitchSpec::voq>("voq", "Queues per input as well, served in turn within a priority")
          .storedIfChanged(),
      items<&SwitchSpec::ecn>("ecn",
                              "Rules of marking; the first that names a priority holds for it"),
      block<&SwitchSpec::pfc>("pfc", "Priority flow control"),
      block<&SwitchSpec::trim>("trim", "Packet trimming"),
      block<&SwitchSpec::cbfc>("cbfc", "Credit-based flow control on every link"),
      block<&SwitchSpec::llr>("llr", "Link-level retry on every link"),
      block<&SwitchSpec::load_balancing>("load_balancing",
                                         "How a switch chooses among equally short paths")
          .notInScenario()
          .storedIf([](const SwitchSpec& one) {
            return one.load_balancing.kind != LoadBalancingKind::kEcmp;
          }),
  };
  return kFields;
}

}  // namespace plumbline::spec
