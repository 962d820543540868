#include "suite/framework/bench_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "results/compare.h"
#include "results/welch.h"
#include "suite/framework/profile.h"

namespace plumbline::suite {
namespace {

using results::Quantity;
using results::TestResult;

// Passes trials on and records them.
class RecordingRunner final : public TrialRunner {
 public:
  RecordingRunner(TrialRunner& runner, BenchResult& record) : runner_(runner), record_(record) {}

  bench::TrialResult run(const bench::TrialSpec& spec, std::uint32_t repetition,
                         const std::string& label) override {
    record_.trials[label].insert(spec.toJson());
    return runner_.run(spec, repetition, label);
  }
  std::string dutReport(const std::string& key, std::optional<Picoseconds> time) override {
    return runner_.dutReport(key, time);
  }

 private:
  TrialRunner& runner_;
  BenchResult& record_;
};

double differencePercent(double first, double second) {
  if (first == second) return 0;
  return 100 * std::abs(second - first) / std::abs(first == 0 ? second : first);
}

bool sameLoad(const BenchResult& first, const BenchResult& second, const std::string& point) {
  const auto a = first.trials.find(point);
  const auto b = second.trials.find(point);
  return a == first.trials.end() || b == second.trials.end() || a->second == b->second;
}

// The smallest difference that the benches can resolve, and its cause; nothing for a continuous
// figure.
std::optional<std::pair<double, const char*>> grain(const BenchResult& first,
                                                    const BenchResult& second,
                                                    const Discrepancy& figure) {
  if (figure.first.unit == "ns") {
    return {{std::max(first.timestamp_resolution, second.timestamp_resolution).toNanoseconds(),
             "the resolution of the timestamps"}};
  }
  if (figure.first.unit == "frames") return {{1, "one frame"}};
  if (figure.kpi == "throughput_percent") {
    return {
        {std::max(first.rate_step_percent, second.rate_step_percent), "one step of the search"}};
  }
  return std::nullopt;
}

bool isEndpointSoftware(const Quantity& figure) {
  return figure.observed == ObservationPoint::kEndpointSoftware;
}

// Of a figure that endpoint software saw on one bench and the wire's ends on the other.
std::string endpointCause(const BenchResult& first, const BenchResult& second,
                          const Discrepancy& figure) {
  const bool first_is_software = isEndpointSoftware(figure.first);
  const std::string& software = first_is_software ? first.bench : second.bench;
  const std::string& wire = first_is_software ? second.bench : first.bench;
  if (figure.first.unit == "ns" || figure.first.unit == "us") {
    return fmt::format(
        "endpoint software against the wire: {} counts from a message's post to its completion, "
        "the software of both ends and the way back included (\"Non-fabric overhead\" in the "
        "configuration), {} at the ends of the wire",
        software, wire);
  }
  return fmt::format(
      "endpoint software against the wire: on {} every message costs the processors of both ends "
      "time, on {} only the wire limits",
      software, wire);
}

std::string causeOf(const BenchResult& first, const BenchResult& second,
                    const Discrepancy& figure) {
  if (isEndpointSoftware(figure.first) != isEndpointSoftware(figure.second)) {
    return endpointCause(first, second, figure);
  }
  if (!sameLoad(first, second, figure.point)) {
    return "each bench was offered the load that its own search found, and the two loads differ";
  }
  const double difference = std::abs(figure.second.value - figure.first.value);
  if (const auto min = grain(first, second, figure); min && difference <= min->first) {
    return fmt::format("no more than {} ({:.4g} {})", min->second, min->first, figure.first.unit);
  }
  const auto welch = results::welchTest(figure.first, figure.second);
  if (welch && welch->p >= results::kSignificanceLevel) {
    return fmt::format("the repetitions scatter as much (p = {:.2g})", welch->p);
  }
  return "neither resolution nor scatter explains it. Frames leave the card at edges of its clock "
         "and simulated hosts at exact times, so that frames may reach a switch in another order";
}

const results::Kpi* find(const TestResult& result, const results::Kpi& wanted) {
  const auto found =
      std::find_if(result.kpis.begin(), result.kpis.end(), [&](const results::Kpi& kpi) {
        return kpi.name == wanted.name && kpi.point == wanted.point;
      });
  return found == result.kpis.end() ? nullptr : &*found;
}

std::string changeText(const Discrepancy& figure) {
  if (figure.percent == 0) return "same";
  if (figure.first.value == 0) return "from zero";
  return fmt::format("{:+.3g} %",
                     100 * (figure.second.value - figure.first.value) / figure.first.value);
}

// Made of a figure of each bench, and so only as good as the lesser one.
Quantity percentQuantity(const Discrepancy& figure) {
  Quantity quantity;
  quantity.value = figure.percent;
  quantity.unit = "%";
  quantity.observed = std::max(figure.first.observed, figure.second.observed);
  return quantity;
}

// Adds one bench's own items to the comparison, with the bench's name.
class Side {
 public:
  Side(TestResult& into, const BenchResult& from) : into_(into), from_(from) {}

