// The fields of a RoceSpec. How they act, and where their defaults come from: docs/model/roce.md.
#include <algorithm>

#include "spec/declare.h"
#include "transport/roce/roce_packet.h"
#include "transport/spec_fields.h"

namespace plumbline::spec {
namespace {

using transport::DcqcnSpec;
using transport::RoceCmSpec;
using transport::RoceRecovery;
using transport::RoceService;
using transport::RoceSpec;

constexpr std::uint32_t kMaxWindow = 1U << 22;  // half of what PSNs allow
constexpr Picoseconds kMinRoceTime{1};
constexpr BitRate kSlowest{1};

constexpr const char* kDcqcnPaper = "DCQCN, Zhu et al. 2015";
constexpr const char* kInfiniBand = "InfiniBand Architecture vol. 1";
constexpr const char* kNvidia = "defaults of ConnectX NICs";
constexpr const char* kLinux = "Linux rdma_cm";

using DcqcnPreset = DcqcnSpec (*)();
constexpr DcqcnPreset kDcqcnPresets[] = {DcqcnSpec::paper, DcqcnSpec::nvidia, DcqcnSpec::hpcc};

void choosePreset(DcqcnSpec& dcqcn, std::int64_t number) { dcqcn = kDcqcnPresets[number](); }

bool isOn(const RoceSpec& roce) { return roce.dcqcn.enabled; }
void turnOn(RoceSpec& roce) { roce.dcqcn = DcqcnSpec::paper(); }

// The limit never undercuts a long timeout.
void raiseLimit(RoceSpec& roce) {
  roce.max_ack_timeout = std::max(roce.max_ack_timeout, roce.ack_timeout);
}

template <auto Member>
auto priority(const char* key, const char* help) {
  return field<Member>(key, help).in(0, 7);
}

}  // namespace

template <>
const Fields& fieldsOf<DcqcnSpec>() {
  static const Fields kFields{
      preset<DcqcnSpec>("preset", "What the other fields are, where they are not given",
                        choosePreset)
          .word("paper", 0)
          .word("nvidia", 1)
          .word("hpcc", 2)
          .otherwise("paper")
          .from("Zhu et al. 2015; defaults of ConnectX NICs; simulator of HPCC's authors"),
      field<&DcqcnSpec::cnp_interval>(
          "cnp_interval", "At most one CNP per QP in this time; 0: one per marked packet")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::decrease_interval>(
          "decrease_interval", "A CNP sooner after the last effective one changes nothing")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::initial_alpha>("initial_alpha", "Of a QP at its first CNP")
          .in(0, 1)
          .from(kDcqcnPaper),
      field<&DcqcnSpec::g>("g", "Gain of alpha").above(0).below(1).from(kDcqcnPaper),
      field<&DcqcnSpec::min_alpha>("min_alpha", "Alpha never decays below; at most `initial_alpha`")
          .in(0, 1),
      field<&DcqcnSpec::cut_weight>("cut_weight", "A cut takes alpha times this share of the rate")
          .above(0)
          .atMost(1)
          .from(kDcqcnPaper),
      field<&DcqcnSpec::min_cut_factor>("min_cut_factor",
                                        "Share of the rate that a cut leaves, at least")
          .atLeast(0)
          .below(1),
      field<&DcqcnSpec::alpha_period>("alpha_period", "From one decay of alpha to the next")
          .atLeast(kMinRoceTime)
          .from(kDcqcnPaper),
      field<&DcqcnSpec::increase_period>("increase_period", "Of the timer of increases")
          .atLeast(kMinRoceTime)
          .from(kDcqcnPaper),
      field<&DcqcnSpec::increase_bytes>("increase_bytes",
                                        "Of the byte counter of increases; 0: none")
          .size()
          .atLeast(0)
          .from(kDcqcnPaper),
      field<&DcqcnSpec::fast_recovery_steps>("fast_recovery_steps",
                                             "Increases before the additive ones (F)")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::additive_increase>("additive_increase", "Of the target rate, per step")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::hyper_increase>(
          "hyper_increase", "Of the target rate, once timer and byte counter are past F")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::scaled_hyper_increase>(
          "scaled_hyper_increase", "The k-th hyper increase in a row adds k times as much"),
      field<&DcqcnSpec::min_rate>("min_rate", "A cut leaves at least this").atLeast(kSlowest),
      field<&DcqcnSpec::max_rate>("max_rate",
                                  "Rate before the first CNP, and the highest; 0: line rate"),
      field<&DcqcnSpec::first_cnp_rate>(
          "first_cnp_rate", "The first CNP sets this rate instead of cutting; 0: it cuts"),
      field<&DcqcnSpec::clamp_target>("clamp_target",
                                      "Every cut sets the target rate to the rate before it")
          .from(kDcqcnPaper),
      field<&DcqcnSpec::clamp_target_after_timer>(
          "clamp_target_after_timer",
          "Without `clamp_target`: a cut after an increase by the timer does so, too")
          .from(kNvidia),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<RoceCmSpec>() {
  static const Fields kFields{
      field<&RoceCmSpec::processing>("processing",
                                     "Driver and firmware of a host, for one step of a connection"),
      field<&RoceCmSpec::response_timeout>("response_timeout", "Of a REQ")
          .atLeast(kMinRoceTime)
          .from(kLinux),
      field<&RoceCmSpec::retries>("retries", "Of a REQ, until the connection fails")
          .in(0, 15)
          .from(kLinux),
      priority<&RoceCmSpec::priority>("priority", "Of the packets of connection management")
          .from(kLinux),
      field<&RoceCmSpec::max_qps>("max_qps", "Of a host; a REQ beyond is rejected")
          .in(1, (1U << 24) - 2),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<RoceSpec>() {
  static const Fields kFields{
      field<&RoceSpec::service>("service", "Reliable or unreliable connection")
          .word("rc", RoceService::kRc)
          .word("uc", RoceService::kUc)
          .from(kInfiniBand),
      field<&RoceSpec::recovery>("recovery",
                                 "What a receiver does with a packet ahead of a lost one")
          .word("go-back-n", RoceRecovery::kGoBackN)
          .word("selective-repeat", RoceRecovery::kSelectiveRepeat),
      field<&RoceSpec::path_mtu>("mtu", "Path MTU: payload of a full packet")
          .as("path_mtu")
          .size()
          .in(256, 4096)
          .powerOfTwo()
          .from(kInfiniBand),
      field<&RoceSpec::vlan>("vlan", "802.1Q tag"),
      field<&RoceSpec::ipv6>("ip", "Version").as("ipv6").word("4", false).word("6", true),
      field<&RoceSpec::ect>("ect", "Data and ACKs may be marked"),
      priority<&RoceSpec::data_priority>("data_priority", "Of data"),
      priority<&RoceSpec::ack_priority>("ack_priority", "Of ACKs and NAKs"),
      priority<&RoceSpec::cnp_priority>("cnp_priority", "Of CNPs").from("DSCP 48 by convention"),
      field<&RoceSpec::spray>("spray", "An entropy value for every packet instead of one per QP"),
      field<&RoceSpec::shared_source_port>("shared_source_port",
                                           "All QPs between two hosts have one UDP source port, so "
                                           "one 5-tuple; otherwise each its own")
          .storedIfChanged(),
      field<&RoceSpec::first_psn>("first_psn", "Of every QP").atMost(transport::kPsnMask),
      field<&RoceSpec::ack_every>(
          "ack_every", "Packets per ACK asked for; 0: at ends of messages and windows only"),
      field<&RoceSpec::window_packets>("window",
                                       "Outstanding packets per QP; 0: as many as PSNs allow")
          .as("window_packets")
          .atMost(kMaxWindow),
      field<&RoceSpec::selective_nak_bytes>("selective_nak", "Bitmap of a selective NAK")
          .as("selective_nak_bytes")
          .size()
          .in(0, 64),
      field<&RoceSpec::reorder_packets>("reorder_packets",
                                        "Packets that a receiver keeps (selective repeat)")
          .in(64, kMaxWindow)
          .powerOfTwo(),
      field<&RoceSpec::reorder_tolerance>(
          "reorder_tolerance", "How many later packets may overtake one (selective repeat)"),
      field<&RoceSpec::ack_timeout>("ack_timeout", "4.096 us * 2^code on real hardware")
          .atLeast(kMinRoceTime)
          .then(raiseLimit)
          .otherwise(
              "`1.048576ms`, or the next such time from twice the idle round trip on where that is "
              "longer")
          .from(kInfiniBand),
      field<&RoceSpec::exponential_backoff>("exponential_backoff",
                                            "Each timeout in a row doubles the next one"),
      field<&RoceSpec::max_ack_timeout>("max_ack_timeout", "Up to this; at least `ack_timeout`")
          .atLeast(kMinRoceTime),
      field<&RoceSpec::retry_count>("retries", "Timeouts in a row that do not yet fail a QP")
          .as("retry_count")
          .from(kInfiniBand),
      field<&RoceSpec::setup_time>("setup_time",
                                   "From a QP's first message to its first packet, out of band; 0: "
                                   "QPs are there before the trial"),
      block<&RoceSpec::cm>("connections",
                           "QPs are set up over the fabric; not together with `setup_time`")
          .as("cm"),
      block<&RoceSpec::dcqcn>("dcqcn", "Congestion control; a preset, or a map of what differs")
          .switchedBy(isOn, turnOn)
          .orAlone("preset"),
  };
  return kFields;
}

}  // namespace plumbline::spec
