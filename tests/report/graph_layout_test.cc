// Where switches stand in a drawing of any graph.
#include "report/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::report::testing {
namespace {

using Names = std::vector<std::vector<std::string>>;

fabric::Topology graphOf(const std::vector<std::string>& hosts,
                         const std::vector<std::string>& switches,
                         const std::vector<std::pair<std::string, std::string>>& cables) {
  fabric::TopologySpec spec;
  spec.kind = fabric::TopologyKind::kGraph;
  spec.graph.hosts = hosts;
  spec.graph.switches = switches;
  for (const auto& [a, b] : cables) spec.graph.cables.push_back({a, b});
  return fabric::buildTopology(spec);
}

Names namesOf(const fabric::Topology& graph, const std::vector<std::vector<fabric::NodeId>>& rows) {
  Names names;
  for (const auto& row : rows) {
    names.emplace_back();
    for (const fabric::NodeId node : row) names.back().push_back(graph.nodes()[node].name);
  }
  return names;
}

TEST(GraphLayout, RowsAreDistancesFromTheHosts) {
  // h0 – a – b – c – d – h1: a and d are nearest, b and c one further.
  const auto graph = graphOf({"h0", "h1"}, {"a", "b", "c", "d"},
                             {{"h0", "a"}, {"h1", "d"}, {"a", "b"}, {"b", "c"}, {"c", "d"}});
  EXPECT_EQ(namesOf(graph, switchRows(graph)), (Names{{"a", "d"}, {"b", "c"}}));
}

TEST(GraphLayout, ASwitchWithoutHostsInReachIsShown) {
  const auto graph = graphOf({"h0", "h1"}, {"a", "x", "y"}, {{"h0", "a"}, {"h1", "a"}, {"x", "y"}});
  EXPECT_EQ(namesOf(graph, switchRows(graph)), (Names{{"a"}, {"x", "y"}}));
}

TEST(GraphLayout, AChainWithinARowStandsInItsOrder) {
  // By number a c b d; cabled a – b – c – d: neighbours in the drawing.
  const auto graph = graphOf(
      {"h0", "h1", "h2", "h3"}, {"a", "c", "b", "d"},
      {{"h0", "a"}, {"h1", "b"}, {"h2", "c"}, {"h3", "d"}, {"a", "b"}, {"b", "c"}, {"c", "d"}});
  EXPECT_EQ(namesOf(graph, orderedRows(graph)), (Names{{"a", "b", "c", "d"}}));
}

TEST(GraphLayout, CrossingsAreUndone) {
  // x is above b, y above a.
  const auto graph = graphOf({"h0", "h1"}, {"a", "b", "x", "y"},
                             {{"h0", "a"}, {"h1", "b"}, {"a", "y"}, {"b", "x"}});
  const Names names = namesOf(graph, orderedRows(graph));
  EXPECT_TRUE((names == Names{{"a", "b"}, {"y", "x"}}) || (names == Names{{"b", "a"}, {"x", "y"}}));
}

TEST(GraphLayout, KeepsEverySwitchOnce) {
  const auto graph = graphOf({"h0", "h1", "h2"}, {"a", "b", "c", "d", "e"},
                             {{"h0", "a"},
                              {"h1", "b"},
                              {"h2", "c"},
                              {"a", "b"},
                              {"b", "c"},
                              {"c", "a"},
                              {"a", "d"},
                              {"d", "e"},
                              {"e", "b"}});
  std::vector<fabric::NodeId> all;
  for (const auto& row : orderedRows(graph)) all.insert(all.end(), row.begin(), row.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, graph.switches());
}

}  // namespace
}  // namespace plumbline::report::testing
