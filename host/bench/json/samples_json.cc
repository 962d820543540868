#include "bench/json/samples_json.h"

#include "base/json.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kOldColumns = 5;  // of a sample of older programs

Picoseconds time(const Json& json) { return Picoseconds(json.get<std::int64_t>()); }

}  // namespace

// Rows of numbers rather than objects: there may be many.
Json samplesToJson(const Samples& samples) {
  Json flows = Json::array();
  for (const SampledFlow& flow : samples.flows) flows.push_back({flow.from, flow.to, flow.flow});
  Json rows = Json::array();
  for (const Sample& sample : samples.samples) {
    rows.push_back(
        {sample.dropped, sample.marked, sample.pauses, sample.paused.count(), sample.received});
    if (sample.recovery) {
      rows.back().push_back(
          {sample.recovery->resent, sample.recovery->timeouts, sample.recovery->failed});
    }
  }
  Json spans = Json::array();
  for (const PauseSpan& span : samples.spans) {
    spans.push_back({span.link, span.priority, span.from.count(), span.until.count()});
  }
  return {{"interval_ps", samples.interval.count()},
          {"flows", flows},
          {"samples", rows},
          {"pause_spans", spans},
          {"pause_span_count", samples.span_count},
          {"losses", samples.losses},
          {"first_drop_ps", samples.first_drop.count()},
          {"last_drop_ps", samples.last_drop.count()}};
}

Samples samplesFromJson(const Json& json) {
  Samples samples;
  samples.interval = time(json.at("interval_ps"));
  for (const Json& flow : json.at("flows")) {
    samples.flows.push_back({flow.at(0).get<std::uint32_t>(), flow.at(1).get<std::uint32_t>(),
                             flow.at(2).get<std::uint32_t>()});
  }
  for (const Json& row : json.at("samples")) {
    Sample& sample = samples.samples.emplace_back();
    row.at(0).get_to(sample.dropped);
    row.at(1).get_to(sample.marked);
    row.at(2).get_to(sample.pauses);
    sample.paused = time(row.at(3));
    row.at(4).get_to(sample.received);
    if (row.size() > kOldColumns) {
      const Json& counts = row.at(kOldColumns);
      sample.recovery =
          RecoveryCounts{counts.at(0).get<std::uint64_t>(), counts.at(1).get<std::uint64_t>(),
                         counts.at(2).get<std::uint64_t>()};
    }
  }
  for (const Json& span : json.at("pause_spans")) {
    samples.spans.push_back({span.at(0).get<std::string>(), span.at(1).get<std::uint8_t>(),
                             time(span.at(2)), time(span.at(3))});
  }
  json.at("pause_span_count").get_to(samples.span_count);
  // In results of older programs, all drops.
  const std::uint64_t dropped = samples.samples.empty() ? 0 : samples.samples.back().dropped;
  samples.losses = json.value("losses", dropped);
  samples.first_drop = time(json.at("first_drop_ps"));
  samples.last_drop = time(json.at("last_drop_ps"));
  return samples;
}

}  // namespace plumbline::bench
