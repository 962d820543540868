#include "bench/sim/series_recorder.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace plumbline::bench {
namespace {

constexpr std::size_t kMinIntervals = 32;

std::size_t maxIntervals(const TimeSeriesSpec& spec, std::size_t links) {
  const std::size_t affordable = std::max(SeriesRecorder::kCells / links, kMinIntervals);
  return std::max<std::size_t>(std::min<std::size_t>(spec.intervals, affordable), 2) / 2 * 2;
}

}  // namespace

SeriesRecorder::SeriesRecorder(const TimeSeriesSpec& spec, fabric::Fabric& fabric)
    : fabric_(fabric),
      most_(maxIntervals(spec, fabric.topology().links().size())),
      last_(fabric.topology().links().size()) {}

void SeriesRecorder::take() {
  read();
  begin_ += interval_;
  if (count() == most_) halve();
}

// Makes an interval of what happened since the last reading.
void SeriesRecorder::read() {
  Total& total = totals_.emplace_back();
  Row& row = rows_.emplace_back();
  row.bytes.resize(last_.size());
  row.max_queue_bytes.resize(last_.size());
  for (fabric::LinkId link = 0; link < last_.size(); ++link) {
    const auto& [now, queue_peak, unsentRest] = fabric_.read(link);
    Last& last = last_[link];
    row.max_queue_bytes[link] = queue_peak;
    const std::uint64_t left = now.bytes - unsentRest.bytes;  // of a frame on the wire, its share
    row.bytes[link] = left - last.bytes;
    const std::uint64_t dropped = now.dropped();
    total.marked += now.marked - last.marked;
    total.dropped += dropped - last.dropped;
    total.pauses += now.pauses - last.pauses;
    if (now.pauses > 0) {
      row.paused.resize(last_.size());
      for (std::size_t p = 0; p < last.paused.size(); ++p) {
        const Picoseconds paused = now.paused[p] - last.paused[p];
        row.paused[link] += paused;
        total.paused[p] += paused;
        last.paused[p] = now.paused[p];
      }
    }
    last.bytes = left;
    last.marked = now.marked;
    last.dropped = dropped;
    last.pauses = now.pauses;
  }
}

// Makes one interval of two.
void SeriesRecorder::addTo(Row& row, const Row& next) {
  for (std::size_t link = 0; link < row.bytes.size(); ++link) {
    row.bytes[link] += next.bytes[link];
    row.max_queue_bytes[link] = std::max(row.max_queue_bytes[link], next.max_queue_bytes[link]);
  }
  if (next.paused.empty()) return;
  row.paused.resize(row.bytes.size());
  for (std::size_t link = 0; link < row.paused.size(); ++link) {
    row.paused[link] += next.paused[link];
  }
}

void SeriesRecorder::halve() {
  for (std::size_t i = 0; i < most_ / 2; ++i) {
    addTo(rows_[2 * i], rows_[2 * i + 1]);
    if (i > 0) rows_[i] = std::move(rows_[2 * i]);
    Total both = totals_[2 * i];
    const Total& second = totals_[2 * i + 1];
    both.marked += second.marked;
    both.dropped += second.dropped;
    both.pauses += second.pauses;
    for (std::size_t p = 0; p < both.paused.size(); ++p) both.paused[p] += second.paused[p];
    totals_[i] = both;
  }
  totals_.resize(most_ / 2);
  rows_.resize(most_ / 2);
  interval_ = interval_ * 2;
}

// The ports with the largest values of each kind, if above zero.
std::vector<fabric::LinkId> SeriesRecorder::chosenPorts() const {
  std::vector<Cell> whole(last_.size());
  for (std::size_t i = 0; i < count(); ++i) {
    for (fabric::LinkId link = 0; link < last_.size(); ++link) {
      const Cell one = cell(i, link);
      whole[link].bytes += one.bytes;
      whole[link].paused += one.paused;
      whole[link].max_queue_bytes = std::max(whole[link].max_queue_bytes, one.max_queue_bytes);
    }
  }
  std::set<fabric::LinkId> chosen;
  const auto choose = [&](auto of) {
    std::vector<fabric::LinkId> order(last_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto end =
        order.begin() + static_cast<std::ptrdiff_t>(std::min(TimeSeries::kPorts, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](auto a, auto b) {
      return of(whole[a]) != of(whole[b]) ? of(whole[a]) > of(whole[b]) : a < b;
    });
    for (auto one = order.begin(); one != end; ++one) {
      if (of(whole[*one]) > 0) chosen.insert(*one);
    }
  };
  choose([](const Cell& one) { return static_cast<std::int64_t>(one.max_queue_bytes); });
  choose([](const Cell& one) { return one.paused.count(); });
  choose([](const Cell& one) { return static_cast<std::int64_t>(one.bytes); });
  return {chosen.begin(), chosen.end()};
}

PortSeries SeriesRecorder::portSeries(fabric::LinkId link) const {
  PortSeries port;
  port.link = fabric_.topology().linkName(link);
  for (std::size_t i = 0; i < count(); ++i) {
    const Cell one = cell(i, link);
    port.bytes.push_back(one.bytes);
    port.max_queue_bytes.push_back(one.max_queue_bytes);
    port.paused.push_back(one.paused);
  }
  return port;
}

TimeSeries SeriesRecorder::finish() {
  TimeSeries series;
  series.end = fabric_.now();
  if (series.end > begin_) read();
  series.interval = interval_;
  const fabric::Topology& topology = fabric_.topology();
  for (std::size_t i = 0; i < count(); ++i) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t longest = 0;
    for (const fabric::NodeId host : topology.hosts()) {
      const fabric::LinkId out = topology.nodes()[host].out_links.front();
      sent += cell(i, out).bytes;
      received += cell(i, fabric::reverse(out)).bytes;
    }
    for (fabric::LinkId link = 0; link < last_.size(); ++link) {
      longest = std::max(longest, cell(i, link).max_queue_bytes);
    }
    series.sent_bytes.push_back(sent);
    series.received_bytes.push_back(received);
    series.max_queue_bytes.push_back(longest);
    series.marked.push_back(totals_[i].marked);
    series.dropped.push_back(totals_[i].dropped);
    series.pauses.push_back(totals_[i].pauses);
  }
  for (std::size_t p = 0; p < series.paused.size(); ++p) {
    const bool any = std::any_of(totals_.begin(), totals_.end(), [p](const Total& total) {
      return total.paused[p] > Picoseconds(0);
    });
    if (!any) continue;
    for (const Total& total : totals_) series.paused[p].push_back(total.paused[p]);
  }
  for (const fabric::LinkId link : chosenPorts()) series.ports.push_back(portSeries(link));
  return series;
}

}  // namespace plumbline::bench
