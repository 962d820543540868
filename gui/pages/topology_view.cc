// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/topology_view.h"

#include <QHelpEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr double kMargin = 36;
constexpr double kScaleHeight = 34;
constexpr double kScaleWidth = 130;
constexpr int kNarrowScale = 560;  // of the view, below which the scale's words take two lines
constexpr double kReach = 6;       // pixels from a cable that still hit it
constexpr double kParallelGap = 5;
constexpr double kNarrowestLabel = 46;

double distance(const QLineF& line, const QPointF& at) {
  const QPointF along = line.p2() - line.p1();
  const double length = QPointF::dotProduct(along, along);
  const double part =
      length == 0 ? 0 : std::clamp(QPointF::dotProduct(at - line.p1(), along) / length, 0.0, 1.0);
  const QPointF gap = at - (line.p1() + part * along);
  return std::hypot(gap.x(), gap.y());
}

}  // namespace

TopologyView::TopologyView(QWidget* parent) : QWidget(parent), theme_(lightTheme()) {
  setMinimumSize(260, 180);
  setAccessibleName(tr("Topology"));
}

void TopologyView::setTopology(const control::TopologyPicture& picture) {
  picture_ = picture;
  layout_ = layoutTopology(picture);
  selected_.clear();
  update();
}

void TopologyView::setLoads(const std::vector<control::LiveLink>& links) {
  loads_.clear();
  for (const control::LiveLink& link : links) loads_[link.name] = link.utilisation;
  live_ = !links.empty();
  update();
}

void TopologyView::setTheme(const Theme& theme) {
  theme_ = theme;
  update();
}

void TopologyView::select(const std::string& link) {
  selected_ = link;
  update();
}

QPointF TopologyView::nodePlace(std::size_t node) const {
  const PlacedNode& placed = layout_.nodes[node];
  return {kMargin + placed.x * (width() - 2 * kMargin),
          kMargin + placed.y * (height() - 2 * kMargin - kScaleHeight)};
}

QLineF TopologyView::lineOf(const PlacedCable& cable) const {
  QLineF line(nodePlace(cable.a), nodePlace(cable.b));
  if (cable.parallel > 0 && line.length() > 0) {
    // To both sides in turn.
    const double side = (cable.parallel % 2 == 1 ? 1.0 : -1.0) * kParallelGap *
                        std::ceil(static_cast<double>(cable.parallel) / 2);
    const QLineF normal = line.normalVector().unitVector();
    line.translate(side * normal.dx(), side * normal.dy());
  }
  return line;
}

double TopologyView::loadOf(const std::string& link) const {
  const auto found = loads_.find(link);
  return found == loads_.end() ? 0 : found->second;
}

const std::string& TopologyView::busierLink(const PlacedCable& cable) const {
  return picture_
      .links[*std::max_element(cable.links.begin(), cable.links.end(),
                               [this](std::size_t a, std::size_t b) {
                                 return loadOf(picture_.links[a].name) <
                                        loadOf(picture_.links[b].name);
                               })]
      .name;
}

std::string TopologyView::linkAt(const QPointF& at) const {
  const PlacedCable* nearest = nullptr;
  double min = kReach;
  for (const PlacedCable& cable : layout_.cables) {
    const double gap = distance(lineOf(cable), at);
    if (gap > min) continue;
    min = gap;
    nearest = &cable;
  }
  return nearest == nullptr ? std::string() : busierLink(*nearest);
}

