// SPDX-License-Identifier: GPL-3.0-or-later
// The one plot widget of the window: lines, steps, bars and spans over linear or logarithmic axes,
// with markers, legend, zoom and export. It hides QCustomPlot, whose header is large.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <cstddef>
#include <optional>
#include <vector>

#include "gui/plots/theme.h"

class QCPBars;
class QCPItemText;
class QCustomPlot;
class QLabel;
class QStackedLayout;

namespace plumbline::gui {

// kSteps holds a value until the next x; kArea is the same, filled down to the axis. kSpans draws a
// bar on lane y from x[2i] to x[2i + 1]. Bars of kStacked are stacked on those of the previous
// series with the same x: parts of a whole.
enum class SeriesStyle { kLine, kPoints, kSteps, kArea, kBars, kStacked, kSpans };

struct PlotSeries {
  QString name;
  std::vector<double> x;  // ascending
  std::vector<double> y;
  SeriesStyle style = SeriesStyle::kLine;
  bool reference = false;            // theory or context: grey and dashed
  std::optional<std::size_t> color;  // of the palette of series; default: by its index in the list
};

// A dashed vertical line with a name, or with `y` a dot on a curve.
struct PlotMarker {
  double x = 0;
  std::optional<double> y;
  QString name;
  std::size_t color = 0;
};

class Plot : public QWidget {
  Q_OBJECT
 public:
  // `name` becomes the suggested file name for export and the name for screen readers.
  explicit Plot(const QString& name, QWidget* parent = nullptr);

  struct Axes {
    QString x_label;  // with unit
    QString y_label;
    bool log_x = false;
    bool log_y = false;
    bool y_from_zero = true;          // linear ordinates only
    std::optional<double> y_max;      // largest possible value: 100 %, a JFI of 1
    std::optional<double> x_until{};  // the abscissa runs from 0 to here, whatever the data
    // Of x = 0, 1, 2 …: such bars are horizontal, because names are long.
    QStringList x_names{};
    QStringList y_names{};  // of lanes y = 0, 1, 2 …, from top to bottom
  };

  // Replaces everything shown. Points that are not finite, or not positive on a logarithmic axis,
  // are left out.
  void setContent(Axes axes, std::vector<PlotSeries> series, std::vector<PlotMarker> markers = {});
  // Shown instead of the plot while no series has a point: what the plot waits for.
  void setEmptyText(const QString& text);
  void setTheme(const Theme& theme);

  // Writes .png, .svg or .csv by the extension of `path`. Returns the error; empty without one.
  [[nodiscard]] QString exportTo(const QString& path) const;
  [[nodiscard]] QString csv() const;

  // The plot shows all data and follows it, until the user zooms or pans; fit() resumes this.
  void fit();
  // Shows [low, high] of the abscissa permanently; for plots with a common abscissa.
  void setXRange(double low, double high);
  [[nodiscard]] const QString& name() const { return name_; }
  // Current state, for tests and linked plots.
  [[nodiscard]] std::size_t pointCount() const;
  [[nodiscard]] const std::vector<PlotSeries>& series() const { return series_; }
  [[nodiscard]] const std::vector<PlotMarker>& markers() const { return markers_; }
  [[nodiscard]] QStringList rowLabels() const;
  [[nodiscard]] QStringList legendTexts() const;
  // Tool tip at a position: the whole name of a row, all names of the legend.
  [[nodiscard]] QString toolTipAt(const QPoint& at) const;

 signals:
  // The user changed the abscissa; `fitted` when the plot shows everything again.
  void xRangeMoved(double low, double high, bool fitted);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void rebuild();
  void redraw();
  void addGraph(const PlotSeries& series, std::size_t index);
  void addBars(const PlotSeries& series, std::size_t index);
  void addStacked(const PlotSeries& series, std::size_t index, QCPBars*& below);
  [[nodiscard]] QCPBars* newBars(const PlotSeries& series, std::size_t index);
  // Between two bars of kStacked.
  [[nodiscard]] double stackSpacing() const;
  void addMarkers();
  void placeMarkerNames();
  void applyTheme();
  void applyAxes();
  void fitRanges();
  void fitLaneHeight();
  void showMenu(const QPoint& at);
  void chooseFileAndExport(const QString& ending);
  void showLegend();
  [[nodiscard]] int legendColumns() const;
  [[nodiscard]] int legendEntries() const;
  [[nodiscard]] bool usable(double x, double y) const;
  [[nodiscard]] bool lying() const { return !axes_.x_names.empty(); }
  // Names of rows from top to bottom; empty for an ordinate of numbers.
  [[nodiscard]] const QStringList& rowNames() const {
    return lying() ? axes_.x_names : axes_.y_names;
  }

  QString name_;
  Axes axes_;
  Theme theme_;
  std::vector<PlotSeries> series_;
  std::vector<PlotMarker> markers_;
  std::vector<QCPItemText*> names_of_markers_;  // the plot's
  bool following_ = true;
  bool changing_range_ = false;
  int legend_room_ = 0;  // entries that fit into the legend
  QStackedLayout* stack_;
  QCustomPlot* plot_;
  QLabel* empty_;
};

}  // namespace plumbline::gui
