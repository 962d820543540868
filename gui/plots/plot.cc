// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QLabel>
#include <QStackedLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace plumbline::gui {
namespace {

constexpr double kRowHeight = 16;   // of a named row: less, and names run into each other
constexpr double kTwoLineRow = 31;  // of one whose name takes two lines
constexpr double kZoomStep = 0.8;
constexpr double kBarGroupWidth = 0.75;
constexpr std::size_t kDensePoints = 5000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double logOf(double value, bool log) { return log ? std::log10(value) : value; }

// [low, high] with a margin on both sides; a single value gets room around it.
QCPRange widened(double low, double high, bool log, double margin) {
  const double from = logOf(low, log);
  const double to = logOf(high, log);
  double room = margin * (to - from);
  if (to - from < 1e-12) room = log ? 0.05 : std::max(std::abs(from) * 0.05, 0.5);
  return log ? QCPRange(std::pow(10, from - room), std::pow(10, to + room))
             : QCPRange(from - room, to + room);
}

}  // namespace

Plot::Plot(const QString& name, QWidget* parent)
    : QWidget(parent),
      name_(name),
      theme_(lightTheme()),
      stack_(new QStackedLayout(this)),
      plot_(new QCustomPlot),
      empty_(new QLabel) {
  setAccessibleName(name);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(220, 140);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setObjectName(QStringLiteral("hint"));
  empty_->setMargin(24);
  stack_->addWidget(plot_);
  stack_->addWidget(empty_);
  stack_->setCurrentWidget(empty_);

  plot_->setFocusPolicy(Qt::NoFocus);
  plot_->setNoAntialiasingOnDrag(true);
  // Line by line instead of as one path, whose outline takes seconds for curves that go up and
  // down.
  plot_->setPlottingHint(QCP::phFastPolylines, true);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot_->axisRect()->setupFullAxesBox(false);
  plot_->xAxis2->setTickLabels(false);
  plot_->xAxis2->setTicks(false);
  plot_->yAxis2->setTickLabels(false);
  plot_->yAxis2->setTicks(false);
  // The legend is above the axes, where it covers no curve; see showLegend().
  plot_->axisRect()->insetLayout()->take(plot_->legend);
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->setRowStretchFactor(0, 0.0001);
  plot_->legend->setFillOrder(QCPLegend::foColumnsFirst);
  plot_->legend->setBorderPen(Qt::NoPen);

  setContextMenuPolicy(Qt::CustomContextMenu);
  connect(this, &QWidget::customContextMenuRequested, this, &Plot::showMenu);
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { fit(); });
  connect(plot_, &QCustomPlot::afterLayout, this, &Plot::placeMarkerNames);
  connect(plot_->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& range) {
            if (changing_range_) return;
            following_ = false;
            emit xRangeMoved(range.lower, range.upper, false);
          });
  connect(plot_->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
    fitLaneHeight();
    if (!changing_range_) following_ = false;
  });
  applyTheme();
}

void Plot::setEmptyText(const QString& text) { empty_->setText(text); }

void Plot::setTheme(const Theme& theme) {
  theme_ = theme;
  applyTheme();
  rebuild();
}

void Plot::setContent(Axes axes, std::vector<PlotSeries> series, std::vector<PlotMarker> markers) {
  axes_ = std::move(axes);
  series_ = std::move(series);
  markers_ = std::move(markers);
  applyAxes();
  rebuild();
}

void Plot::setXRange(double low, double high) {
  following_ = false;
  changing_range_ = true;
  plot_->xAxis->setRange(low, high);
  changing_range_ = false;
  redraw();
}

void Plot::fit() {
  following_ = true;
  fitRanges();
  redraw();
  const QCPRange range = plot_->xAxis->range();
  emit xRangeMoved(range.lower, range.upper, true);
}

std::size_t Plot::pointCount() const {
  std::size_t count = 0;
  for (const PlotSeries& one : series_) count += std::min(one.x.size(), one.y.size());
  return count;
}

