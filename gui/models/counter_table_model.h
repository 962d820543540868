// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of the run: of the current trial, since they were cleared, and since a mark. Clearing
// and marking set zero points in the window only; nothing in the tester is reset.
#pragma once

#include <QAbstractTableModel>

#include "gui/data/live_run.h"

namespace plumbline::gui {

class CounterTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kTrial, kSinceClear, kSinceMark, kColumnCount };

  explicit CounterTableModel(QObject* parent = nullptr);

  // Totals of a run other than the previous one restart the table: clear and mark use them.
  void setCounters(const CounterValues& trial, const CounterValues& run, std::int64_t run_id);
  void clear();
  void mark();

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  void changed();

  std::int64_t run_id_ = 0;
  CounterValues trial_;
  CounterValues run_;
  CounterValues cleared_at_;
  CounterValues marked_at_;  // empty: no mark was set
};

}  // namespace plumbline::gui
