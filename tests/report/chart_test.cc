// Charts: positions agree with the numbers.
#include "report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fabric/spec/describe.h"
#include "report/topology_diagram.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

using results::Chart;
using results::ChartKind;

Chart lineChart() {
  return {"c",
          "Title",
          ChartKind::kLine,
          "size [B]",
          "latency [ns]",
          false,
          false,
          {{"a", {0, 10, 20}, {100, 300, 200}, false}, {"theory", {0, 20}, {150, 150}, true}}};
}

// Of a chart that is one picture.
std::string onlyPlot(const Chart& chart) {
  const std::vector<std::string> plots = renderChart(chart);
  EXPECT_EQ(plots.size(), 1U);
  return plots.front();
}

// The pixel rows or columns of tick labels: text → coordinate.
double tickAt(const Element& svg, const std::string& label, const char* axis) {
  for (const Element* one : svg.all("text")) {
    const bool of_x = one->attributes.at("text-anchor") == "middle";
    if (one->text == label && one->attributes.at("class") == "tick" && of_x == (*axis == 'x')) {
      return one->number(axis);
    }
  }
  ADD_FAILURE() << "no tick " << label;
  return 0;
}

// Throughput on the left axis, time on the right one in its own unit.
Chart twoAxes() {
  Chart chart = lineChart();
  chart.series = {{"rate", {0, 10}, {100, 300}, false}, {"time", {0, 10}, {20'000, 40'000}, false}};
  chart.y_label = "rate [GB/s]";
  chart.right_label = "time [us]";
  chart.series[1].right = true;
  chart.series[1].marked = {1};
  return chart;
}

TEST(LinePlot, EachAxisHasItsOwnScale) {
  const Element svg = parseXml(onlyPlot(twoAxes()));
  const auto lines = svg.all("polyline");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NEAR(pointsOf(*lines[0])[1].second, tickAt(svg, "300", "y") - 5, 0.2);
  // 40,000 us are 40 ms; labels of the axis at the right begin there.
  double right = 0;
  std::set<std::string> texts;
  for (const Element* one : svg.all("text")) {
    texts.insert(one->text);
    if (one->text != "40" || one->attributes.at("text-anchor") != "start") continue;
    right = one->number("y");
  }
  EXPECT_NEAR(pointsOf(*lines[1])[1].second, right - 5, 0.2);
  EXPECT_TRUE(texts.contains("time [ms]"));
  EXPECT_TRUE(texts.contains("time (right)"));
  // The marked point has a ring.
  const auto rings = svg.all("circle");
  const auto ring = std::find_if(rings.begin(), rings.end(), [](const Element* one) {
    return one->attributes.at("fill") == "none" && one->number("r") == 9;
  });
  ASSERT_NE(ring, rings.end());
  EXPECT_NEAR((*ring)->number("cx"), pointsOf(*lines[1])[1].first, 0.2);
  EXPECT_NEAR((*ring)->number("cy"), pointsOf(*lines[1])[1].second, 0.2);
}

TEST(LinePlot, AnAreaReachesDownToTheAxis) {
  Chart chart = lineChart();
  chart.series[0].area = true;
  const Element svg = parseXml(onlyPlot(chart));
  const auto areas = svg.all("polygon");
  const auto area = std::find_if(areas.begin(), areas.end(), [](const Element* one) {
    return one->attributes.contains("fill-opacity");
  });
  ASSERT_NE(area, areas.end());
  const auto points = pointsOf(**area);
  ASSERT_EQ(points.size(), 5U);  // three of the line, two on the axis
  EXPECT_NEAR(points[1].second, tickAt(svg, "300", "y") - 5, 0.2);
  EXPECT_NEAR(points[3].second, tickAt(svg, "0", "y") - 5, 0.2);
  EXPECT_NEAR(points[3].first, points[2].first, 0.1);
  EXPECT_NEAR(points[4].first, points[0].first, 0.1);
}

TEST(LinePlot, PointsStandWhereTheTicksSay) {
  const Element svg = parseXml(onlyPlot(lineChart()));
  const auto lines = svg.all("polyline");
  ASSERT_EQ(lines.size(), 2U);
  const auto points = pointsOf(*lines[0]);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[0].first, tickAt(svg, "0", "x"), 0.2);
  EXPECT_NEAR(points[1].first, tickAt(svg, "10", "x"), 0.2);
  EXPECT_NEAR(points[2].first, tickAt(svg, "20", "x"), 0.2);
  // Tick labels stand 5 pixels below the middle of their row.
  EXPECT_NEAR(points[0].second, tickAt(svg, "100", "y") - 5, 0.2);
  EXPECT_NEAR(points[1].second, tickAt(svg, "300", "y") - 5, 0.2);
  EXPECT_NEAR(points[2].second, tickAt(svg, "200", "y") - 5, 0.2);
}

