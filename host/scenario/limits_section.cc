#include <algorithm>

#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

// What a bound may be, by the unit of the KPI.
struct Range {
  double min;
  double max;
  std::string text;
};

// The KPIs that a limit can be set on, see results::Kpi, and the tests that measure them.
struct KnownKpi {
  std::string name;
  LimitSense sense;
  Range range;
  std::vector<std::string> tests;
};

using Tests = std::vector<std::string>;

Range nanoseconds() { return {0, 1e12, "0 to 1000000000000 (ns)"}; }
Range anyMicroseconds() { return {0, 1e12, "0 to 1000000000000 (us)"}; }
Range milliseconds() { return {0, 1e12, "0 to 1000000000000 (ms)"}; }
Range gigabytesPerSecond() { return {0, 1e6, "0 to 1000000 (GB/s)"}; }
Range gigabitsPerSecond() { return {0, 1e6, "0 to 1000000 (Gb/s)"}; }
Range share() { return {0, 100, "0 to 100 (%, no sign)"}; }
Range excess() { return {0, 1e6, "0 to 1000000 (%, no sign)"}; }
Range partsPerMillion() { return {0, 1e6, "0 to 1000000 (ppm)"}; }
Range perSecond() { return {0, 1e12, "0 to 1000000000000 (1/s)"}; }
Range bytes() { return {0, 1e15, "0 to 1000000000000000 (bytes)"}; }
Range count() { return {0, 1e15, "0 to 1000000000000000"}; }
Range fairness() { return {0, 1, "0 to 1"}; }
Range frames() { return {1, 16'777'216, "1 to 16777216 (frames)"}; }
Range ratio() { return {0, 1e6, "0 to 1000000"}; }

// `more` in addition to `tests`.
Tests with(Tests tests, const Tests& more) {
  tests.insert(tests.end(), more.begin(), more.end());
  std::sort(tests.begin(), tests.end());
  return tests;
}

// Tests of how a fabric spreads the card's frames.
Tests spreading() { return {"rocev2-qps", "uet-entropy"}; }

void addCardKpis(std::vector<KnownKpi>& kpis) {
  const std::string kv = "kv-transfer";
  const std::vector<std::string> both{"mean", "p50", "p99", "max"};  // `free` has fewer
  for (const char* what : {"min", "mean", "p50", "p95", "p99", "p999", "max"}) {
    Tests tests{"T5.2"};
    if (std::find(both.begin(), both.end(), what) != both.end()) tests.emplace_back(kFreeTest);
    if (std::string_view(what) == "max") tests.insert(tests.end(), {"incast-phase", "pfc-storm"});
    kpis.push_back({std::string("latency_") + what + "_ns", LimitSense::kAtMost, nanoseconds(),
                    std::move(tests)});
  }
  kpis.push_back({"loss_ppm", LimitSense::kAtMost, partsPerMillion(), {"T5.2"}});
  kpis.push_back({"throughput_percent", LimitSense::kAtLeast, share(), {"T5.1"}});
  kpis.push_back({"burst_frames", LimitSense::kAtLeast, frames(), {"T5.3"}});
  kpis.push_back({"burst_unpaused_frames", LimitSense::kAtLeast, frames(), {"T5.3"}});
  // Of `bench: compare`.
  kpis.push_back(
      {"discrepancy_percent", LimitSense::kAtMost, excess(), {"T5.1", "T5.2", "T5.3", "T7.1", kv}});
  for (const char* what : {"min", "mean", "p50", "p95", "p99", "p999", "max"}) {
    kpis.push_back(
        {std::string("transfer_") + what + "_us", LimitSense::kAtMost, anyMicroseconds(), {kv}});
  }
  kpis.push_back({"transfer_p99_less_p50_us", LimitSense::kAtMost, anyMicroseconds(), {kv}});
  kpis.push_back({"kv_gigabytes_per_s", LimitSense::kAtLeast, gigabytesPerSecond(), {kv}});
  kpis.push_back({"arrived_percent", LimitSense::kAtLeast, share(), {kv}});
  // Of NICs that count them: bench/nic_figures.h.
  for (const char* name :
       {"nic_retransmissions", "nic_cnps_sent", "nic_cnps_handled", "nic_out_of_sequence"}) {
    kpis.push_back({name, LimitSense::kAtMost, count(), {"T5.1", "T5.2", kv}});
  }
  // Of the card's own tests.
  const auto atMost = [&kpis](const char* name, Range range, Tests tests) {
    kpis.push_back({name, LimitSense::kAtMost, std::move(range), std::move(tests)});
  };
  atMost("unexplained_errors", count(), {"bit-errors"});
  atMost("error_ratio_sigma", ratio(), {"bit-errors"});
  atMost("pause_error_ns", nanoseconds(), {"pfc-storm"});
  atMost("phase_error_ns", nanoseconds(), {"incast-phase"});
  atMost("phase_spread_ns", nanoseconds(), {"incast-phase"});
  atMost("llr_retry_p99_ns", nanoseconds(), {"llr-retry"});
  atMost("llr_retry_error_ns", nanoseconds(), {"llr-retry"});
  const Tests hops{"T6.5a", "llr-hops"};
  for (const char* name :
       {"hop_retry_mean_ns", "hop_retry_p99_ns", "hop_retry_max_ns", "hop_retry_error_ns"}) {
    atMost(name, nanoseconds(), hops);
  }
  atMost("hop_retries_sigma", ratio(), hops);
  atMost("hop_repeated_percent", share(), hops);
  atMost("reordered_frames", count(), with(spreading(), {"llr-hops"}));
  atMost("share_error_percent", share(), spreading());
}