bool Plot::usable(double x, double y) const {
  return std::isfinite(x) && std::isfinite(y) && (!axes_.log_x || x > 0) && (!axes_.log_y || y > 0);
}

void Plot::rebuild() {
  stack_->setCurrentWidget(pointCount() == 0 ? static_cast<QWidget*>(empty_) : plot_);
  plot_->clearPlottables();
  names_of_markers_.clear();
  plot_->clearItems();
  plot_->legend->clearItems();
  QCPBars* below = nullptr;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (series_[i].style == SeriesStyle::kBars) {
      addBars(series_[i], i);
    } else if (series_[i].style == SeriesStyle::kStacked) {
      addStacked(series_[i], i, below);
    } else {
      addGraph(series_[i], i);
    }
  }
  showLegend();
  addMarkers();
  if (following_) fitRanges();
  fitLaneHeight();
  redraw();
}

void Plot::addGraph(const PlotSeries& series, std::size_t index) {
  QCPGraph* graph = plot_->addGraph();
  QPen pen =
      series.reference ? referencePen(theme_) : seriesPen(theme_, series.color.value_or(index));
  const std::size_t count = std::min(series.x.size(), series.y.size());
  // With more points than pixels a line is a band anyway: a thin one is as clear and painted
  // sooner.
  if (count > kDensePoints) {
    pen.setWidth(1);
    graph->setAntialiased(false);
  }
  graph->setPen(pen);
  const bool spans = series.style == SeriesStyle::kSpans;
  // Skips points that fall on the same pixel, which would also skip the gaps between spans.
  graph->setAdaptiveSampling(!spans);
  QVector<QCPGraphData> data;
  data.reserve(static_cast<qsizetype>(spans ? count + count / 2 : count));
  for (std::size_t i = 0; i < count; ++i) {
    if (usable(series.x[i], series.y[i])) data.push_back({series.x[i], series.y[i]});
    if (spans && i % 2 == 1) {
      data.push_back({series.x[i], std::numeric_limits<double>::quiet_NaN()});
    }
  }
  graph->data()->set(data, true);
  switch (series.style) {
    case SeriesStyle::kPoints:
      graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), 7));
      break;
    case SeriesStyle::kArea: {
      QColor fill = pen.color();
      fill.setAlpha(110);
      graph->setBrush(fill);
      [[fallthrough]];
    }
    case SeriesStyle::kSteps:
      graph->setLineStyle(QCPGraph::lsStepLeft);
      break;
    case SeriesStyle::kLine:
    case SeriesStyle::kBars:
    case SeriesStyle::kStacked:
    case SeriesStyle::kSpans:
      break;
  }
  // A line of one point would not be seen.
  if (data.size() == 1 && !spans) {
    graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), 7));
  }
  if (series.name.isEmpty()) {
    graph->removeFromLegend();
  } else {
    graph->setName(series.name);
  }
}

QCPBars* Plot::newBars(const PlotSeries& series, std::size_t index) {
  auto* bars =
      lying() ? new QCPBars(plot_->yAxis, plot_->xAxis) : new QCPBars(plot_->xAxis, plot_->yAxis);
  bars->setPen(Qt::NoPen);
  bars->setBrush(seriesPen(theme_, series.color.value_or(index)).color());
  if (series.name.isEmpty()) {
    bars->removeFromLegend();
  } else {
    bars->setName(series.name);
  }
  return bars;
}

void Plot::addBars(const PlotSeries& series, std::size_t index) {
  QCPBars* bars = newBars(series, index);
  // Bars of several series stand side by side around their x.
  const auto groups = std::count_if(series_.begin(), series_.end(), [](const PlotSeries& one) {
    return one.style == SeriesStyle::kBars;
  });
  const double width = kBarGroupWidth / static_cast<double>(groups);
  const double shift = (static_cast<double>(index) - static_cast<double>(groups - 1) / 2) * width;
  bars->setWidth(width * 0.94);
  QVector<QCPBarsData> data;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (usable(series.x[i], series.y[i])) data.push_back({series.x[i] + shift, series.y[i]});
  }
  bars->data()->set(data, true);
}

