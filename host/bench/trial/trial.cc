#include "bench/trial/trial.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "bench/json/card_json.h"
#include "bench/json/dut_json.h"
#include "bench/json/early_end_json.h"
#include "bench/json/histogram_json.h"
#include "bench/json/json_names.h"
#include "bench/json/serving_json.h"
#include "bench/json/workload_json.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;  // object keys are kept sorted, which makes dump() canonical

// Raised when the meaning of a key changes, so that results with the old meaning are not reused.
constexpr int kSpecFormat = 1;
constexpr int kResultFormat = 1;

constexpr Names<ObservationPoint, 4> kObservationNames{
    {{ObservationPoint::kTester, "tester"},
     {ObservationPoint::kDutReported, "dut-reported"},
     {ObservationPoint::kEndpointSoftware, "endpoint-software"},
     {ObservationPoint::kModelled, "modelled"}}};
constexpr Names<Transport, 7> kTransportNames{{{Transport::kUdp, "udp"},
                                               {Transport::kRoceSend, "roce-send"},
                                               {Transport::kRoceWrite, "roce-write"},
                                               {Transport::kUetRud, "uet-rud"},
                                               {Transport::kUetRod, "uet-rod"},
                                               {Transport::kUetRudi, "uet-rudi"},
                                               {Transport::kUetUud, "uet-uud"}}};
Json toJsonValue(const FrameFormat& format) {
  Json json{{"transport", nameOf(kTransportNames, format.transport)},
            {"ipv6", format.ipv6},
            {"priority", format.priority},
            {"dscp", format.dscp},
            {"ect", format.ect},
            {"qps", format.qps}};
  if (format.vlan_id) json["vlan_id"] = *format.vlan_id;
  return json;
}

Json toJsonValue(const StreamSpec& stream) {
  Json json{{"name", stream.name},
            {"from", stream.from},
            {"to", stream.to},
            {"format", toJsonValue(stream.format)},
            {"frame_bytes", stream.frame.count()},
            {"start_ps", stream.start.count()},
            {"group", stream.group}};
  if (const auto* constant = std::get_if<ConstantLoad>(&stream.load)) {
    json["constant"] = {{"rate_ppt", constant->rate.partsPerTrillion()}};
  } else {
    const auto& burst = std::get<BurstLoad>(stream.load);
    json["burst"] = {{"frames", burst.frames},
                     {"extra_gap_bytes", burst.extra_gap.count()},
                     {"bursts", burst.bursts},
                     {"interval_ps", burst.interval.count()}};
  }
  addCardParts(stream, json);
  return json;
}

Json toJsonValue(const StreamResult& stream) {
  Json json{{"name", stream.name},
            {"sent_frames", stream.sent_frames},
            {"sent_bytes", stream.sent_bytes},
            {"received_frames", stream.received_frames},
            {"received_bytes", stream.received_bytes},
            {"lost", stream.lost},
            {"duplicate", stream.duplicate},
            {"out_of_order", stream.out_of_order},
            {"stale", stream.stale},
            {"ce", stream.ce},
            {"bad_icrc", stream.bad_icrc},
            {"misdelivered", stream.misdelivered}};
  addCardResult(stream, json);
  return json;
}

StreamResult streamFromJson(const Json& json) {
  StreamResult stream;
  json.at("name").get_to(stream.name);
  json.at("sent_frames").get_to(stream.sent_frames);
  json.at("sent_bytes").get_to(stream.sent_bytes);
  json.at("received_frames").get_to(stream.received_frames);
  json.at("received_bytes").get_to(stream.received_bytes);
  json.at("lost").get_to(stream.lost);
  json.at("duplicate").get_to(stream.duplicate);
  json.at("out_of_order").get_to(stream.out_of_order);
  json.at("stale").get_to(stream.stale);
  json.at("ce").get_to(stream.ce);
  json.at("bad_icrc").get_to(stream.bad_icrc);
  json.at("misdelivered").get_to(stream.misdelivered);
  readCardResult(json, stream);
  return stream;
}

