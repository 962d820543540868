// Every key of `transport:`, read into the field that it means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/engine/packet.h"
#include "scenario/parse.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using transport::DcqcnSpec;

ParseResult result(const std::string& transport) {
  return parseScenario(
      "plumbline: 1\nname: n\ntest: T5.2\ndut: {topology: {kind: switch}}\ntransport:\n" +
          transport,
      "s", testVocabulary());
}

// The specification of type T out of a `transport:` indented by two.
template <typename T>
T specOf(const std::string& transport) {
  const ParseResult parsed = result(transport);
  for (const Problem& problem : parsed.problems) ADD_FAILURE() << problem.text("s");
  if (!parsed.scenario.transport) return {};
  return std::get<T>(*parsed.scenario.transport);
}

TEST(Transport, IsLeftToTheTestByDefault) {
  const auto parsed =
      parseScenario("plumbline: 1\nname: n\ntest: T5.2\ndut: {topology: {kind: switch}}\n", "s",
                    testVocabulary());
  EXPECT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed.scenario.transport);
}

TEST(Transport, EveryRoceKey) {
  const auto roce = specOf<transport::RoceSpec>(R"(
  kind: roce
  service: uc
  recovery: selective-repeat
  mtu: 2KiB
  vlan: true
  ip: 6
  ect: false
  data_priority: 1
  ack_priority: 2
  cnp_priority: 4
  spray: true
  shared_source_port: true
  first_psn: 77
  ack_every: 8
  window: 300
  selective_nak: 16B
  reorder_packets: 512
  reorder_tolerance: 5
  ack_timeout: 2ms
  max_ack_timeout: 9ms
  exponential_backoff: false
  retries: 3
  setup_time: 6us
)");
  EXPECT_EQ(roce.service, transport::RoceService::kUc);
  EXPECT_EQ(roce.recovery, transport::RoceRecovery::kSelectiveRepeat);
  EXPECT_EQ(roce.path_mtu, 2048u);
  EXPECT_TRUE(roce.vlan);
  EXPECT_TRUE(roce.ipv6);
  EXPECT_FALSE(roce.ect);
  EXPECT_EQ(roce.data_priority, 1);
  EXPECT_EQ(roce.ack_priority, 2);
  EXPECT_EQ(roce.cnp_priority, 4);
  EXPECT_TRUE(roce.spray);
  EXPECT_TRUE(roce.shared_source_port);
  EXPECT_EQ(roce.first_psn, 77u);
  EXPECT_EQ(roce.ack_every, 8u);
  EXPECT_EQ(roce.window_packets, 300u);
  EXPECT_EQ(roce.selective_nak_bytes, 16u);
  EXPECT_EQ(roce.reorder_packets, 512u);
  EXPECT_EQ(roce.reorder_tolerance, 5u);
  EXPECT_EQ(roce.ack_timeout, milliseconds(2));
  EXPECT_EQ(roce.max_ack_timeout, milliseconds(9));
  EXPECT_FALSE(roce.exponential_backoff);
  EXPECT_EQ(roce.retry_count, 3u);
  EXPECT_EQ(roce.setup_time, microseconds(6));
  EXPECT_FALSE(roce.dcqcn.enabled);
}

TEST(Transport, ConnectionsAreSetUpOverTheWireIfAsked) {
  EXPECT_FALSE(specOf<transport::RoceSpec>("  {kind: roce}\n").cm.has_value());
  const auto usual = specOf<transport::RoceSpec>("  {kind: roce, connections: {}}\n").cm;
  ASSERT_TRUE(usual.has_value());
  EXPECT_EQ(usual->processing, microseconds(500));
  const auto cm =
      specOf<transport::RoceSpec>(
          "  {kind: roce, connections: {processing: 7us, response_timeout: 8ms, retries: 9,\n"
          "   priority: 2, max_qps: 1000}}\n")
          .cm;
  ASSERT_TRUE(cm.has_value());
  EXPECT_EQ(cm->processing, microseconds(7));
  EXPECT_EQ(cm->response_timeout, milliseconds(8));
  EXPECT_EQ(cm->retries, 9u);
  EXPECT_EQ(cm->priority, 2);
  EXPECT_EQ(cm->max_qps, 1000u);
  EXPECT_FALSE(specOf<transport::UetSpec>("  {kind: uet}\n").pdc_setup.has_value());
  const auto pdc =
      specOf<transport::UetSpec>("  {kind: uet, pdc_setup: {context_time: 50ns, max_pending: 3}}\n")
          .pdc_setup;
  ASSERT_TRUE(pdc.has_value());
  EXPECT_EQ(pdc->context_time, nanoseconds(50));
  EXPECT_EQ(pdc->max_pending, 3u);
}

