#include "suite/framework/fabric_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "fabric/topology/topology.h"

namespace plumbline::suite {
namespace {

// "pod1.leaf12": pieces of letters and of digits, the latter by value.
std::vector<std::pair<std::uint64_t, std::string>> naturalKey(const std::string& name) {
  std::vector<std::pair<std::uint64_t, std::string>> key;
  constexpr std::uint64_t kText = ~std::uint64_t{0};
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (key.empty() || digit != (key.back().first != kText)) {
      key.emplace_back(digit ? 0 : kText, std::string());
    }
    if (digit) {
      key.back().first = key.back().first * 10 + static_cast<std::uint64_t>(c - '0');
    } else {
      key.back().second += c;
    }
  }
  return key;
}

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::tuple(naturalKey(a), a) < std::tuple(naturalKey(b), b);
  }
};

// Mean over parallel cables.
struct LinkMean {
  double sum = 0;
  std::size_t cables = 0;
};

using Loads = std::map<std::pair<std::string, std::string>, LinkMean>;  // by sender and receiver

results::HeatMap mapOf(const Loads& loads) {
  std::map<std::string, std::size_t, NaturalOrder> rows;
  std::map<std::string, std::size_t, NaturalOrder> columns;
  for (const auto& [ends, load] : loads) {
    rows[ends.first] = 0;
    columns[ends.second] = 0;
  }
  results::HeatMap map;
  for (auto& [name, place] : rows) {
    place = map.rows.size();
    map.rows.push_back(name);
  }
  for (auto& [name, place] : columns) {
    place = map.columns.size();
    map.columns.push_back(name);
  }
  map.values.assign(map.rows.size(), std::vector<std::optional<double>>(map.columns.size()));
  for (const auto& [ends, load] : loads) {
    map.values[rows.at(ends.first)][columns.at(ends.second)] =
        100 * load.sum / static_cast<double>(load.cables);
  }
  map.full_scale = 100;
  return map;
}

}  // namespace

std::vector<results::HeatMap> linkHeatMaps(const std::vector<bench::LinkLoad>& links,
                                           const std::string& id, const std::string& title) {
  std::map<std::pair<std::string, std::string>, Loads> by_kinds;
  for (const bench::LinkLoad& link : links) {
    const std::size_t dash = link.name.find('-');
    if (!link.between_switches || dash == std::string::npos) continue;
    const std::string from = link.name.substr(0, dash);
    // Without the number of a parallel cable.
    const std::string to = link.name.substr(dash + 1, link.name.find('#', dash) - dash - 1);
    LinkMean& load = by_kinds[{fabric::nodeKind(from), fabric::nodeKind(to)}][{from, to}];
    load.sum += link.utilisation;
    ++load.cables;
  }
  std::vector<results::HeatMap> maps;
  for (const auto& [kinds, loads] : by_kinds) {
    results::HeatMap map = mapOf(loads);
    map.id = maps.empty() ? id : fmt::format("{}_{}", id, maps.size() + 1);
    map.title = fmt::format("{}: {} to {}", title, kinds.first, kinds.second);
    map.row_label = "from";
    map.column_label = "to";
    map.value_label = "utilisation [%]";
    maps.push_back(std::move(map));
  }
  return maps;
}

results::Timeline pauseTimeline(const bench::Samples& samples, Picoseconds end,
                                const std::string& id, const std::string& title,
                                std::size_t max_lanes) {
  results::Timeline timeline{id, title, {}, "time [us]", end.toMicroseconds(), {}};
  struct Paused {
    Picoseconds sum;
    std::vector<results::Span> spans;
    bool left_out = false;
  };
  std::map<std::string, Paused, NaturalOrder> lanes;
  for (const bench::PauseSpan& span : samples.spans) {
    Paused& lane = lanes[fmt::format("{} p{}", span.link, span.priority)];
    lane.sum += span.until - span.from;
    lane.spans.push_back({span.from.toMicroseconds(), span.until.toMicroseconds()});
  }
  std::vector<std::pair<Picoseconds, std::string>> longest;
  longest.reserve(lanes.size());
  for (const auto& [name, lane] : lanes) longest.emplace_back(lane.sum, name);
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = max_lanes; i < longest.size(); ++i)
    lanes.at(longest[i].second).left_out = true;
  for (auto& [name, lane] : lanes) {
    if (lane.left_out) continue;
    std::sort(lane.spans.begin(), lane.spans.end(),
              [](const results::Span& a, const results::Span& b) { return a.from < b.from; });
    timeline.lanes.push_back({name, std::move(lane.spans)});
  }
  if (timeline.lanes.size() < lanes.size()) {
    timeline.note = fmt::format("The {} of {} ports and priorities that paused longest.",
                                timeline.lanes.size(), lanes.size());
  }
  if (samples.span_count > samples.spans.size()) {
    timeline.note += fmt::format("{}The first {} of {} pauses.", timeline.note.empty() ? "" : " ",
                                 samples.spans.size(), samples.span_count);
  }
  return timeline;
}

}  // namespace plumbline::suite