Json toJsonValue(const PortResult& port) {
  Json priorities = Json::array();
  for (const auto& priority : port.priority) {
    priorities.push_back({{"rx_xoff", priority.rx_xoff},
                          {"rx_xon", priority.rx_xon},
                          {"paused_ps", priority.paused.count()}});
  }
  Json json{{"tx_frames", port.tx_frames},   {"tx_bytes", port.tx_bytes},
            {"tx_late", port.tx_late},       {"tx_late_max_ps", port.tx_late_max.count()},
            {"rx_frames", port.rx_frames},   {"rx_bytes", port.rx_bytes},
            {"fcs_errors", port.fcs_errors}, {"icrc_errors", port.icrc_errors},
            {"untagged", port.untagged},     {"priority", priorities}};
  addCardResult(port, json);
  return json;
}

PortResult portFromJson(const Json& json) {
  PortResult port;
  json.at("tx_frames").get_to(port.tx_frames);
  json.at("tx_bytes").get_to(port.tx_bytes);
  json.at("tx_late").get_to(port.tx_late);
  port.tx_late_max = Picoseconds(json.at("tx_late_max_ps").get<std::int64_t>());
  json.at("rx_frames").get_to(port.rx_frames);
  json.at("rx_bytes").get_to(port.rx_bytes);
  json.at("fcs_errors").get_to(port.fcs_errors);
  json.at("icrc_errors").get_to(port.icrc_errors);
  json.at("untagged").get_to(port.untagged);
  const Json& priorities = json.at("priority");
  for (std::size_t i = 0; i < port.priority.size(); ++i) {
    const Json& priority = priorities.at(i);
    priority.at("rx_xoff").get_to(port.priority[i].rx_xoff);
    priority.at("rx_xon").get_to(port.priority[i].rx_xon);
    port.priority[i].paused = Picoseconds(priority.at("paused_ps").get<std::int64_t>());
  }
  readCardResult(json, port);
  return port;
}

Json toJsonValue(const GroupLatency& latency) {
  Json json = histogramToJson(latency.histogram);
  json["group"] = latency.group;
  return json;
}

GroupLatency latencyFromJson(const Json& json) {
  return {json.at("group").get<std::uint32_t>(), histogramFromJson(json)};
}

TrialResult resultFromJson(const Json& json) {
  if (const int format = json.at("format").get<int>(); format != kResultFormat) {
    throw Error(ErrorKind::kTester, fmt::format("format {} instead of {}", format, kResultFormat));
  }
  TrialResult result;
  json.at("bench").get_to(result.bench);
  result.observed = valueOf(kObservationNames, json.at("observed").get<std::string>());
  for (const Json& stream : json.at("streams")) result.streams.push_back(streamFromJson(stream));
  for (const Json& port : json.at("ports")) result.ports.push_back(portFromJson(port));
  for (const Json& latency : json.at("latency")) {
    result.latency.push_back(latencyFromJson(latency));
  }
  result.dut_observed = valueOf(kObservationNames, json.at("dut_observed").get<std::string>());
  for (const Json& port : json.at("dut")) {
    result.dut.push_back({port.at("name").get<std::string>(),
                          port.at("packets").get<std::uint64_t>(),
                          port.at("drops").get<std::uint64_t>(),
                          Bytes(port.at("max_queue_bytes").get<std::int64_t>())});
  }
  json.at("faults").get_to(result.faults);
  result.card_time = Picoseconds(json.at("card_time_ps").get<std::int64_t>());
  json.at("wall_seconds").get_to(result.wall_seconds);
  if (json.contains("serving")) result.serving = servingResultFromJson(json.at("serving"));
  if (json.contains("tenants")) {
    for (const Json& tenant : json.at("tenants")) {
      result.tenants.push_back(servingResultFromJson(tenant));
    }
  }
  if (json.contains("fabric")) {
    result.fabric = FabricResult::fromJson(json.at("fabric").dump());
  }
  if (json.contains("flow_level")) {
    result.flow_level = flowLevelFromJson(json.at("flow_level"));
  }
  if (json.contains("early_end")) {
    result.early_end = earlyEndOutcomeFromJson(json.at("early_end"));
  }
  if (json.contains("host_counters")) {
    for (const Json& counter : json.at("host_counters")) {
      result.host_counters.push_back(
          {counter.at("name").get<std::string>(), counter.at("value").get<std::uint64_t>()});
    }
  }
  return result;
}

}  // namespace

