#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/style.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

constexpr double kScaleWidth = 92;  // the scale at the right, with its ticks
constexpr double kMaxCell = 56;
constexpr double kMaxHeight = 30;
constexpr double kMinHeight = 6;
constexpr double kBodyHeight = 420;  // that many rows share
constexpr double kLabelStep = 14;    // between labels of rows or columns

using Color = std::array<double, 3>;

// Lightness falls evenly, so that the order survives grey printing and any colour vision.
Color colorAt(double share) {
  constexpr std::array<Color, 4> kStops{
      {{240, 245, 250}, {158, 196, 228}, {49, 120, 181}, {8, 40, 92}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(stop);
  Color color{};
  for (std::size_t i = 0; i < color.size(); ++i) {
    color[i] = kStops[stop][i] + part * (kStops[stop + 1][i] - kStops[stop][i]);
  }
  return color;
}

std::string hex(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(std::lround(color[0])),
                     static_cast<int>(std::lround(color[1])),
                     static_cast<int>(std::lround(color[2])));
}

double fullScale(const results::HeatMap& map) {
  if (map.full_scale && *map.full_scale > 0) return *map.full_scale;
  double largest = 0;
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      largest = std::max(largest, cellOf(map, row, column).value_or(0));
    }
  }
  return largest > 0 ? largest : 1;
}

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, textWidth(name, kSmallFont));
  return width;
}

// Every how manieth label has room.
std::size_t stride(double step) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(kLabelStep / step)));
}

struct Grid {
  double left = 0;
  double top = 0;
  double width = 0;  // of a cell
  double height = 0;
};

void drawCells(Svg& svg, const results::HeatMap& map, const Grid& grid, double full) {
  constexpr double kDark = 0.55;  // from here on the text must be light
  const bool numbers = grid.width >= 34 && grid.height >= 15;
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const Point at{grid.left + grid.width * static_cast<double>(column),
                     grid.top + grid.height * static_cast<double>(row)};
      const auto value = cellOf(map, row, column);
      if (!value) {
        svg.line({at.x, at.y + grid.height}, {at.x + grid.width, at.y}, "blank");
        continue;
      }
      svg.filledRect(at, grid.width, grid.height, hex(colorAt(*value / full)));
      if (!numbers) continue;
      svg.text({at.x + grid.width / 2, at.y + grid.height / 2 + 4}, Anchor::kMiddle,
               *value / full >= kDark ? "light" : "dark",
               fmt::format("{:.{}f}", *value, full >= 50 ? 0 : 2));
    }
  }
}

void drawNames(Svg& svg, const results::HeatMap& map, const Grid& grid, bool upright) {
  const std::size_t every_row = stride(grid.height);
  for (std::size_t row = 0; row < map.rows.size(); row += every_row) {
    svg.text({grid.left - 6, grid.top + grid.height * (static_cast<double>(row) + 0.5) + 4},
             Anchor::kEnd, "small", map.rows[row]);
  }
  const std::size_t every_column = upright ? 1 : stride(grid.width);
  for (std::size_t column = 0; column < map.columns.size(); column += every_column) {
    const double x = grid.left + grid.width * (static_cast<double>(column) + 0.5);
    const std::string& name = map.columns[column];
    if (upright) {
      svg.text({x, grid.top - 6}, Anchor::kMiddle, "small", name);
    } else {
      svg.verticalText({x + 4, grid.top - 6 - textWidth(name, kSmallFont) / 2}, "small", name);
    }
  }
}

// Beside the cells, from their upper edge down.
void drawScale(Svg& svg, const results::HeatMap& map, Point corner, double height, double full) {
  constexpr int kSteps = 40;
  constexpr double kBarWidth = 14;
  const auto [x, top] = corner;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    svg.filledRect({x, top + height * (1 - (i + 1.0) / kSteps)}, kBarWidth, height / kSteps + 0.5,
                   hex(colorAt(share)));
  }
  for (const double share : {0.0, 0.5, 1.0}) {
    svg.text({x + kBarWidth + 5, top + height * (1 - share) + 4}, Anchor::kStart, "small",
             results::measuredNumber(share * full));
  }
  svg.verticalText({x - 8, top + height / 2}, "small", map.value_label);
}

}  // namespace

std::string renderHeatMap(const results::HeatMap& map) {
  constexpr double kTitleRoom = 22;  // for row_label and column_label
  constexpr double kScaleHeight = 150;
  const double rows = std::max<double>(1, static_cast<double>(map.rows.size()));
  const double columns = std::max<double>(1, static_cast<double>(map.columns.size()));
  Grid grid;
  grid.left = kTitleRoom + widest(map.rows) + 10;
  grid.width = std::min(kMaxCell, (kPlotWidth - kScaleWidth - grid.left) / columns);
  grid.height = std::clamp(kBodyHeight / rows, kMinHeight, kMaxHeight);
  const bool upright = widest(map.columns) + 6 <= grid.width;
  grid.top = kTitleRoom + (upright ? kSmallFont : widest(map.columns)) + 10;
  const double body = grid.height * rows;

  const double full = fullScale(map);
  Svg svg(kPlotWidth, grid.top + std::max(body, kScaleHeight) + 12, map.title);
  if (map.rows.empty() || map.columns.empty()) {
    svg.text({kPlotWidth / 2, grid.top + body}, Anchor::kMiddle, "label", "no data");
    return svg.finish();
  }
  svg.text({grid.left + grid.width * columns / 2, 14}, Anchor::kMiddle, "small", map.column_label);
  svg.verticalText({14, grid.top + body / 2}, "small", map.row_label);
  drawNames(svg, map, grid, upright);
  drawCells(svg, map, grid, full);
  svg.rect({grid.left, grid.top}, grid.width * columns, body, "frame");
  drawScale(svg, map, {grid.left + grid.width * columns + 30, grid.top}, kScaleHeight, full);
  return svg.finish();
}

}  // namespace plumbline::report
