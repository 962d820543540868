// A runner whose DUT is three formulas: it loses the load above a rate, has a latency that grows
// with the load, and absorbs bursts up to a length. The expected results of procedures are
// therefore known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/bench.h"
#include "scenario/scenario.h"
#include "suite/procedure.h"

namespace plumbline::suite {

class FakeDut final : public TrialRunner {
 public:
  // Highest rate per sending host that loses nothing.
  Fraction throughput = Fraction::one();
  // Latencies [ps] of a trial's frames in one group at `rate` of line rate.
  std::function<std::vector<std::uint64_t>(std::uint32_t group, Fraction rate)> latencies =
      [](std::uint32_t, Fraction) { return std::vector<std::uint64_t>{1'000'000}; };
  // Longest burst per sender [frames] that loses nothing.
  std::function<std::uint64_t(Bytes frame, std::size_t senders, std::uint32_t repetition)> burst =
      [](Bytes, std::size_t, std::uint32_t) { return std::uint64_t{1000}; };
  // Faults of a trial; empty = valid.
  std::function<std::vector<std::string>(const bench::TrialSpec&, std::uint32_t repetition)>
      faults = [](const bench::TrialSpec&, std::uint32_t) { return std::vector<std::string>{}; };

  // The requested trials, in order.
  std::vector<std::pair<bench::TrialSpec, std::uint32_t>> asked;

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string&) override {
    asked.emplace_back(spec, repetition);
    bench::TrialResult result;
    result.bench = "fake";
    result.faults = faults(spec, repetition);
    result.ports.resize(spec.dut.hostCount());
    std::map<std::uint32_t, std::int64_t> rates;  // by sending host
    for (const auto& stream : spec.streams) {
      if (const auto* load = std::get_if<bench::ConstantLoad>(&stream.load)) {
        rates[stream.from] += load->rate.partsPerTrillion();
      }
    }
    std::map<std::uint32_t, std::int64_t> group_rates;
    for (const auto& stream : spec.streams) {
      bench::StreamResult seen;
      seen.name = stream.name;
      if (const auto* load = std::get_if<bench::BurstLoad>(&stream.load)) {
        seen.sent_frames = load->frames;
        const std::uint64_t limit = burst(stream.frame, spec.streams.size(), repetition);
        seen.lost = load->frames > limit ? load->frames - limit : 0;
        // One queue that a frame leaves in every slot: the last one waits for all that came before.
        const auto slot =
            static_cast<std::uint64_t>(frameSlot(stream.frame, gigabitsPerSecond(100)).count());
        if (result.latency.empty()) result.latency.emplace_back();
        result.latency.front().histogram.record(1'000'000);
        result.latency.front().histogram.record(1'000'000 +
                                                std::min<std::uint64_t>(load->frames, limit) *
                                                    (spec.streams.size() - 1) * slot);
      } else {
        seen.sent_frames = 1'000'000;
        if (rates[stream.from] > throughput.partsPerTrillion()) seen.lost = 1;
        group_rates[stream.group] = rates[stream.from];
      }
      seen.received_frames = seen.sent_frames - seen.lost;
      seen.sent_bytes = seen.sent_frames * static_cast<std::uint64_t>(stream.frame.count());
      seen.received_bytes = seen.received_frames * static_cast<std::uint64_t>(stream.frame.count());
      result.ports[stream.from].tx_frames += seen.sent_frames;
      result.ports[stream.from].tx_bytes += seen.sent_bytes;
      result.ports[stream.to].rx_frames += seen.received_frames;
      result.ports[stream.to].rx_bytes += seen.received_bytes;
      result.streams.push_back(seen);
    }
    for (const auto& [group, rate] : group_rates) {
      bench::GroupLatency latency;
      latency.group = group;
      for (const std::uint64_t value : latencies(group, Fraction::partsPerTrillion(rate))) {
        latency.histogram.record(value);
      }
      result.latency.push_back(std::move(latency));
    }
    return result;
  }
};

// Four hosts on one switch, quick profile, one small message size.
inline scenario::Scenario someScenario() {
  scenario::Scenario scenario;
  scenario.topology.hosts = 4;
  scenario.profile = scenario::Profile::kQuick;
  scenario.traffic.message_sizes = {{Bytes(1024)}};
  scenario.seed = 7;
  return scenario;
}

inline bench::Capabilities someBench() {
  bench::Capabilities bench;
  bench.name = "fake";
  bench.description = "formulas";
  bench.max_ports = 8;
  bench.line_rate = gigabitsPerSecond(100);
  bench.flows_per_port = 256;
  bench.groups = 16;
  bench.max_qps = 4096;
  bench.timestamp_resolution = nanoseconds(3);
  return bench;
}

// A KPI by its name and point; none: nullptr.
inline const results::Kpi* findKpi(const results::TestResult& result, const std::string& name,
                                   const std::string& point) {
  for (const results::Kpi& candidate : result.kpis) {
    if (candidate.name == name && candidate.point == point) return &candidate;
  }
  return nullptr;
}

// The figure of a KPI; fails the calling test by an exception unless it exists exactly once.
inline const results::Quantity& kpi(const results::TestResult& result, const std::string& name,
                                    const std::string& point) {
  const results::Quantity* found = nullptr;
  std::size_t times = 0;
  for (const results::Kpi& candidate : result.kpis) {
    if (candidate.name != name || candidate.point != point) continue;
    found = &candidate.quantity;
    ++times;
  }
  if (times != 1) {
    throw std::runtime_error(name + " at " + point + ": " + std::to_string(times) + " times");
  }
  return *found;
}

// A table by its name; none: nullptr.
inline const results::Table* findTable(const results::TestResult& result, const std::string& id) {
  for (const results::Table& candidate : result.tables) {
    if (candidate.id == id) return &candidate;
  }
  return nullptr;
}

// The same for a table that must exist; fails the calling test by an exception otherwise.
inline const results::Table& table(const results::TestResult& result, const std::string& id) {
  if (const results::Table* found = findTable(result, id)) return *found;
  throw std::runtime_error("no table " + id);
}

inline const results::Quantity& quantity(const results::Cell& cell) {
  return std::get<results::Quantity>(cell);
}

inline std::string text(const results::Cell& cell) { return std::get<std::string>(cell); }

// All deviations from the methodology, one per line.
inline std::string deviations(const results::TestResult& result) {
  std::string all;
  for (const results::Deviation& one : result.deviations) all.append(one.what).append("\n");
  return all;
}

// Whether the KPI is one that the point should have, and has not.
inline bool isUnmeasured(const results::TestResult& result, const std::string& name,
                         const std::string& point) {
  return std::any_of(
      result.unmeasured.begin(), result.unmeasured.end(),
      [&](const results::UnmeasuredKpi& kpi) { return kpi.name == name && kpi.point == point; });
}

// All anomalies, one per line.
inline std::string anomalies(const results::TestResult& result) {
  std::string all;
  for (const results::Anomaly& anomaly : result.anomalies) {
    all.append(anomaly.what).append(" @ ").append(anomaly.where).append("\n");
  }
  return all;
}

// Properties of every result, for any test: tables are rectangular, numbers can be stored, and it
// survives its JSON.
void checkWellFormed(const results::TestResult& result);

// The result of `test` for `dut` on someBench(), which is checked to be well formed.
results::TestResult runTest(const Procedure& test, const scenario::Scenario& scenario,
                            FakeDut& dut);
// Its plan there for an unknown DUT.
Plan planForUnknownDut(const Procedure& test, const scenario::Scenario& scenario);

}  // namespace plumbline::suite
