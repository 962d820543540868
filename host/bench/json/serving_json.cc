#include "bench/json/serving_json.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "bench/json/histogram_json.h"
#include "bench/json/spec_json.h"
#include "serving/spec_fields.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;
using serving::RequestRecord;
using serving::ServingResult;

// A record is stored as the list of its numbers in this order; -1 stands for a time that was not
// reached.
template <typename Record, typename Visit>
void eachNumber(Record& record, const Visit& visit) {
  visit(record.prompt);
  visit(record.output);
  visit(record.generated);
  visit(record.cached);
  visit(record.outcome);
  visit(record.measured);
  visit(record.prefill_worker);
  visit(record.prefill_group);
  visit(record.decode_worker);
  visit(record.decode_group);
  visit(record.preemptions);
  visit(record.bytes);
  visit(record.resent);
  visit(record.arrival);
  visit(record.routed);
  visit(record.prefill_start);
  visit(record.prefill_end);
  visit(record.first_post);
  visit(record.last_arrival);
  visit(record.decode_start);
  visit(record.first_token);
  visit(record.first_decode_token);
  visit(record.last_token);
  visit(record.done);
  visit(record.longest_gap);
  for (auto& time : record.stages) visit(time);
  for (auto& time : record.first_stages) visit(time);
}

// The counts of a run, by name.
template <typename Result, typename Visit>
void eachCount(Result& result, const Visit& visit) {
  visit("window_tokens", result.window_tokens);
  visit("prefill_steps", result.prefill_steps);
  visit("decode_steps", result.decode_steps);
  visit("recomputed_tokens", result.recomputed_tokens);
  visit("swapped_tokens", result.swapped_tokens);
  visit("extrapolated_steps", result.extrapolated_steps);
  visit("evictions", result.evictions);
  visit("messages", result.messages);
  visit("lost_messages", result.lost_messages);
  visit("bytes", result.bytes);
  visit("resent_bytes", result.resent_bytes);
  visit("peak_requests", result.peak_requests);
  visit("closed_loop", result.closed_loop);
  visit("stuck", result.stuck);
}

template <typename Result, typename Visit>
void eachTime(Result& result, const Visit& visit) {
  visit("window_start_ps", result.window_start);
  visit("window_end_ps", result.window_end);
  visit("end_ps", result.end);
  visit("prefill_stalled_ps", result.prefill_stalled);
}

Json numberOf(Picoseconds time) {
  return time == serving::kNever ? std::int64_t{-1} : time.count();
}
Json numberOf(serving::Outcome outcome) { return static_cast<int>(outcome); }
template <typename T>
Json numberOf(T value) {
  return static_cast<std::uint64_t>(value);
}

void read(const Json& json, Picoseconds& time) {
  const auto count = json.get<std::int64_t>();
  time = count < 0 ? serving::kNever : Picoseconds(count);
}
void read(const Json& json, serving::Outcome& outcome) {
  const auto number = json.get<unsigned>();
  if (number > static_cast<unsigned>(serving::Outcome::kFailed)) {
    throw Error(ErrorKind::kTester, "a request with an unknown outcome");
  }
  outcome = static_cast<serving::Outcome>(number);
}
void read(const Json& json, bool& flag) { flag = json.get<unsigned>() != 0; }
template <typename T>
void read(const Json& json, T& value) {
  value = json.get<T>();
}

Json recordToJson(const RequestRecord& record) {
  Json numbers = Json::array();
  eachNumber(record, [&](const auto& value) { numbers.push_back(numberOf(value)); });
  return numbers;
}

RequestRecord recordFromJson(const Json& json) {
  RequestRecord record;
  std::size_t place = 0;
  eachNumber(record, [&](auto& value) { read(json.at(place++), value); });
  if (place != json.size()) {
    throw Error(ErrorKind::kTester, "a request with too many numbers");
  }
  return record;
}

// A sum of request times [ps] may exceed 64 bits: stored as seconds and remainder.
constexpr std::int64_t kPerSecond = 1'000'000'000'000;

Json integralToJson(Int128 integral) {
  return {static_cast<std::int64_t>(integral / kPerSecond),
          static_cast<std::int64_t>(integral % kPerSecond)};
}
Int128 integralFromJson(const Json& parts) {
  return Int128{parts.at(0).get<std::int64_t>()} * kPerSecond + parts.at(1).get<std::int64_t>();
}