  [[nodiscard]] std::string before(const std::string& text) const {
    return text.empty() ? from_.bench : from_.bench + ": " + text;
  }
  [[nodiscard]] std::string behind(const std::string& text) const {
    return fmt::format("{} ({})", text, from_.bench);
  }
  [[nodiscard]] std::string id(const std::string& text) const { return text + "_" + from_.bench; }

  void addAll() {
    const TestResult& own = from_.result;
    for (const results::Kpi& kpi : own.kpis) {
      into_.kpis.push_back({kpi.name, before(kpi.point), kpi.quantity});
    }
    for (results::Table table : own.tables) addTo(into_.tables, std::move(table));
    for (results::HeatMap map : own.heat_maps) addTo(into_.heat_maps, std::move(map));
    for (results::Timeline lines : own.timelines) addTo(into_.timelines, std::move(lines));
    for (const results::Chart& chart : own.charts) addChart(chart);
    for (auto row : own.repeatability.rows) {
      if (!row.empty() && std::holds_alternative<std::string>(row[0])) {
        row[0] = before(std::get<std::string>(row[0]));
      }
      into_.repeatability.rows.push_back(std::move(row));
    }
    into_.valid = into_.valid && own.valid;
  }

 private:
  template <typename Part>
  void addTo(std::vector<Part>& parts, Part part) const {
    part.id = id(part.id);
    part.title = behind(part.title);
    parts.push_back(std::move(part));
  }

  // Charts of the same name become one; reference lines are in it once.
  void addChart(const results::Chart& chart) {
    auto shared = std::find_if(into_.charts.begin(), into_.charts.end(),
                               [&](const results::Chart& other) { return other.id == chart.id; });
    if (shared == into_.charts.end()) {
      into_.charts.push_back(chart);
      shared = into_.charts.end() - 1;
      shared->series.clear();
    }
    for (results::Series series : chart.series) {
      if (!series.reference) {
        series.name = behind(series.name);
      } else if (std::any_of(shared->series.begin(), shared->series.end(),
                             [&](const results::Series& s) { return s.name == series.name; })) {
        continue;
      }
      shared->series.push_back(std::move(series));
    }
  }

  TestResult& into_;
  const BenchResult& from_;
};

// Lines that both have alike once, others with the bench's name.
void addConfiguration(const BenchResult& first, const BenchResult& second, TestResult& into) {
  const auto add = [&](const BenchResult& from, const BenchResult& other, bool shared_too) {
    for (const auto& line : from.result.configuration) {
      const auto& lines = other.result.configuration;
      const bool shared = std::find(lines.begin(), lines.end(), line) != lines.end();
      if (shared && shared_too) into.configuration.push_back(line);
      if (!shared) {
        into.configuration.emplace_back(fmt::format("{} ({})", line.first, from.bench),
                                        line.second);
      }
    }
  };
  add(first, second, true);
  add(second, first, false);
}

// Deviations or anomalies: those that both benches have once, others with the bench's name.
template <typename Remark>
void addRemarks(const BenchResult& first, const BenchResult& second,
                std::vector<Remark> TestResult::*remarks, TestResult& into) {
  const auto has = [remarks](const BenchResult& bench, const Remark& remark) {
    const std::vector<Remark>& all = bench.result.*remarks;
    return std::any_of(all.begin(), all.end(), [&](const Remark& other) {
      return other.what == remark.what && other.where == remark.where;
    });
  };
  for (const Remark& remark : first.result.*remarks) {
    const std::string where =
        has(second, remark) ? remark.where : Side(into, first).before(remark.where);
    (into.*remarks).push_back({remark.what, where});
  }
  for (const Remark& remark : second.result.*remarks) {
    if (has(first, remark)) continue;
    (into.*remarks).push_back({remark.what, Side(into, second).before(remark.where)});
  }
}

// Matching distributions follow each other, so that plots of several show them together.
void addDistributions(const BenchResult& first, const BenchResult& second, TestResult& into) {
  const auto add = [&into](const BenchResult& from, results::Distribution one) {
    one.id = Side(into, from).id(one.id);
    one.title = Side(into, from).behind(one.title);
    into.distributions.push_back(std::move(one));
  };
  const auto& others = second.result.distributions;
  for (const auto& one : first.result.distributions) {
    add(first, one);
    for (const auto& other : others) {
      if (other.title == one.title) add(second, other);
    }
  }
  for (const auto& other : others) {
    const auto& all = first.result.distributions;
    if (std::none_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.title == other.title; })) {
      add(second, other);
    }
  }
}

