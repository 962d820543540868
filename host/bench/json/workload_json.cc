#include "bench/json/workload_json.h"

#include "base/json.h"
#include "bench/json/spec_json.h"
#include "workload/spec_fields.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

Json toJsonValue(const workload::TrainingProgram& training) {
  Json json = specToJson(training);
  json["kind"] = "training";
  return json;
}

Json toJsonValue(const workload::MessageProgram& messages) {
  Json json = specToJson(messages);
  json["kind"] = "messages";
  if (messages.pattern == workload::Pattern::kExplicit) json["pairs"] = messages.pairs;
  if (const auto* arrivals = std::get_if<workload::Arrivals>(&messages.load)) {
    json["arrivals"] = specToJson(*arrivals);
  } else {
    json.update(specToJson(std::get<workload::ClosedLoop>(messages.load)));
  }
  if (messages.arrival_times) json["arrival_times"] = true;
  if (messages.on_off) json["on_off"] = specToJson(*messages.on_off);
  return json;
}

Json toJsonValue(const workload::TraceProgram& trace) {
  Json entries = Json::array();
  for (const auto& entry : trace.entries) entries.push_back(specToJson(entry));
  return {{"kind", "trace"}, {"entries", std::move(entries)}};
}

Json toJsonValue(const workload::MoeProgram& moe) {
  Json json = specToJson(moe);
  json["kind"] = "moe";
  return json;
}

}  // namespace

Json workloadToJson(const workload::WorkloadSpec& workload) {
  Json jobs = Json::array();
  for (const auto& job : workload.jobs) {
    Json json = specToJson(job);
    json["program"] =
        std::visit([](const auto& program) { return toJsonValue(program); }, job.program);
    jobs.push_back(std::move(json));
  }
  return {{"seed", workload.seed}, {"jobs", std::move(jobs)}};
}

}  // namespace plumbline::bench
