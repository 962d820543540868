#include "bench/json/moe_json.h"

#include "bench/json/histogram_json.h"

namespace plumbline::bench {
namespace {

using MoeJson = nlohmann::json;

MoeJson durationsToJson(const std::vector<Picoseconds>& times) {
  MoeJson json = MoeJson::array();
  for (const Picoseconds time : times) json.push_back(time.count());
  return json;
}

std::vector<Picoseconds> durationsFromJson(const MoeJson& json) {
  std::vector<Picoseconds> times;
  times.reserve(json.size());
  for (const MoeJson& time : json) times.emplace_back(time.get<std::int64_t>());
  return times;
}

MoeJson phaseToJson(const workload::MoePhaseResult& phase) {
  return {{"durations_ps", durationsToJson(phase.durations)},
          {"rank_time", histogramToJson(phase.rank_time)},
          {"wait_ps", phase.wait.count()},
          {"logical_bytes", phase.logical_bytes},
          {"fabric_bytes", phase.fabric_bytes},
          {"intra_bytes", phase.intra_bytes},
          {"intra_ps", phase.intra.count()}};
}

workload::MoePhaseResult phaseFromJson(const MoeJson& json) {
  workload::MoePhaseResult phase;
  phase.durations = durationsFromJson(json.at("durations_ps"));
  phase.rank_time = histogramFromJson(json.at("rank_time"));
  phase.wait = Picoseconds(json.at("wait_ps").get<std::int64_t>());
  json.at("logical_bytes").get_to(phase.logical_bytes);
  json.at("fabric_bytes").get_to(phase.fabric_bytes);
  json.at("intra_bytes").get_to(phase.intra_bytes);
  phase.intra = Picoseconds(json.at("intra_ps").get<std::int64_t>());
  return phase;
}

}  // namespace

nlohmann::json moeToJson(const workload::MoeResult& moe) {
  MoeJson json{{"ranks", moe.ranks},
               {"dispatch", phaseToJson(moe.dispatch)},
               {"combine", phaseToJson(moe.combine)},
               {"round_trips_ps", durationsToJson(moe.round_trips)},
               {"ends_ps", durationsToJson(moe.ends)},
               {"late_ps", moe.late.count()},
               {"selections", moe.selections},
               {"dropped", moe.dropped},
               {"busiest_over_mean", moe.busiest_over_mean}};
  if (moe.pair_cv) json["pair_cv"] = *moe.pair_cv;
  return json;
}

workload::MoeResult moeFromJson(const nlohmann::json& json) {
  workload::MoeResult moe;
  json.at("ranks").get_to(moe.ranks);
  moe.dispatch = phaseFromJson(json.at("dispatch"));
  moe.combine = phaseFromJson(json.at("combine"));
  moe.round_trips = durationsFromJson(json.at("round_trips_ps"));
  // Results of older programs have none.
  if (json.contains("ends_ps")) moe.ends = durationsFromJson(json.at("ends_ps"));
  moe.late = Picoseconds(json.at("late_ps").get<std::int64_t>());
  json.at("selections").get_to(moe.selections);
  json.at("dropped").get_to(moe.dropped);
  json.at("busiest_over_mean").get_to(moe.busiest_over_mean);
  if (json.contains("pair_cv")) moe.pair_cv = json.at("pair_cv").get<double>();
  return moe;
}

}  // namespace plumbline::bench
