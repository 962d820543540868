// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/grouped_model.h"

#include <algorithm>
#include <utility>

namespace plumbline::gui {

// The internal id of an index is the number of its group plus one for a row, and zero for a group.
GroupedModel::GroupedModel(QStringList headers, QObject* parent)
    : QAbstractItemModel(parent), headers_(std::move(headers)) {}

bool GroupedModel::onlyAppends(const std::vector<Group>& next) const {
  if (next.size() < groups_.size()) return false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (next[i].head.cells.value(0) != groups_[i].head.cells.value(0)) return false;
    if (next[i].rows.size() < groups_[i].rows.size()) return false;
  }
  return true;
}

void GroupedModel::setGroups(std::vector<Group> groups) {
  if (!onlyAppends(groups)) {
    beginResetModel();
    groups_ = std::move(groups);
    endResetModel();
    return;
  }
  const int last_column = static_cast<int>(headers_.size()) - 1;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const int group = static_cast<int>(i);
    const auto before = static_cast<int>(groups_[i].rows.size());
    const auto after = static_cast<int>(groups[i].rows.size());
    groups_[i].head = groups[i].head;
    std::copy_n(groups[i].rows.begin(), before, groups_[i].rows.begin());
    const QModelIndex head = index(group, 0, {});
    emit dataChanged(head, index(group, last_column, {}));
    if (before > 0) emit dataChanged(index(0, 0, head), index(before - 1, last_column, head));
    if (after > before) {
      beginInsertRows(head, before, after - 1);
      groups_[i].rows.insert(groups_[i].rows.end(), groups[i].rows.begin() + before,
                             groups[i].rows.end());
      endInsertRows();
    }
  }
  if (groups.size() > groups_.size()) {
    beginInsertRows({}, static_cast<int>(groups_.size()), static_cast<int>(groups.size()) - 1);
    groups_.insert(groups_.end(), groups.begin() + static_cast<std::ptrdiff_t>(groups_.size()),
                   groups.end());
    endInsertRows();
  }
}

const GroupedRow* GroupedModel::rowAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const auto row = static_cast<std::size_t>(index.row());
  if (index.internalId() == 0) return row < groups_.size() ? &groups_[row].head : nullptr;
  const Group& group = groups_[index.internalId() - 1];
  return row < group.rows.size() ? &group.rows[row] : nullptr;
}

QModelIndex GroupedModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || row >= rowCount(parent) || column < 0 || column >= headers_.size()) return {};
  return createIndex(row, column,
                     parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex GroupedModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int GroupedModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(groups_.size());
  if (parent.internalId() != 0 || parent.column() != 0) return 0;
  return static_cast<int>(groups_[static_cast<std::size_t>(parent.row())].rows.size());
}

int GroupedModel::columnCount(const QModelIndex& /*parent*/) const {
  return static_cast<int>(headers_.size());
}

QVariant GroupedModel::data(const QModelIndex& index, int role) const {
  const GroupedRow* row = rowAt(index);
  if (row == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      return row->cells.value(index.column());
    case Qt::ToolTipRole:
      return row->tool_tip.isEmpty() ? QVariant() : QVariant(row->tool_tip);
    case kRowDataRole:
      return row->data;
    case kRowStateRole:
      return static_cast<int>(row->state);
    default:
      return {};
  }
}

QVariant GroupedModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return headers_.value(section);
}

}  // namespace plumbline::gui
