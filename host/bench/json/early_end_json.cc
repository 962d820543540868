#include "bench/json/early_end_json.h"

#include <string>

#include "bench/json/json_names.h"

namespace plumbline::bench {
namespace {

using Json = nlohmann::json;

constexpr Names<WatchedFigure, 3> kFigureNames{{{WatchedFigure::kGoodput, "goodput"},
                                                {WatchedFigure::kMessageTime, "message time"},
                                                {WatchedFigure::kIterationTime, "iteration time"}}};

}  // namespace

Json earlyEndToJson(const EarlyEndSpec& spec) {
  return {{"figure", nameOf(kFigureNames, spec.figure)}, {"confidence", spec.rule.confidence},
          {"half_width", spec.rule.half_width},          {"least_batches", spec.rule.min_batches},
          {"least_samples", spec.rule.min_samples},      {"from_ps", spec.from.count()},
          {"not_before_ps", spec.not_before.count()}};
}

Json earlyEndOutcomeToJson(const EarlyEndOutcome& outcome) {
  Json json{{"figure", nameOf(kFigureNames, outcome.figure)},
            {"stationary", outcome.stationary},
            {"batches", outcome.batches},
            {"samples", outcome.samples},
            {"iterations", outcome.iterations},
            {"end_ps", outcome.end.count()}};
  // Without batches the figures are unknown, not zero.
  if (outcome.batches == 0) return json;
  json["confidence"] = outcome.confidence;
  json["mean"] = outcome.mean;
  json["half_width"] = outcome.half_width;
  json["warm_up_iterations"] = outcome.warm_up_iterations;
  json["batch_iterations"] = outcome.batch_iterations;
  json["warm_up_ps"] = outcome.warm_up.count();
  json["batch_ps"] = outcome.batch.count();
  json["autocorrelation"] = outcome.autocorrelation;
  return json;
}

EarlyEndOutcome earlyEndOutcomeFromJson(const Json& json) {
  EarlyEndOutcome outcome;
  outcome.figure = valueOf(kFigureNames, json.at("figure").get<std::string>());
  json.at("stationary").get_to(outcome.stationary);
  json.at("batches").get_to(outcome.batches);
  json.at("samples").get_to(outcome.samples);
  json.at("iterations").get_to(outcome.iterations);
  outcome.end = Picoseconds(json.at("end_ps").get<std::int64_t>());
  if (outcome.batches == 0) return outcome;
  json.at("confidence").get_to(outcome.confidence);
  json.at("mean").get_to(outcome.mean);
  json.at("half_width").get_to(outcome.half_width);
  json.at("warm_up_iterations").get_to(outcome.warm_up_iterations);
  json.at("batch_iterations").get_to(outcome.batch_iterations);
  outcome.warm_up = Picoseconds(json.at("warm_up_ps").get<std::int64_t>());
  outcome.batch = Picoseconds(json.at("batch_ps").get<std::int64_t>());
  json.at("autocorrelation").get_to(outcome.autocorrelation);
  return outcome;
}

}  // namespace plumbline::bench
