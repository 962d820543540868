// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of a fabric: cables coloured by the utilisation of their busier direction.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <string>

#include "control/live_interval.h"
#include "gui/data/topology_layout.h"
#include "gui/plots/theme.h"

class QPainter;

namespace plumbline::gui {

class TopologyView : public QWidget {
  Q_OBJECT
 public:
  explicit TopologyView(QWidget* parent = nullptr);

  void setTopology(const control::TopologyPicture& picture);
  // Utilisation (0 to 1) by link name; missing links have carried nothing.
  void setLoads(const std::vector<control::LiveLink>& links);
  void setTheme(const Theme& theme);
  // Draws the cable of this link thicker; empty for none.
  void select(const std::string& link);

  [[nodiscard]] const TopologyLayout& layoutShown() const { return layout_; }
  // The link at a position in the widget: the busier direction of its cable. Empty if there is
  // none.
  [[nodiscard]] std::string linkAt(const QPointF& at) const;
  [[nodiscard]] QPointF nodePlace(std::size_t node) const;
  void paint(QPainter& painter) const;

 signals:
  void linkClicked(const QString& link);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QLineF lineOf(const PlacedCable& cable) const;
  [[nodiscard]] double loadOf(const std::string& link) const;
  [[nodiscard]] const std::string& busierLink(const PlacedCable& cable) const;
  void paintScale(QPainter& painter) const;

  control::TopologyPicture picture_;
  TopologyLayout layout_;
  std::map<std::string, double> loads_;
  bool live_ = false;
  Theme theme_;
  std::string selected_;
};

}  // namespace plumbline::gui
