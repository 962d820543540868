#include "bench/json/time_series_json.h"

#include "base/json.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

Json timesToJson(const std::vector<Picoseconds>& times) {
  Json list = Json::array();
  for (const Picoseconds time : times) list.push_back(time.count());
  return list;
}

std::vector<Picoseconds> timesFromJson(const Json& json) {
  std::vector<Picoseconds> times;
  for (const Json& time : json) times.emplace_back(time.get<std::int64_t>());
  return times;
}

}  // namespace

Json timeSeriesToJson(const TimeSeries& series) {
  Json paused = Json::array();
  for (const std::vector<Picoseconds>& times : series.paused) paused.push_back(timesToJson(times));
  Json ports = Json::array();
  for (const PortSeries& port : series.ports) {
    ports.push_back({{"link", port.link},
                     {"bytes", port.bytes},
                     {"max_queue_bytes", port.max_queue_bytes},
                     {"paused_ps", timesToJson(port.paused)}});
  }
  return {{"interval_ps", series.interval.count()},
          {"end_ps", series.end.count()},
          {"sent_bytes", series.sent_bytes},
          {"received_bytes", series.received_bytes},
          {"max_queue_bytes", series.max_queue_bytes},
          {"marked", series.marked},
          {"dropped", series.dropped},
          {"pauses", series.pauses},
          {"paused_ps", paused},
          {"ports", ports}};
}

TimeSeries timeSeriesFromJson(const Json& json) {
  TimeSeries series;
  series.interval = Picoseconds(json.at("interval_ps").get<std::int64_t>());
  series.end = Picoseconds(json.at("end_ps").get<std::int64_t>());
  json.at("sent_bytes").get_to(series.sent_bytes);
  json.at("received_bytes").get_to(series.received_bytes);
  json.at("max_queue_bytes").get_to(series.max_queue_bytes);
  json.at("marked").get_to(series.marked);
  json.at("dropped").get_to(series.dropped);
  json.at("pauses").get_to(series.pauses);
  for (std::size_t p = 0; p < series.paused.size(); ++p) {
    series.paused[p] = timesFromJson(json.at("paused_ps").at(p));
  }
  for (const Json& one : json.at("ports")) {
    series.ports.push_back({one.at("link").get<std::string>(),
                            one.at("bytes").get<std::vector<std::uint64_t>>(),
                            one.at("max_queue_bytes").get<std::vector<std::uint64_t>>(),
                            timesFromJson(one.at("paused_ps"))});
  }
  return series;
}

}  // namespace plumbline::bench
