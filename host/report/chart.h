// The charts of a test result as SVG.
#pragma once

#include <string>

#include "results/test_result.h"

namespace plumbline::report {

// Draws `chart` by its kind; values that are not finite are left out. If the label of a linear axis
// ends with a unit in brackets, the axis shows the multiple of it that fits ("[ns]" may become
// "[µs]"). A chart without points is an empty frame that says so.
std::string renderChart(const results::Chart& chart);

// Lines with a marker at each point (kLine), or constant until the next point (kStep); reference
// series are dashed, without markers. `chart` is finite and scaled.
std::string renderLinePlot(const results::Chart& chart);
// Groups of bars, one group per distinct x, one bar per series; reference series are dashed lines
// across their groups. `chart` is finite and scaled.
std::string renderBarPlot(const results::Chart& chart);

}  // namespace plumbline::report
