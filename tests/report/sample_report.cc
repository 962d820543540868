#include "tests/report/sample_report.h"

#include <cmath>

#include "base/random.h"

namespace plumbline::report::testing {
namespace {

using results::Cell;
using results::Chart;
using results::ChartKind;
using results::Quantity;
using results::Table;
using results::TestResult;

constexpr auto kTester = ObservationPoint::kTester;
constexpr auto kModelled = ObservationPoint::kModelled;

Quantity measured(double value, const std::string& unit, double cv, std::uint32_t repetitions) {
  const double half = value * cv * 2.1 / std::sqrt(repetitions);
  return {value, unit, kTester, repetitions, cv, value - half, value + half};
}

TestResult throughput() {
  TestResult test;
  test.id = "T5.1";
  test.title = "Baseline throughput";
  test.section = "Training draft, section 5.1 (RFC 2544, section 26.1)";
  test.profile = "quick";
  test.summary =
      "Zero-loss throughput is 100 % of line rate from 256 B on; 64 B frames reach 99.61 % with "
      "one "
      "queue pair.";
  test.configuration = {{"Frame sizes", "64, 256, 1024, 4096, 9216 B"},
                        {"Queue pairs", "1 and 16"},
                        {"Trial", "1 ms per rate, search to 0.1 % of line rate"},
                        {"Transport", "RoCEv2 WRITE Only, IPv4, DSCP 26, ECT(0)"}};
  test.primary = {measured(99.61, "%", 0.0004, 5), measured(195.4, "Gb/s", 0.0006, 5)};
  test.primary_names = {"Lowest zero-loss throughput (64 B)", "Aggregate throughput (4096 B)"};
  const double sizes[] = {64, 256, 1024, 4096, 9216};
  const double one_qp[] = {99.61, 100, 100, 100, 100};
  const double many_qp[] = {97.27, 99.22, 100, 100, 100};
  Table table{
      "throughput",
      "Zero-loss throughput per frame size",
      "Share of line rate including preamble and gap; aggregate over both directions at L2.",
      {"Frame size", "1 QP", "16 QPs", "Aggregate", "Theoretical frames per second", "Peak queue"},
      {}};
  Chart chart{"throughput",
              "Zero-loss throughput over frame size",
              ChartKind::kLine,
              "frame size [B]",
              "share of line rate [%]",
              true,
              false,
              {{"1 QP", {}, {}, false}, {"16 QPs", {}, {}, false}, {"line rate", {}, {}, true}}};
  for (std::size_t i = 0; i < 5; ++i) {
    const double size = sizes[i];
    table.rows.push_back(
        {Cell(std::to_string(static_cast<int>(size)) + " B"),
         Cell(measured(one_qp[i], "%", 0.0004, 5)), Cell(measured(many_qp[i], "%", 0.0011, 5)),
         Cell(measured(2 * one_qp[i] * size / (size + 20), "Gb/s", 0.0006, 5)),
         Cell(Quantity{std::floor(100e9 / ((size + 20) * 8)), "", kModelled, 1, {}, {}, {}}),
         Cell(Quantity{size * 3, "B", kModelled, 5, {}, {}, {}})});
    for (std::size_t s = 0; s < 3; ++s) chart.series[s].x.push_back(size);
    chart.series[0].y.push_back(one_qp[i]);
    chart.series[1].y.push_back(many_qp[i]);
    chart.series[2].y.push_back(100);
    test.kpis.push_back({"throughput_percent", std::to_string(static_cast<int>(size)) + " B, 1 QP",
                         measured(one_qp[i], "%", 0.0004, 5)});
  }
  test.tables = {table};
  test.charts = {chart};
  test.deviations = {{"Profile “quick”: trials of 1 ms instead of 60 s.", "all points"},
                     {"Profile “quick”: 5 repetitions instead of 20.", "all points"}};
  test.repeatability = {"repeatability",
                        "Repeatability",
                        "CV = standard deviation / mean over the repetitions of a point.",
                        {"Point", "Repetitions", "CV"},
                        {{Cell("64 B, 1 QP"), Cell(Quantity{5, "", kTester, 1, {}, {}, {}}),
                          Cell(Quantity{0.04, "%", kTester, 5, {}, {}, {}})},
                         {Cell("64 B, 16 QPs"), Cell(Quantity{5, "", kTester, 1, {}, {}, {}}),
                          Cell(Quantity{0.11, "%", kTester, 5, {}, {}, {}})}}};
  return test;
}

TestResult latency() {
  TestResult test;
  test.id = "T5.2";
  test.title = "Latency";
  test.section = "Training draft, section 5.2";
  test.profile = "quick";
  test.summary =
      "One-way latency of 1024 B frames is 2.45 µs unloaded and 3.9 µs (P99) at 90 % load, first "
      "bit to first bit.";
  test.configuration = {{"Path", "host 0 → leaf 0 → spine → leaf 1 → host 2"},
                        {"Loads", "zero load, 50 % and 90 %"},
                        {"Timestamp resolution", "3.1 ns"}};
  test.primary = {measured(2.4457, "µs", 0.0012, 20), measured(3.9127, "µs", 0.0713, 20)};
  test.primary_names = {"P50, 1024 B, zero load", "P99, 1024 B, 90 % load"};
  struct Point {
    const char* title;
    std::uint64_t floor;
    std::uint64_t tail;
    std::uint64_t frames;
  };
  const Point points[] = {{"64 B, zero load", 2'415'360, 0, 20},
                          {"1024 B, zero load", 2'645'760, 1'550, 2'000},
                          {"64 B, 50 % load", 2'415'360, 40'000, 200'000},
                          {"1024 B, 50 % load", 2'645'760, 90'000, 200'000},
                          {"1024 B, 90 % load", 2'645'760, 240'000, 200'000},
                          {"4096 B, 90 % load", 3'383'040, 610'000, 100'000}};
  Chart factor{"increase",
               "P99 latency over load",
               ChartKind::kLine,
               "load [%]",
               "P99 latency [ns]",
               false,
               false,
               {{"64 B", {0, 25, 50, 75, 90}, {2415, 2480, 2633, 2890, 3470}, false},
                {"1024 B", {0, 25, 50, 75, 90}, {2652, 2801, 3060, 3412, 3913}, false},
                {"4096 B", {0, 25, 50, 75, 90}, {3383, 3720, 4190, 5230, 6480}, false}}};
  for (const Point& one : points) {
    test.distributions.push_back(sampleDistribution(one.title, one.floor, one.tail, one.frames));
    const double p99 =
        static_cast<double>(test.distributions.back().histogram.quantile(0.99)) / 1e3;
    test.kpis.push_back({"latency_p99_ns", one.title, measured(p99, "ns", 0.004, 20)});
  }
  test.charts = {factor};
  test.anomalies = {{"CV of P99 is 7.1 %, above 5 %.", "1024 B, 90 % load"}};
  return test;
}

TestResult burst() {
  TestResult test;
  test.id = "T5.3";
  test.title = "Back-to-back burst";
  test.section = "Training draft, section 5.3 (RFC 9004)";
  test.profile = "quick";
  test.summary = "The buffer of a port absorbs 1,953 frames of 1024 B at 2:1 incast.";
  test.configuration = {{"Incast ratios", "2, 4, 8, 16, 32 to 1"}};
  test.primary = {{1953, "frames", kTester, 50, 0.0, 1953.0, 1953.0}};
  test.primary_names = {"Burst absorbed, 1024 B, 2:1"};
  const std::vector<double> ratios = {2, 4, 8, 16, 32};
  test.charts = {{"capacity",
                  "Burst absorbed over incast ratio",
                  ChartKind::kBar,
                  "incast ratio (N:1)",
                  "frames per sender",
                  false,
                  true,
                  {{"256 B", ratios, {7811, 2604, 1116, 521, 252}, false},
                   {"1024 B", ratios, {1953, 651, 279, 130, 63}, false},
                   {"buffer / (N − 1), 1024 B", ratios, {976, 325, 139, 65, 31}, true}}},
                 {"bytes",
                  "Bytes absorbed over incast ratio",
                  ChartKind::kStep,
                  "incast ratio (N:1)",
                  "absorbed [B]",
                  false,
                  false,
                  {{"1024 B", ratios, {1999872, 1333248, 1142784, 1064960, 1032192}, false},
                   {"buffer", {2, 32}, {1e6, 1e6}, true}}}};
  Table table{"burst", "Burst absorption", "", {"Incast ratio", "256 B", "1024 B"}, {}};
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    table.rows.push_back({Cell(std::to_string(static_cast<int>(ratios[i])) + ":1"),
                          Cell(measured(test.charts[0].series[0].y[i], "frames", 0, 50)),
                          Cell(measured(test.charts[0].series[1].y[i], "frames", 0, 50))});
  }
  test.tables = {table};
  test.valid = false;
  test.anomalies = {{"Trial 17 started late by 12 ns.", "1024 B, 16:1"}};
  return test;
}

}  // namespace