TEST(Transport, ALongAckTimeoutRaisesItsLimit) {
  EXPECT_EQ(specOf<transport::RoceSpec>("  {kind: roce, ack_timeout: 5s}\n").max_ack_timeout,
            seconds(5));
}

TEST(Transport, EveryDcqcnKey) {
  const DcqcnSpec dcqcn = specOf<transport::RoceSpec>(R"(
  kind: roce
  dcqcn:
    cnp_interval: 1us
    decrease_interval: 2us
    initial_alpha: 0.9
    g: 0.01
    min_alpha: 0.1
    cut_weight: 0.6
    min_cut_factor: 0.4
    alpha_period: 3us
    increase_period: 4us
    increase_bytes: 5MB
    fast_recovery_steps: 6
    additive_increase: 7M
    hyper_increase: 8M
    scaled_hyper_increase: true
    min_rate: 9M
    max_rate: 10G
    first_cnp_rate: 11M
    clamp_target: false
    clamp_target_after_timer: false
)")
                              .dcqcn;
  EXPECT_TRUE(dcqcn.enabled);
  EXPECT_EQ(dcqcn.cnp_interval, microseconds(1));
  EXPECT_EQ(dcqcn.decrease_interval, microseconds(2));
  EXPECT_EQ(dcqcn.initial_alpha, 0.9);
  EXPECT_EQ(dcqcn.g, 0.01);
  EXPECT_EQ(dcqcn.min_alpha, 0.1);
  EXPECT_EQ(dcqcn.cut_weight, 0.6);
  EXPECT_EQ(dcqcn.min_cut_factor, 0.4);
  EXPECT_EQ(dcqcn.alpha_period, microseconds(3));
  EXPECT_EQ(dcqcn.increase_period, microseconds(4));
  EXPECT_EQ(dcqcn.increase_bytes, 5'000'000);
  EXPECT_EQ(dcqcn.fast_recovery_steps, 6u);
  EXPECT_EQ(dcqcn.additive_increase, BitRate(7'000'000));
  EXPECT_EQ(dcqcn.hyper_increase, BitRate(8'000'000));
  EXPECT_TRUE(dcqcn.scaled_hyper_increase);
  EXPECT_EQ(dcqcn.min_rate, BitRate(9'000'000));
  EXPECT_EQ(dcqcn.max_rate, gigabitsPerSecond(10));
  EXPECT_EQ(dcqcn.first_cnp_rate, BitRate(11'000'000));
  EXPECT_FALSE(dcqcn.clamp_target);
  EXPECT_FALSE(dcqcn.clamp_target_after_timer);
}

TEST(Transport, DcqcnBeginsWithAPreset) {
  const auto dcqcn = [](const std::string& value) {
    return specOf<transport::RoceSpec>("  {kind: roce, dcqcn: " + value + "}\n").dcqcn;
  };
  EXPECT_EQ(dcqcn("{}").increase_bytes, DcqcnSpec::paper().increase_bytes);
  EXPECT_EQ(dcqcn("nvidia").increase_period, DcqcnSpec::nvidia().increase_period);
  EXPECT_EQ(dcqcn("{preset: hpcc}").increase_period, DcqcnSpec::hpcc().increase_period);
  EXPECT_NE(DcqcnSpec::nvidia().increase_period, DcqcnSpec::hpcc().increase_period);
  // Other keys of the file override the preset, wherever it is.
  const DcqcnSpec changed = dcqcn("{g: 0.5, preset: hpcc}");
  EXPECT_EQ(changed.g, 0.5);
  EXPECT_EQ(changed.increase_period, DcqcnSpec::hpcc().increase_period);
  EXPECT_TRUE(changed.enabled);
}

