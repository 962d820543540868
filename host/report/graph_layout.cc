#include "report/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace plumbline::report {
namespace {

using fabric::NodeId;
using fabric::NodeKind;
using Rows = std::vector<std::vector<NodeId>>;

bool isSwitch(const fabric::Topology& graph, NodeId node) {
  return graph.nodes()[node].kind == NodeKind::kSwitch;
}

// Pairs of switches that are cabled, each once.
std::vector<std::pair<NodeId, NodeId>> edgesOf(const fabric::Topology& graph) {
  std::set<std::pair<NodeId, NodeId>> edges;
  for (const fabric::Link& link : graph.links()) {
    if (isSwitch(graph, link.from) && isSwitch(graph, link.to) && link.from < link.to) {
      edges.emplace(link.from, link.to);
    }
  }
  return {edges.begin(), edges.end()};
}

struct Place {
  std::size_t row = 0;
  double along = 0;  // 0 to 1
};

std::map<NodeId, Place> placesOf(const Rows& rows) {
  std::map<NodeId, Place> places;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      const double along = (static_cast<double>(i) + 0.5) / static_cast<double>(rows[row].size());
      places[rows[row][i]] = {row, along};
    }
  }
  return places;
}

// Cost of a drawing: switches between the ends of a cable within a row, and crossings of cables
// between the same two rows.
double effort(const Rows& rows, const std::vector<std::pair<NodeId, NodeId>>& edges) {
  constexpr double kSpreadPenalty = 3;  // one such switch counts as many crossings
  const std::map<NodeId, Place> places = placesOf(rows);
  struct Span {
    std::size_t row;
    double low;
    double high;
  };
  std::vector<Span> spans;
  double sum = 0;
  for (const auto& [a, b] : edges) {
    Place from = places.at(a);
    Place to = places.at(b);
    if (from.row == to.row) {
      const double apart = std::abs(from.along - to.along);
      sum += kSpreadPenalty * (apart * static_cast<double>(rows[from.row].size()) - 1);
      continue;
    }
    if (from.row > to.row) std::swap(from, to);
    for (const Span& other : spans) {
      if (other.row == from.row && (other.low - from.along) * (other.high - to.along) < 0) sum += 1;
    }
    spans.push_back({from.row, from.along, to.along});
  }
  return sum;
}

// Sorts each row by the mean position of its switches' neighbours.
void byBarycentre(Rows& rows, const std::vector<std::pair<NodeId, NodeId>>& edges) {
  for (std::vector<NodeId>& row : rows) {
    const std::map<NodeId, Place> places = placesOf(rows);
    std::map<NodeId, std::pair<double, double>> sums;  // of places, and how many
    for (const auto& [a, b] : edges) {
      sums[a].first += places.at(b).along;
      sums[b].first += places.at(a).along;
      sums[a].second += 1;
      sums[b].second += 1;
    }
    const auto centre = [&](NodeId node) {
      const auto& [sum, count] = sums[node];
      return count > 0 ? sum / count : places.at(node).along;
    };
    std::stable_sort(row.begin(), row.end(),
                     [&](NodeId a, NodeId b) { return centre(a) < centre(b); });
  }
}

// Swaps neighbours as long as that makes it easier to read.
void bySwaps(Rows& rows, const std::vector<std::pair<NodeId, NodeId>>& edges) {
  constexpr int kMaxRounds = 20;
  double best = effort(rows, edges);
  bool better = true;
  for (int round = 0; better && round < kMaxRounds; ++round) {
    better = false;
    for (std::vector<NodeId>& row : rows) {
      for (std::size_t i = 0; i + 1 < row.size(); ++i) {
        std::swap(row[i], row[i + 1]);
        const double now = effort(rows, edges);
        if (now < best) {
          best = now;
          better = true;
        } else {
          std::swap(row[i], row[i + 1]);
        }
      }
    }
  }
}

}  // namespace

Rows switchRows(const fabric::Topology& graph) {
  Rows rows;
  std::vector<bool> seen(graph.nodes().size(), false);
  std::vector<NodeId> frontier = graph.hosts();
  while (!frontier.empty()) {
    std::set<NodeId> next;
    for (const NodeId node : frontier) {
      for (const fabric::LinkId link : graph.nodes()[node].out_links) {
        const NodeId to = graph.links()[link].to;
        if (isSwitch(graph, to) && !seen[to]) next.insert(to);
      }
    }
    for (const NodeId node : next) seen[node] = true;
    frontier.assign(next.begin(), next.end());
    if (!frontier.empty()) rows.push_back(frontier);
  }
  std::vector<NodeId> unreached;
  for (const NodeId node : graph.switches()) {
    if (!seen[node]) unreached.push_back(node);
  }
  if (!unreached.empty()) rows.push_back(std::move(unreached));
  return rows;
}

Rows orderedRows(const fabric::Topology& graph) {
  constexpr int kSweeps = 4;
  Rows rows = switchRows(graph);
  if (graph.switches().size() > kMaxOrderedSwitches) return rows;
  const auto edges = edgesOf(graph);
  Rows best = rows;
  const auto keepBetter = [&](Rows tried) {
    bySwaps(tried, edges);
    if (effort(tried, edges) < effort(best, edges)) best = std::move(tried);
  };
  keepBetter(rows);
  for (int i = 0; i < kSweeps; ++i) {
    byBarycentre(rows, edges);
    keepBetter(rows);
  }
  return best;
}

}  // namespace plumbline::report
