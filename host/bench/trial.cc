#include "bench/trial.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;  // object keys are kept sorted, which makes dump() canonical

// Raised when the meaning of a key changes, so that results stored under the old meaning are not
// taken for an answer.
constexpr int kSpecFormat = 1;
constexpr int kResultFormat = 1;

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

constexpr Names<ObservationPoint, 4> kObservationNames{
    {{ObservationPoint::kTester, "tester"},
     {ObservationPoint::kDutReported, "dut-reported"},
     {ObservationPoint::kEndpointSoftware, "endpoint-software"},
     {ObservationPoint::kModelled, "modelled"}}};
constexpr Names<Transport, 3> kTransportNames{{{Transport::kUdp, "udp"},
                                               {Transport::kRoceSend, "roce-send"},
                                               {Transport::kRoceWrite, "roce-write"}}};
constexpr Names<fabric::TopologyKind, 3> kTopologyNames{
    {{fabric::TopologyKind::kLink, "link"},
     {fabric::TopologyKind::kSingleSwitch, "single-switch"},
     {fabric::TopologyKind::kClos2, "clos2"}}};
constexpr Names<fabric::Forwarding, 2> kForwardingNames{
    {{fabric::Forwarding::kStoreAndForward, "store-and-forward"},
     {fabric::Forwarding::kCutThrough, "cut-through"}}};
constexpr Names<fabric::ImpairmentKind, 3> kImpairmentNames{
    {{fabric::ImpairmentKind::kDrop, "drop"},
     {fabric::ImpairmentKind::kDuplicate, "duplicate"},
     {fabric::ImpairmentKind::kDelay, "delay"}}};

template <typename Enum, std::size_t N>
const char* nameOf(const Names<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  throw Error(ErrorKind::kTester,
              fmt::format("value {} of an enumeration has no name", static_cast<int>(value)));
}

template <typename Enum, std::size_t N>
Enum valueOf(const Names<Enum, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (text == name) return value;
  }
  throw Error(ErrorKind::kTester, fmt::format("unknown name '{}'", text));
}

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
  return json;
}

Json toJsonValue(const fabric::FabricSpec& dut) {
  Json topology{{"kind", nameOf(kTopologyNames, dut.topology.kind)},
                {"link_bps", dut.topology.link_rate.bitsPerSecond()},
                {"host_link_delay_ps", dut.topology.host_link_delay.count()}};
  // Only what the kind of topology has: a number it does not use must not tell trials apart.
  switch (dut.topology.kind) {
    case fabric::TopologyKind::kLink:
      break;
    case fabric::TopologyKind::kSingleSwitch:
      topology["hosts"] = dut.topology.hosts;
      break;
    case fabric::TopologyKind::kClos2:
      topology["leaves"] = dut.topology.leaves;
      topology["spines"] = dut.topology.spines;
      topology["hosts_per_leaf"] = dut.topology.hosts_per_leaf;
      topology["fabric_link_delay_ps"] = dut.topology.fabric_link_delay.count();
      break;
  }
  Json impairments = Json::array();
  for (const auto& impairment : dut.impairments) {
    impairments.push_back({{"kind", nameOf(kImpairmentNames, impairment.kind)},
                           {"host", impairment.host},
                           {"frame", impairment.frame},
                           {"delay_ps", impairment.delay.count()}});
  }
  return {{"topology", topology},
          {"switch",
           {{"buffer_per_port_bytes", dut.switches.buffer_per_port.count()},
            {"latency_ps", dut.switches.latency.count()},
            {"forwarding", nameOf(kForwardingNames, dut.switches.forwarding)}}},
          {"impairments", impairments},
          {"seed", dut.seed}};
}

Json toJsonValue(const StreamResult& stream) {
  return {{"name", stream.name},
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
  return stream;
}

Json toJsonValue(const PortResult& port) {
  Json priorities = Json::array();
  for (const auto& priority : port.priority) {
    priorities.push_back({{"rx_xoff", priority.rx_xoff},
                          {"rx_xon", priority.rx_xon},
                          {"paused_ps", priority.paused.count()}});
  }
  return {{"tx_frames", port.tx_frames},   {"tx_bytes", port.tx_bytes},
          {"tx_late", port.tx_late},       {"tx_late_max_ps", port.tx_late_max.count()},
          {"rx_frames", port.rx_frames},   {"rx_bytes", port.rx_bytes},
          {"fcs_errors", port.fcs_errors}, {"icrc_errors", port.icrc_errors},
          {"untagged", port.untagged},     {"priority", priorities}};
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
  return port;
}

Json toJsonValue(const GroupLatency& latency) {
  const stats::Histogram& histogram = latency.histogram;
  Json cells = Json::array();
  for (const auto& cell : histogram.cells()) cells.push_back({cell.bucket, cell.count});
  return {{"group", latency.group},
          {"cells", cells},
          {"minimum_ps", histogram.minimum()},
          {"maximum_ps", histogram.maximum()},
          {"sum_high", histogram.sumHigh()},
          {"sum_low", histogram.sumLow()}};
}

GroupLatency latencyFromJson(const Json& json) {
  GroupLatency latency;
  json.at("group").get_to(latency.group);
  const Json& cells = json.at("cells");
  if (cells.empty()) return latency;
  const auto first = cells.front().at(0).get<std::uint32_t>();
  const auto last = cells.back().at(0).get<std::uint32_t>();
  if (last < first || last >= stats::kHistogramBuckets) {
    throw Error(ErrorKind::kTester, "histogram cells are not in ascending order");
  }
  std::vector<std::uint64_t> counts(last - first + 1, 0);
  for (const Json& cell : cells) {
    counts.at(cell.at(0).get<std::uint32_t>() - first) = cell.at(1).get<std::uint64_t>();
  }
  latency.histogram = stats::Histogram::fromHardware(
      first, counts, json.at("minimum_ps").get<std::uint64_t>(),
      json.at("maximum_ps").get<std::uint64_t>(), json.at("sum_high").get<std::uint32_t>(),
      json.at("sum_low").get<std::uint64_t>());
  return latency;
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
  return result;
}

}  // namespace

std::string TrialSpec::toJson() const {
  Json stream_array = Json::array();
  for (const auto& stream : streams) stream_array.push_back(toJsonValue(stream));
  Json json{{"format", kSpecFormat},
            {"dut", toJsonValue(dut)},
            {"streams", stream_array},
            {"duration_ps", duration.count()},
            {"drain_ps", drain.count()}};
  if (capture_port) json["capture_port"] = *capture_port;
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
  return Json{{"format", kResultFormat},
              {"bench", bench},
              {"observed", nameOf(kObservationNames, observed)},
              {"streams", stream_array},
              {"ports", port_array},
              {"latency", latency_array},
              {"dut_observed", nameOf(kObservationNames, dut_observed)},
              {"dut", dut_array},
              {"faults", faults},
              {"card_time_ps", card_time.count()},
              {"wall_seconds", wall_seconds}}
      .dump();
}

TrialResult TrialResult::fromJson(const std::string& text) {
  try {
    return resultFromJson(Json::parse(text));
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kTester, fmt::format("not the result of a trial: {}", error.what()));
  } catch (const std::out_of_range&) {
    throw Error(ErrorKind::kTester, "not the result of a trial: histogram cells are not in order");
  }
}

}  // namespace plumbline::bench