bool isRoce(Transport transport) {
  return transport == Transport::kRoceSend || transport == Transport::kRoceWrite;
}

bool isUet(Transport transport) { return transport != Transport::kUdp && !isRoce(transport); }

std::vector<const serving::ServingProgram*> TrialSpec::servingSystems() const {
  std::vector<const serving::ServingProgram*> systems;
  if (serving) systems.push_back(&*serving);
  for (const serving::ServingProgram& tenant : tenants) systems.push_back(&tenant);
  return systems;
}

bool TrialSpec::recordsFabric() const {
  return sampling || series || loss_times || first_mark || count_flows || peak_interval;
}

std::string TrialSpec::toJson() const {
  Json stream_array = Json::array();
  for (const auto& stream : streams) stream_array.push_back(toJsonValue(stream));
  Json json{{"format", kSpecFormat},
            {"dut", dutToJson(dut)},
            {"streams", stream_array},
            {"duration_ps", duration.count()},
            {"drain_ps", drain.count()}};
  if (capture_port) json["capture_port"] = *capture_port;
  if (transport) json["transport"] = transportToJson(*transport);
  if (workload) json["workload"] = workloadToJson(*workload);
  if (serving) json["serving"] = servingToJson(*serving);
  for (const serving::ServingProgram& tenant : tenants) {
    json["tenants"].push_back(servingToJson(tenant));
  }
  if (fast_forward) json["fast_forward"] = {{"packets", fast_forward->packets}};
  if (flow_level) json["flow_level"] = true;
  if (early_end) json["early_end"] = earlyEndToJson(*early_end);
  if (loss_times) json["loss_times"] = true;
  if (sampling) {
    json["sampling"] = {{"interval_ps", sampling->interval.count()}};
    if (sampling->losses_from > Picoseconds(0)) {
      json["sampling"]["losses_from_ps"] = sampling->losses_from.count();
    }
  }
  if (series) json["series"] = {{"intervals", series->intervals}};
  if (first_mark) json["first_mark"] = true;
  if (count_flows) json["count_flows"] = true;
  if (peak_interval) json["peak_interval_ps"] = peak_interval->count();
  addCardParts(*this, json);
  return json.dump();
}

std::uint64_t TrialResult::lost() const {
  std::uint64_t total = 0;
  for (const auto& stream : streams) total += stream.lost;
  return total;
}

std::string TrialResult::toJson() const {
  Json stream_array = Json::array();
  for (const auto& stream : streams) stream_array.push_back(toJsonValue(stream));
  Json port_array = Json::array();
  for (const auto& port : ports) port_array.push_back(toJsonValue(port));
  Json latency_array = Json::array();
  for (const auto& group : latency) latency_array.push_back(toJsonValue(group));
  Json dut_array = Json::array();
  for (const auto& port : dut) {
    dut_array.push_back({{"name", port.name},
                         {"packets", port.packets},
                         {"drops", port.drops},
                         {"max_queue_bytes", port.max_queue.count()}});
  }
  Json json{{"format", kResultFormat},
            {"bench", bench},
            {"observed", nameOf(kObservationNames, observed)},
            {"streams", stream_array},
            {"ports", port_array},
            {"latency", latency_array},
            {"dut_observed", nameOf(kObservationNames, dut_observed)},
            {"dut", dut_array},
            {"faults", faults},
            {"card_time_ps", card_time.count()},
            {"wall_seconds", wall_seconds}};
  if (early_end) json["early_end"] = earlyEndOutcomeToJson(*early_end);
  if (serving) json["serving"] = servingResultToJson(*serving);
  for (const serving::ServingResult& tenant : tenants) {
    json["tenants"].push_back(servingResultToJson(tenant));
  }
  if (fabric) json["fabric"] = parseJson<Json>(fabric->toJson());
  if (flow_level) json["flow_level"] = flowLevelToJson(*flow_level);
  for (const HostCounter& counter : host_counters) {
    json["host_counters"].push_back({{"name", counter.name}, {"value", counter.value}});
  }
  return json.dump();
}

TrialResult TrialResult::fromJson(const std::string& text) {
  try {
    return resultFromJson(parseJson<Json>(text));
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kTester, fmt::format("not the result of a trial: {}", error.what()));
  }
}

}  // namespace plumbline::bench
