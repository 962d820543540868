// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/link_table_model.h"

#include <algorithm>
#include <utility>

#include "gui/models/text.h"

namespace plumbline::gui {

LinkTableModel::LinkTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void LinkTableModel::setLinks(std::vector<control::LiveLink> links) {
  std::stable_sort(links.begin(), links.end(),
                   [](const control::LiveLink& a, const control::LiveLink& b) {
                     return a.utilisation > b.utilisation;
                   });
  if (links.size() != links_.size()) {
    beginResetModel();
    links_ = std::move(links);
    endResetModel();
    return;
  }
  if (links.empty()) return;
  links_ = std::move(links);
  emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1), {Qt::DisplayRole});
}

int LinkTableModel::rowOf(const std::string& name) const {
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [&name](const auto& link) { return link.name == name; });
  return found == links_.end() ? -1 : static_cast<int>(found - links_.begin());
}

int LinkTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(links_.size());
}

int LinkTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant LinkTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole && index.column() != kName) {
    return int(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  const control::LiveLink& link = links_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case kName:
      return text(link.name);
    case kUtilisation:
      return numberText(100 * link.utilisation, 3) + QStringLiteral(" %");
    case kPackets:
      return countText(link.packets);
    case kQueue:
      return countText(link.queue_max_bytes);
    case kMarked:
      return countText(link.marked);
    case kDropped:
      return countText(link.dropped);
    default:
      return {};
  }
}

QVariant LinkTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Link");
    case kUtilisation:
      return tr("Load");
    case kPackets:
      return tr("Packets");
    case kQueue:
      return tr("Queue [B]");
    case kMarked:
      return tr("Marked");
    case kDropped:
      return tr("Dropped");
    default:
      return {};
  }
}

}  // namespace plumbline::gui