void Plot::addStacked(const PlotSeries& series, std::size_t index, QCPBars*& below) {
  QCPBars* bars = newBars(series, index);
  bars->setWidth(stackSpacing() * kBarGroupWidth);
  QVector<QCPBarsData> data;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (usable(series.x[i], series.y[i])) data.push_back({series.x[i], series.y[i]});
  }
  bars->data()->set(data, true);
  if (below != nullptr) bars->moveAbove(below);
  below = bars;
}

double Plot::stackSpacing() const {
  double spacing = kInfinity;
  for (const PlotSeries& one : series_) {
    if (one.style != SeriesStyle::kStacked) continue;
    for (std::size_t i = 1; i < one.x.size(); ++i) {
      spacing = std::min(spacing, one.x[i] - one.x[i - 1]);
    }
  }
  return std::isfinite(spacing) && spacing > 0 ? spacing : 1;
}

void Plot::addMarkers() {
  for (const PlotMarker& marker : markers_) {
    if (!usable(marker.x, marker.y.value_or(1))) continue;
    const QColor color = seriesPen(theme_, marker.color).color();
    if (marker.y) {
      auto* dot = new QCPItemEllipse(plot_);
      dot->setPen(QPen(theme_.base, 1));
      dot->setBrush(color);
      auto* at = new QCPItemTracer(plot_);
      at->setStyle(QCPItemTracer::tsNone);
      at->position->setCoords(marker.x, *marker.y);
      for (QCPItemPosition* corner : {dot->topLeft, dot->bottomRight}) {
        corner->setParentAnchor(at->position);
        corner->setType(QCPItemPosition::ptAbsolute);
      }
      dot->topLeft->setCoords(-4.5, -4.5);
      dot->bottomRight->setCoords(4.5, 4.5);
    }
    if (marker.name.isEmpty()) continue;
    auto* line = new QCPItemStraightLine(plot_);
    line->setPen(QPen(theme_.soft, 1, Qt::DashLine));
    line->point1->setCoords(marker.x, axes_.log_y ? 1 : 0);
    line->point2->setCoords(marker.x, axes_.log_y ? 10 : 1);
    auto* label = new QCPItemText(plot_);
    label->setText(marker.name);
    label->setColor(theme_.text);
    label->setBrush(QColor(theme_.base.red(), theme_.base.green(), theme_.base.blue(), 210));
    label->setPadding(QMargins(3, 1, 3, 1));
    label->position->setTypeX(QCPItemPosition::ptPlotCoords);
    label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    label->position->setCoords(marker.x, 0);
    names_of_markers_.push_back(label);
  }
}

void Plot::applyTheme() {
  plot_->setBackground(theme_.base);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis, plot_->xAxis2, plot_->yAxis2}) {
    axis->setBasePen(QPen(theme_.soft, 1));
    axis->setTickPen(QPen(theme_.soft, 1));
    axis->setSubTickPen(QPen(theme_.soft, 1));
    axis->setTickLabelColor(theme_.soft);
    axis->setLabelColor(theme_.text);
    axis->grid()->setPen(QPen(theme_.grid, 1));
    axis->grid()->setZeroLinePen(QPen(theme_.grid, 1));
  }
  plot_->legend->setBrush(Qt::NoBrush);
  plot_->legend->setTextColor(theme_.text);
}