TEST(LinePlot, HasLabelsLegendAndDashedReferences) {
  const Element svg = parseXml(onlyPlot(lineChart()));
  const auto texts = textsOf(svg);
  for (const char* text : {"size [B]", "latency [ns]", "a", "theory"})
    EXPECT_TRUE(has(texts, text));
  EXPECT_EQ(svg.attributes.at("aria-label"), "Title");
  const auto lines = svg.all("polyline");
  EXPECT_EQ(lines[0]->attributes.count("stroke-dasharray"), 0U);
  EXPECT_EQ(lines[1]->attributes.count("stroke-dasharray"), 1U);
  // One marker per measured point and one in the legend; none for the reference.
  EXPECT_EQ(svg.all("circle").size(), 4U);
}

TEST(LinePlot, LongTimesGetAFittingUnit) {
  Chart chart = lineChart();
  for (auto& series : chart.series) {
    for (double& y : series.y) y *= 1000;
  }
  const Element svg = parseXml(onlyPlot(chart));
  EXPECT_TRUE(has(textsOf(svg), "latency [µs]"));
  const auto same = pointsOf(*parseXml(onlyPlot(lineChart())).all("polyline")[0]);
  EXPECT_EQ(pointsOf(*svg.all("polyline")[0]), same);
}

TEST(LinePlot, LogarithmicAxesKeepRatios) {
  Chart chart = lineChart();
  chart.log_x = chart.log_y = true;
  chart.series = {{"a", {64, 256, 1024}, {1, 100, 10'000}, false}};
  const Element svg = parseXml(onlyPlot(chart));
  const auto points = pointsOf(*svg.all("polyline")[0]);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[1].first - points[0].first, points[2].first - points[1].first, 0.2);
  EXPECT_NEAR(points[1].second - points[0].second, points[2].second - points[1].second, 0.2);
  for (const char* text : {"64", "256", "1,024"}) EXPECT_TRUE(has(textsOf(svg), text));
}

TEST(LinePlot, WhatCannotBeDrawnIsLeftOut) {
  Chart chart = lineChart();
  chart.log_y = true;
  chart.series = {{"a", {1, 2, 3, 4, 5}, {10, NAN, INFINITY, -1, 1000}, false},
                  {"odd", {1, 2, 3}, {5}, false}};
  const Element svg = parseXml(onlyPlot(chart));
  EXPECT_EQ(pointsOf(*svg.all("polyline")[0]).size(), 2U);
  EXPECT_EQ(pointsOf(*svg.all("polyline")[1]).size(), 1U);
  for (const char* word : {"nan", "inf"}) {
    EXPECT_EQ(onlyPlot(chart).find(word), std::string::npos);
  }
}

TEST(LinePlot, StepsAreConstantUntilTheNextPoint) {
  Chart chart = lineChart();
  chart.kind = ChartKind::kStep;
  const auto points = pointsOf(*parseXml(onlyPlot(chart)).all("polyline")[0]);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[0].second, points[1].second);
  EXPECT_EQ(points[1].first, points[2].first);
  EXPECT_EQ(points[2].second, points[3].second);
}

TEST(AllPlots, SayWhenThereIsNothing) {
  for (const ChartKind kind : {ChartKind::kLine, ChartKind::kBar, ChartKind::kStep}) {
    for (const bool log : {false, true}) {
      Chart chart{"c", "Empty", kind, "x", "y", log, log, {{"a", {}, {}, false}}};
      EXPECT_TRUE(has(textsOf(parseXml(onlyPlot(chart))), "no data"));
      chart.series.clear();
      EXPECT_TRUE(has(textsOf(parseXml(onlyPlot(chart))), "no data"));
    }
  }
}

TEST(AllPlots, OnePointIsEnough) {
  for (const ChartKind kind : {ChartKind::kLine, ChartKind::kBar, ChartKind::kStep}) {
    for (const bool log : {false, true}) {
      const Chart chart{"c", "One", kind, "x", "y", log, log, {{"a", {5}, {7}, false}}};
      const std::string svg = onlyPlot(chart);
      EXPECT_NO_THROW(parseXml(svg));
      EXPECT_EQ(svg.find("nan"), std::string::npos);
    }
  }
}

Chart manyLines(int lines) {
  Chart chart{"c", "Many", ChartKind::kLine, "x", "y", false, false, {}};
  for (int i = 0; i < lines; ++i) {
    chart.series.push_back({"series " + std::to_string(i), {0, 1}, {0.0 + i, 1.0 + i}, false});
  }
  return chart;
}

TEST(AllPlots, SeriesOfOneChartLookDifferent) {
  const Element svg = parseXml(onlyPlot(manyLines(8)));
  std::set<std::string> looks;
  for (const Element* line : svg.all("polyline")) looks.insert(line->attributes.at("stroke"));
  EXPECT_EQ(looks.size(), 8U);
  // The legend takes several rows, and the plot still has its height.
  const auto points = pointsOf(*svg.all("polyline").back());
  EXPECT_GT(points.front().second, points.back().second);
}

TEST(AllPlots, TooManyLinesComeInPartsWithTheSameAxes) {
  Chart chart = manyLines(20);
  chart.series.push_back({"theory", {0, 1}, {3, 3}, true});
  const std::vector<std::string> plots = renderChart(chart);
  ASSERT_EQ(plots.size(), 4U);
  std::set<double> heights;  // of the line that is in all of them
  std::set<std::string> names;
  for (const std::string& plot : plots) {
    const Element svg = parseXml(plot);
    const auto lines = svg.all("polyline");
    EXPECT_EQ(lines.size(), 6U);
    heights.insert(pointsOf(*lines.back()).front().second);
    for (const std::string& text : textsOf(svg)) {
      if (text.starts_with("series ")) {
        EXPECT_TRUE(names.insert(text).second) << text;
      }
    }
  }
  EXPECT_EQ(heights.size(), 1U);
  EXPECT_EQ(names.size(), 20U);
}

TEST(TimePlot, HasNoMarkers) {
  Chart chart = lineChart();
  EXPECT_EQ(parseXml(onlyPlot(chart)).all("circle").size(), 4U);  // three points and the legend
  chart.kind = ChartKind::kTime;
  const Element svg = parseXml(onlyPlot(chart));
  EXPECT_TRUE(svg.all("circle").empty());
  EXPECT_EQ(svg.all("polyline").size(), 2U);
}

TEST(BarPlot, HeightsAreInProportion) {
  const Chart chart{"c",
                    "Bars",
                    ChartKind::kBar,
                    "ratio",
                    "frames",
                    false,
                    false,
                    {{"a", {2, 4, 8}, {400, 200, 100}, false},
                     {"b", {2, 8}, {40, 10}, false},
                     {"limit", {2, 4, 8}, {300, 300, 300}, true}}};
  const Element svg = parseXml(onlyPlot(chart));
  const auto bars = svg.all("rect");
  ASSERT_EQ(bars.size(), 5U);
  const double unit = bars[0]->number("height") / 400;
  for (const auto& [bar, value] : {std::pair{1, 200.0}, {2, 100.0}, {3, 40.0}, {4, 10.0}}) {
    EXPECT_NEAR(bars[static_cast<std::size_t>(bar)]->number("height"), value * unit, 0.2);
  }
  // Bars of one group stand side by side, all on one base line.
  EXPECT_LT(bars[0]->number("x") + bars[0]->number("width"), bars[3]->number("x") + 0.2);
  for (const Element* bar : bars) {
    EXPECT_NEAR(bar->number("y") + bar->number("height"),
                bars[0]->number("y") + bars[0]->number("height"), 0.2);
  }
  EXPECT_EQ(svg.all("polyline").size(), 1U);
}

TEST(Topology, DrawsEveryKindAtEverySize) {
  fabric::TopologySpec spec;
  spec.kind = fabric::TopologyKind::kLink;
  EXPECT_EQ(parseXml(renderTopology(spec)).all("rect").size(), 2U);
  spec.kind = fabric::TopologyKind::kSingleSwitch;
  for (const std::uint32_t hosts : {2U, 9U, 8192U}) {
    spec.hosts = hosts;
    const Element svg = parseXml(renderTopology(spec));
    EXPECT_EQ(svg.all("rect").size(), 1 + (hosts > 9 ? 8 : hosts));
    EXPECT_TRUE(has(textsOf(svg), "host " + std::to_string(hosts - 1)));
  }
  spec.kind = fabric::TopologyKind::kClos2;
  spec.leaves = 2;
  spec.spines = 2;
  spec.hosts_per_leaf = 2;
  // Four cables between the tiers, four to hosts.
  EXPECT_EQ(parseXml(renderTopology(spec)).all("line").size(), 8U);
  spec.leaves = 1024;
  spec.spines = 1024;
  spec.hosts_per_leaf = 8;
  const Element svg = parseXml(renderTopology(spec));
  for (const char* name : {"spine 1023", "leaf 1023", "h8191", "· · ·"}) {
    EXPECT_TRUE(has(textsOf(svg), name)) << name;
  }
  EXPECT_EQ(fabric::topologyText(spec),
            "A: 2-tier Clos, 1024 leaves × 1024 spines, 8 hosts per leaf, 8192 host ports");
}

// Three tiers of a graph that has them: every switch with its name, hosts counted beneath.
TEST(TopologyDiagram, TiersOfAnyGraph) {
  fabric::TopologySpec spec;
  spec.kind = fabric::TopologyKind::kClos3;
  spec.pods = 2;
  spec.leaves = 2;
  spec.spines = 2;
  spec.superspines = 2;
  spec.hosts_per_leaf = 3;
  const Element svg = parseXml(renderTopology(spec));
  for (const char* name : {"pod1.leaf1", "pod0.spine0", "superspine1", "3 hosts"}) {
    EXPECT_TRUE(has(textsOf(svg), name)) << name;
  }
  // Per pod 4 between leaves and spines, 2 to superspines; and one line to the hosts of each leaf.
  EXPECT_EQ(svg.all("line").size(), 2U * (4 + 2) + 4);
}

}  // namespace
}  // namespace plumbline::report::testing
