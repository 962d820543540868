#include "bench/trial/fabric_result.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "bench/json/histogram_json.h"
#include "bench/json/moe_json.h"
#include "bench/json/samples_json.h"
#include "bench/json/time_series_json.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

// Members that are plain counts, by their name in JSON: one list for both directions.
template <typename T>
using Counts = std::vector<std::pair<const char*, std::uint64_t T::*>>;

const Counts<fabric::LinkCounters>& linkCounts() {
  using C = fabric::LinkCounters;
  static const Counts<C> counts{{"packets", &C::packets},
                                {"bytes", &C::bytes},
                                {"control", &C::control},
                                {"marked", &C::marked},
                                {"trimmed", &C::trimmed},
                                {"max_queue_bytes", &C::max_queue_bytes},
                                {"xoff_received", &C::xoff_received},
                                {"pauses", &C::pauses},
                                {"xoff_sent", &C::xoff_sent},
                                {"watchdog_events", &C::watchdog_events},
                                {"damaged", &C::damaged},
                                {"replayed", &C::replayed},
                                {"retries", &C::retries}};
  return counts;
}

const Counts<transport::EndpointStats>& endpointCounts() {
  using E = transport::EndpointStats;
  static const Counts<E> counts{{"data_sent", &E::data_sent},
                                {"bytes_sent", &E::bytes_sent},
                                {"retransmitted", &E::retransmitted},
                                {"control_sent", &E::control_sent},
                                {"data_received", &E::data_received},
                                {"payload_received", &E::payload_received},
                                {"duplicates", &E::duplicates},
                                {"out_of_order", &E::out_of_order},
                                {"discarded", &E::discarded},
                                {"ce_received", &E::ce_received},
                                {"trimmed_received", &E::trimmed_received},
                                {"cnp_sent", &E::cnp_sent},
                                {"cnp_received", &E::cnp_received},
                                {"nack_received", &E::nack_received},
                                {"timeouts", &E::timeouts},
                                {"messages_completed", &E::messages_completed},
                                {"messages_failed", &E::messages_failed}};
  return counts;
}

template <typename T>
Json countsToJson(const Counts<T>& counts, const T& value) {
  Json json;
  for (const auto& [name, member] : counts) json[name] = value.*member;
  return json;
}

template <typename T>
void countsFromJson(const Counts<T>& counts, const Json& json, T& value) {
  for (const auto& [name, member] : counts) json.at(name).get_to(value.*member);
}

