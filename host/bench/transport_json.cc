#include "bench/transport_json.h"

#include "base/json.h"
#include "bench/json_names.h"

namespace plumbline::bench {
namespace {

using transport::DcqcnSpec;
using transport::RoceRecovery;
using transport::RoceService;
using transport::RoceSpec;
using transport::UetCongestionControl;
using transport::UetEntropyPolicy;
using transport::UetService;
using transport::UetSpec;
using Json = nlohmann::json;

constexpr Names<RoceService, 2> kRoceServiceNames{
    {{RoceService::kRc, "rc"}, {RoceService::kUc, "uc"}}};
constexpr Names<RoceRecovery, 2> kRecoveryNames{
    {{RoceRecovery::kGoBackN, "go-back-n"}, {RoceRecovery::kSelectiveRepeat, "selective-repeat"}}};
constexpr Names<UetService, 4> kUetServiceNames{{{UetService::kRod, "rod"},
                                                 {UetService::kRud, "rud"},
                                                 {UetService::kRudi, "rudi"},
                                                 {UetService::kUud, "uud"}}};
constexpr Names<UetCongestionControl, 4> kControlNames{{{UetCongestionControl::kNone, "none"},
                                                        {UetCongestionControl::kNscc, "nscc"},
                                                        {UetCongestionControl::kRccc, "rccc"},
                                                        {UetCongestionControl::kNsccRccc, "both"}}};
constexpr Names<UetEntropyPolicy, 6> kPolicyNames{{{UetEntropyPolicy::kConstant, "constant"},
                                                   {UetEntropyPolicy::kOblivious, "oblivious"},
                                                   {UetEntropyPolicy::kRandom, "random"},
                                                   {UetEntropyPolicy::kRoundRobin, "round-robin"},
                                                   {UetEntropyPolicy::kBitmap, "bitmap"},
                                                   {UetEntropyPolicy::kReps, "reps"}}};

Json dcqcnToJson(const DcqcnSpec& dcqcn) {
  return {{"cnp_interval_ps", dcqcn.cnp_interval.count()},
          {"decrease_interval_ps", dcqcn.decrease_interval.count()},
          {"initial_alpha", dcqcn.initial_alpha},
          {"g", dcqcn.g},
          {"min_alpha", dcqcn.min_alpha},
          {"cut_weight", dcqcn.cut_weight},
          {"min_cut_factor", dcqcn.min_cut_factor},
          {"alpha_period_ps", dcqcn.alpha_period.count()},
          {"increase_period_ps", dcqcn.increase_period.count()},
          {"increase_bytes", dcqcn.increase_bytes},
          {"fast_recovery_steps", dcqcn.fast_recovery_steps},
          {"additive_increase_bps", dcqcn.additive_increase.bitsPerSecond()},
          {"hyper_increase_bps", dcqcn.hyper_increase.bitsPerSecond()},
          {"scaled_hyper_increase", dcqcn.scaled_hyper_increase},
          {"min_rate_bps", dcqcn.min_rate.bitsPerSecond()},
          {"max_rate_bps", dcqcn.max_rate.bitsPerSecond()},
          {"first_cnp_rate_bps", dcqcn.first_cnp_rate.bitsPerSecond()},
          {"clamp_target", dcqcn.clamp_target},
          {"clamp_target_after_timer", dcqcn.clamp_target_after_timer}};
}

Json toJsonValue(const RoceSpec& roce) {
  Json json{{"kind", "roce"},
            {"service", nameOf(kRoceServiceNames, roce.service)},
            {"recovery", nameOf(kRecoveryNames, roce.recovery)},
            {"path_mtu_bytes", roce.path_mtu},
            {"vlan", roce.vlan},
            {"ipv6", roce.ipv6},
            {"ect", roce.ect},
            {"data_priority", roce.data_priority},
            {"ack_priority", roce.ack_priority},
            {"cnp_priority", roce.cnp_priority},
            {"spray", roce.spray},
            {"first_psn", roce.first_psn},
            {"ack_every", roce.ack_every},
            {"window_packets", roce.window_packets},
            {"selective_nak_bytes", roce.selective_nak_bytes},
            {"reorder_packets", roce.reorder_packets},
            {"reorder_tolerance", roce.reorder_tolerance},
            {"ack_timeout_ps", roce.ack_timeout.count()},
            {"exponential_backoff", roce.exponential_backoff},
            {"max_ack_timeout_ps", roce.max_ack_timeout.count()},
            {"retry_count", roce.retry_count},
            {"setup_time_ps", roce.setup_time.count()}};
  if (roce.cm) {
    json["cm"] = {{"processing_ps", roce.cm->processing.count()},
                  {"response_timeout_ps", roce.cm->response_timeout.count()},
                  {"retries", roce.cm->retries},
                  {"priority", roce.cm->priority},
                  {"max_qps", roce.cm->max_qps}};
  }
  if (roce.shared_source_port) json["shared_source_port"] = true;
  if (roce.dcqcn.enabled) json["dcqcn"] = dcqcnToJson(roce.dcqcn);
  return json;
}

Json nsccToJson(const transport::NsccSpec& nscc) {
  Json json{{"reference_bdp_bytes", nscc.reference_bdp.count()},
            {"reference_rtt_ps", nscc.reference_rtt.count()},
            {"alpha", nscc.alpha},
            {"fair_increase", nscc.fair_increase},
            {"eta", nscc.eta},
            {"fast_increase", nscc.fast_increase},
            {"gamma", nscc.gamma},
            {"max_md_jump", nscc.max_md_jump},
            {"delay_gain", nscc.delay_gain},
            {"qa_gate", nscc.qa_gate},
            {"qa_threshold", nscc.qa_threshold},
            {"adjust_bytes", nscc.adjust_bytes},
            {"zero_qdelay_ps", nscc.zero_qdelay.count()},
            {"max_window", nscc.max_window}};
  if (nscc.target_qdelay) json["target_qdelay_ps"] = nscc.target_qdelay->count();
  if (nscc.adjust_period) json["adjust_period_ps"] = nscc.adjust_period->count();
  return json;
}

Json entropyToJson(const transport::UetEntropySpec& entropy) {
  return {{"policy", nameOf(kPolicyNames, entropy.policy)},
          {"set_size", entropy.set_size},
          {"reps_buffer", entropy.reps_buffer},
          {"reps_explore", entropy.reps_explore},
          {"reps_freezing_ps", entropy.reps_freezing.count()},
          {"bitmap_ecn_penalty", entropy.bitmap_ecn_penalty},
          {"bitmap_nack_penalty", entropy.bitmap_nack_penalty},
          {"bitmap_max_penalty", entropy.bitmap_max_penalty}};
}

Json toJsonValue(const UetSpec& uet) {
  Json json{{"kind", "uet"},
            {"service", nameOf(kUetServiceNames, uet.service)},
            {"mtu_payload_bytes", uet.mtu_payload},
            {"crc", uet.crc},
            {"ipv6", uet.ipv6},
            {"data_priority", uet.data_priority},
            {"control_priority", uet.control_priority},
            {"ecn", uet.ecn},
            {"trimming", uet.trimming},
            {"mp_range", uet.mp_range},
            {"max_pdcs", uet.max_pdcs},
            {"close_after_ps", uet.close_after.count()},
            {"linger_ps", uet.linger.count()},
            {"target_expiry_ps", uet.target_expiry.count()},
            {"no_pdc_retry_ps", uet.no_pdc_retry.count()},
            {"ack_trigger_bytes", uet.ack_trigger_bytes},
            {"ack_min_add_bytes", uet.ack_min_add_bytes},
            {"ack_delay_ps", uet.ack_delay.count()},
            {"ack_on_ecn", uet.ack_on_ecn},
            {"ack_per_packet", uet.ack_per_packet},
            {"receiver_penalty", uet.receiver_penalty},
            {"rto_ps", uet.rto.count()},
            {"max_rto_retries", uet.max_rto_retries},
            {"max_nack_retries", uet.max_nack_retries},
            {"loss_gap", uet.loss_gap},
            {"congestion_control", nameOf(kControlNames, uet.congestion_control)},
            {"base_rtt_ps", uet.base_rtt.count()},
            {"fixed_window", uet.fixed_window},
            {"entropy", entropyToJson(uet.entropy)}};
  if (uet.pdc_setup) {
    json["pdc_setup"] = {{"context_time_ps", uet.pdc_setup->context_time.count()},
                         {"max_pending", uet.pdc_setup->max_pending}};
  }
  if (uet.start_psn) json["start_psn"] = *uet.start_psn;
  using Control = UetCongestionControl;
  const Control control = uet.congestion_control;
  if (control == Control::kNscc || control == Control::kNsccRccc) {
    json["nscc"] = nsccToJson(uet.nscc);
  }
  if (control == Control::kRccc || control == Control::kNsccRccc) {
    json["rccc"] = {{"grant_bytes", uet.rccc.grant.count()},
                    {"pace_ppt", uet.rccc.pace.partsPerTrillion()},
                    {"max_window", uet.rccc.max_window}};
  }
  return json;
}

}  // namespace

Json transportToJson(const TransportSpec& transport) {
  return std::visit([](const auto& spec) { return toJsonValue(spec); }, transport);
}

}  // namespace plumbline::bench
