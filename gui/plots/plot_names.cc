// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of a plot: legend, names of rows and markers, and the full text of each as tool tip.
#include <qcustomplot.h>

#include <QHelpEvent>
#include <QStackedLayout>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/plots/axis_ticker.h"
#include "gui/plots/label_text.h"
#include "gui/plots/plot.h"

namespace plumbline::gui {
namespace {

constexpr int kMaxLegendColumns = 3;
constexpr qsizetype kLongestName = 44;  // characters
constexpr int kLegendIcon = 56;         // an entry's line, and the room around it
constexpr int kCharacter = 7;           // about, in pixels
constexpr int kMarkerRow = 17;
constexpr int kMarkerRows = 5;
constexpr int kLegendRow = 22;
constexpr double kLegendShare = 0.3;  // of the height, at most
constexpr int kTicks = 6;

// The legend's entries, in order. (Its own count of items includes empty places.)
QList<QCPAbstractPlottable*> listedIn(QCustomPlot& plot) {
  QList<QCPAbstractPlottable*> listed;
  for (int i = 0; i < plot.plottableCount(); ++i) {
    QCPAbstractPlottable* one = plot.plottable(i);
    if (plot.legend->hasItemWithPlottable(one)) listed.push_back(one);
  }
  return listed;
}

}  // namespace

// A legend without entries is not in the layout, where it would narrow the plot. One with too many
// states how many it omits; its tool tip has all.
void Plot::showLegend() {
  legend_room_ = legendEntries();
  const QList<QCPAbstractPlottable*> listed = listedIn(*plot_);
  for (QCPAbstractPlottable* one : listed) one->setName(elided(one->name(), kLongestName));
  const qsizetype left_out = listed.size() - legend_room_;
  for (qsizetype i = legend_room_; i < listed.size(); ++i) listed[i]->removeFromLegend();
  if (left_out > 0) {
    QCPAbstractPlottable* last = listed[legend_room_ - 1];
    last->setName(tr("%1 … and %2 more").arg(last->name()).arg(left_out));
  }
  const bool wanted = !listed.empty();
  const bool placed = plot_->plotLayout()->elementAt(0) == plot_->legend;
  plot_->legend->setVisible(wanted);
  plot_->legend->setWrap(legendColumns());
  if (wanted && !placed) plot_->plotLayout()->addElement(0, 0, plot_->legend);
  if (!wanted && placed) plot_->plotLayout()->take(plot_->legend);
}

int Plot::legendColumns() const {
  qsizetype longest = 1;
  for (const PlotSeries& one : series_) longest = std::max(longest, one.name.size());
  const auto column = static_cast<int>(std::min(longest, kLongestName)) * kCharacter + kLegendIcon;
  return std::clamp(width() / column, 1, kMaxLegendColumns);
}

int Plot::legendEntries() const {
  return legendColumns() * std::max(1, static_cast<int>(kLegendShare * height()) / kLegendRow);
}

// One below the other, so that close percentiles stay readable; beside its line at the edges, where
// a name would cover the numbers of the axis.
void Plot::placeMarkerNames() {
  const QRect area = plot_->axisRect()->rect();
  const double height = std::max(area.height(), 1);
  int row = 0;
  for (QCPItemText* label : names_of_markers_) {
    const double x = label->position->key();
    const double pixel = plot_->xAxis->coordToPixel(x);
    const double half = kCharacter * static_cast<double>(label->text().size()) / 2;
    Qt::Alignment side = Qt::AlignHCenter;
    if (pixel - half < area.left()) side = Qt::AlignLeft;
    if (pixel + half > area.right()) side = Qt::AlignRight;
    label->setPositionAlignment(Qt::AlignTop | side);
    label->position->setCoords(x, (2 + kMarkerRow * row) / height);
    row = (row + 1) % kMarkerRows;
  }
}

void Plot::applyAxes() {
  // Names of rows may take two fifths of the width, in two lines if necessary. Their common
  // beginning is shown once.
  const auto max = std::clamp<qsizetype>(width() * 2 / 5 / kCharacter, 10, kLongestName);
  const auto set = [max](QCPAxis* axis, const QString& label, bool log, const QStringList& names) {
    const QString common = label.isEmpty() ? commonParts(names) : QString();
    axis->setLabel(common.isEmpty() ? label : common.chopped(2));
    axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (!names.empty()) {
      QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
      for (int i = 0; i < names.size(); ++i) {
        ticker->addTick(i, inTwoLines(names[i].mid(common.size()), max));
      }
      axis->setTicker(ticker);
    } else if (log) {
      axis->setTicker(QSharedPointer<LogTicker>::create());
    } else {
      axis->setTicker(QSharedPointer<LinearTicker>::create());
      axis->ticker()->setTickCount(kTicks);
    }
    axis->grid()->setSubGridVisible(false);
    axis->setSubTicks(log && names.empty());
  };
  changing_range_ = true;
  if (lying()) {
    set(plot_->xAxis, axes_.y_label, axes_.log_y, {});
    set(plot_->yAxis, axes_.x_label, false, axes_.x_names);
  } else {
    set(plot_->xAxis, axes_.x_label, axes_.log_x, {});
    set(plot_->yAxis, axes_.y_label, axes_.log_y, axes_.y_names);
  }
  plot_->yAxis->setRangeReversed(!rowNames().empty());
  plot_->yAxis->grid()->setVisible(!lying());
  changing_range_ = false;
}

bool Plot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), this);  // hides it when empty
  return true;
}

QString Plot::toolTipAt(const QPoint& at) const {
  if (stack_->currentWidget() == empty_) return {};
  const QPoint place = plot_->mapFrom(this, at);
  if (plot_->legend->visible() && plot_->legend->outerRect().contains(place)) {
    QStringList names;
    for (const PlotSeries& one : series_) {
      if (!one.name.isEmpty()) names.push_back(one.name);
    }
    return names.join(QLatin1Char('\n'));
  }
  const QRect area = plot_->axisRect()->rect();
  if (place.y() < area.top() || place.y() > area.bottom()) return {};
  return rowNames().value(static_cast<int>(std::lround(plot_->yAxis->pixelToCoord(place.y()))));
}

QStringList Plot::rowLabels() const {
  const auto ticker = plot_->yAxis->ticker().dynamicCast<QCPAxisTickerText>();
  return ticker ? QStringList(ticker->ticks().values()) : QStringList();
}

QStringList Plot::legendTexts() const {
  QStringList texts;
  for (const QCPAbstractPlottable* one : listedIn(*plot_)) texts.push_back(one->name());
  return texts;
}

}  // namespace plumbline::gui