TEST(Transport, EveryUetKey) {
  const auto uet = specOf<transport::UetSpec>(R"(
  kind: uet
  service: rod
  mtu: 2KiB
  crc: true
  ip: 6
  data_priority: 1
  control_priority: 2
  ect: false
  trimming: false
  mp_range: 256
  max_pdcs: 100
  close_after: 3us
  linger: 4us
  target_expiry: 5us
  no_pdc_retry: 6us
  ack_trigger: 7KB
  ack_min_add: 8B
  ack_delay: 9us
  start_psn: 77
  ack_on_ecn: false
  ack_per_packet: true
  receiver_penalty: 9
  rto: 10us
  max_rto_retries: 11
  max_nack_retries: 12
  loss_gap: 13
  cc: both
  base_rtt: 14us
  fixed_window: 1.25
  nscc:
    reference_bdp: 15KB
    reference_rtt: 16us
    target_qdelay: 17us
    alpha: 18
    fair_increase: 19
    eta: 0.2
    fast_increase: 0.21
    gamma: 0.22
    max_md_jump: 0.23
    delay_gain: 0.24
    qa_gate: 5
    qa_threshold: 26
    adjust_bytes: 27
    adjust_period: 28us
    zero_qdelay: 29us
    max_window: 3.5
  rccc: {grant: 512B, pace: 90%, max_window: 2.5}
  entropy:
    policy: reps
    set_size: 64
    reps_buffer: 16
    reps_explore: 31
    reps_freezing: 32us
    bitmap_ecn_penalty: 33
    bitmap_nack_penalty: 34
    bitmap_max_penalty: 35
)");
  EXPECT_EQ(uet.service, transport::UetService::kRod);
  EXPECT_EQ(uet.mtu_payload, 2048);
  EXPECT_TRUE(uet.crc);
  EXPECT_TRUE(uet.ipv6);
  EXPECT_EQ(uet.data_priority, 1);
  EXPECT_EQ(uet.control_priority, 2);
  EXPECT_FALSE(uet.ecn);
  EXPECT_FALSE(uet.trimming);
  EXPECT_EQ(uet.mp_range, 256);
  EXPECT_EQ(uet.max_pdcs, 100u);
  EXPECT_EQ(uet.close_after, microseconds(3));
  EXPECT_EQ(uet.linger, microseconds(4));
  EXPECT_EQ(uet.target_expiry, microseconds(5));
  EXPECT_EQ(uet.no_pdc_retry, microseconds(6));
  EXPECT_EQ(uet.ack_trigger_bytes, 7'000u);
  EXPECT_EQ(uet.ack_min_add_bytes, 8u);
  EXPECT_EQ(uet.ack_delay, microseconds(9));
  EXPECT_EQ(uet.start_psn, 77u);
  EXPECT_FALSE(uet.ack_on_ecn);
  EXPECT_TRUE(uet.ack_per_packet);
  EXPECT_EQ(uet.receiver_penalty, 9);
  EXPECT_EQ(uet.rto, microseconds(10));
  EXPECT_EQ(uet.max_rto_retries, 11);
  EXPECT_EQ(uet.max_nack_retries, 12);
  EXPECT_EQ(uet.loss_gap, 13);
  EXPECT_EQ(uet.congestion_control, transport::UetCongestionControl::kNsccRccc);
  EXPECT_EQ(uet.base_rtt, microseconds(14));
  EXPECT_EQ(uet.fixed_window, 1.25);
  EXPECT_EQ(uet.nscc.reference_bdp, Bytes(15'000));
  EXPECT_EQ(uet.nscc.reference_rtt, microseconds(16));
  EXPECT_EQ(uet.nscc.target_qdelay, microseconds(17));
  EXPECT_EQ(uet.nscc.alpha, 18);
  EXPECT_EQ(uet.nscc.fair_increase, 19);
  EXPECT_EQ(uet.nscc.eta, 0.2);
  EXPECT_EQ(uet.nscc.fast_increase, 0.21);
  EXPECT_EQ(uet.nscc.gamma, 0.22);
  EXPECT_EQ(uet.nscc.max_md_jump, 0.23);
  EXPECT_EQ(uet.nscc.delay_gain, 0.24);
  EXPECT_EQ(uet.nscc.qa_gate, 5);
  EXPECT_EQ(uet.nscc.qa_threshold, 26);
  EXPECT_EQ(uet.nscc.adjust_bytes, 27);
  EXPECT_EQ(uet.nscc.adjust_period, microseconds(28));
  EXPECT_EQ(uet.nscc.zero_qdelay, microseconds(29));
  EXPECT_EQ(uet.nscc.max_window, 3.5);
  EXPECT_EQ(uet.rccc.grant, Bytes(512));
  EXPECT_EQ(uet.rccc.pace, Fraction::percent(90));
  EXPECT_EQ(uet.rccc.max_window, 2.5);
  EXPECT_EQ(uet.entropy.policy, transport::UetEntropyPolicy::kReps);
  EXPECT_EQ(uet.entropy.set_size, 64);
  EXPECT_EQ(uet.entropy.reps_buffer, 16);
  EXPECT_EQ(uet.entropy.reps_explore, 31);
  EXPECT_EQ(uet.entropy.reps_freezing, microseconds(32));
  EXPECT_EQ(uet.entropy.bitmap_ecn_penalty, 33);
  EXPECT_EQ(uet.entropy.bitmap_nack_penalty, 34);
  EXPECT_EQ(uet.entropy.bitmap_max_penalty, 35);
}

TEST(Transport, UetWords) {
  using Control = transport::UetCongestionControl;
  using Policy = transport::UetEntropyPolicy;
  using Service = transport::UetService;
  const auto uet = [](const std::string& rest) {
    return specOf<transport::UetSpec>("  {kind: uet, " + rest + "}\n");
  };
  EXPECT_EQ(uet("service: rud").service, Service::kRud);
  EXPECT_EQ(uet("service: rudi").service, Service::kRudi);
  EXPECT_EQ(uet("service: uud").service, Service::kUud);
  EXPECT_EQ(uet("cc: none").congestion_control, Control::kNone);
  EXPECT_EQ(uet("cc: nscc").congestion_control, Control::kNscc);
  EXPECT_EQ(uet("cc: rccc").congestion_control, Control::kRccc);
  EXPECT_EQ(uet("entropy: constant").entropy.policy, Policy::kConstant);
  EXPECT_EQ(uet("entropy: oblivious").entropy.policy, Policy::kOblivious);
  EXPECT_EQ(uet("entropy: random").entropy.policy, Policy::kRandom);
  EXPECT_EQ(uet("entropy: round-robin").entropy.policy, Policy::kRoundRobin);
  EXPECT_EQ(uet("entropy: bitmap").entropy.policy, Policy::kBitmap);
  EXPECT_EQ(uet("entropy: reps").entropy.policy, Policy::kReps);
  EXPECT_EQ(uet("close_after: never").close_after, fabric::kNever);
}

// Cables of 300 us: the round trip is 1.2 ms. Twice that is above 4.096 us * 2^9.
TEST(Transport, TimeoutsThatTheFileLeavesOutFitTheTopology) {
  const auto transport = [](const std::string& one) {
    const auto result = parseScenario(
        "{plumbline: 1, name: n, test: free, dut: {topology: {kind: "
        "switch, host_delay: 300us}},\ntransport: " +
            one + ", workload: {kind: pairs}}\n",
        "s", simVocabulary());
    for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
    return *result.scenario.transport;
  };
  const auto ackTimeout = [&](const std::string& one) {
    return std::get<transport::RoceSpec>(transport(one)).ack_timeout;
  };
  EXPECT_EQ(ackTimeout("{kind: roce}"), nanoseconds(std::int64_t{4096} << 10));
  EXPECT_EQ(ackTimeout("{kind: roce, ack_timeout: 1ms}"), milliseconds(1));
  EXPECT_EQ(ackTimeout("{kind: roce, max_ack_timeout: 2ms}"), milliseconds(2));
  const auto uet = std::get<transport::UetSpec>(transport("{kind: uet, base_rtt: 9us}"));
  EXPECT_EQ(uet.base_rtt, microseconds(9));
  EXPECT_EQ(uet.rto, Picoseconds(2 * (2 * std::int64_t{600'600'000} + 2 * (4198 + 78) * 80)));
  EXPECT_EQ(std::get<transport::UetSpec>(transport("{kind: uet, rto: 1ms}")).rto, milliseconds(1));
}

// Two links of 50 ns and a switch of 600 ns each way, a packet of 4198 bytes and an ACK of 78 twice
// each at 100 Gb/s.
TEST(Uet, BaseRttIsThatOfTheTopology) {
  const auto baseRtt = [](const std::string& dut, const std::string& uet, const std::string& job) {
    const auto result = parseScenario("{plumbline: 1, name: n, test: free, dut: {topology: " + dut +
                                          "},\ntransport: " + uet + ", workload: " + job + "}\n",
                                      "s", simVocabulary());
    for (const Problem& problem : result.problems) ADD_FAILURE() << problem.text("s");
    return std::get<transport::UetSpec>(*result.scenario.transport).base_rtt;
  };
  const auto oneSwitch = Picoseconds(2 * 700'000 + 2 * (4198 + 78) * 80);
  EXPECT_EQ(baseRtt("{kind: switch}", "{kind: uet}", "{kind: pairs}"), oneSwitch);
  EXPECT_EQ(baseRtt("{kind: switch}", "{kind: uet, base_rtt: 9us}", "{kind: pairs}"),
            microseconds(9));
  // Across the spines two links of 250 ns and two switches more.
  const auto acrossSpines = Picoseconds(2 * 2'400'000 + 4 * (4198 + 78) * 80);
  EXPECT_EQ(baseRtt("{kind: clos2}", "{kind: uet}", "{kind: pairs}"), acrossSpines);
  EXPECT_EQ(baseRtt("{kind: clos2}", "{kind: uet}", "{kind: pairs, ranks: 2}"), oneSwitch);
}

}  // namespace
}  // namespace plumbline::scenario
