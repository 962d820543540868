#include "bench/json/transport_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "tests/bench_rtl/all_differ.h"

namespace plumbline::bench {
namespace {

using transport::RoceSpec;
using transport::UetCongestionControl;
using transport::UetSpec;

// These fail to compile when a struct gets a member, as a reminder to add its line below.
[[maybe_unused]] void membersAsOfThisTest(RoceSpec& r, UetSpec& u) {
  [[maybe_unused]] auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,
                          a17, a18, a19, a20, a21, a22, a23, a24] = r;
  [[maybe_unused]] auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15, b16,
                          b17, b18, b19, b20] = r.dcqcn;
  [[maybe_unused]] auto& [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16,
                          c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31,
                          c32, c33] = u;
  [[maybe_unused]] auto& [d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16] =
      u.nscc;
  [[maybe_unused]] auto& [e1, e2, e3] = u.rccc;
  [[maybe_unused]] auto& [g1, g2, g3, g4, g5, g6, g7, g8] = u.swift;
  [[maybe_unused]] auto& [f1, f2, f3, f4, f5, f6, f7, f8] = u.entropy;
}

// Every change must give a different text.
template <typename Spec>
void expectDifferent(const Spec& base, std::initializer_list<void (*)(Spec&)> changes) {
  expectAllDiffer(base, changes, [](const auto& spec) { return transportToJson(spec).dump(); });
}

TEST(TransportJson, KindsDiffer) {
  EXPECT_NE(transportToJson(RoceSpec()).dump(), transportToJson(UetSpec()).dump());
}

TEST(TransportJson, EveryFieldOfRoceShows) {
  using S = RoceSpec;
  RoceSpec base;
  base.dcqcn.enabled = true;
  expectDifferent<S>(base, {[](S& s) { s.service = transport::RoceService::kUc; },
                            [](S& s) { s.recovery = transport::RoceRecovery::kSelectiveRepeat; },
                            [](S& s) { s.path_mtu = 1024; },
                            [](S& s) { s.vlan = true; },
                            [](S& s) { s.ipv6 = true; },
                            [](S& s) { s.ect = false; },
                            [](S& s) { s.data_priority = 1; },
                            [](S& s) { s.ack_priority = 1; },
                            [](S& s) { s.cnp_priority = 1; },
                            [](S& s) { s.spray = true; },
                            [](S& s) { s.shared_source_port = true; },
                            [](S& s) { s.first_psn = 1; },
                            [](S& s) { s.ack_every = 1; },
                            [](S& s) { s.window_packets = 1; },
                            [](S& s) { s.selective_nak_bytes = 1; },
                            [](S& s) { s.reorder_packets = 64; },
                            [](S& s) { s.reorder_tolerance = 1; },
                            [](S& s) { s.ack_timeout = seconds(1); },
                            [](S& s) { s.exponential_backoff = false; },
                            [](S& s) { s.max_ack_timeout = seconds(1); },
                            [](S& s) { s.retry_count = 1; },
                            [](S& s) { s.setup_time = seconds(1); },
                            [](S& s) { s.cm.emplace(); },
                            [](S& s) { s.cm.emplace().processing = seconds(1); },
                            [](S& s) { s.cm.emplace().response_timeout = seconds(1); },
                            [](S& s) { s.cm.emplace().retries = 1; },
                            [](S& s) { s.cm.emplace().priority = 1; },
                            [](S& s) { s.cm.emplace().max_qps = 1; },
                            [](S& s) { s.dcqcn.enabled = false; },
                            [](S& s) { s.dcqcn.cnp_interval = seconds(1); },
                            [](S& s) { s.dcqcn.decrease_interval = seconds(1); },
                            [](S& s) { s.dcqcn.initial_alpha = 0.25; },
                            [](S& s) { s.dcqcn.g = 0.25; },
                            [](S& s) { s.dcqcn.min_alpha = 0.25; },
                            [](S& s) { s.dcqcn.cut_weight = 0.25; },
                            [](S& s) { s.dcqcn.min_cut_factor = 0.25; },
                            [](S& s) { s.dcqcn.alpha_period = seconds(1); },
                            [](S& s) { s.dcqcn.increase_period = seconds(1); },
                            [](S& s) { s.dcqcn.increase_bytes = 1; },
                            [](S& s) { s.dcqcn.fast_recovery_steps = 1; },
                            [](S& s) { s.dcqcn.additive_increase = BitRate(1); },
                            [](S& s) { s.dcqcn.hyper_increase = BitRate(1); },
                            [](S& s) { s.dcqcn.scaled_hyper_increase = true; },
                            [](S& s) { s.dcqcn.min_rate = BitRate(1); },
                            [](S& s) { s.dcqcn.max_rate = BitRate(1); },
                            [](S& s) { s.dcqcn.first_cnp_rate = BitRate(1); },
                            [](S& s) { s.dcqcn.clamp_target = false; },
                            [](S& s) { s.dcqcn.clamp_target_after_timer = false; }});
}