results::Distribution sampleDistribution(const std::string& title, std::uint64_t floor,
                                         std::uint64_t tail, std::uint64_t frames) {
  results::Distribution distribution;
  distribution.id = title;
  distribution.title = title;
  RandomStream random(1, title);
  for (std::uint64_t i = 0; i < frames; ++i) {
    const double uniform = (static_cast<double>(random.next() >> 11) + 0.5) * 0x1.0p-53;
    double late = -std::log(uniform) * static_cast<double>(tail);
    if (random.below(1000) == 0) late *= 10;
    distribution.histogram.record(floor + static_cast<std::uint64_t>(late));
  }
  return distribution;
}

ReportInput sampleReport() {
  ReportInput input;
  input.warnings = {"Line 12: headroom 100 KB is below the 141 KB that s3-s4 needs"};
  input.title = "Acceptance of a leaf–spine fabric";
  input.run_id = "42";
  input.started = "2026-02-26T14:03:59Z";
  input.finished = "2026-02-26T14:05:12Z";
  input.scenario =
      "# Acceptance test\nplumbline: 1\ntest: [T5.1, T5.2, T5.3]\nbench: rtl\nprofile: quick\n"
      "dut:\n  topology: {kind: clos2, leaves: 8, spines: 16, hosts_per_leaf: 16}\nseed: 7\n";
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kClos2;
  topology.leaves = 8;
  topology.spines = 16;
  topology.hosts_per_leaf = 16;
  input.topology = topology;
  input.dut = {{"Link rate", "100 Gb/s"},
               {"Host link delay", "50 ns"},
               {"Fabric link delay", "250 ns"},
               {"Forwarding", "store-and-forward, 600 ns"},
               {"Buffer", "1,000,000 B per output port"},
               {"Load balancing", "ECMP over the 5-tuple, seed 7"}};
  input.tester = {{"Bench", "rtl: the Verilated card with the real driver"},
                  {"Card version", "0.1.0"},
                  {"Ports", "2 × 100 Gb/s"},
                  {"Flows per port", "256"},
                  {"Timestamps", "1 ps count, captured at 3.1 ns"}};
  input.host = {{"Plumbline", "0.1.0"}, {"Verilator", "5.006"}, {"System", "Linux 6.1 x86_64"}};
  input.tests = {throughput(), latency(), burst()};
  return input;
}

}  // namespace plumbline::report::testing
