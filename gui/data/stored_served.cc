// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/stored_served.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace plumbline::gui {
namespace {

constexpr double kSecondsPerMicrosecond = 1e-6;

using Row = std::vector<std::string>;

// The next record of `csv` (RFC 4180) from `at` on, which is advanced past it.
Row nextRow(std::string_view csv, std::size_t& at) {
  Row row(1);
  bool quoted = false;
  for (; at < csv.size(); ++at) {
    const char c = csv[at];
    if (quoted && c == '"' && at + 1 < csv.size() && csv[at + 1] == '"') {
      row.back() += c;
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      ++at;
      break;
    } else if (quoted || c != '\r') {
      row.back() += c;
    }
  }
  return row;
}

template <typename T>
std::optional<T> numberOf(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class RequestColumns {
 public:
  explicit RequestColumns(const Row& header) {
    for (std::size_t i = 0; i < header.size(); ++i) places_.try_emplace(header[i], i);
  }

  [[nodiscard]] std::optional<std::size_t> find(const char* name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }
  template <typename T>
  [[nodiscard]] std::optional<T> number(const Row& row, const char* name) const {
    const std::optional<std::size_t> place = find(name);
    if (!place || *place >= row.size()) return std::nullopt;
    return numberOf<T>(row[*place]);
  }
  // [s], of a column in microseconds.
  [[nodiscard]] std::optional<double> time(const Row& row, const char* name) const {
    const std::optional<double> us = number<double>(row, name);
    if (!us || !std::isfinite(*us) || *us < 0) return std::nullopt;
    return *us * kSecondsPerMicrosecond;
  }

 private:
  std::map<std::string, std::size_t> places_;
};

std::optional<StoredRequest> requestOf(const RequestColumns& columns, const Row& row) {
  const std::optional<double> arrival = columns.time(row, "arrival_us");
  if (!arrival) return std::nullopt;
  StoredRequest request;
  request.arrival = *arrival;
  request.measured = columns.number<std::uint32_t>(row, "measured").value_or(0) != 0;
  request.routed = columns.time(row, "routed_us");
  request.prefill_start = columns.time(row, "prefill_start_us");
  request.prefill_end = columns.time(row, "prefill_end_us");
  request.last_arrival = columns.time(row, "last_arrival_us");
  request.decode_start = columns.time(row, "decode_start_us");
  request.first_token = columns.time(row, "first_token_us");
  request.done = columns.time(row, "done_us");
  request.generated = columns.number<std::uint32_t>(row, "generated").value_or(0);
  request.prefill_worker = columns.number<std::uint32_t>(row, "prefill_worker");
  request.decode_worker = columns.number<std::uint32_t>(row, "decode_worker");
  if (const auto within = columns.number<std::uint32_t>(row, "within_limits")) {
    request.within_limits = *within != 0;
  }
  const std::optional<std::size_t> outcome = columns.find("outcome");
  request.failed = outcome && *outcome < row.size() && row[*outcome] == "failed";
  return request;
}

// When a request came into the queue of its worker, and when it left it: at `end` if it did not.
std::optional<std::pair<double, double>> waitOf(const StoredRequest& request, bool decode,
                                                double end) {
  if (!decode) {
    if (!request.routed) return std::nullopt;
    return std::pair(*request.routed, request.prefill_start.value_or(end));
  }
  const bool arrived = request.decode_start || (request.last_arrival && !request.failed);
  if (!request.prefill_end || !arrived) return std::nullopt;
  const double from = std::max(*request.prefill_end, request.last_arrival.value_or(0));
  return std::pair(from, request.decode_start.value_or(end));
}

WorkerQueue queueOf(std::uint32_t worker, const std::map<double, int>& changes, double end) {
  WorkerQueue queue{worker, {0}, {0}, 0, 0};
  double waiting = 0;
  double area = 0;
  for (const auto& [time, change] : changes) {
    area += waiting * (time - queue.x.back());
    waiting += change;
    queue.max = std::max(queue.max, waiting);
    queue.x.push_back(time);
    queue.y.push_back(waiting);
  }
  if (end > queue.x.back()) {
    area += waiting * (end - queue.x.back());
    queue.x.push_back(end);
    queue.y.push_back(waiting);
  }
  queue.mean = end > 0 ? area / end : 0;
  return queue;
}

// "Rate 18.6, Ratio 1P11D".
void addValue(const std::string& name, const std::string& value, std::string& point) {
  if (!point.empty()) point += ", ";
  point += name;
  point += ' ';
  point += value;
}

std::optional<double> valueOf(const StoredCell& cell) {
  if (!cell.quantity) return std::nullopt;
  return cell.quantity->value;
}

}  // namespace

std::vector<StoredTrialRequests> storedRequests(const StoredTest& test) {
  std::vector<StoredTrialRequests> trials;
  for (const StoredRawData& raw : test.raw_data) {
    if (raw.id != "requests") continue;
    std::size_t at = 0;
    const Row header = nextRow(raw.csv, at);
    const RequestColumns columns(header);
    const std::optional<std::size_t> repetition = columns.find("repetition");
    if (!repetition) continue;
    while (at < raw.csv.size()) {
      const Row row = nextRow(raw.csv, at);
      if (row.size() != header.size()) continue;
      const std::optional<StoredRequest> request = requestOf(columns, row);
      if (!request) continue;
      std::string point;
      for (std::size_t i = 0; i < *repetition; ++i) addValue(header[i], row[i], point);
      if (trials.empty() || trials.back().point != point ||
          trials.back().repetition != row[*repetition]) {
        trials.push_back({point, row[*repetition], {}});
      }
      trials.back().requests.push_back(*request);
    }
  }
  return trials;
}

double lastTime(const std::vector<StoredRequest>& requests) {
  double end = 0;
  for (const StoredRequest& one : requests) {
    end = std::max(end, one.arrival);
    for (const auto& time : {one.routed, one.prefill_start, one.prefill_end, one.last_arrival,
                             one.decode_start, one.first_token, one.done}) {
      end = std::max(end, time.value_or(0));
    }
  }
  return end;
}

std::optional<TtftParts> ttftParts(const StoredRequest& request) {
  if (!request.first_token || !request.routed || !request.prefill_start || !request.prefill_end) {
    return std::nullopt;
  }
  // Times after the first token, which prefill may have emitted, do not count.
  const double arrived = std::max(*request.prefill_end, request.last_arrival.value_or(0));
  const std::array<double, kTtftParts + 1> times = {
      request.arrival,      *request.routed, *request.prefill_start,
      *request.prefill_end, arrived,         *request.first_token};
  TtftParts parts{};
  for (std::size_t i = 0; i < kTtftParts; ++i) {
    parts[i] = std::max(0.0, std::min(times[i + 1], *request.first_token) -
                                 std::min(times[i], *request.first_token));
  }
  return parts;
}

std::array<ServedCurve, kTtftParts> ttftParts(const std::vector<StoredRequest>& requests) {
  std::array<ServedCurve, kTtftParts> curves;
  const Stretches stretches(lastTime(requests));
  std::vector<double> counts(stretches.size(), 0.0);
  std::vector<TtftParts> sums(stretches.size(), TtftParts{});
  for (const StoredRequest& request : requests) {
    const std::optional<TtftParts> parts = ttftParts(request);
    if (!parts) continue;
    const std::size_t place = stretches.placeOf(*request.first_token);
    if (place == stretches.size()) continue;
    ++counts[place];
    for (std::size_t i = 0; i < kTtftParts; ++i) sums[place][i] += (*parts)[i];
  }
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (counts[k] == 0) continue;
    for (std::size_t i = 0; i < kTtftParts; ++i) {
      curves[i].x.push_back(stretches.middle(k));
      curves[i].y.push_back(sums[k][i] / counts[k] * kMsPerSecond);
    }
  }
  return curves;
}

