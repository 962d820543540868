// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/flows_page.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace plumbline::gui {

FlowsPage::FlowsPage(QWidget* parent)
    : Page(parent), model_(new FlowTableModel(this)), note_(new QLabel), table_(new QTableView) {
  note_->setObjectName(QStringLiteral("hint"));
  note_->setWordWrap(true);
  note_->setText(tr("No running trial: flows and QPs are counted live."));
  table_->setModel(model_);
  table_->setAccessibleName(tr("Flows and QPs"));
  table_->setTabKeyNavigation(false);
  table_->setAlternatingRowColors(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  // Rows of one known height: the view need not query each of thousands.
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->horizontalHeader()->setDefaultSectionSize(92);
  table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table_->setColumnWidth(FlowTableModel::kLost, 64);
  table_->setColumnWidth(FlowTableModel::kCe, 64);
  table_->setColumnWidth(FlowTableModel::kFrom, 56);
  table_->setColumnWidth(FlowTableModel::kTo, 56);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(note_);
  layout->addWidget(table_, 1);
}

void FlowsPage::show(const PageInput& input) {
  if (input.live == nullptr) {
    note_->setText(
        tr("Stored results hold no flows: choose “Live” above the tabs to see those of the "
           "last trial."));
    model_->setFlows({});
    return;
  }
  if (!input.live->latest()) {
    note_->setText(tr("No running trial: flows and QPs are counted live."));
    model_->setFlows({});
    return;
  }
  const control::LiveInterval& now = *input.live->latest();
  model_->setFlows(now.flows);
  if (now.flow_count > now.flows.size()) {
    note_->setText(tr("The first %1 of %2 flows.")
                       .arg(countText(now.flows.size()), countText(now.flow_count)));
  } else {
    note_->setText(tr("%1 flows. Totals since the trial began; rate over the last interval.")
                       .arg(countText(now.flows.size())));
  }
}

}  // namespace plumbline::gui