Json workersToJson(const std::vector<serving::WorkerUse>& workers) {
  Json array = Json::array();
  for (const serving::WorkerUse& use : workers) {
    array.push_back({{"busy_ps", use.busy.count()},
                     {"pages", use.pages},
                     {"page_time", integralToJson(use.page_time)},
                     {"peak_pages", use.peak_pages}});
  }
  return array;
}
std::vector<serving::WorkerUse> workersFromJson(const Json& array) {
  std::vector<serving::WorkerUse> workers;
  workers.reserve(array.size());
  for (const Json& one : array) {
    workers.push_back({Picoseconds(one.at("busy_ps").get<std::int64_t>()),
                       one.at("pages").get<std::uint64_t>(), integralFromJson(one.at("page_time")),
                       one.at("peak_pages").get<std::uint64_t>()});
  }
  return workers;
}

Json poolToJson(const serving::PoolPages& pages) {
  return {pages.total, pages.used, pages.cached,
          pages.min,   pages.max,  integralToJson(pages.page_time)};
}
serving::PoolPages poolFromJson(const Json& json) {
  serving::PoolPages pages;
  json.at(0).get_to(pages.total);
  json.at(1).get_to(pages.used);
  json.at(2).get_to(pages.cached);
  json.at(3).get_to(pages.min);
  json.at(4).get_to(pages.max);
  pages.page_time = integralFromJson(json.at(5));
  return pages;
}

Json sampleToJson(const serving::ServingSample& sample) {
  Json stage_time = Json::array();
  for (const Int128 integral : sample.stage_time) stage_time.push_back(integralToJson(integral));
  return {{"time_ps", sample.time.count()},
          {"prefill", poolToJson(sample.prefill)},
          {"decode", poolToJson(sample.decode)},
          {"pinned", sample.pinned},
          {"messages_open", sample.messages_open},
          {"in_stage", sample.in_stage},
          {"tokens", sample.tokens},
          {"gaps", histogramToJson(sample.gaps)},
          {"stage_time", std::move(stage_time)}};
}
serving::ServingSample sampleFromJson(const Json& json) {
  serving::ServingSample sample;
  sample.time = Picoseconds(json.at("time_ps").get<std::int64_t>());
  sample.prefill = poolFromJson(json.at("prefill"));
  sample.decode = poolFromJson(json.at("decode"));
  json.at("pinned").get_to(sample.pinned);
  json.at("messages_open").get_to(sample.messages_open);
  json.at("in_stage").get_to(sample.in_stage);
  json.at("tokens").get_to(sample.tokens);
  sample.gaps = histogramFromJson(json.at("gaps"));
  for (std::size_t i = 0; i < serving::kStages; ++i) {
    sample.stage_time[i] = integralFromJson(json.at("stage_time").at(i));
  }
  return sample;
}

}  // namespace

Json servingToJson(const serving::ServingProgram& program) {
  Json json = specToJson(program);
  if (program.system.times) json["times_hash"] = program.system.times->hash();
  if (program.workload.trace) json["trace_hash"] = program.workload.trace->hash();
  return json;
}

Json servingResultToJson(const ServingResult& result) {
  Json json{{"gaps", histogramToJson(result.gaps)}};
  eachCount(result, [&](const char* name, const auto& value) { json[name] = numberOf(value); });
  eachTime(result, [&](const char* name, const Picoseconds& value) { json[name] = value.count(); });
  for (const Int128 integral : result.stage_integral) {
    json["stage_integral"].push_back(integralToJson(integral));
  }
  json["prefill"] = workersToJson(result.prefill);
  json["decode"] = workersToJson(result.decode);
  Json records = Json::array();
  for (const RequestRecord& record : result.requests) records.push_back(recordToJson(record));
  json["requests"] = std::move(records);
  for (const serving::ServingSample& sample : result.samples) {
    json["samples"].push_back(sampleToJson(sample));
  }
  return json;
}

ServingResult servingResultFromJson(const Json& json) {
  ServingResult result;
  result.gaps = histogramFromJson(json.at("gaps"));
  eachCount(result, [&](const char* name, auto& value) { read(json.at(name), value); });
  eachTime(result, [&](const char* name, Picoseconds& value) {
    value = Picoseconds(json.at(name).get<std::int64_t>());
  });
  for (std::size_t i = 0; i < serving::kStages; ++i) {
    result.stage_integral[i] = integralFromJson(json.at("stage_integral").at(i));
  }
  result.prefill = workersFromJson(json.at("prefill"));
  result.decode = workersFromJson(json.at("decode"));
  const Json& records = json.at("requests");
  result.requests.reserve(records.size());
  for (const Json& record : records) result.requests.push_back(recordFromJson(record));
  // Only of runs that were sampled.
  if (json.contains("samples")) {
    for (const Json& sample : json.at("samples")) result.samples.push_back(sampleFromJson(sample));
  }
  return result;
}

}  // namespace plumbline::bench
