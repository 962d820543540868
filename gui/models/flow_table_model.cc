// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/flow_table_model.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

struct ColumnText {
  const char* title;
  const char* explanation;
};

constexpr std::array<ColumnText, FlowTableModel::kColumnCount> kColumns = {{
    {"Flow", "Stream, queue pair or PDC"},
    {"Rate", "Received in the last interval"},
    {"Lost", "Frames known to be lost"},
    {"CE", "Frames that arrived with a congestion mark"},
    {"Received", "Frames received since the trial began; a QP or PDC counts payload alone"},
    {"Sent", "Frames sent since the trial began"},
    {"Out of order", "Frames that arrived behind a later one"},
    {"Resent", "Packets sent again"},
    {"Bytes", "Received: frames of a stream, payload of a QP or PDC"},
    {"From", "Sending port or host"},
    {"To", "Receiving port or host"},
}};

// Missing counts sort below zero.
double keyOf(const std::optional<std::uint64_t>& count) {
  return count ? static_cast<double>(*count) : -1;
}

QString knownCountText(const std::optional<std::uint64_t>& count) {
  return count ? countText(*count) : QStringLiteral("–");
}

double keyOf(const control::LiveFlow& flow, int column) {
  switch (column) {
    case FlowTableModel::kFrom:
      return flow.from;
    case FlowTableModel::kTo:
      return flow.to;
    case FlowTableModel::kRate:
      return flow.rx_bps;
    case FlowTableModel::kSent:
      return static_cast<double>(flow.sent_frames);
    case FlowTableModel::kReceived:
      return static_cast<double>(flow.received_frames);
    case FlowTableModel::kBytes:
      return static_cast<double>(flow.received_bytes);
    case FlowTableModel::kLost:
      return keyOf(flow.lost);
    case FlowTableModel::kOutOfOrder:
      return keyOf(flow.out_of_order);
    case FlowTableModel::kCe:
      return keyOf(flow.ce);
    case FlowTableModel::kRetransmitted:
      return keyOf(flow.retransmitted);
    default:
      return 0;
  }
}

QString cellText(const control::LiveFlow& flow, int column) {
  switch (column) {
    case FlowTableModel::kName:
      return text(flow.name);
    case FlowTableModel::kFrom:
      return QString::number(flow.from);
    case FlowTableModel::kTo:
      return QString::number(flow.to);
    case FlowTableModel::kRate:
      return rateText(flow.rx_bps);
    case FlowTableModel::kSent:
      return countText(flow.sent_frames);
    case FlowTableModel::kReceived:
      // A QP or PDC does not count them.
      if (flow.received_frames == 0 && flow.received_bytes > 0) return QStringLiteral("–");
      return countText(flow.received_frames);
    case FlowTableModel::kBytes:
      return countText(flow.received_bytes);
    case FlowTableModel::kLost:
      return knownCountText(flow.lost);
    case FlowTableModel::kOutOfOrder:
      return knownCountText(flow.out_of_order);
    case FlowTableModel::kCe:
      return knownCountText(flow.ce);
    case FlowTableModel::kRetransmitted:
      return knownCountText(flow.retransmitted);
    default:
      return {};
  }
}

}  // namespace

FlowTableModel::FlowTableModel(QObject* parent) : QAbstractTableModel(parent) {}

std::vector<std::uint32_t> FlowTableModel::sorted() const {
  std::vector<std::uint32_t> order(flows_.size());
  std::iota(order.begin(), order.end(), 0U);
  if (sort_column_ < 0) return order;
  const bool descending = sort_order_ == Qt::DescendingOrder;
  if (sort_column_ == kName) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int compared = flows_[a].name.compare(flows_[b].name);
      return descending ? compared > 0 : compared < 0;
    });
    return order;
  }
  std::vector<double> keys(flows_.size());
  for (std::size_t i = 0; i < flows_.size(); ++i) keys[i] = keyOf(flows_[i], sort_column_);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return descending ? keys[a] > keys[b] : keys[a] < keys[b];
  });
  return order;
}

void FlowTableModel::setFlows(const std::vector<control::LiveFlow>& flows) {
  if (flows.size() != flows_.size()) {
    beginResetModel();
    flows_ = flows;
    order_ = sorted();
    endResetModel();
    return;
  }
  if (flows.empty()) return;
  flows_ = flows;
  reorder();
  emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1), {Qt::DisplayRole});
}

const control::LiveFlow& FlowTableModel::flow(int row) const {
  return flows_[order_[static_cast<std::size_t>(row)]];
}

void FlowTableModel::sort(int column, Qt::SortOrder order) {
  sort_column_ = column;
  sort_order_ = order;
  reorder();
}

void FlowTableModel::reorder() {
  std::vector<std::uint32_t> next = sorted();
  if (next == order_) return;
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  // A selected row stays with its flow.
  std::vector<int> row_of(next.size());
  for (std::size_t row = 0; row < next.size(); ++row) row_of[next[row]] = static_cast<int>(row);
  const QModelIndexList before = persistentIndexList();
  for (const QModelIndex& old : before) {
    const std::uint32_t place = order_[static_cast<std::size_t>(old.row())];
    changePersistentIndex(old, index(row_of[place], old.column()));
  }
  order_ = std::move(next);
  emit layoutChanged({}, VerticalSortHint);
}

int FlowTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int FlowTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant FlowTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole) return cellText(flow(index.row()), index.column());
  if (role == Qt::TextAlignmentRole && index.column() != kName) {
    return int(Qt::AlignRight | Qt::AlignVCenter);
  }
  return {};
}

QVariant FlowTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  const ColumnText& column = kColumns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString::fromLatin1(column.title);
  if (role == Qt::ToolTipRole) return QString::fromLatin1(column.explanation);
  return {};
}

}  // namespace plumbline::gui
