#include "suite/free/time_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::suite {
namespace {

using bench::PortSeries;
using bench::TimeSeries;

// Adds charts with one value for each interval, at its middle.
class SeriesCharts {
 public:
  SeriesCharts(const TimeSeries& series, ResultBuilder& builder)
      : series_(series), builder_(builder) {}

  [[nodiscard]] results::Chart begin(std::string id, std::string title, std::string y_label) const {
    results::Chart chart;
    chart.id = std::move(id);
    chart.title = std::move(title);
    chart.kind = results::ChartKind::kTime;
    chart.x_label = "time [us]";
    chart.y_label = std::move(y_label);
    return chart;
  }

  // `of(i)`: the value of interval i.
  template <typename Of>
  void add(results::Chart& chart, std::string name, Of of) const {
    results::Series line{std::move(name), {}, {}, false};
    for (std::size_t i = 0; i < series_.sent_bytes.size(); ++i) {
      const Picoseconds begin = series_.interval * static_cast<std::int64_t>(i);
      line.x.push_back((begin + length(i) / 2).toMicroseconds());
      line.y.push_back(of(i));
    }
    chart.series.push_back(std::move(line));
  }

  void finish(results::Chart chart) {
    if (!chart.series.empty()) builder_.result().charts.push_back(std::move(chart));
  }

  // The last interval may be shorter.
  [[nodiscard]] Picoseconds length(std::size_t i) const {
    return std::min(series_.interval,
                    series_.end - series_.interval * static_cast<std::int64_t>(i));
  }

  [[nodiscard]] double gigabitsPerSecond(std::uint64_t bytes, std::size_t i) const {
    return 8 * static_cast<double>(bytes) / length(i).toSeconds() / 1e9;
  }

 private:
  const TimeSeries& series_;
  ResultBuilder& builder_;
};

// The ports with the largest values above zero, largest first.
template <typename Of>
std::vector<const PortSeries*> topPorts(const TimeSeries& series, Of of) {
  std::vector<std::pair<std::int64_t, const PortSeries*>> ports;
  for (const PortSeries& port : series.ports) {
    if (of(port) > 0) ports.emplace_back(of(port), &port);
  }
  std::stable_sort(ports.begin(), ports.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (ports.size() > TimeSeries::kPorts) ports.resize(TimeSeries::kPorts);
  std::vector<const PortSeries*> chosen;
  chosen.reserve(ports.size());
  for (const auto& [value, port] : ports) chosen.push_back(port);
  return chosen;
}

void addQueueCharts(const TimeSeries& series, SeriesCharts& charts) {
  results::Chart chart =
      charts.begin("queues_over_time",
                   "Longest queue in each interval: ports with the longest queues", "queue [kB]");
  const auto ports = topPorts(series, [](const PortSeries& port) {
    return static_cast<std::int64_t>(
        *std::max_element(port.max_queue_bytes.begin(), port.max_queue_bytes.end()));
  });
  for (const PortSeries* port : ports) {
    charts.add(chart, port->link, [port](std::size_t i) {
      return static_cast<double>(port->max_queue_bytes[i]) / 1000;
    });
  }
  charts.finish(std::move(chart));
}

void addPauseCharts(const TimeSeries& series, SeriesCharts& charts) {
  results::Chart priorities = charts.begin(
      "paused_over_time", "Paused ports, mean of each interval: by priority", "paused ports");
  for (std::size_t p = 0; p < series.paused.size(); ++p) {
    if (series.paused[p].empty()) continue;
    charts.add(priorities, fmt::format("priority {}", p), [&, p](std::size_t i) {
      return series.paused[p][i].toSeconds() / charts.length(i).toSeconds();
    });
  }
  charts.finish(std::move(priorities));
  results::Chart ports =
      charts.begin("paused_ports_over_time", "Time paused: ports that paused longest",
                   "time paused, summed over priorities [%]");
  const auto longest = topPorts(series, [](const PortSeries& port) {
    Picoseconds sum;
    for (const Picoseconds paused : port.paused) sum += paused;
    return sum.count();
  });
  for (const PortSeries* port : longest) {
    charts.add(ports, port->link, [&, port](std::size_t i) {
      return 100 * port->paused[i].toSeconds() / charts.length(i).toSeconds();
    });
  }
  charts.finish(std::move(ports));
}

void addRateCharts(const TimeSeries& series, SeriesCharts& charts) {
  results::Chart hosts = charts.begin("host_rates_over_time", "Rate of all hosts together",
                                      "frames without preamble and gap [Gb/s]");
  charts.add(hosts, "sent by hosts",
             [&](std::size_t i) { return charts.gigabitsPerSecond(series.sent_bytes[i], i); });
  charts.add(hosts, "sent to hosts",
             [&](std::size_t i) { return charts.gigabitsPerSecond(series.received_bytes[i], i); });
  charts.finish(std::move(hosts));
  results::Chart links = charts.begin("link_rates_over_time", "Rate of the busiest links",
                                      "frames without preamble and gap [Gb/s]");
  const auto busiest = topPorts(series, [](const PortSeries& port) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : port.bytes) sum += bytes;
    return static_cast<std::int64_t>(sum);
  });
  for (const PortSeries* port : busiest) {
    charts.add(links, port->link,
               [&, port](std::size_t i) { return charts.gigabitsPerSecond(port->bytes[i], i); });
  }
  charts.finish(std::move(links));
}

void addEventChart(const TimeSeries& series, SeriesCharts& charts) {
  results::Chart chart = charts.begin(
      "events_over_time", "Marks, drops and pauses in each interval", "events per interval");
  const auto add = [&](const char* name, const std::vector<std::uint64_t>& counts) {
    const bool any =
        std::any_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; });
    if (!any) return;
    charts.add(chart, name, [&counts](std::size_t i) { return static_cast<double>(counts[i]); });
  };
  add("packets marked CE", series.marked);
  add("packets dropped", series.dropped);
  add("pauses begun", series.pauses);
  charts.finish(std::move(chart));
}

}  // namespace

void addTimeSeries(const bench::TrialResult& trial, ResultBuilder& builder) {
  const auto& series = trial.fabric->series;
  if (!series || series->sent_bytes.empty()) return;
  SeriesCharts charts(*series, builder);
  addQueueCharts(*series, charts);
  addPauseCharts(*series, charts);
  addRateCharts(*series, charts);
  addEventChart(*series, charts);
}

}  // namespace plumbline::suite
