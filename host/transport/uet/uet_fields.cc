// The fields of a UetSpec. How they act, and where their defaults come from: docs/model/uet.md.
#include "fabric/engine/packet.h"
#include "spec/declare.h"
#include "transport/spec_fields.h"

namespace plumbline::spec {
namespace {

using transport::NsccSpec;
using transport::PdcSetupSpec;
using transport::RcccSpec;
using transport::SwiftSpec;
using transport::UetCongestionControl;
using transport::UetEntropyPolicy;
using transport::UetEntropySpec;
using transport::UetService;
using transport::UetSpec;

constexpr Picoseconds kMinUetTime{1};

constexpr const char* kSpecification = "Ultra Ethernet 1.0";
constexpr const char* kModels = "public implementations and simulators";
constexpr const char* kSwift = "Swift, Kumar et al. 2020";
constexpr const char* kNscc = "Ultra Ethernet 1.0 (NSCC), by way of public simulators";

bool usesNscc(const UetSpec& uet) {
  return uet.congestion_control == UetCongestionControl::kNscc ||
         uet.congestion_control == UetCongestionControl::kNsccRccc;
}
bool usesSwift(const UetSpec& uet) {
  return uet.congestion_control == UetCongestionControl::kSwift;
}
bool usesRccc(const UetSpec& uet) {
  return uet.congestion_control == UetCongestionControl::kRccc ||
         uet.congestion_control == UetCongestionControl::kNsccRccc;
}

template <auto Member>
auto penalty(const char* key, const char* help) {
  return field<Member>(key, help).from(kModels);
}

}  // namespace

template <>
const Fields& fieldsOf<UetEntropySpec>() {
  using Policy = UetEntropyPolicy;
  static const Fields kFields{
      field<&UetEntropySpec::policy>("policy", "How the entropy value of a packet is chosen")
          .word("constant", Policy::kConstant)
          .word("oblivious", Policy::kOblivious)
          .word("random", Policy::kRandom)
          .word("round-robin", Policy::kRoundRobin)
          .word("bitmap", Policy::kBitmap)
          .word("reps", Policy::kReps)
          .from(kModels),
      field<&UetEntropySpec::set_size>("set_size", "Values to choose from")
          .in(1, 32768)
          .powerOfTwo(),
      field<&UetEntropySpec::reps_buffer>("reps_buffer", "Values that `reps` keeps")
          .in(1, 64)
          .from(kModels),
      field<&UetEntropySpec::reps_explore>(
          "reps_explore", "Packets of `reps` on random values, at the start and after freezing")
          .from(kModels),
      field<&UetEntropySpec::reps_freezing>(
          "reps_freezing", "How long `reps` sends on values it keeps after a timeout")
          .from(kModels),
      penalty<&UetEntropySpec::bitmap_ecn_penalty>(
          "bitmap_ecn_penalty", "Rounds that `bitmap` leaves a value out, for a mark"),
      penalty<&UetEntropySpec::bitmap_nack_penalty>("bitmap_nack_penalty",
                                                    "For a NACK, or a packet that counts as lost"),
      penalty<&UetEntropySpec::bitmap_max_penalty>("bitmap_max_penalty",
                                                   "For a timeout, and at most")
          .atLeast(1),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<NsccSpec>() {
  static const Fields kFields{
      field<&NsccSpec::reference_bdp>("reference_bdp", "BDP for which the factors are given")
          .atLeast(Bytes(1))
          .from(kNscc),
      field<&NsccSpec::reference_rtt>("reference_rtt", "Round trip for which the factors are given")
          .atLeast(kMinUetTime)
          .from(kNscc),
      field<&NsccSpec::target_qdelay>("target_qdelay", "Queueing delay that is aimed at")
          .atLeast(kMinUetTime)
          .otherwise("0.75 `base_rtt` with `trimming`, else 1.0")
          .from(kNscc),
      field<&NsccSpec::alpha>("alpha", "Of the proportional increase").from(kNscc),
      field<&NsccSpec::fair_increase>("fair_increase", "In MTUs").from(kNscc),
      field<&NsccSpec::eta>("eta", "Steady increase per `adjust_period`, in MTUs").from(kNscc),
      field<&NsccSpec::fast_increase>("fast_increase", "Share of the bytes received").from(kNscc),
      field<&NsccSpec::gamma>("gamma", "Of the multiplicative decrease").from(kNscc),
      field<&NsccSpec::max_md_jump>("max_md_jump",
                                    "Share of the window that a decrease leaves, at least")
          .above(0)
          .atMost(1)
          .from(kNscc),
      field<&NsccSpec::delay_gain>("delay_gain", "Weight of a sample in the mean delay")
          .above(0)
          .atMost(1)
          .from(kModels),
      field<&NsccSpec::qa_gate>("qa_gate", "Quick adapt below the highest window / 2^gate")
          .in(0, 16)
          .from(kNscc),
      field<&NsccSpec::qa_threshold>("qa_threshold",
                                     "Quick adapt above so many times `target_qdelay`")
          .above(0)
          .from(kNscc),
      field<&NsccSpec::adjust_bytes>("adjust_bytes",
                                     "Received MTUs after which increases take effect")
          .above(0)
          .from(kNscc),
      field<&NsccSpec::adjust_period>("adjust_period", "Time after which they do")
          .atLeast(kMinUetTime)
          .otherwise("`base_rtt`")
          .from(kNscc),
      field<&NsccSpec::zero_qdelay>("zero_qdelay", "Queueing delay up to which it counts as none"),
      field<&NsccSpec::max_window>("max_window", "In BDPs; also the window to begin with")
          .above(0)
          .from(kNscc),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<RcccSpec>() {
  static const Fields kFields{
      field<&RcccSpec::grant>("grant", "Most that one grant gives")
          .atLeast(Bytes(256))
          .multipleOf(256)
          .from(kModels),
      field<&RcccSpec::pace>("pace", "Share of the link's rate at which credit is given")
          .in(Fraction::partsPerTrillion(1), Fraction::one())
          .from(kModels),
      field<&RcccSpec::max_window>("max_window",
                                   "In BDPs; also the speculative credit at the start")
          .above(0)
          .from(kModels),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<SwiftSpec>() {
  static const Fields kFields{
      field<&SwiftSpec::target_qdelay>("target_qdelay",
                                       "Queueing delay that is aimed at with a large window")
          .atLeast(kMinUetTime)
          .otherwise("`base_rtt`"),
      field<&SwiftSpec::flow_range>(
          "flow_range", "Most that a small window adds to that delay, in `target_qdelay`")
          .in(0, 1'000)
          .from(kModels),
      field<&SwiftSpec::flow_min_window>("flow_least_window",
                                         "Packets, up to which it adds all of it")
          .above(0)
          .from(kSwift),
      field<&SwiftSpec::flow_max_window>("flow_most_window",
                                         "Packets, from which on it adds nothing; above "
                                         "`flow_least_window`")
          .above(0)
          .from(kSwift),
      field<&SwiftSpec::additive_increase>("additive_increase", "In MTUs per round trip")
          .above(0)
          .from(kSwift),
      field<&SwiftSpec::beta>("beta", "Of the multiplicative decrease").above(0).from(kSwift),
      field<&SwiftSpec::max_mdf>("max_mdf", "Share of the window that one decrease takes at most")
          .above(0)
          .below(1)
          .from(kSwift),
      field<&SwiftSpec::max_window>("max_window", "In BDPs; also the window to begin with")
          .above(0),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<PdcSetupSpec>() {
  static const Fields kFields{
      field<&PdcSetupSpec::context_time>("context_time",
                                         "The NIC's, for the context of one PDC, one at a time"),
      field<&PdcSetupSpec::max_pending>("max_pending", "PDCs without an answer, at a time")
          .in(1, 65535),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<UetSpec>() {
  using Control = UetCongestionControl;
  static const Fields kFields{
      field<&UetSpec::service>("service", "How packets of a message are delivered")
          .word("rod", UetService::kRod)
          .word("rud", UetService::kRud)
          .word("rudi", UetService::kRudi)
          .word("uud", UetService::kUud)
          .from(kSpecification),
      field<&UetSpec::mtu_payload>("mtu", "Payload of a full packet")
          .as("mtu_payload")
          .size()
          .in(256, 8192),
      field<&UetSpec::crc>("crc", "UET trailer").from(kSpecification),
      field<&UetSpec::ipv6>("ip", "Version").as("ipv6").word("4", false).word("6", true),
      field<&UetSpec::data_priority>("data_priority", "Of data").in(0, 7),
      field<&UetSpec::control_priority>("control_priority", "Of ACKs, NACKs and control packets")
          .in(0, 7),
      field<&UetSpec::ecn>("ect", "Data may be marked").as("ecn").from(kSpecification),
      field<&UetSpec::trimming>("trimming", "Data may be trimmed").from(kSpecification),
      field<&UetSpec::start_psn>("start_psn", "First PSN of every PDC").otherwise("drawn anew"),
      // The SYN's psn_offset has 12 bits; packets of the first window must fit into it.
      field<&UetSpec::mp_range>("mp_range", "PSNs that may be outstanding")
          .in(1, 4096)
          .from(kModels),
      field<&UetSpec::max_pdcs>("max_pdcs", "Open at a time, in either role, per host")
          .in(1, 65535)
          .from("ids have 16 bits"),
      block<&UetSpec::pdc_setup>("pdc_setup", "Opening a PDC has a cost"),
      field<&UetSpec::close_after>("close_after",
                                   "A PDC with nothing to do is closed after this time")
          .word("never", fabric::kNever)
          .atLeast(kMinUetTime),
      field<&UetSpec::linger>("linger", "How long the id of a closed PDC stays unused"),
      field<&UetSpec::target_expiry>(
          "target_expiry", "A target forgets a peer this long after it should have closed")
          .atLeast(kMinUetTime),
      field<&UetSpec::no_pdc_retry>("no_pdc_retry", "Wait after NACK NO_PDC_AVAIL")
          .atLeast(kMinUetTime),
      field<&UetSpec::ack_trigger_bytes>("ack_trigger",
                                         "Payload received since the last ACK that causes one")
          .as("ack_trigger_bytes")
          .size()
          .atLeast(1)
          .from(kModels),
      field<&UetSpec::ack_min_add_bytes>("ack_min_add", "What a packet adds to it, at least")
          .as("ack_min_add_bytes")
          .size()
          .from(kModels),
      field<&UetSpec::ack_delay>(
          "ack_delay", "Data that no other rule has acknowledged by then is; 0: it waits for more"),
      field<&UetSpec::ack_on_ecn>("ack_on_ecn", "A marked packet causes an ACK").from(kModels),
      field<&UetSpec::ack_per_packet>("ack_per_packet", "Every packet causes an ACK").from(kModels),
      field<&UetSpec::receiver_penalty>("receiver_penalty", "That targets report (rcv_cwnd_pend)")
          .in(0, 127)
          .from(kSpecification),
      field<&UetSpec::rto>("rto", "Timeout; doubles with every one in a row")
          .in(kMinUetTime, UetSpec::kMaxRto)
          .otherwise("`1ms`, or twice the idle round trip where that is longer")
          .from(kModels),
      field<&UetSpec::max_rto_retries>("max_rto_retries",
                                       "Timeouts in a row; one more fails the PDC")
          .in(0, 15)
          .from(kModels),
      field<&UetSpec::max_nack_retries>("max_nack_retries", "NACKs of one packet; 0: no limit"),
      field<&UetSpec::loss_gap>(
          "loss_gap",
          "A packet is lost when one sent so many later is acknowledged (RUD); 0: never"),
      field<&UetSpec::congestion_control>(
          "cc",
          "A fixed window, network signals (NSCC), receiver credit, the last two together, or "
          "delay (Swift, no part of Ultra Ethernet)")
          .as("congestion_control")
          .word("none", Control::kNone)
          .word("nscc", Control::kNscc)
          .word("rccc", Control::kRccc)
          .word("both", Control::kNsccRccc)
          .word("swift", Control::kSwift)
          .from(kSpecification),
      field<&UetSpec::base_rtt>("base_rtt",
                                "Of the idle network: a full packet there, its ACK back")
          .atLeast(kMinUetTime)
          .otherwise(
              "the longest between two hosts of one job; of any two where the test brings the "
              "jobs"),
      field<&UetSpec::fixed_window>("fixed_window", "In BDPs, for `cc: none`, and for RUDI")
          .above(0),
      block<&UetSpec::nscc>("nscc", "Factors of NSCC").storedIf(usesNscc),
      block<&UetSpec::rccc>("rccc", "Factors of receiver credit").storedIf(usesRccc),
      block<&UetSpec::swift>("swift", "Factors of Swift").storedIf(usesSwift),
      block<&UetSpec::entropy>("entropy", "Entropy values; the policy, or a map").orAlone("policy"),
  };
  return kFields;
}

}  // namespace plumbline::spec
