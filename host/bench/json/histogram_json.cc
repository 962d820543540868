#include "bench/json/histogram_json.h"

#include "base/error.h"
#include "base/json.h"

namespace plumbline::bench {

using Json = nlohmann::json;

Json histogramToJson(const stats::Histogram& histogram) {
  Json cells = Json::array();
  for (const auto& cell : histogram.cells()) cells.push_back({cell.bucket, cell.count});
  return {{"cells", cells},
          {"minimum_ps", histogram.minimum()},
          {"maximum_ps", histogram.maximum()},
          {"sum_high", histogram.sumHigh()},
          {"sum_low", histogram.sumLow()}};
}

stats::Histogram histogramFromJson(const Json& json) {
  const Json& cells = json.at("cells");
  if (cells.empty()) return {};
  const auto first = cells.front().at(0).get<std::uint32_t>();
  const auto last = cells.back().at(0).get<std::uint32_t>();
  if (last < first || last >= stats::kHistogramBuckets) {
    throw Error(ErrorKind::kTester, "histogram cells are not in ascending order");
  }
  std::vector<std::uint64_t> counts(last - first + 1, 0);
  for (const Json& cell : cells) {
    const auto bucket = cell.at(0).get<std::uint32_t>();
    if (bucket < first || bucket > last) {
      throw Error(ErrorKind::kTester, "histogram cells are not in ascending order");
    }
    counts[bucket - first] = cell.at(1).get<std::uint64_t>();
  }
  return stats::Histogram::fromHardware(first, counts, json.at("minimum_ps").get<std::uint64_t>(),
                                        json.at("maximum_ps").get<std::uint64_t>(),
                                        json.at("sum_high").get<std::uint32_t>(),
                                        json.at("sum_low").get<std::uint64_t>());
}

}  // namespace plumbline::bench
