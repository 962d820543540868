// SPDX-License-Identifier: GPL-3.0-or-later
// Flows, QPs and PDCs of the current trial, one row each, sorted by any column. Made for 4,096 rows
// at ten updates per second: rows are replaced in place, and only visible rows are formatted.
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <vector>

#include "control/live_interval.h"

namespace plumbline::gui {

class FlowTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    kName,
    kRate,
    kLost,
    kCe,
    kReceived,
    kSent,
    kOutOfOrder,
    kRetransmitted,
    kBytes,
    kFrom,
    kTo,
    kColumnCount
  };

  explicit FlowTableModel(QObject* parent = nullptr);

  void setFlows(const std::vector<control::LiveFlow>& flows);
  // The flow of a row as shown. `row` < rowCount().
  [[nodiscard]] const control::LiveFlow& flow(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;
  // Stays in force for all later flows.
  void sort(int column, Qt::SortOrder order) override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> sorted() const;
  void reorder();

  std::vector<control::LiveFlow> flows_;  // as the server lists them
  std::vector<std::uint32_t> order_;      // row to place in flows_
  int sort_column_ = -1;                  // -1: the server's order
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace plumbline::gui
