// Bars with names, heat maps and timelines: positions agree with the numbers.
#include "report/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/chart.h"
#include "report/svg.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

using results::Chart;
using results::ChartKind;
using results::HeatMap;
using results::Timeline;

TEST(Wrapped, BreaksAtSpacesAndCutsWhatIsLeft) {
  EXPECT_EQ(wrapped("packet spray", 500, 14, 3), std::vector<std::string>{"packet spray"});
  const double word = textWidth("packet", 14);
  EXPECT_EQ(wrapped("packet spray", word, 14, 3), (std::vector<std::string>{"packet", "spray"}));
  const auto cut = wrapped("packet spray of everything", word, 14, 2);
  ASSERT_EQ(cut.size(), 2U);
  EXPECT_EQ(cut[0], "packet");
  EXPECT_TRUE(cut[1].ends_with("…")) << cut[1];
  EXPECT_LE(textWidth(cut[1], 14), word);
  EXPECT_EQ(wrapped("", 10, 14, 2), std::vector<std::string>{""});
}

Chart jfiBars() {
  return {"jfi",
          "Fairness",
          ChartKind::kBar,
          "",
          "JFI",
          false,
          false,
          {{"4 paths", {0, 1, 2}, {0.5, 0.75, 1}, false},
           {"8 paths", {0, 2}, {0.25, 0.5}, false},
           {"ideal", {0, 1, 2}, {1, 1, 1}, true}},
          {"ECMP", "flowlet DLB with a gap of one hundred microseconds", "packet spray"}};
}

TEST(CategoryPlot, LengthsAreInProportionAndNamesAreThere) {
  const auto plots = renderChart(jfiBars());
  ASSERT_EQ(plots.size(), 1U);
  const Element svg = parseXml(plots[0]);
  const auto bars = svg.all("rect");
  ASSERT_EQ(bars.size(), 5U);
  const double unit = bars[2]->number("width");  // of 1
  for (const auto& [bar, value] : {std::pair{0, 0.5}, {1, 0.75}, {3, 0.25}, {4, 0.5}}) {
    EXPECT_NEAR(bars[static_cast<std::size_t>(bar)]->number("width"), value * unit, 0.2);
  }
  // One group beneath the other, bars of a group too, all from one line.
  EXPECT_LT(bars[0]->number("y"), bars[3]->number("y"));
  EXPECT_LT(bars[3]->number("y"), bars[1]->number("y"));
  for (const Element* bar : bars) EXPECT_NEAR(bar->number("x"), bars[0]->number("x"), 0.2);
  const auto texts = textsOf(svg);
  for (const char* text : {"ECMP", "packet spray", "4 paths", "ideal", "JFI", "0.75"}) {
    EXPECT_TRUE(has(texts, text)) << text;
  }
}

TEST(CategoryPlot, PlacesWithoutANameAreLeftOut) {
  Chart chart = jfiBars();
  chart.series = {{"a", {0, 7, -1}, {1, 1, 1}, false}};
  EXPECT_EQ(parseXml(renderChart(chart)[0]).all("rect").size(), 1U);
}

HeatMap sampleMap() {
  HeatMap map;
  map.title = "Links";
  map.row_label = "from";
  map.column_label = "to";
  map.value_label = "utilisation [%]";
  map.rows = {"leaf0", "leaf1"};
  map.columns = {"spine0", "spine1", "spine2"};
  map.values = {{0, 50, 100}, {std::nullopt, 25, 75}};
  map.full_scale = 100;
  return map;
}

double lightness(const std::string& color) {
  return std::stoi(color.substr(1, 2), nullptr, 16) * 0.3 +
         std::stoi(color.substr(3, 2), nullptr, 16) * 0.59 +
         std::stoi(color.substr(5, 2), nullptr, 16) * 0.11;
}

TEST(HeatMapPlot, DarkerIsMoreAndBlankIsCrossedOut) {
  const Element svg = parseXml(renderHeatMap(sampleMap()));
  const auto cells = svg.all("rect");
  ASSERT_GE(cells.size(), 5U);
  const auto at = [&](std::size_t cell) { return lightness(cells[cell]->attributes.at("fill")); };
  // In document order: 0, 50, 100 and 25, 75.
  EXPECT_GT(at(0), at(3));
  EXPECT_GT(at(3), at(1));
  EXPECT_GT(at(1), at(4));
  EXPECT_GT(at(4), at(2));
  std::size_t blank = 0;
  for (const Element* line : svg.all("line")) {
    if (line->attributes.at("class") == "blank") ++blank;
  }
  EXPECT_EQ(blank, 1U);
  const auto texts = textsOf(svg);
  for (const char* text : {"leaf1", "spine2", "from", "to", "utilisation [%]", "75", "100"}) {
    EXPECT_TRUE(has(texts, text)) << text;
  }
}

