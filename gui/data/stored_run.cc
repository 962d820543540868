// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/stored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.h"
#include "base/json.h"

namespace plumbline::gui {
namespace {

using Json = nlohmann::json;

// Leaves parseStoredRun() only as its error text.
class NotARun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) throw NotARun(fmt::format("\"{}\" is missing", key));
  const auto found = object.find(key);
  if (found == object.end()) throw NotARun(fmt::format("\"{}\" is missing", key));
  return *found;
}

std::string text(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string()) throw NotARun(fmt::format("\"{}\" is not a text", key));
  return value.get<std::string>();
}

std::uint64_t whole(const Json& value, const char* key) {
  if (!value.is_number_unsigned()) {
    throw NotARun(fmt::format("\"{}\" is not a whole number", key));
  }
  return value.get<std::uint64_t>();
}

double real(const Json& value, const char* key) {
  if (!value.is_number()) throw NotARun(fmt::format("\"{}\" is not a number", key));
  return value.get<double>();
}

bool truth(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_boolean()) throw NotARun(fmt::format("\"{}\" is neither true nor false", key));
  return value.get<bool>();
}

const Json& list(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw NotARun(fmt::format("\"{}\" is not a list", key));
  return value;
}

// `read` of every element; nothing if the optional list is absent.
template <typename Read>
auto each(const Json& object, const char* key, Read read, bool required = true) {
  std::vector<decltype(read(object))> out;
  if (!required && !object.contains(key)) return out;
  const Json& values = list(object, key);
  out.reserve(values.size());
  for (const Json& value : values) out.push_back(read(value));
  return out;
}

std::vector<double> numbers(const Json& object, const char* key) {
  return each(object, key, [key](const Json& value) { return real(value, key); });
}

std::vector<std::string> texts(const Json& object, const char* key, bool required) {
  return each(
      object, key,
      [key](const Json& value) {
        if (!value.is_string()) throw NotARun(fmt::format("\"{}\" holds no texts", key));
        return value.get<std::string>();
      },
      required);
}

std::optional<double> optionalNumber(const Json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return real(object[key], key);
}

std::uint32_t small(const Json& object, const char* key) {
  const std::uint64_t value = whole(member(object, key), key);
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    throw NotARun(fmt::format("\"{}\" is too large", key));
  }
  return static_cast<std::uint32_t>(value);
}

StoredUncertainty uncertainty(const Json& json) {
  StoredUncertainty out;
  out.statistics = text(json, "statistics");
  out.statistical = optionalNumber(json, "statistical");
  out.degrees_of_freedom = optionalNumber(json, "degrees_of_freedom");
  if (json.contains("batches")) out.batches = small(json, "batches");
  out.least = optionalNumber(json, "least");
  out.most = optionalNumber(json, "most");
  if (!json.contains("systematic")) return out;
  out.systematic = each(json, "systematic", [](const Json& part) {
    return std::pair(text(part, "source"), real(member(part, "standard"), "standard"));
  });
  return out;
}

StoredPercentile percentile(const Json& json) {
  const double quantile = real(member(json, "quantile"), "quantile");
  if (!(quantile > 0 && quantile < 1)) throw NotARun("a percentile is not between 0 and 1");
  return {quantile, whole(member(json, "samples"), "samples")};
}

StoredQuantity quantity(const Json& json) {
  StoredQuantity out;
  out.value = real(member(json, "value"), "value");
  out.unit = text(json, "unit");
  out.observed = text(json, "observed");
  out.repetitions = small(json, "repetitions");
  out.cv = optionalNumber(json, "cv");
  out.confidence_low = optionalNumber(json, "confidence_low");
  out.confidence_high = optionalNumber(json, "confidence_high");
  if (json.contains("uncertainty")) out.uncertainty = uncertainty(json["uncertainty"]);
  if (json.contains("percentile")) out.percentile = percentile(json["percentile"]);
  return out;
}

StoredKpi kpi(const Json& json) {
  return {text(json, "name"), text(json, "point"), quantity(member(json, "quantity"))};
}

// A number alone is like `above`, the first quantity of its column, except for its value.
StoredCell cell(const Json& json, const std::optional<StoredQuantity>& above) {
  if (json.is_string()) return {json.get<std::string>(), std::nullopt};
  if (!json.is_number()) return {{}, quantity(json)};
  if (!above) throw NotARun("a table holds a number without a unit");
  StoredQuantity out = *above;
  out.value = real(json, "value");
  return {{}, std::move(out)};
}

StoredTable table(const Json& json) {
  StoredTable out{
      text(json, "id"), text(json, "title"), text(json, "note"), texts(json, "columns", true), {}};
  std::vector<std::optional<StoredQuantity>> first(out.columns.size());
  out.rows = each(json, "rows", [&out, &first](const Json& row) {
    if (!row.is_array() || row.size() != out.columns.size()) {
      throw NotARun("a row does not have its table's columns");
    }
    std::vector<StoredCell> cells;
    cells.reserve(row.size());
    for (const Json& one : row) {
      std::optional<StoredQuantity>& above = first[cells.size()];
      cells.push_back(cell(one, above));
      if (!above) above = cells.back().quantity;
    }
    return cells;
  });
  return out;
}