StoredRates goodRates(const std::vector<StoredRequest>& requests) {
  const bool told = std::any_of(requests.begin(), requests.end(),
                                [](const StoredRequest& one) { return one.within_limits; });
  if (!told) return {};
  const Stretches stretches(lastTime(requests));
  std::vector<double> tokens(stretches.size(), 0.0);
  std::vector<double> answers(stretches.size(), 0.0);
  for (const StoredRequest& request : requests) {
    if (!request.done || !request.within_limits.value_or(false)) continue;
    const std::size_t place = stretches.placeOf(*request.done);
    if (place == stretches.size()) continue;
    tokens[place] += request.generated;
    ++answers[place];
  }
  StoredRates rates{ServedCurve(), ServedCurve()};
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    rates.good_tokens->x.push_back(stretches.middle(k));
    rates.good_tokens->y.push_back(tokens[k] / stretches.covered[k]);
    rates.good_requests->x.push_back(stretches.middle(k));
    rates.good_requests->y.push_back(answers[k] / stretches.covered[k]);
  }
  return rates;
}

StoredTpot timePerToken(const std::vector<StoredRequest>& requests) {
  const Stretches stretches(lastTime(requests));
  std::vector<std::vector<double>> times(stretches.size());
  for (const StoredRequest& request : requests) {
    if (!request.done || !request.first_token || request.generated < 2) continue;
    const std::size_t place = stretches.placeOf(*request.done);
    if (place == stretches.size()) continue;
    times[place].push_back((*request.done - *request.first_token) / (request.generated - 1) *
                           kMsPerSecond);
  }
  StoredTpot tpot;
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (times[k].empty()) continue;
    std::sort(times[k].begin(), times[k].end());
    for (ServedCurve* curve : {&tpot.median, &tpot.largest}) {
      curve->x.push_back(stretches.middle(k));
    }
    tpot.median.y.push_back(times[k][(times[k].size() - 1) / 2]);
    tpot.largest.y.push_back(times[k].back());
  }
  return tpot;
}