TEST(HeatMapPlot, RowsAndColumnsStandInAGrid) {
  const Element svg = parseXml(renderHeatMap(sampleMap()));
  const auto cells = svg.all("rect");
  EXPECT_NEAR(cells[1]->number("x") - cells[0]->number("x"), cells[0]->number("width"), 0.2);
  EXPECT_NEAR(cells[3]->number("x"), cells[1]->number("x"), 0.2);  // both of spine1
  EXPECT_NEAR(cells[3]->number("y") - cells[1]->number("y"), cells[1]->number("height"), 0.2);
}

TEST(HeatMapPlot, AnySizeFits) {
  for (const std::size_t size : {0U, 1U, 64U, 300U}) {
    HeatMap map = sampleMap();
    map.rows.clear();
    for (std::size_t i = 0; i < size; ++i) map.rows.push_back("leaf" + std::to_string(i));
    map.columns = map.rows;
    map.values.assign(size, std::vector<std::optional<double>>(size, 50.0));
    const Element svg = parseXml(renderHeatMap(map));
    for (const Element* cell : svg.all("rect")) {
      EXPECT_LE(cell->number("x") + cell->number("width"), 640);
    }
    EXPECT_EQ(has(textsOf(svg), "no data"), size == 0);
  }
}

TEST(HeatMapPlot, ARaggedMapIsBlankWhereItEnds) {
  HeatMap map = sampleMap();
  map.values = {{10}};
  EXPECT_EQ(cellOf(map, 0, 0), 10);
  EXPECT_EQ(cellOf(map, 0, 2), std::nullopt);
  EXPECT_EQ(cellOf(map, 1, 0), std::nullopt);
  EXPECT_NO_THROW(parseXml(renderHeatMap(map)));
}

TEST(TimelinePlot, BarsStandWhereTheirTimesSay) {
  Timeline timeline{"p", "Pauses", "", "time [us]", 100, {}};
  timeline.lanes = {{"host0-leaf0 p3", {{0, 50}, {75, 100}}}, {"host1-leaf0 p3", {{25, 50}}}};
  const Element svg = parseXml(renderTimeline(timeline));
  const auto bars = svg.all("rect");
  ASSERT_EQ(bars.size(), 3U);
  const double unit = bars[0]->number("width") / 50;
  EXPECT_NEAR(bars[1]->number("x") - bars[0]->number("x"), 75 * unit, 0.2);
  EXPECT_NEAR(bars[1]->number("width"), 25 * unit, 0.2);
  EXPECT_NEAR(bars[2]->number("x") - bars[0]->number("x"), 25 * unit, 0.2);
  EXPECT_GT(bars[2]->number("y"), bars[0]->number("y"));
  EXPECT_TRUE(has(textsOf(svg), "host1-leaf0 p3"));
}

TEST(TimelinePlot, ShortPausesAreSeenAndDenseOnesAreOneBar) {
  Timeline timeline{"p", "Pauses", "", "time [us]", 1e6, {{"lane", {}}}};
  timeline.lanes[0].spans.push_back({10, 10.5});
  for (int i = 0; i < 1000; ++i) {
    const double from = 5e5 + i * 10.0;
    timeline.lanes[0].spans.push_back({from, from + 5});
  }
  const auto bars = parseXml(renderTimeline(timeline)).all("rect").size();
  EXPECT_EQ(bars, 2U);
  const Element svg = parseXml(renderTimeline(timeline));
  EXPECT_GE(svg.all("rect")[0]->number("width"), 0.7);
  EXPECT_TRUE(has(textsOf(svg), "time [s]"));
}

TEST(TimelinePlot, NothingIsSaidToBeNothing) {
  const Timeline timeline{"p", "Pauses", "", "time [us]", 100, {}};
  EXPECT_TRUE(has(textsOf(parseXml(renderTimeline(timeline))), "none"));
}

}  // namespace
}  // namespace plumbline::report::testing
