#include "results/test_result.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "kpi/kpi.h"
#include "results/uncertainty_json.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;

// Increased when a reader of the old form would misread the new one.
constexpr int kFormat = 1;

constexpr std::array<std::pair<ObservationPoint, std::string_view>, 4> kObservationPoints{{
    {ObservationPoint::kTester, "tester"},
    {ObservationPoint::kDutReported, "dut-reported"},
    {ObservationPoint::kEndpointSoftware, "endpoint-software"},
    {ObservationPoint::kModelled, "modelled"},
}};

constexpr std::array<std::pair<ChartKind, std::string_view>, 4> kChartKinds{{
    {ChartKind::kLine, "line"},
    {ChartKind::kBar, "bar"},
    {ChartKind::kStep, "step"},
    {ChartKind::kTime, "time"},
}};

template <typename Enum, std::size_t N>
std::string_view nameOf(const std::array<std::pair<Enum, std::string_view>, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  throw Error(ErrorKind::kTester, "a test result holds an enumeration value that has no name");
}

template <typename Enum, std::size_t N>
Enum valueOf(const std::array<std::pair<Enum, std::string_view>, N>& names, const Json& json) {
  const auto& text = json.get_ref<const std::string&>();
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  throw Error(ErrorKind::kTester, "a stored test result holds the unknown word \"" + text + "\"");
}

double finite(double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorKind::kTester, "a test result holds a number that is not finite");
  }
  return value;
}

Json toJson(const Quantity& q) {
  Json json{{"value", finite(q.value)},
            {"unit", q.unit},
            {"observed", nameOf(kObservationPoints, q.observed)},
            {"repetitions", q.repetitions}};
  if (q.cv) json["cv"] = finite(*q.cv);
  if (q.confidence_low) json["confidence_low"] = finite(*q.confidence_low);
  if (q.confidence_high) json["confidence_high"] = finite(*q.confidence_high);
  addUncertainty(q, json);
  return json;
}

std::optional<double> optionalNumber(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? std::nullopt : std::optional(it->get<double>());
}

Quantity quantityFrom(const Json& json) {
  Quantity q;
  q.value = json.at("value").get<double>();
  q.unit = json.at("unit").get<std::string>();
  q.observed = valueOf(kObservationPoints, json.at("observed"));
  q.repetitions = json.at("repetitions").get<std::uint32_t>();
  q.cv = optionalNumber(json, "cv");
  q.confidence_low = optionalNumber(json, "confidence_low");
  q.confidence_high = optionalNumber(json, "confidence_high");
  readUncertainty(json, q);
  return q;
}

bool alikeButForValue(const Quantity& a, const Quantity& b) {
  return a.unit == b.unit && a.observed == b.observed && a.repetitions == b.repetitions &&
         a.cv == b.cv && a.confidence_low == b.confidence_low &&
         a.confidence_high == b.confidence_high && a.uncertainty == b.uncertainty &&
         a.percentile == b.percentile;
}

// Above this number of rows, the common properties of a column's quantities are written once.
constexpr std::size_t kCompactRows = 1000;

Json toJson(const Table& table) {
  const bool compact = table.shown_rows > 0 && table.rows.size() > kCompactRows;
  Json rows = Json::array();
  std::vector<const Quantity*> first(table.columns.size());  // by column
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* quantity = std::get_if<Quantity>(&row[i]);
      if (quantity == nullptr) {
        cells.push_back(std::get<std::string>(row[i]));
      } else if (compact && i < first.size() && first[i] != nullptr &&
                 alikeButForValue(*quantity, *first[i])) {
        cells.push_back(finite(quantity->value));
      } else {
        cells.push_back(toJson(*quantity));
        if (i < first.size() && first[i] == nullptr) first[i] = quantity;
      }
    }
    rows.push_back(std::move(cells));
  }
  Json json{{"id", table.id},
            {"title", table.title},
            {"note", table.note},
            {"columns", table.columns},
            {"rows", std::move(rows)}};
  if (table.shown_rows > 0) json["shown_rows"] = table.shown_rows;
  return json;
}

