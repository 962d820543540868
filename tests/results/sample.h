// A test result that uses every member, for the tests of this library.
#pragma once

#include <cstdint>

#include "results/test_result.h"

namespace plumbline::results {

inline TestResult sampleResult() {
  TestResult r;
  r.id = "T5.2";
  r.title = "Latency";
  r.section = "training draft, section 5.2";
  r.profile = "quick";
  r.summary = "P99 is 1.2 µs at 50 % load, \"quoted\", with\na line break.";
  r.configuration = {{"Topology", "clos2"}, {"Link", "100 Gb/s"}, {"Zulu first", "alpha last"}};
  r.primary = {{1234.5, "ns", ObservationPoint::kTester, 20, 0.01, 1200.25, 1268.75}};
  r.primary_names = {"P99 one-way latency"};
  r.kpis = {
      {"latency_p99_ns",
       "1024 B, 50 % load",
       {0.1, "ns", ObservationPoint::kTester, 3, {}, {}, {}}},
      {"loss_ppm", "1024 B, 50 % load", {0, "ppm", ObservationPoint::kModelled, 1, 0.0, {}, {}}}};
  r.tables = {{"latency",
               "Latency",
               "first bit to first bit",
               {"size", "P99, loaded"},
               {{Cell("64 B"), Cell(Quantity{600.0, "ns", {}, 2, {}, {}, {}})},
                {Cell("1,024 B"),
                 Cell(Quantity{1.0 / 3.0, "ns", ObservationPoint::kDutReported, 1, {}, {}, {}})}}}};
  r.charts = {{"cdf",
               "CDF",
               ChartKind::kStep,
               "latency [ns]",
               "share",
               true,
               false,
               {{"64 B", {1, 2, 3.5}, {0.1, 0.5, 1}, false}, {"theory", {1e-300}, {1e300}, true}}}};
  stats::Histogram histogram;
  histogram.record(0);
  histogram.record(700'000, 12);
  histogram.record(900'123, std::uint64_t{1} << 40);  // the sum needs more than 53 bits
  r.charts.push_back({"jfi",
                      "Fairness",
                      ChartKind::kBar,
                      "",
                      "JFI",
                      false,
                      false,
                      {{"all", {0, 1}, {0.5, 1}, false}},
                      {"ECMP", "packet spray"}});
  r.heat_maps = {{"links",
                  "Links",
                  "both directions",
                  "from",
                  "to",
                  "utilisation [%]",
                  {"leaf0", "leaf1"},
                  {"spine0"},
                  {{12.5}, {std::nullopt}},
                  100.0}};
  r.timelines = {{"pauses",
                  "Pauses",
                  "",
                  "time [us]",
                  20,
                  {{"leaf0-host1, priority 3", {{1, 2.5}, {7, 20}}}}}};
  r.failed_elements = {"leaf0-spine0", "spine1"};
  r.distributions = {{"d1", "1024 B", "ps", ObservationPoint::kTester, histogram},
                     {"d2", "nothing seen", "ps", ObservationPoint::kModelled, {}}};
  r.deviations = {{"repetitions: 2 instead of 3", ""},
                  {"latency: not observed", "bench"},
                  missingFromSweep("Senders", {"4", "8"})};
  r.unmeasured = {{"job_time_us", "cut off"}};
  r.anomalies = {{"CV above 5 %", "latency, 64 B"}};
  r.repeatability = {"repeatability", "Repeatability", "", {"point", "CV"}, {}};
  r.valid = false;
  return r;
}

}  // namespace plumbline::results
