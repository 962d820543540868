#include "results/uncertainty_json.h"

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "stats/quantile.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Statistics, std::string_view>, 5> kStatisticsNames{{
    {Statistics::kNone, "none"},
    {Statistics::kRepetitions, "repetitions"},
    {Statistics::kBatches, "batches"},
    {Statistics::kIdentical, "identical"},
    {Statistics::kDeterministic, "deterministic"},
}};

void requireFinite(double value) {
  if (std::isfinite(value)) return;
  throw Error(ErrorKind::kTester, "a test result holds an uncertainty that is not finite");
}

// Infinitely many are not written.
void addDegrees(const char* key, double degrees, Json& json) {
  if (std::isfinite(degrees)) json[key] = degrees;
}

Statistics statisticsOf(const std::string& name) {
  for (const auto& [value, known] : kStatisticsNames) {
    if (known == name) return value;
  }
  throw Error(ErrorKind::kTester, "a stored test result holds the unknown word \"" + name + "\"");
}

bool hasScatter(Statistics statistics) {
  return statistics == Statistics::kRepetitions || statistics == Statistics::kBatches;
}

Json uncertaintyJson(const Quantity& quantity) {
  const Uncertainty& known = quantity.uncertainty;
  Json json{{"statistics", statisticsName(known.statistics)}};
  if (hasScatter(known.statistics)) {
    requireFinite(known.statistical.value);
    json["statistical"] = known.statistical.value;
    addDegrees("degrees_of_freedom", known.statistical.degrees_of_freedom, json);
  }
  if (known.statistics == Statistics::kBatches) json["batches"] = known.batches;
  if (known.systematic) {
    Json parts = Json::array();
    for (const SystematicPart& part : *known.systematic) {
      requireFinite(part.standard);
      parts.push_back({{"source", part.source}, {"standard", part.standard}});
    }
    json["systematic"] = std::move(parts);
  }
  if (const auto all = expandedUncertainty(quantity)) {
    requireFinite(all->half);
    json["combined"] = all->standard.value;
    addDegrees("effective_degrees_of_freedom", all->standard.degrees_of_freedom, json);
    json["coverage_factor"] = all->coverage_factor;
    json["expanded"] = all->half;
  }
  for (const auto& [key, bound] :
       {std::pair{"least", known.least}, std::pair{"most", known.most}}) {
    if (!bound) continue;
    requireFinite(*bound);
    json[key] = *bound;
  }
  return json;
}

}  // namespace

std::string_view statisticsName(Statistics statistics) {
  for (const auto& [value, name] : kStatisticsNames) {
    if (value == statistics) return name;
  }
  throw Error(ErrorKind::kTester, "a test result holds an enumeration value that has no name");
}

void addUncertainty(const Quantity& quantity, Json& json) {
  if (quantity.uncertainty != Uncertainty{}) json["uncertainty"] = uncertaintyJson(quantity);
  if (const auto& percentile = quantity.percentile) {
    json["percentile"] = {{"quantile", percentile->quantile},
                          {"samples", percentile->samples},
                          {"samples_needed", stats::samplesForQuantile(percentile->quantile)},
                          {"too_few", percentile->tooFew()}};
  }
}

void readUncertainty(const Json& json, Quantity& quantity) {
  if (const auto found = json.find("uncertainty"); found != json.end()) {
    Uncertainty& known = quantity.uncertainty;
    known.statistics = statisticsOf(found->at("statistics").get<std::string>());
    if (hasScatter(known.statistics))
      known.statistical.value = found->at("statistical").get<double>();
    if (const auto degrees = found->find("degrees_of_freedom"); degrees != found->end()) {
      known.statistical.degrees_of_freedom = degrees->get<double>();
    }
    if (known.statistics == Statistics::kBatches)
      known.batches = found->at("batches").get<std::uint32_t>();
    if (const auto parts = found->find("systematic"); parts != found->end()) {
      known.systematic.emplace();
      for (const Json& part : *parts) {
        known.systematic->push_back(
            {part.at("source").get<std::string>(), part.at("standard").get<double>()});
      }
    }
    for (const auto& [key, bound] :
         {std::pair{"least", &known.least}, std::pair{"most", &known.most}}) {
      if (const auto given = found->find(key); given != found->end()) {
        *bound = given->get<double>();
      }
    }
  }
  if (const auto found = json.find("percentile"); found != json.end()) {
    const auto quantile = found->at("quantile").get<double>();
    if (!(quantile > 0 && quantile < 1)) {
      throw Error(ErrorKind::kTester, "a stored percentile is not between 0 and 1");
    }
    quantity.percentile = Percentile{quantile, found->at("samples").get<std::uint64_t>()};
  }
}

}  // namespace plumbline::results
