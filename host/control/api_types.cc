#include "control/api_types.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "control/api_fields.h"

namespace plumbline::control {
namespace {

// Finds a name that an object has twice, of which the document keeps one value only. Reads invalid
// text up to its fault.
class RepeatedName final : public nlohmann::json_sax<Json> {
 public:
  // With the names around it; empty when there is none.
  [[nodiscard]] const std::string& found() const { return found_; }

  bool start_object(std::size_t /*elements*/) override {
    objects_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    Object& object = objects_.back();
    object.name = name;
    if (object.names.insert(name).second) return true;
    for (const Object& one : objects_) found_ += (found_.empty() ? "" : ".") + one.name;
    return false;
  }
  bool end_object() override {
    objects_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_array() override { return true; }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const Json::exception& /*fault*/) override {
    return false;
  }

 private:
  struct Object {
    std::set<std::string> names;
    std::string name;  // the current one
  };
  std::vector<Object> objects_;
  std::string found_;
};

}  // namespace

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
  RepeatedName repeated;
  Json::sax_parse(text, &repeated);
  if (!repeated.found().empty()) return "\"" + repeated.found() + "\" is there twice";
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