void addOnlyOne(const BenchResult& from, const BenchResult& other, results::Table& table) {
  for (const results::Kpi& kpi : from.result.kpis) {
    if (find(other.result, kpi) != nullptr) continue;
    table.rows.push_back({kpi.name, kpi.point, from.bench, kpi.quantity});
  }
}

// "rtl", with where it observes.
std::string columnOf(const BenchResult& bench) {
  switch (bench.observed) {
    case ObservationPoint::kTester:
      return bench.bench + ", tester";
    case ObservationPoint::kDutReported:
      return bench.bench + ", DUT";
    case ObservationPoint::kEndpointSoftware:
      return bench.bench + ", endpoint software";
    case ObservationPoint::kModelled:
      break;
  }
  return bench.bench + ", modelled";
}

// Table, KPIs, anomalies and summary of the differences.
void addDifferences(const std::vector<Discrepancy>& figures, const BenchResult& first,
                    const BenchResult& second, TestResult& into) {
  results::Table table{"side_by_side",
                       "Both benches side by side",
                       fmt::format("Each figure has its own observation point. The difference is "
                                   "relative to {}; above {:.6g} % it is an anomaly.",
                                   first.bench, kMaxDiscrepancyPercent),
                       {"Figure", "Point", columnOf(first), columnOf(second), "Difference"},
                       {}};
  std::size_t excessive = 0;
  const Discrepancy* worst = nullptr;
  for (const Discrepancy& figure : figures) {
    table.rows.push_back(
        {figure.kpi, figure.point, figure.first, figure.second, changeText(figure)});
    into.kpis.push_back(
        {"discrepancy_percent", figure.kpi + ", " + figure.point, percentQuantity(figure)});
    if (worst == nullptr || figure.percent > worst->percent) worst = &figure;
    if (!figure.excessive()) continue;
    ++excessive;
    into.anomalies.push_back(
        {fmt::format("{} of {} {:.6g} {}, of {} {:.6g} {} ({}): {}", figure.kpi, first.bench,
                     figure.first.value, figure.first.unit, second.bench, figure.second.value,
                     figure.second.unit, changeText(figure), figure.cause),
         figure.point});
  }
  into.tables.insert(into.tables.begin(), std::move(table));
  into.summary = fmt::format("{} figures on both benches, {} within {:.6g} %.", figures.size(),
                             figures.size() - excessive, kMaxDiscrepancyPercent);
  if (worst == nullptr) return;
  into.summary += fmt::format(" The largest difference is {:.3g} %: {} at {}.", worst->percent,
                              worst->kpi, worst->point);
  into.primary.push_back(percentQuantity(*worst));
  into.primary_names.push_back("largest difference, " + worst->kpi + ", " + worst->point);
}

}  // namespace

BenchResult runOnBench(const Procedure& procedure, const TestConfig& config, TrialRunner& runner) {
  BenchResult on;
  on.bench = config.bench.name;
  on.observed = config.bench.observed;
  on.timestamp_resolution = config.bench.timestamp_resolution;
  on.rate_step_percent = 100.0 / settingsFor(TestId::kThroughput, config).rate_steps;
  RecordingRunner recording(runner, on);
  on.result = procedure.run(config, recording);
  return on;
}

std::vector<Discrepancy> discrepancies(const BenchResult& first, const BenchResult& second) {
  std::vector<Discrepancy> all;
  for (const results::Kpi& kpi : first.result.kpis) {
    const results::Kpi* other = find(second.result, kpi);
    if (other == nullptr || other->quantity.unit != kpi.quantity.unit) continue;
    Discrepancy figure{kpi.name, kpi.point, kpi.quantity, other->quantity, {}, {}};
    figure.percent = differencePercent(figure.first.value, figure.second.value);
    if (figure.excessive()) figure.cause = causeOf(first, second, figure);
    all.push_back(std::move(figure));
  }
  return all;
}

TestResult compareBenches(const BenchResult& first, const BenchResult& second) {
  TestResult both;
  both.id = first.result.id;
  both.title = first.result.title;
  both.section = first.result.section;
  both.profile = first.result.profile;
  both.repeatability = first.result.repeatability;
  both.repeatability.rows.clear();
  addConfiguration(first, second, both);
  addRemarks(first, second, &TestResult::deviations, both);
  addRemarks(first, second, &TestResult::anomalies, both);
  Side(both, first).addAll();
  Side(both, second).addAll();
  addDistributions(first, second, both);
  results::Table only{"only_one",
                      "Measured on one bench only",
                      "The deviations say, by name, why the other bench does not have the figure.",
                      {"Figure", "Point", "Bench", "Value"},
                      {}};
  addOnlyOne(first, second, only);
  addOnlyOne(second, first, only);
  if (!only.rows.empty()) both.tables.insert(both.tables.begin(), std::move(only));
  addDifferences(discrepancies(first, second), first, second, both);
  return both;
}

}  // namespace plumbline::suite
