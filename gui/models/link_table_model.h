// SPDX-License-Identifier: GPL-3.0-or-later
// The links of the DUT with their counters, busiest first.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "control/live_interval.h"

namespace plumbline::gui {

class LinkTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kUtilisation, kPackets, kQueue, kMarked, kDropped, kColumnCount };

  explicit LinkTableModel(QObject* parent = nullptr);

  void setLinks(std::vector<control::LiveLink> links);
  [[nodiscard]] const std::vector<control::LiveLink>& links() const { return links_; }
  // Row of the link of this name, or -1.
  [[nodiscard]] int rowOf(const std::string& name) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  std::vector<control::LiveLink> links_;
};

}  // namespace plumbline::gui
