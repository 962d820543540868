// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/counter_table_model.h"

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

// While catching up after a broken connection, totals may briefly be lower than before.
std::uint64_t difference(std::uint64_t now, std::uint64_t then) {
  return now > then ? now - then : 0;
}

}  // namespace

CounterTableModel::CounterTableModel(QObject* parent)
    : QAbstractTableModel(parent),
      trial_(counterNames().size(), 0),
      run_(counterNames().size(), 0),
      cleared_at_(counterNames().size(), 0) {}

void CounterTableModel::changed() {
  emit dataChanged(index(0, kTrial), index(rowCount() - 1, kColumnCount - 1), {Qt::DisplayRole});
}

void CounterTableModel::setCounters(const CounterValues& trial, const CounterValues& run,
                                    std::int64_t run_id) {
  if (run_id != run_id_) {
    run_id_ = run_id;
    cleared_at_.assign(counterNames().size(), 0);
    marked_at_.clear();
  }
  trial_ = trial;
  run_ = run;
  changed();
}

void CounterTableModel::clear() {
  cleared_at_ = run_;
  changed();
}

void CounterTableModel::mark() {
  marked_at_ = run_;
  changed();
}

int CounterTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(counterNames().size());
}

int CounterTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant CounterTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto row = static_cast<std::size_t>(index.row());
  if (role == Qt::TextAlignmentRole && index.column() != kName) {
    return int(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kName:
      return text(counterNames()[row]);
    case kTrial:
      return countText(trial_[row]);
    case kSinceClear:
      return countText(difference(run_[row], cleared_at_[row]));
    case kSinceMark:
      return marked_at_.empty() ? QString() : countText(difference(run_[row], marked_at_[row]));
    default:
      return {};
  }
}

QVariant CounterTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Counter");
    case kTrial:
      return tr("This trial");
    case kSinceClear:
      return tr("Since clear");
    case kSinceMark:
      return tr("Since mark");
    default:
      return {};
  }
}

}  // namespace plumbline::gui
