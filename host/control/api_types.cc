#include "control/api_types.h"

#include "control/api_fields.h"

namespace plumbline::control {

template <typename T>
std::string toJson(const T& value) {
  return dump(jsonOf(value));
}

template <typename T>
bool fromJson(std::string_view text, T& value) {
  return readJson(text, JsonRole::kAnswer, value).empty();
}

template <typename T>
std::string readRequest(std::string_view text, T& value) {
  return readJson(text, JsonRole::kRequest, value);
}

template std::string toJson(const BenchDescription&);
template bool fromJson(std::string_view, BenchDescription&);
template std::string toJson(const TestDescription&);
template bool fromJson(std::string_view, TestDescription&);
template std::string toJson(const ServerCapabilities&);
template bool fromJson(std::string_view, ServerCapabilities&);
template std::string toJson(const PortState&);
template bool fromJson(std::string_view, PortState&);
template std::string toJson(const ReservationRequest&);
template bool fromJson(std::string_view, ReservationRequest&);
template std::string toJson(const Reservation&);
template bool fromJson(std::string_view, Reservation&);
template std::string toJson(const ScenarioListing&);
template bool fromJson(std::string_view, ScenarioListing&);
template std::string toJson(const ScenarioText&);
template bool fromJson(std::string_view, ScenarioText&);
template std::string toJson(const ScenarioRequest&);
template bool fromJson(std::string_view, ScenarioRequest&);
template std::string toJson(const ScenarioProblem&);
template bool fromJson(std::string_view, ScenarioProblem&);
template std::string toJson(const ValidationAnswer&);
template bool fromJson(std::string_view, ValidationAnswer&);
template std::string toJson(const TopologyNode&);
template bool fromJson(std::string_view, TopologyNode&);
template std::string toJson(const TopologyLink&);
template bool fromJson(std::string_view, TopologyLink&);
template std::string toJson(const TopologyFailure&);
template bool fromJson(std::string_view, TopologyFailure&);
template std::string toJson(const TopologyPicture&);
template bool fromJson(std::string_view, TopologyPicture&);
template std::string toJson(const PlannedFrame&);
template bool fromJson(std::string_view, PlannedFrame&);
template std::string toJson(const PlannedTestAnswer&);
template bool fromJson(std::string_view, PlannedTestAnswer&);
template std::string toJson(const PlanAnswer&);
template bool fromJson(std::string_view, PlanAnswer&);
template std::string toJson(const ClockReading&);
template bool fromJson(std::string_view, ClockReading&);
template std::string toJson(const TrialPage&);
template bool fromJson(std::string_view, TrialPage&);
template std::string toJson(const RunRequest&);
template bool fromJson(std::string_view, RunRequest&);
template std::string toJson(const TrialOrder&);
template bool fromJson(std::string_view, TrialOrder&);
template std::string toJson(const RunState&);
template bool fromJson(std::string_view, RunState&);
template std::string toJson(const Refusal&);
template bool fromJson(std::string_view, Refusal&);
template std::string toJson(const std::vector<PortState>&);
template bool fromJson(std::string_view, std::vector<PortState>&);
template std::string toJson(const std::vector<ScenarioListing>&);
template bool fromJson(std::string_view, std::vector<ScenarioListing>&);
template std::string toJson(const std::vector<RunState>&);
template bool fromJson(std::string_view, std::vector<RunState>&);
template std::string readRequest(std::string_view, ReservationRequest&);
template std::string readRequest(std::string_view, ScenarioRequest&);
template std::string readRequest(std::string_view, RunRequest&);
template std::string readRequest(std::string_view, TrialOrder&);

}  // namespace plumbline::control