Json optionalToJson(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> optionalFromJson(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

Picoseconds timeFromJson(const Json& json) { return Picoseconds(json.get<std::int64_t>()); }

Json connectionsToJson(const transport::ConnectionStats& connections) {
  return {{"opened", connections.opened},
          {"established", connections.established},
          {"failed", connections.failed},
          {"most_open", connections.max_open_connections},
          {"first_opened_ps", connections.first_opened.count()},
          {"last_established_ps", connections.last_established.count()},
          {"setup", histogramToJson(connections.setup)}};
}

transport::ConnectionStats connectionsFromJson(const Json& json) {
  transport::ConnectionStats connections;
  json.at("opened").get_to(connections.opened);
  json.at("established").get_to(connections.established);
  json.at("failed").get_to(connections.failed);
  json.at("most_open").get_to(connections.max_open_connections);
  connections.first_opened = timeFromJson(json.at("first_opened_ps"));
  connections.last_established = timeFromJson(json.at("last_established_ps"));
  connections.setup = histogramFromJson(json.at("setup"));
  return connections;
}

Json totalToJson(const fabric::LinkCounters& total) {
  Json json = countsToJson(linkCounts(), total);
  json["drops"] = total.drops;
  Json paused = Json::array();
  for (const Picoseconds time : total.paused) paused.push_back(time.count());
  json["paused_ps"] = paused;
  json["retry_total_ps"] = total.retry_total.count();
  json["retry_max_ps"] = total.retry_max.count();
  json["inits"] = total.inits;
  return json;
}

fabric::LinkCounters totalFromJson(const Json& json) {
  fabric::LinkCounters total;
  countsFromJson(linkCounts(), json, total);
  // Files of older programs lack the counts of newer drop reasons.
  const Json& drops = json.at("drops");
  for (std::size_t i = 0; i < std::min(drops.size(), total.drops.size()); ++i) {
    drops[i].get_to(total.drops[i]);
  }
  for (std::size_t p = 0; p < total.paused.size(); ++p) {
    total.paused[p] = timeFromJson(json.at("paused_ps").at(p));
  }
  total.retry_total = timeFromJson(json.at("retry_total_ps"));
  total.retry_max = timeFromJson(json.at("retry_max_ps"));
  total.inits = json.value("inits", std::uint64_t{0});  // not counted by older programs
  return total;
}

const Counts<HopRetries>& hopCounts() {
  using H = HopRetries;
  static const Counts<H> counts{{"damaged", &H::damaged},
                                {"nacks", &H::nacks},
                                {"retries", &H::retries},
                                {"replayed", &H::replayed},
                                {"replayed_bytes", &H::replayed_bytes}};
  return counts;
}

Json hopToJson(const HopRetries& hop) {
  Json json = countsToJson(hopCounts(), hop);
  json["bit_error_rate"] = hop.bit_error_rate;
  json["latency"] = histogramToJson(hop.latency);
  if (hop.given_up > 0) json["given_up"] = hop.given_up;
  json["nacks_lost"] = hop.nacks_lost;
  json["timed_latency"] = histogramToJson(hop.timed_latency);
  json["computed_least_ps"] = hop.computed.min.count();
  json["computed_most_ps"] = hop.computed.max.count();
  return json;
}

HopRetries hopFromJson(const Json& json) {
  HopRetries hop;
  countsFromJson(hopCounts(), json, hop);
  json.at("bit_error_rate").get_to(hop.bit_error_rate);
  hop.given_up = json.value("given_up", std::uint64_t{0});
  hop.latency = histogramFromJson(json.at("latency"));
  if (json.contains("nacks_lost")) {  // older programs did not write it
    json.at("nacks_lost").get_to(hop.nacks_lost);
    hop.timed_latency = histogramFromJson(json.at("timed_latency"));
  }
  hop.computed.min = timeFromJson(json.at("computed_least_ps"));
  hop.computed.max = timeFromJson(json.at("computed_most_ps"));
  return hop;
}

Json linkToJson(const LinkLoad& link) {
  Json json{{"name", link.name},
            {"rate_bps", link.rate.bitsPerSecond()},
            {"between_switches", link.between_switches},
            {"packets", link.packets},
            {"bytes", link.bytes},
            {"dropped", link.dropped},
            {"marked", link.marked},
            {"max_queue_bytes", link.max_queue_bytes},
            {"paused_ps", link.paused.count()},
            {"utilisation", link.utilisation}};
  if (link.headroom_dropped > 0) json["headroom_dropped"] = link.headroom_dropped;
  if (link.pauses > 0) json["pauses"] = link.pauses;
  if (link.pause_frames.value_or(0) > 0) json["pause_frames"] = *link.pause_frames;
  if (link.paused > Picoseconds(0)) {  // which few links are
    for (const Picoseconds paused : link.paused_by_priority) {
      json["paused_priorities_ps"].push_back(paused.count());
    }
  }
  if (link.retries) json["retries"] = hopToJson(*link.retries);
  return json;
}

LinkLoad linkFromJson(const Json& json) {
  LinkLoad link;
  json.at("name").get_to(link.name);
  link.rate = BitRate(json.at("rate_bps").get<std::int64_t>());
  json.at("between_switches").get_to(link.between_switches);
  json.at("packets").get_to(link.packets);
  json.at("bytes").get_to(link.bytes);
  json.at("dropped").get_to(link.dropped);
  link.headroom_dropped = json.value("headroom_dropped", std::uint64_t{0});
  json.at("marked").get_to(link.marked);
  json.at("max_queue_bytes").get_to(link.max_queue_bytes);
  link.paused = timeFromJson(json.at("paused_ps"));
  link.pauses = json.value("pauses", std::uint64_t{0});
  if (json.contains("pause_frames")) {
    link.pause_frames = json.at("pause_frames").get<std::uint64_t>();
  } else if (link.pauses > 0) {
    link.pause_frames.reset();
  }
  if (json.contains("paused_priorities_ps")) {
    for (std::size_t p = 0; p < link.paused_by_priority.size(); ++p) {
      link.paused_by_priority[p] = timeFromJson(json.at("paused_priorities_ps").at(p));
    }
  }
  json.at("utilisation").get_to(link.utilisation);
  if (json.contains("retries")) link.retries = hopFromJson(json.at("retries"));
  return link;
}

Json jobToJson(const JobOutcome& job) {
  Json iterations = Json::array();
  for (const Picoseconds time : job.iterations) iterations.push_back(time.count());
  Json json{{"name", job.name},
            {"finished", job.finished},
            {"iterations_ps", iterations},
            {"completion_ps", job.completion.count()},
            {"active_ps", job.active.count()},
            {"messages_completed", job.messages_completed},
            {"messages_failed", job.messages_failed},
            {"messages_open", job.messages_open},
            {"bytes_arrived", job.bytes_arrived},
            {"bytes_per_rank", job.bytes_per_rank},
            {"message_time", histogramToJson(job.message_time)}};
  if (!job.iteration_starts.empty()) {
    Json& starts = json["iteration_starts_ps"] = Json::array();
    for (const Picoseconds time : job.iteration_starts) starts.push_back(time.count());
  }
  if (job.arrived) {
    json["arrived"] = {{"bytes", job.arrived->bytes}, {"time_ps", job.arrived->time.count()}};
  }
  if (job.flow_jfi) json["flow_jfi"] = *job.flow_jfi;
  if (job.moe) json["moe"] = moeToJson(*job.moe);
  if (job.open_age.count() > 0) json["open_age"] = histogramToJson(job.open_age);
  if (job.arrival_time) json["arrival_time"] = histogramToJson(*job.arrival_time);
  return json;
}

JobOutcome jobFromJson(const Json& json) {
  JobOutcome job;
  json.at("name").get_to(job.name);
  json.at("finished").get_to(job.finished);
  for (const Json& time : json.at("iterations_ps")) job.iterations.push_back(timeFromJson(time));
  job.completion = timeFromJson(json.at("completion_ps"));
  json.at("messages_completed").get_to(job.messages_completed);
  json.at("messages_failed").get_to(job.messages_failed);
  json.at("bytes_arrived").get_to(job.bytes_arrived);
  json.at("bytes_per_rank").get_to(job.bytes_per_rank);
  job.message_time = histogramFromJson(json.at("message_time"));
  // Older programs did not write them.
  job.messages_open = json.value("messages_open", std::uint64_t{0});
  if (json.contains("active_ps")) job.active = timeFromJson(json.at("active_ps"));
  if (json.contains("iteration_starts_ps")) {
    for (const Json& time : json.at("iteration_starts_ps")) {
      job.iteration_starts.push_back(timeFromJson(time));
    }
  }
  if (json.contains("arrived")) {
    const Json& arrived = json.at("arrived");
    job.arrived = PayloadArrived{arrived.at("bytes").get<std::uint64_t>(),
                                 timeFromJson(arrived.at("time_ps"))};
  }
  if (json.contains("flow_jfi")) job.flow_jfi = json.at("flow_jfi").get<double>();
  if (json.contains("moe")) job.moe = moeFromJson(json.at("moe"));
  if (json.contains("open_age")) {
    job.open_age = histogramFromJson(json.at("open_age"));
  } else if (job.messages_open > 0) {
    job.open_age.record(std::numeric_limits<std::uint64_t>::max(), job.messages_open);
  }
  if (json.contains("arrival_time")) {
    job.arrival_time = histogramFromJson(json.at("arrival_time"));
  }
  return job;
}

Json toJsonValue(const FastForwardOutcome& outcome) {
  Json points = Json::array();
  for (const FastForwardPoint& point : outcome.points) {
    points.push_back({{"message_bytes", point.message_bytes},
                      {"flow_level_ps", point.flow_level.count()},
                      {"packet_level_ps", point.packet_level.count()}});
  }
  return {{"points", points},
          {"calibrated_error", outcome.calibrated_error},
          {"calibration_spread", outcome.calibration_spread},
          {"message_bytes", outcome.message_bytes},
          {"flow_level_ps", outcome.flow_level.count()},
          {"packet_hops", outcome.packet_hops}};
}

FastForwardOutcome fastForwardOutcomeFromJson(const Json& json) {
  FastForwardOutcome outcome;
  for (const Json& point : json.at("points")) {
    outcome.points.push_back({point.at("message_bytes").get<std::uint64_t>(),
                              timeFromJson(point.at("flow_level_ps")),
                              timeFromJson(point.at("packet_level_ps"))});
  }
  json.at("calibrated_error").get_to(outcome.calibrated_error);
  json.at("calibration_spread").get_to(outcome.calibration_spread);
  json.at("message_bytes").get_to(outcome.message_bytes);
  outcome.flow_level = timeFromJson(json.at("flow_level_ps"));
  json.at("packet_hops").get_to(outcome.packet_hops);
  return outcome;
}

// Of a fast-forwarded job: only what was predicted.
Json predictedToJson(const FabricResult& result) {
  Json job_array = Json::array();
  for (const JobOutcome& job : result.jobs) {
    Json iterations = Json::array();
    for (const Picoseconds time : job.iterations) iterations.push_back(time.count());
    job_array.push_back({{"name", job.name},
                         {"finished", job.finished},
                         {"iterations_ps", iterations},
                         {"completion_ps", job.completion.count()}});
  }
  return {{"format", kFormat},
          {"sim_end_ps", result.sim_end.count()},
          {"fast_forward", toJsonValue(*result.fast_forward)},
          {"jobs", job_array},
          {"peak_rss_bytes", result.peak_rss_bytes}};
}

FabricResult predictedFromJson(const Json& json) {
  FabricResult result;
  result.sim_end = timeFromJson(json.at("sim_end_ps"));
  result.fast_forward = fastForwardOutcomeFromJson(json.at("fast_forward"));
  for (const Json& job : json.at("jobs")) {
    JobOutcome& predicted = result.jobs.emplace_back();
    job.at("name").get_to(predicted.name);
    job.at("finished").get_to(predicted.finished);
    for (const Json& time : job.at("iterations_ps")) {
      predicted.iterations.push_back(timeFromJson(time));
    }
    predicted.completion = timeFromJson(job.at("completion_ps"));
  }
  json.at("peak_rss_bytes").get_to(result.peak_rss_bytes);
  return result;
}

FabricResult fabricFromJson(const Json& json) {
  if (const int format = json.at("format").get<int>(); format != kFormat) {
    throw Error(ErrorKind::kTester, fmt::format("format {} instead of {}", format, kFormat));
  }
  if (json.contains("fast_forward")) return predictedFromJson(json);
  FabricResult result;
  result.sim_end = timeFromJson(json.at("sim_end_ps"));
  // Older programs related the loads of links to the end of the simulation.
  result.load_end =
      json.contains("load_end_ps") ? timeFromJson(json.at("load_end_ps")) : result.sim_end;
  json.at("packet_hops").get_to(result.packet_hops);
  result.total = totalFromJson(json.at("total"));
  json.at("frames_inside").get_to(result.frames_inside);
  result.link_jfi = optionalFromJson(json.at("link_jfi"));
  result.link_mmr = optionalFromJson(json.at("link_mmr"));
  if (json.contains("link_flow_mmr"))
    json.at("link_flow_mmr").get_to(result.link_flow_mmr.emplace());
  for (const Json& link : json.at("links")) result.links.push_back(linkFromJson(link));
  countsFromJson(endpointCounts(), json.at("endpoints"), result.endpoints);
  result.endpoints.latency = histogramFromJson(json.at("latency"));
  if (json.contains("fabric_links")) {
    result.fabric_links = json.at("fabric_links").get<std::uint64_t>();
  }
  if (json.contains("data_lost")) result.data_lost = json.at("data_lost").get<std::uint64_t>();
  if (json.contains("connections")) {
    result.connections = connectionsFromJson(json.at("connections"));
  }
  if (json.contains("peak_rate")) {
    const Json& peak = json.at("peak_rate");
    result.peak_rate =
        PeakRate{timeFromJson(peak.at("interval_ps")), peak.at("bytes").get<std::uint64_t>()};
  }
  if (json.contains("first_mark")) {
    const Json& mark = json.at("first_mark");
    result.first_mark = FirstMark{timeFromJson(mark.at("time_ps")), mark.at("link"),
                                  mark.at("queue_bytes").get<std::uint64_t>()};
  }
  if (json.contains("loss_times")) {
    const Json& times = json.at("loss_times");
    result.loss_times =
        LossTimes{timeFromJson(times.at("overflow_ps")), timeFromJson(times.at("nack_ps")),
                  timeFromJson(times.at("resent_ps"))};
  }
  if (json.contains("credit")) {
    const Json& credit = json.at("credit");
    result.credit = CreditUse{credit.at("granted_bytes").get<std::uint64_t>(),
                              credit.at("arrived_bytes").get<std::uint64_t>()};
  }
  const Json& flows = json.at("flows");
  flows.at("flows").get_to(result.flows.flows);
  result.flows.jfi = optionalFromJson(flows.at("jfi"));
  if (result.flows.flows > 0) {  // older programs wrote 0 without any
    result.flows.goodput_min_gbps = optionalFromJson(flows.at("goodput_min_gbps"));
    result.flows.goodput_mean_gbps = optionalFromJson(flows.at("goodput_mean_gbps"));
    result.flows.goodput_max_gbps = optionalFromJson(flows.at("goodput_max_gbps"));
  }
  for (const Json& job : json.at("jobs")) result.jobs.push_back(jobFromJson(job));
  if (json.contains("samples")) result.samples = samplesFromJson(json.at("samples"));
  if (json.contains("series")) result.series = timeSeriesFromJson(json.at("series"));
  result.peak_rss_bytes = json.value("peak_rss_bytes", result.peak_rss_bytes);
  return result;
}

}  // namespace

std::string FabricResult::toJson() const {
  if (fast_forward) return predictedToJson(*this).dump();
  Json link_array = Json::array();
  for (const LinkLoad& link : links) link_array.push_back(linkToJson(link));
  Json job_array = Json::array();
  for (const JobOutcome& job : jobs) job_array.push_back(jobToJson(job));
  Json json{{"format", kFormat},
            {"sim_end_ps", sim_end.count()},
            {"load_end_ps", load_end.count()},
            {"packet_hops", packet_hops},
            {"total", totalToJson(total)},
            {"frames_inside", frames_inside},
            {"link_jfi", optionalToJson(link_jfi)},
            {"link_mmr", optionalToJson(link_mmr)},
            {"links", link_array},
            {"endpoints", countsToJson(endpointCounts(), endpoints)},
            {"latency", histogramToJson(endpoints.latency)},
            {"flows",
             {{"flows", flows.flows},
              {"jfi", optionalToJson(flows.jfi)},
              {"goodput_min_gbps", optionalToJson(flows.goodput_min_gbps)},
              {"goodput_mean_gbps", optionalToJson(flows.goodput_mean_gbps)},
              {"goodput_max_gbps", optionalToJson(flows.goodput_max_gbps)}}},
            {"jobs", job_array}};
  if (fabric_links) json["fabric_links"] = *fabric_links;
  if (data_lost) json["data_lost"] = *data_lost;
  if (peak_rate) {
    json["peak_rate"] = {{"interval_ps", peak_rate->interval.count()}, {"bytes", peak_rate->bytes}};
  }
  if (first_mark) {
    json["first_mark"] = {{"time_ps", first_mark->time.count()},
                          {"link", first_mark->link},
                          {"queue_bytes", first_mark->queue_bytes}};
  }
  if (loss_times) {
    json["loss_times"] = {{"overflow_ps", loss_times->overflow.count()},
                          {"nack_ps", loss_times->nack.count()},
                          {"resent_ps", loss_times->resent.count()}};
  }
  if (credit) {
    json["credit"] = {{"granted_bytes", credit->granted}, {"arrived_bytes", credit->arrived}};
  }
  if (connections) json["connections"] = connectionsToJson(*connections);
  if (link_flow_mmr) json["link_flow_mmr"] = *link_flow_mmr;
  if (peak_rss_bytes > 0) json["peak_rss_bytes"] = peak_rss_bytes;
  if (samples) json["samples"] = samplesToJson(*samples);
  if (series) json["series"] = timeSeriesToJson(*series);
  return json.dump();
}

FabricResult FabricResult::fromJson(const std::string& text) {
  try {
    return fabricFromJson(parseJson<Json>(text));
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kTester, fmt::format("not the result of a fabric: {}", error.what()));
  }
}

}  // namespace plumbline::bench
