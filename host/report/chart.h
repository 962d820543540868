// The charts and pictures of a test result as SVG.
#pragma once

#include <string>
#include <vector>

#include "results/test_result.h"

namespace plumbline::report {

// Draws `chart` by its kind; values that are not finite are left out. If the label of a linear axis
// ends with a unit in brackets, the axis uses a suitable multiple of it ("[ns]" may become "[µs]").
// A chart without points is an empty frame with a note. Too many lines to distinguish are drawn as
// several pictures with the same axes, all other charts as one.
std::vector<std::string> renderChart(const results::Chart& chart);

// Lines with a marker at each point (kLine), without (kTime), or constant until the next point
// (kStep); reference series are dashed, without markers. `chart` is finite and scaled; the axes are
// those that `whole` needs.
std::string renderLinePlot(const results::Chart& chart, const results::Chart& whole);
// Groups of bars, one group per distinct x, one bar per series; reference series are dashed lines
// across their groups. `chart` is finite and scaled.
std::string renderBarPlot(const results::Chart& chart);
// The same horizontally, for groups with names: as tall as needed.
std::string renderCategoryPlot(const results::Chart& chart);

// Cells from pale (zero) to dark (full scale), with the value where it fits; blank cells are
// crossed out.
std::string renderHeatMap(const results::HeatMap& map);

// A row for each lane, with a bar for each of its spans.
std::string renderTimeline(const results::Timeline& timeline);

}  // namespace plumbline::report
