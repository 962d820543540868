#include "results/agent_record.h"

#include <cmath>

#include "base/error.h"
#include "base/json.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

template <typename T>
void take(const Json& json, const char* key, std::optional<T>& value) {
  const auto found = json.find(key);
  if (found != json.end()) value = found->template get<T>();
}

bool isFinite(const std::optional<double>& value) { return !value || std::isfinite(*value); }

Json agentToJson(const AgentRecord& agent) {
  if (!isFinite(agent.clock_drift_ppm) || !isFinite(agent.clock_drift_uncertainty_ppm)) {
    throw Error(ErrorKind::kTester, "the drift of a clock is not finite", agent.name);
  }
  Json json{{"attempt", agent.attempt},
            {"name", agent.name},
            {"software", agent.software},
            {"machine", agent.machine},
            {"run", agent.run},
            {"outcome", agent.outcome},
            {"trials", agent.trials},
            {"clock_offset_ns", agent.clock_offset_ns},
            {"clock_uncertainty_ns", agent.clock_uncertainty_ns}};
  put(json, "clock_drift_ppm", agent.clock_drift_ppm);
  put(json, "clock_drift_uncertainty_ppm", agent.clock_drift_uncertainty_ppm);
  put(json, "late_ns", agent.late_ns);
  put(json, "start_error_ns", agent.start_error_ns);
  json["late"] = agent.late;
  return json;
}

AgentRecord agentFromJson(const Json& json) {
  AgentRecord agent;
  json.at("attempt").get_to(agent.attempt);
  json.at("name").get_to(agent.name);
  json.at("software").get_to(agent.software);
  json.at("machine").get_to(agent.machine);
  json.at("run").get_to(agent.run);
  json.at("outcome").get_to(agent.outcome);
  json.at("trials").get_to(agent.trials);
  json.at("clock_offset_ns").get_to(agent.clock_offset_ns);
  json.at("clock_uncertainty_ns").get_to(agent.clock_uncertainty_ns);
  take(json, "clock_drift_ppm", agent.clock_drift_ppm);
  take(json, "clock_drift_uncertainty_ppm", agent.clock_drift_uncertainty_ppm);
  take(json, "late_ns", agent.late_ns);
  take(json, "start_error_ns", agent.start_error_ns);
  json.at("late").get_to(agent.late);
  return agent;
}

}  // namespace

std::string agentsJson(const std::vector<AgentRecord>& agents) {
  Json list = Json::array();
  for (const AgentRecord& agent : agents) list.push_back(agentToJson(agent));
  // Text from an agent may be invalid UTF-8.
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<AgentRecord> agentsFromJson(const std::string& text) {
  try {
    std::vector<AgentRecord> agents;
    for (const Json& agent : parseJson<Json>(text)) agents.push_back(agentFromJson(agent));
    return agents;
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::kTester, std::string("stored agents cannot be read: ") + e.what());
  }
}

}  // namespace plumbline::results
