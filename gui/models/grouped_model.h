// SPDX-License-Identifier: GPL-3.0-or-later
// A tree of two levels, groups with rows: ports by bench, trials by test. Refreshing it keeps what
// is expanded and selected as long as rows are only changed or added at the end of a group.
#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <QVariant>
#include <vector>

namespace plumbline::gui {

// Emphasis of a row; views turn it into a colour and a word.
enum class RowState { kPlain, kActive, kGood, kWarning, kFailed };

struct GroupedRow {
  QStringList cells;
  RowState state = RowState::kPlain;
  QString tool_tip{};
  QVariant data{};  // under kRowDataRole
};

struct Group {
  GroupedRow head;
  std::vector<GroupedRow> rows;
};

class GroupedModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  static constexpr int kRowDataRole = Qt::UserRole;
  static constexpr int kRowStateRole = Qt::UserRole + 1;  // RowState as int

  explicit GroupedModel(QStringList headers, QObject* parent = nullptr);

  void setGroups(std::vector<Group> groups);
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

  [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent) const override;
  [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
  [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  [[nodiscard]] const GroupedRow* rowAt(const QModelIndex& index) const;
  [[nodiscard]] bool onlyAppends(const std::vector<Group>& next) const;

  QStringList headers_;
  std::vector<Group> groups_;
};

}  // namespace plumbline::gui