void Plot::fitRanges() {
  double x_low = kInfinity;
  double x_high = -kInfinity;
  double y_low = kInfinity;
  double y_high = -kInfinity;
  std::map<double, double> stacks;  // their height so far, by x
  const double room = lying() ? 0 : stackSpacing() / 2;
  for (const PlotSeries& one : series_) {
    const bool stacked = one.style == SeriesStyle::kStacked;
    for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
      if (!usable(one.x[i], one.y[i])) continue;
      const double y = stacked ? stacks[one.x[i]] += one.y[i] : one.y[i];
      x_low = std::min(x_low, one.x[i] - (stacked ? room : 0));
      x_high = std::max(x_high, one.x[i] + (stacked ? room : 0));
      y_low = std::min(y_low, y);
      y_high = std::max(y_high, y);
    }
  }
  if (x_low > x_high) return;
  if (lying()) {
    std::swap(x_low, y_low);
    std::swap(x_high, y_high);
  }
  const bool x_log = lying() ? axes_.log_y : axes_.log_x;
  QCPRange x = widened(x_low, x_high, x_log, 0.03);
  QCPRange y = widened(y_low, y_high, axes_.log_y, 0.06);
  // The axis of values starts at zero and ends at the highest value there can be.
  QCPRange& values = lying() ? x : y;
  const double min = lying() ? x_low : y_low;
  if (!axes_.log_y && axes_.y_from_zero && min >= 0) {
    values.lower = 0;
    const double max = lying() ? x_high : y_high;
    // Room above values that hardly differ, too.
    values.upper = max > 0 ? std::max(values.upper, max * 1.06) : 1;
  }
  if (axes_.y_max) values.upper = *axes_.y_max * 1.03;
  if (axes_.x_until) x = {0, *axes_.x_until};
  if (!rowNames().empty()) {
    // As many rows as have room for their names; dragging shows the others.
    const QStringList labels = rowLabels();
    const bool two_lines = std::any_of(labels.begin(), labels.end(), [](const QString& label) {
      return label.contains(QLatin1Char('\n'));
    });
    const double room =
        std::floor(plot_->axisRect()->height() / (two_lines ? kTwoLineRow : kRowHeight));
    const double rows = std::min(static_cast<double>(rowNames().size()), std::max(room, 4.0));
    y = {-0.6, rows - 0.4};
  }
  changing_range_ = true;
  plot_->xAxis->setRange(x);
  plot_->yAxis->setRange(y);
  changing_range_ = false;
}

void Plot::fitLaneHeight() {
  if (axes_.y_names.empty()) return;
  const double lanes = std::max(plot_->yAxis->range().size(), 1.0);
  const double pixels = std::clamp(0.62 * plot_->axisRect()->height() / lanes, 2.0, 22.0);
  for (int i = 0; i < plot_->graphCount(); ++i) {
    QPen pen = plot_->graph(i)->pen();
    pen.setWidthF(pixels);
    plot_->graph(i)->setPen(pen);
  }
}

// Queued: several changes of one update are painted together.
void Plot::redraw() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void Plot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (legendEntries() != legend_room_) rebuild();
  plot_->legend->setWrap(legendColumns());
  if (!rowNames().empty()) {
    applyAxes();                  // names in one line or two
    if (following_) fitRanges();  // the rows that have room now
  }
  fitLaneHeight();
}

void Plot::keyPressEvent(QKeyEvent* event) {
  const auto pan = [](QCPAxis* axis, double share) {
    const QCPRange range = axis->range();
    if (axis->scaleType() == QCPAxis::stLogarithmic) {
      const double factor = std::pow(range.upper / range.lower, share);
      axis->setRange(range.lower * factor, range.upper * factor);
    } else {
      axis->setRange(range.lower + share * range.size(), range.upper + share * range.size());
    }
  };
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      plot_->xAxis->scaleRange(kZoomStep);
      break;
    case Qt::Key_Minus:
      plot_->xAxis->scaleRange(1 / kZoomStep);
      break;
    case Qt::Key_Left:
      pan(plot_->xAxis, -0.1);
      break;
    case Qt::Key_Right:
      pan(plot_->xAxis, 0.1);
      break;
    case Qt::Key_0:
    case Qt::Key_Home:
      fit();
      return;
    default:
      QWidget::keyPressEvent(event);
      return;
  }
  redraw();
}

}  // namespace plumbline::gui