StoredSeries series(const Json& json) {
  StoredSeries out{text(json, "name"),
                   truth(json, "reference"),
                   numbers(json, "x"),
                   numbers(json, "y"),
                   {},
                   json.contains("right") && truth(json, "right"),
                   {}};
  if (out.x.size() != out.y.size()) throw NotARun("a series has not as many x as y");
  const auto places = [&](const char* key) {
    return each(
        json, key, [key](const Json& place) { return whole(place, key); }, false);
  };
  out.few_samples = places("few_samples");
  out.marked = places("marked");
  return out;
}

StoredChart chart(const Json& json) {
  return {text(json, "id"),
          text(json, "title"),
          text(json, "kind"),
          text(json, "x_label"),
          text(json, "y_label"),
          truth(json, "log_x"),
          truth(json, "log_y"),
          each(json, "series", &series),
          texts(json, "categories", false),
          json.contains("stacked") && truth(json, "stacked")};
}

// The window's plots have one y axis: a chart with two becomes a chart for each.
std::vector<StoredChart> charts(const Json& json) {
  std::vector<StoredChart> all;
  for (const Json& one : list(json, "charts")) {
    StoredChart left = chart(one);
    StoredChart right = left;
    std::erase_if(left.series, [](const StoredSeries& series) { return series.right; });
    std::erase_if(right.series, [](const StoredSeries& series) { return !series.right; });
    all.push_back(std::move(left));
    if (right.series.empty()) continue;
    right.y_label = text(one, "right_label");
    right.log_y = false;
    all.back().title += ": " + all.back().y_label;
    right.title += ": " + right.y_label;
    all.push_back(std::move(right));
  }
  return all;
}

StoredSpan span(const Json& json) {
  if (!json.is_array() || json.size() != 2) throw NotARun("a span is not two numbers");
  return {real(json[0], "spans"), real(json[1], "spans")};
}

StoredLane lane(const Json& json) { return {text(json, "name"), each(json, "spans", &span)}; }

StoredTimeline timeline(const Json& json) {
  return {text(json, "title"), text(json, "x_label"), real(member(json, "until"), "until"),
          each(json, "lanes", &lane)};
}

stats::Histogram histogram(const Json& json) {
  std::vector<std::uint64_t> counts;
  std::uint32_t first = 0;
  for (const Json& one : list(json, "cells")) {
    if (!one.is_array() || one.size() != 2) throw NotARun("a cell is not two numbers");
    const std::uint64_t bucket = whole(one[0], "cells");
    if (bucket >= stats::kHistogramBuckets) throw NotARun("a bucket does not exist");
    if (counts.empty()) first = static_cast<std::uint32_t>(bucket);
    if (bucket < first + counts.size()) throw NotARun("cells do not ascend");
    counts.resize(bucket - first);
    counts.push_back(whole(one[1], "cells"));
  }
  const std::uint64_t sum_high = whole(member(json, "sum_high"), "sum_high");
  if (sum_high > std::numeric_limits<std::uint32_t>::max()) {
    throw NotARun("\"sum_high\" is too large");
  }
  return stats::Histogram::fromHardware(first, counts, whole(member(json, "minimum"), "minimum"),
                                        whole(member(json, "maximum"), "maximum"),
                                        static_cast<std::uint32_t>(sum_high),
                                        whole(member(json, "sum_low"), "sum_low"));
}

StoredDistribution distribution(const Json& json) {
  return {text(json, "id"), text(json, "title"), text(json, "unit"),
          histogram(member(json, "histogram"))};
}

StoredRemark remark(const Json& json) { return {text(json, "what"), text(json, "where")}; }

StoredTest test(const Json& json) {
  StoredTest out;
  out.id = text(json, "id");
  out.title = text(json, "title");
  out.summary = text(json, "summary");
  out.valid = truth(json, "valid");
  out.kpis = each(json, "kpis", &kpi);
  out.tables = each(json, "tables", &table);
  out.charts = charts(json);
  out.timelines = each(json, "timelines", &timeline, false);
  out.distributions = each(json, "distributions", &distribution);
  out.raw_data = each(
      json, "raw_data",
      [](const Json& one) {
        return StoredRawData{text(one, "id"), text(one, "csv")};
      },
      false);
  out.anomalies = each(json, "anomalies", &remark);
  out.deviations = each(json, "deviations", &remark, false);
  return out;
}

StoredRun run(const Json& json) {
  if (!json.is_object()) throw NotARun("the document is not an object");
  StoredRun out;
  out.run = whole(member(json, "run"), "run");
  out.created = text(json, "created");
  out.finished = text(json, "finished");
  out.status = text(json, "status");
  out.scenario_name = text(json, "scenario_name");
  out.scenario = text(json, "scenario");
  out.bench = text(json, "bench");
  out.profile = text(json, "profile");
  out.tests = each(json, "tests", &test);
  return out;
}

}  // namespace

std::optional<std::size_t> columnOf(const StoredTable& table, std::string_view name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

StoredRunResult parseStoredRun(std::string_view text) {
  const Json json = parseJsonOrDiscard<Json>(text);
  if (json.is_discarded()) return {std::nullopt, "this is not JSON"};
  try {
    return {run(json), {}};
  } catch (const NotARun& error) {
    return {std::nullopt, error.what()};
  } catch (const Error& error) {  // a histogram whose parts contradict each other
    return {std::nullopt, error.what()};
  }
}

}  // namespace plumbline::gui