// Of the tests on simulated hosts.
void addHostKpis(std::vector<KnownKpi>& kpis) {
  const Tests collectives{"T6.6", "T9.1", "T9.2", "T9.3", "T9.4", "T11.1"};
  const Tests permutations{"T6.3", "T8.1", "T8.2", "T8.3", "T8.4"};
  const Tests incasts{"T6.4", "T6.5c", "T7.2"};
  const Tests failures{"T11.2", "T11.3"};
  const Tests soak{"T12.1"};
  const Tests leak{"T12.2"};
  const std::string free(kFreeTest);
  const auto atMost = [&kpis](const char* name, Range range, Tests tests) {
    kpis.push_back({name, LimitSense::kAtMost, std::move(range), std::move(tests)});
  };
  const auto atLeast = [&kpis](const char* name, Range range, Tests tests) {
    kpis.push_back({name, LimitSense::kAtLeast, std::move(range), std::move(tests)});
  };

  // How fast.
  atLeast("busbw_gbps", gigabitsPerSecond(), with(with(collectives, soak), {free}));
  atLeast("algbw_gbps", gigabitsPerSecond(), {free});
  atLeast("goodput_per_rank_gbps", gigabitsPerSecond(), {free});
  for (const char* name : {"busbw_p50_gbps", "busbw_p95_gbps", "busbw_p99_gbps"}) {
    atLeast(name, gigabitsPerSecond(), collectives);
  }
  atLeast("efficiency_percent", share(), collectives);
  atLeast("allgather_vs_allreduce", ratio(), {"T9.3"});
  atLeast("goodput_percent", share(), with(with(permutations, incasts), {"T6.7", "T7.3"}));
  atLeast("connections_per_s", perSecond(), {"T6.7"});
  atLeast("progress_per_s", perSecond(), {"T10.2"});
  atLeast("goodput_gbps", gigabitsPerSecond(), with(soak, {"T6.5b", "T9.4"}));
  atLeast("payload_gbps", gigabitsPerSecond(), {"T6.1"});
  atLeast("throughput_percent_of_line", share(), {"T6.1"});
  // How long.
  for (const char* what : {"min", "mean", "p50", "p95", "p99", "p999", "max"}) {
    kpis.push_back(
        {std::string("round_trip_") + what + "_ns", LimitSense::kAtMost, nanoseconds(), {"T5.2"}});
    kpis.push_back(
        {std::string("one_way_") + what + "_ns", LimitSense::kAtMost, nanoseconds(), {"T6.2"}});
    kpis.push_back(
        {std::string("message_") + what + "_ns", LimitSense::kAtMost, nanoseconds(), {"T6.2"}});
  }
  atMost("iteration_us", anyMicroseconds(), with(soak, {"T9.2"}));
  atMost("time_vs_ecmp", ratio(), {"T9.2"});
  atMost("completion_us", anyMicroseconds(), {"T6.5b"});
  atMost("job_time_us", anyMicroseconds(), {free});
  for (const char* name : {"message_time_p50_us", "message_time_p99_us", "message_time_max_us"}) {
    atMost(name, anyMicroseconds(), {free});
  }
  atMost("first_message_p50_us", anyMicroseconds(), {"T6.7"});
  atMost("first_message_p99_us", anyMicroseconds(), {"T6.7"});
  atMost("message_p99_us", anyMicroseconds(), with(soak, permutations));
  atMost("message_p50_us", anyMicroseconds(), {"T6.5a"});
  atMost("message_max_us", anyMicroseconds(), {"T6.5a"});
  atMost("llr_retry_mean_ns", nanoseconds(), {"T6.5a"});
  atMost("llr_retry_max_ns", nanoseconds(), {"T6.5a", "llr-retry"});
  atMost("iteration_p50_ms", milliseconds(), {"T10.2"});
  atMost("iteration_p99_ms", milliseconds(), {"T10.2"});
  atMost("jct_ms", milliseconds(), {"T10.1", "T10.2"});
  atMost("jct_us", anyMicroseconds(), failures);
  atMost("jct_ratio", ratio(), with(soak, {"T10.1", "T10.2", "T11.1"}));
  atMost("jct_ratio_std", ratio(), soak);
  atLeast("overlap_fraction", fairness(), {"T10.1"});
  atMost("comm_overhead_percent", excess(), {"T10.1"});
  atMost("interference_a", ratio(), {"T10.3"});
  atMost("interference_b", ratio(), {"T10.3"});
  atMost("victim_us", anyMicroseconds(), {"T6.5c", "T7.2"});
  atMost("hol_blocking_us", anyMicroseconds(), {"T6.5c"});
  atMost("convergence_us", anyMicroseconds(), {"T6.4", "T7.3"});
  // What a failure costs.
  atMost("packets_lost", count(), failures);
  atMost("loss_duration_us", anyMicroseconds(), failures);
  atMost("redistribution_us", anyMicroseconds(), failures);
  atMost("jct_overhead_percent", excess(), failures);
  atMost("failure_iteration_vs_p99", ratio(), failures);
  atMost("deadlock", fairness(), {"T7.4"});
  atMost("zero_throughput_us", anyMicroseconds(), {"T7.4"});
  atMost("recovery_us", anyMicroseconds(), {"T7.4"});
  atMost("watchdog_drops", count(), {"T7.4"});
  // Balance.
  const Tests balanced = with(collectives, permutations);
  const Tests balanced_or_soak = with(balanced, soak);
  const Tests spread = with(balanced_or_soak, spreading());
  atLeast("link_jfi", fairness(), with(spread, {free}));
  atMost("link_mmr", ratio(), with(spread, {free}));
  atMost("link_flow_mmr", ratio(), permutations);
  atMost("busiest_link_percent", share(), balanced);
  atLeast("flow_jfi", fairness(), {"T7.3", free});
  // Loss, order and congestion.
  atMost("drop_ppm", partsPerMillion(), with(with(collectives, incasts), {"T6.1", "T12.1"}));
  atMost("retransmission_percent", excess(), with(collectives, {"T6.1", "T6.4", "T6.5b", free}));
  atMost("retransmissions_per_s", perSecond(), with(permutations, {"T9.4", "T12.1"}));
  atMost("out_of_order_per_s", perSecond(), with(permutations, {"T9.4", "T12.1"}));
  atMost("discarded_packets", count(), permutations);
  atMost("resent_bytes", bytes(), {"T6.5b"});
  atMost("dropped_packets", count(), {"T6.5b", free});
  atMost("timeouts", count(), {"T6.5b"});
  atMost("failed_messages", count(), {"T6.4", free});
  atMost("ecn_percent", share(), with(balanced_or_soak, {"T6.1", "T7.3", free}));
  atMost("pfc_per_s", perSecond(),
         with(balanced_or_soak, {"T6.1", "T6.4", "T7.2", "T7.3", "T7.4"}));
  atMost("pauses", count(), {free});
  atMost("paused_us", anyMicroseconds(), with(soak, {"T6.5c", free}));
  atMost("paused_hosts_us", anyMicroseconds(), {"T7.2"});
  atMost("paused_fabric_us", anyMicroseconds(), {"T7.2"});
  atMost("watchdog_events", count(), {"T7.2", "T7.4"});
  atMost("lost_frames", count(),
         with({"T6.5a", "incast-phase", "llr-hops", "llr-retry", "pfc-storm"}, spreading()));
  atMost("retransmitted_packets", count(), {"T6.5a"});
  atMost("queue_max_bytes", bytes(), with(incasts, {"T7.3", "T12.1", "incast-phase", free}));
  // Over a day.
  atMost("frames_left", count(), soak);
  atMost("soak_anomalies", count(), soak);
  atMost("significant_drifts", count(), leak);
  for (const char* name :
       {"jct_ratio_per_h", "iteration_us_per_h", "message_p99_us_per_h", "ecn_percent_per_h",
        "pfc_per_s_per_h", "paused_us_per_h", "drop_ppm_per_h", "retransmissions_per_s_per_h",
        "out_of_order_per_s_per_h", "queue_max_bytes_per_h", "frames_left_per_h",
        "link_mmr_per_h"}) {
    atMost(name, {0, 1e15, "0 to 1000000000000000 (per hour)"}, leak);
  }
}

const std::vector<KnownKpi>& knownKpis() {
  static const std::vector<KnownKpi> known = [] {
    std::vector<KnownKpi> kpis;
    addCardKpis(kpis);
    addHostKpis(kpis);
    return kpis;
  }();
  return known;
}

bool measured(const KnownKpi& kpi, const std::vector<std::string>& tests) {
  return tests.empty() ||
         std::any_of(kpi.tests.begin(), kpi.tests.end(), [&](const std::string& test) {
           return std::find(tests.begin(), tests.end(), test) != tests.end();
         });
}

}  // namespace

void readLimits(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "limits", problems);
  if (!map) return;
  for (const KnownKpi& kpi : knownKpis()) {
    const YamlNode* value = map->optional(kpi.name);
    if (value == nullptr) continue;
    const Range& range = kpi.range;
    const auto bound = readDecimal(*value, range.min, range.max, range.text, problems);
    if (!bound) continue;
    if (!measured(kpi, scenario.tests)) {
      problems.add(*value, "no test of this scenario measures " + kpi.name,
                   kpi.name + " is measured by " + joined(kpi.tests));
      continue;
    }
    scenario.limits.push_back({kpi.name, kpi.sense, *bound});
  }
  map->finish();
}

}  // namespace plumbline::scenario