TEST(TransportJson, EveryFieldOfUetShows) {
  using S = UetSpec;
  UetSpec base;
  base.congestion_control = UetCongestionControl::kNsccRccc;
  expectDifferent<S>(base,
                     {[](S& s) { s.service = transport::UetService::kRod; },
                      [](S& s) { s.service = transport::UetService::kRudi; },
                      [](S& s) { s.service = transport::UetService::kUud; },
                      [](S& s) { s.mtu_payload = 1024; },
                      [](S& s) { s.crc = true; },
                      [](S& s) { s.ipv6 = true; },
                      [](S& s) { s.data_priority = 1; },
                      [](S& s) { s.control_priority = 1; },
                      [](S& s) { s.ecn = false; },
                      [](S& s) { s.trimming = false; },
                      [](S& s) { s.mp_range = 1; },
                      [](S& s) { s.max_pdcs = 1; },
                      [](S& s) { s.pdc_setup.emplace(); },
                      [](S& s) { s.pdc_setup.emplace().context_time = seconds(1); },
                      [](S& s) { s.pdc_setup.emplace().max_pending = 1; },
                      [](S& s) { s.close_after = seconds(1); },
                      [](S& s) { s.linger = seconds(1); },
                      [](S& s) { s.target_expiry = seconds(1); },
                      [](S& s) { s.no_pdc_retry = seconds(1); },
                      [](S& s) { s.ack_trigger_bytes = 1; },
                      [](S& s) { s.ack_min_add_bytes = 1; },
                      [](S& s) { s.start_psn = 1; },
                      [](S& s) { s.ack_delay = seconds(1); },
                      [](S& s) { s.ack_on_ecn = false; },
                      [](S& s) { s.ack_per_packet = true; },
                      [](S& s) { s.receiver_penalty = 1; },
                      [](S& s) { s.rto = seconds(1); },
                      [](S& s) { s.max_rto_retries = 1; },
                      [](S& s) { s.max_nack_retries = 1; },
                      [](S& s) { s.loss_gap = 1; },
                      [](S& s) { s.congestion_control = UetCongestionControl::kNone; },
                      [](S& s) { s.congestion_control = UetCongestionControl::kNscc; },
                      [](S& s) { s.congestion_control = UetCongestionControl::kRccc; },
                      [](S& s) { s.congestion_control = UetCongestionControl::kSwift; },
                      [](S& s) { s.base_rtt = seconds(1); },
                      [](S& s) { s.fixed_window = 0.25; },
                      [](S& s) { s.nscc.reference_bdp = Bytes(1); },
                      [](S& s) { s.nscc.reference_rtt = seconds(1); },
                      [](S& s) { s.nscc.target_qdelay = seconds(1); },
                      [](S& s) { s.nscc.alpha = 0.3; },
                      [](S& s) { s.nscc.fair_increase = 0.3; },
                      [](S& s) { s.nscc.eta = 0.3; },
                      [](S& s) { s.nscc.fast_increase = 0.3; },
                      [](S& s) { s.nscc.gamma = 0.3; },
                      [](S& s) { s.nscc.max_md_jump = 0.3; },
                      [](S& s) { s.nscc.delay_gain = 0.3; },
                      [](S& s) { s.nscc.qa_gate = 1; },
                      [](S& s) { s.nscc.qa_threshold = 0.3; },
                      [](S& s) { s.nscc.adjust_bytes = 0.3; },
                      [](S& s) { s.nscc.adjust_period = seconds(1); },
                      [](S& s) { s.nscc.zero_qdelay = seconds(1); },
                      [](S& s) { s.nscc.max_window = 0.3; },
                      [](S& s) { s.rccc.grant = Bytes(256); },
                      [](S& s) { s.rccc.pace = Fraction::percent(1); },
                      [](S& s) { s.rccc.max_window = 0.3; },
                      [](S& s) { s.entropy.policy = transport::UetEntropyPolicy::kConstant; },
                      [](S& s) { s.entropy.policy = transport::UetEntropyPolicy::kRandom; },
                      [](S& s) { s.entropy.policy = transport::UetEntropyPolicy::kRoundRobin; },
                      [](S& s) { s.entropy.policy = transport::UetEntropyPolicy::kBitmap; },
                      [](S& s) { s.entropy.policy = transport::UetEntropyPolicy::kReps; },
                      [](S& s) { s.entropy.set_size = 1; },
                      [](S& s) { s.entropy.reps_buffer = 1; },
                      [](S& s) { s.entropy.reps_explore = 1; },
                      [](S& s) { s.entropy.reps_freezing = seconds(1); },
                      [](S& s) { s.entropy.bitmap_ecn_penalty = 9; },
                      [](S& s) { s.entropy.bitmap_nack_penalty = 9; },
                      [](S& s) { s.entropy.bitmap_max_penalty = 9; }});
  base.congestion_control = UetCongestionControl::kSwift;
  expectDifferent<S>(
      base,
      {[](S& s) { s.swift.target_qdelay = seconds(1); }, [](S& s) { s.swift.flow_range = 0.3; },
       [](S& s) { s.swift.flow_min_window = 0.3; }, [](S& s) { s.swift.flow_max_window = 30; },
       [](S& s) { s.swift.additive_increase = 0.3; }, [](S& s) { s.swift.beta = 0.3; },
       [](S& s) { s.swift.max_mdf = 0.3; }, [](S& s) { s.swift.max_window = 0.3; }});
}

// Parts that are switched off must not make trials differ.
TEST(TransportJson, LeavesOutWhatIsSwitchedOff) {
  RoceSpec roce;
  roce.dcqcn.g = 0.25;
  EXPECT_EQ(transportToJson(roce).dump(), transportToJson(RoceSpec()).dump());
  UetSpec nscc;  // as by default
  nscc.rccc.pace = Fraction::percent(1);
  EXPECT_EQ(transportToJson(nscc).dump(), transportToJson(UetSpec()).dump());
  UetSpec credit;
  credit.congestion_control = UetCongestionControl::kRccc;
  UetSpec other = credit;
  other.nscc.alpha = 9;
  EXPECT_EQ(transportToJson(other).dump(), transportToJson(credit).dump());
}

}  // namespace
}  // namespace plumbline::bench
