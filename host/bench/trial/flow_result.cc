#include "bench/trial/flow_result.h"

#include "base/json.h"

namespace plumbline::bench {

using Json = nlohmann::json;

Json flowLevelToJson(const FlowLevelResult& result) {
  Json links = Json::array();
  for (const FlowLink& link : result.links) {
    links.push_back({{"name", link.name},
                     {"between_switches", link.between_switches},
                     {"bytes", link.bytes},
                     {"utilisation", link.utilisation}});
  }
  Json jobs = Json::array();
  for (const FlowJob& job : result.jobs) {
    jobs.push_back({{"name", job.name},
                    {"finished", job.finished},
                    {"messages_completed", job.messages_completed},
                    {"bytes_arrived", job.bytes_arrived},
                    {"active_ps", job.active.count()}});
  }
  return {{"payload_share", result.payload_share},
          {"overhead_ps", result.overhead.count()},
          {"probe_packet_hops", result.probe_packet_hops},
          {"rate_changes", result.rate_changes},
          {"end_ps", result.end.count()},
          {"links", links},
          {"jobs", jobs}};
}

FlowLevelResult flowLevelFromJson(const Json& json) {
  FlowLevelResult result;
  json.at("payload_share").get_to(result.payload_share);
  result.overhead = Picoseconds(json.at("overhead_ps").get<std::int64_t>());
  json.at("probe_packet_hops").get_to(result.probe_packet_hops);
  json.at("rate_changes").get_to(result.rate_changes);
  result.end = Picoseconds(json.at("end_ps").get<std::int64_t>());
  for (const Json& link : json.at("links")) {
    result.links.push_back({link.at("name").get<std::string>(),
                            link.at("between_switches").get<bool>(), link.at("bytes").get<double>(),
                            link.at("utilisation").get<double>()});
  }
  for (const Json& job : json.at("jobs")) {
    result.jobs.push_back({job.at("name").get<std::string>(), job.at("finished").get<bool>(),
                           job.at("messages_completed").get<std::uint64_t>(),
                           job.at("bytes_arrived").get<std::uint64_t>(),
                           Picoseconds(job.at("active_ps").get<std::int64_t>())});
  }
  return result;
}

}  // namespace plumbline::bench