std::vector<WorkerQueue> queuesOf(const std::vector<StoredRequest>& requests, bool decode,
                                  bool together) {
  const double end = lastTime(requests);
  std::map<std::uint32_t, std::map<double, int>> changes;
  for (const StoredRequest& request : requests) {
    const std::optional<std::uint32_t>& worker =
        decode ? request.decode_worker : request.prefill_worker;
    if (!worker) continue;
    std::map<double, int>& of = changes[together ? 0 : *worker];
    const auto wait = waitOf(request, decode, end);
    if (!wait || wait->second <= wait->first) continue;
    ++of[wait->first];
    if (wait->second < end) --of[wait->second];
  }
  std::vector<WorkerQueue> queues;
  queues.reserve(changes.size());
  for (const auto& [worker, of] : changes) queues.push_back(queueOf(worker, of, end));
  return queues;
}

const std::vector<ServedFigureName>& servedFigureNames() {
  static const std::vector<ServedFigureName> kNames = {
      {"ttft_mean_ms", "TTFT mean [ms]"},
      {"ttft_p50_ms", "TTFT P50 [ms]"},
      {"ttft_p95_ms", "TTFT P95 [ms]"},
      {"ttft_p99_ms", "TTFT P99 [ms]"},
      {"ttft_queue_ms", "Queue [ms]"},
      {"ttft_prefill_ms", "Prefill [ms]"},
      {"ttft_fabric_ms", "KV transfer [ms]"},
      {"ttft_decode_init_ms", "Decode init [ms]"},
      {"itl_p50_ms", "ITL P50 [ms]"},
      {"itl_p95_ms", "ITL P95 [ms]"},
      {"itl_p99_ms", "ITL P99 [ms]"},
      {"output_tokens_per_s", "Output [tokens/s]"},
      {"goodput_tokens_per_s", "Goodput [tokens/s]"},
      {"slo_percent", "Within limits [%]"},
      {"requests_not_done", "Not done"},
  };
  return kNames;
}

std::vector<ServedFigures> servedFigures(const StoredTest& test) {
  const std::vector<ServedFigureName>& names = servedFigureNames();
  std::vector<ServedFigures> rows;
  for (const StoredKpi& kpi : test.kpis) {
    const auto name = std::find_if(names.begin(), names.end(), [&](const ServedFigureName& one) {
      return kpi.name == one.kpi;
    });
    if (name == names.end()) continue;
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const ServedFigures& one) { return one.point == kpi.point; });
    if (row == rows.end()) {
      rows.push_back({kpi.point, std::vector<const StoredQuantity*>(names.size(), nullptr)});
      row = std::prev(rows.end());
    }
    row->values[static_cast<std::size_t>(name - names.begin())] = &kpi.quantity;
  }
  return rows;
}

std::vector<StoredWorker> storedWorkers(const StoredTest& test) {
  std::vector<StoredWorker> workers;
  for (const StoredTable& table : test.tables) {
    if (table.id != "workers") continue;
    const auto worker = columnOf(table, "Worker");
    const auto mean = columnOf(table, "KV cache mean");
    const auto max = columnOf(table, "KV cache most");
    if (!worker || !mean || !max) continue;
    workers.reserve(workers.size() + table.rows.size());
    for (const std::vector<StoredCell>& row : table.rows) {
      std::string point;
      for (std::size_t i = 0; i < *worker; ++i) addValue(table.columns[i], row[i].text, point);
      workers.push_back({point, row[*worker].text, valueOf(row[*mean]), valueOf(row[*max])});
    }
  }
  return workers;
}

const StoredChart* pagesOverTime(const StoredTest& test) {
  const auto found =
      std::find_if(test.charts.begin(), test.charts.end(),
                   [](const StoredChart& one) { return one.id == "pages_over_day"; });
  return found == test.charts.end() ? nullptr : &*found;
}

bool isServed(const StoredTest& test) {
  const bool has_requests =
      std::any_of(test.raw_data.begin(), test.raw_data.end(),
                  [](const StoredRawData& one) { return one.id == "requests"; });
  return has_requests || pagesOverTime(test) != nullptr || !servedFigures(test).empty();
}

}  // namespace plumbline::gui