void TopologyView::paint(QPainter& painter) const {
  painter.fillRect(rect(), theme_.base);
  if (layout_.nodes.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  // The busiest on top.
  std::vector<std::pair<double, const PlacedCable*>> cables;
  cables.reserve(layout_.cables.size());
  for (const PlacedCable& cable : layout_.cables)
    cables.emplace_back(loadOf(busierLink(cable)), &cable);
  std::stable_sort(cables.begin(), cables.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const double width = std::clamp(400.0 / static_cast<double>(cables.size() + 1), 1.2, 3.0);
  for (const auto& [load, cable] : cables) {
    const bool selected =
        std::any_of(cable->links.begin(), cable->links.end(), [this](std::size_t link) {
          return !selected_.empty() && picture_.links[link].name == selected_;
        });
    QPen pen(live_ ? loadColor(theme_, load) : theme_.soft, selected ? width + 4 : width);
    if (cable->fails) {
      pen.setColor(theme_.failure);
      pen.setStyle(Qt::DashLine);
    }
    painter.setPen(pen);
    painter.drawLine(lineOf(*cable));
  }

  const double room =
      (this->width() - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(layout_.widest, 1));
  for (std::size_t i = 0; i < layout_.nodes.size(); ++i) {
    const PlacedNode& node = layout_.nodes[i];
    const QPointF at = nodePlace(i);
    const double half =
        node.host ? std::clamp(room * 0.3, 1.5, 9.0) : std::clamp(room * 0.4, 4.0, 13.0);
    QPen pen(node.fails ? theme_.failure : (node.host ? theme_.soft : theme_.accent), 1.4);
    if (node.fails) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(node.host ? theme_.base : theme_.raised);
    if (node.host) {
      painter.drawEllipse(at, half, half);
    } else {
      painter.drawRoundedRect(QRectF(at.x() - 1.6 * half, at.y() - half, 3.2 * half, 2 * half), 3,
                              3);
    }
    std::size_t beside = 0;
    for (const PlacedNode& other : layout_.nodes) beside += other.tier == node.tier ? 1 : 0;
    if ((this->width() - 2 * kMargin) / static_cast<double>(beside) < kNarrowestLabel) continue;
    painter.setPen(theme_.text);
    const double below = node.host ? at.y() + half + 2 : at.y() - half - 18;
    const QRectF place(at.x() - 60, below, 120, 16);
    // Links are drawn behind the name.
    painter.fillRect(painter.boundingRect(place, Qt::AlignCenter, text(node.name)), theme_.base);
    painter.drawText(place, Qt::AlignCenter, text(node.name));
  }
  paintScale(painter);
}

void TopologyView::paintScale(QPainter& painter) const {
  // In two lines where there is little room.
  const bool narrow = width() < kNarrowScale;
  const double top = height() - 20;
  const double first = narrow ? top - 14 : top;
  const auto write = [&](double left, double at, const QString& line) {
    painter.drawText(QRectF(left, at, width() - left, 18), Qt::AlignLeft | Qt::AlignVCenter, line);
  };
  painter.setPen(theme_.soft);
  if (narrow) write(kMargin, top - 1, tr("dashed: fails in this scenario"));
  if (!live_) {
    write(kMargin, first - 5,
          narrow ? tr("colours: while a trial runs")
                 : tr("colours: while a trial runs; dashed: fails in this scenario"));
    return;
  }
  QLinearGradient gradient(kMargin, 0, kMargin + kScaleWidth, 0);
  for (int i = 0; i <= 10; ++i) gradient.setColorAt(i / 10.0, loadColor(theme_, i / 10.0));
  painter.setPen(Qt::NoPen);
  painter.setBrush(gradient);
  painter.drawRect(QRectF(kMargin, first, kScaleWidth, 8));
  painter.setPen(theme_.soft);
  write(kMargin + kScaleWidth + 8, first - 5,
        narrow ? tr("0 to 100 %") : tr("0 to 100 % utilisation; dashed: fails in this scenario"));
}

void TopologyView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paint(painter);
}

void TopologyView::mousePressEvent(QMouseEvent* event) {
  const std::string link = linkAt(event->position());
  select(link);
  if (!link.empty()) emit linkClicked(text(link));
}

bool TopologyView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::string link = linkAt(help->pos());
    const auto load = loads_.find(link);
    if (link.empty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(),
                         load == loads_.end()
                             ? text(link)
                             : tr("%1: %2 %").arg(text(link), numberText(100 * load->second, 3)),
                         this);
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace plumbline::gui