Table tableFrom(const Json& json) {
  Table table;
  table.id = json.at("id").get<std::string>();
  table.title = json.at("title").get<std::string>();
  table.note = json.at("note").get<std::string>();
  table.columns = json.at("columns").get<std::vector<std::string>>();
  if (json.contains("shown_rows")) table.shown_rows = json.at("shown_rows").get<std::size_t>();
  std::vector<std::optional<Quantity>> first(table.columns.size());  // by column
  for (const Json& row : json.at("rows")) {
    std::vector<Cell> cells;
    cells.reserve(row.size());
    for (const Json& cell : row) {
      const std::size_t column = cells.size();
      if (cell.is_string()) {
        cells.emplace_back(cell.get<std::string>());
      } else if (cell.is_number()) {
        if (column >= first.size() || !first[column]) {
          throw Error(ErrorKind::kTester, "a stored table has a number without a unit");
        }
        Quantity quantity = *first[column];
        quantity.value = cell.get<double>();
        cells.emplace_back(std::move(quantity));
      } else {
        cells.emplace_back(quantityFrom(cell));
        if (column < first.size() && !first[column]) {
          first[column] = std::get<Quantity>(cells.back());
        }
      }
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Json finiteList(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(finite(value));
  return list;
}

Json toJson(const Chart& chart) {
  Json series = Json::array();
  for (const Series& s : chart.series) {
    Json one{{"name", s.name},
             {"reference", s.reference},
             {"x", finiteList(s.x)},
             {"y", finiteList(s.y)}};
    if (!s.few_samples.empty()) one["few_samples"] = s.few_samples;
    if (s.right) one["right"] = true;
    if (s.area) one["area"] = true;
    if (!s.marked.empty()) one["marked"] = s.marked;
    series.push_back(std::move(one));
  }
  Json json{{"id", chart.id},
            {"title", chart.title},
            {"kind", nameOf(kChartKinds, chart.kind)},
            {"x_label", chart.x_label},
            {"y_label", chart.y_label},
            {"log_x", chart.log_x},
            {"log_y", chart.log_y},
            {"series", std::move(series)}};
  if (!chart.categories.empty()) json["categories"] = chart.categories;
  if (chart.stacked) json["stacked"] = true;
  if (!chart.right_label.empty()) json["right_label"] = chart.right_label;
  return json;
}

// Members added later are only written if not empty, and may be missing.
template <typename T>
T optionalMember(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? T() : it->get<T>();
}

Chart chartFrom(const Json& json) {
  Chart chart;
  chart.id = json.at("id").get<std::string>();
  chart.title = json.at("title").get<std::string>();
  chart.kind = valueOf(kChartKinds, json.at("kind"));
  chart.x_label = json.at("x_label").get<std::string>();
  chart.y_label = json.at("y_label").get<std::string>();
  chart.log_x = json.at("log_x").get<bool>();
  chart.log_y = json.at("log_y").get<bool>();
  for (const Json& s : json.at("series")) {
    Series series;
    series.name = s.at("name").get<std::string>();
    series.reference = s.at("reference").get<bool>();
    series.x = s.at("x").get<std::vector<double>>();
    series.y = s.at("y").get<std::vector<double>>();
    series.few_samples = optionalMember<std::vector<std::size_t>>(s, "few_samples");
    series.right = optionalMember<bool>(s, "right");
    series.area = optionalMember<bool>(s, "area");
    series.marked = optionalMember<std::vector<std::size_t>>(s, "marked");
    chart.series.push_back(std::move(series));
  }
  chart.stacked = optionalMember<bool>(json, "stacked");
  chart.right_label = optionalMember<std::string>(json, "right_label");
  chart.categories = optionalMember<std::vector<std::string>>(json, "categories");
  return chart;
}

Json toJson(const HeatMap& map) {
  Json values = Json::array();
  for (const auto& row : map.values) {
    Json cells = Json::array();
    for (const std::optional<double>& value : row) {
      cells.push_back(value ? Json(finite(*value)) : Json(nullptr));
    }
    values.push_back(std::move(cells));
  }
  Json json{{"id", map.id},
            {"title", map.title},
            {"note", map.note},
            {"row_label", map.row_label},
            {"column_label", map.column_label},
            {"value_label", map.value_label},
            {"rows", map.rows},
            {"columns", map.columns},
            {"values", std::move(values)}};
  if (map.full_scale) json["full_scale"] = finite(*map.full_scale);
  return json;
}

HeatMap heatMapFrom(const Json& json) {
  HeatMap map;
  map.id = json.at("id").get<std::string>();
  map.title = json.at("title").get<std::string>();
  map.note = json.at("note").get<std::string>();
  map.row_label = json.at("row_label").get<std::string>();
  map.column_label = json.at("column_label").get<std::string>();
  map.value_label = json.at("value_label").get<std::string>();
  map.rows = json.at("rows").get<std::vector<std::string>>();
  map.columns = json.at("columns").get<std::vector<std::string>>();
  for (const Json& row : json.at("values")) {
    std::vector<std::optional<double>> cells;
    for (const Json& cell : row) {
      cells.push_back(cell.is_null() ? std::nullopt : std::optional(cell.get<double>()));
    }
    map.values.push_back(std::move(cells));
  }
  map.full_scale = optionalNumber(json, "full_scale");
  return map;
}

Json toJson(const Timeline& timeline) {
  Json lanes = Json::array();
  for (const Lane& lane : timeline.lanes) {
    Json spans = Json::array();
    for (const Span& span : lane.spans) {
      spans.push_back(Json::array({finite(span.from), finite(span.until)}));
    }
    lanes.push_back({{"name", lane.name}, {"spans", std::move(spans)}});
  }
  return {{"id", timeline.id},
          {"title", timeline.title},
          {"note", timeline.note},
          {"x_label", timeline.x_label},
          {"until", finite(timeline.until)},
          {"lanes", std::move(lanes)}};
}

Json toJson(const RawData& data) {
  return {{"id", data.id}, {"title", data.title}, {"csv", data.csv}};
}

RawData rawDataFrom(const Json& json) {
  return {json.at("id").get<std::string>(), json.at("title").get<std::string>(),
          json.at("csv").get<std::string>()};
}

Timeline timelineFrom(const Json& json) {
  Timeline timeline;
  timeline.id = json.at("id").get<std::string>();
  timeline.title = json.at("title").get<std::string>();
  timeline.note = json.at("note").get<std::string>();
  timeline.x_label = json.at("x_label").get<std::string>();
  timeline.until = json.at("until").get<double>();
  for (const Json& one : json.at("lanes")) {
    Lane lane{one.at("name").get<std::string>(), {}};
    for (const Json& span : one.at("spans")) {
      lane.spans.push_back({span.at(0).get<double>(), span.at(1).get<double>()});
    }
    timeline.lanes.push_back(std::move(lane));
  }
  return timeline;
}

// Sparse: only occupied buckets, each as [bucket, count].
Json toJson(const stats::Histogram& histogram) {
  Json cells = Json::array();
  for (const auto& cell : histogram.cells()) {
    cells.push_back(Json::array({cell.bucket, cell.count}));
  }
  return {{"minimum", histogram.minimum()},
          {"maximum", histogram.maximum()},
          {"sum_high", histogram.sumHigh()},
          {"sum_low", histogram.sumLow()},
          {"cells", std::move(cells)}};
}

stats::Histogram histogramFrom(const Json& json) {
  const Json& cells = json.at("cells");
  if (cells.empty()) return {};
  const auto bucketOf = [](const Json& cell) {
    const auto bucket = cell.at(0).get<std::uint64_t>();
    if (bucket >= stats::kHistogramBuckets) {
      throw Error(ErrorKind::kTester, "a stored histogram holds a bucket that does not exist");
    }
    return static_cast<std::uint32_t>(bucket);
  };
  const std::uint32_t first = bucketOf(cells.front());
  std::vector<std::uint64_t> dense;
  for (const Json& cell : cells) {
    const std::uint32_t bucket = bucketOf(cell);
    if (bucket < first + dense.size()) {
      throw Error(ErrorKind::kTester, "the buckets of a stored histogram are not ascending");
    }
    dense.resize(bucket - first + 1);
    dense.back() = cell.at(1).get<std::uint64_t>();
  }
  return stats::Histogram::fromHardware(first, dense, json.at("minimum").get<std::uint64_t>(),
                                        json.at("maximum").get<std::uint64_t>(),
                                        json.at("sum_high").get<std::uint32_t>(),
                                        json.at("sum_low").get<std::uint64_t>());
}

Json toJson(const Distribution& distribution) {
  return {{"id", distribution.id},
          {"title", distribution.title},
          {"unit", distribution.unit},
          {"observed", nameOf(kObservationPoints, distribution.observed)},
          {"histogram", toJson(distribution.histogram)}};
}

Distribution distributionFrom(const Json& json) {
  Distribution distribution;
  distribution.id = json.at("id").get<std::string>();
  distribution.title = json.at("title").get<std::string>();
  distribution.unit = json.at("unit").get<std::string>();
  distribution.observed = valueOf(kObservationPoints, json.at("observed"));
  distribution.histogram = histogramFrom(json.at("histogram"));
  return distribution;
}

Json toJson(const Kpi& kpi) {
  return {{"name", kpi.name}, {"point", kpi.point}, {"quantity", toJson(kpi.quantity)}};
}

// Older results have some figures under another name or unit.
Kpi kpiFrom(const Json& json) {
  Kpi kpi{kpi::currentName(json.at("name").get<std::string>()), json.at("point").get<std::string>(),
          quantityFrom(json.at("quantity"))};
  const kpi::Declaration* declared = kpi::find(kpi.name);
  if (declared != nullptr && !declared->unit.empty()) kpi.quantity.unit = declared->unit;
  return kpi;
}

Json toJson(const Anomaly& anomaly) { return {{"what", anomaly.what}, {"where", anomaly.where}}; }

Anomaly anomalyFrom(const Json& json) {
  return {json.at("what").get<std::string>(), json.at("where").get<std::string>()};
}

Json toJson(const Deviation& deviation) {
  Json json{{"what", deviation.what}, {"where", deviation.where}};
  if (!deviation.missing.empty()) {
    json["swept"] = deviation.swept;
    json["missing"] = deviation.missing;
  }
  return json;
}

Deviation deviationFrom(const Json& json) {
  return {json.at("what").get<std::string>(), json.at("where").get<std::string>(),
          json.value("swept", std::string()), json.value("missing", std::vector<std::string>())};
}

Json toJson(const UnmeasuredKpi& kpi) { return {{"name", kpi.name}, {"point", kpi.point}}; }

template <typename T>
Json listToJson(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(toJson(item));
  return list;
}

template <typename T>
std::vector<T> listFrom(const Json& json, T (*read)(const Json&)) {
  std::vector<T> items;
  items.reserve(json.size());
  for (const Json& item : json) items.push_back(read(item));
  return items;
}

UnmeasuredKpi unmeasuredFrom(const Json& json) {
  return {json.at("name").get<std::string>(), json.at("point").get<std::string>()};
}

Json testResultToJson(const TestResult& result) {
  Json json{{"format", kFormat},         {"id", result.id},           {"title", result.title},
            {"section", result.section}, {"profile", result.profile}, {"summary", result.summary}};
  Json& shown = json["configuration"] = Json::array();
  for (const auto& [key, value] : result.configuration) shown.push_back(Json::array({key, value}));
  json["primary"] = listToJson(result.primary);
  json["primary_names"] = result.primary_names;
  json["kpis"] = listToJson(result.kpis);
  json["tables"] = listToJson(result.tables);
  json["charts"] = listToJson(result.charts);
  json["distributions"] = listToJson(result.distributions);
  json["anomalies"] = listToJson(result.anomalies);
  json["repeatability"] = toJson(result.repeatability);
  if (result.cost) json["cost"] = toJson(*result.cost);
  json["valid"] = result.valid;
  if (!result.heat_maps.empty()) json["heat_maps"] = listToJson(result.heat_maps);
  if (!result.timelines.empty()) json["timelines"] = listToJson(result.timelines);
  if (!result.raw_data.empty()) json["raw_data"] = listToJson(result.raw_data);
  if (!result.failed_elements.empty()) json["failed_elements"] = result.failed_elements;
  if (!result.deviations.empty()) json["deviations"] = listToJson(result.deviations);
  if (!result.unmeasured.empty()) json["unmeasured"] = listToJson(result.unmeasured);
  return json;
}

TestResult testResultFrom(const Json& json) {
  if (json.at("format").get<int>() != kFormat) {
    throw Error(ErrorKind::kTester, "a stored test result was written by another version",
                "format " + json.at("format").dump(), "read it with the version that wrote it");
  }
  TestResult result;
  result.id = json.at("id").get<std::string>();
  result.title = json.at("title").get<std::string>();
  result.section = json.at("section").get<std::string>();
  result.profile = json.at("profile").get<std::string>();
  result.summary = json.at("summary").get<std::string>();
  for (const Json& item : json.at("configuration")) {
    result.configuration.emplace_back(item.at(0).get<std::string>(), item.at(1).get<std::string>());
  }
  result.primary = listFrom(json.at("primary"), quantityFrom);
  result.primary_names = json.at("primary_names").get<std::vector<std::string>>();
  result.kpis = listFrom(json.at("kpis"), kpiFrom);
  result.tables = listFrom(json.at("tables"), tableFrom);
  result.charts = listFrom(json.at("charts"), chartFrom);
  result.distributions = listFrom(json.at("distributions"), distributionFrom);
  result.anomalies = listFrom(json.at("anomalies"), anomalyFrom);
  result.repeatability = tableFrom(json.at("repeatability"));
  if (json.contains("cost")) result.cost = tableFrom(json.at("cost"));
  result.valid = json.at("valid").get<bool>();
  if (json.contains("heat_maps")) result.heat_maps = listFrom(json.at("heat_maps"), heatMapFrom);
  if (json.contains("raw_data")) result.raw_data = listFrom(json.at("raw_data"), rawDataFrom);
  if (json.contains("timelines")) result.timelines = listFrom(json.at("timelines"), timelineFrom);
  if (json.contains("failed_elements")) {
    result.failed_elements = json.at("failed_elements").get<std::vector<std::string>>();
  }
  if (json.contains("deviations")) {
    result.deviations = listFrom(json.at("deviations"), deviationFrom);
  }
  if (json.contains("unmeasured")) {
    result.unmeasured = listFrom(json.at("unmeasured"), unmeasuredFrom);
  }
  return result;
}

}  // namespace

std::string_view observationPointName(ObservationPoint point) {
  return nameOf(kObservationPoints, point);
}

Deviation missingFromSweep(std::string swept, std::vector<std::string> missing) {
  std::string what = fmt::format("{} not measured: {}", swept, fmt::join(missing, ", "));
  return {std::move(what), "", std::move(swept), std::move(missing)};
}

std::string TestResult::toJson() const {
  try {
    return testResultToJson(*this).dump();
  } catch (const Json::exception& e) {  // text that is not UTF-8
    throw Error(ErrorKind::kTester, "test result " + id + " cannot be written: " + e.what());
  } catch (const Error& e) {
    throw Error(e.kind(), faultOf(e), id);
  }
}

TestResult TestResult::fromJson(const std::string& text) {
  try {
    return testResultFrom(parseJson<Json>(text));
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::kTester,
                std::string("a stored test result cannot be read: ") + e.what());
  }
}

}  // namespace plumbline::results
