// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/topology_page.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {

TopologyPage::TopologyPage(QWidget* parent)
    : Page(parent),
      description_(new QLabel),
      selected_text_(new QLabel),
      view_(new TopologyView),
      links_(new LinkTableModel(this)),
      table_(new QTableView),
      empty_(new QLabel(tr("No scenario yet: choose one, and its fabric is "
                           "drawn here."))) {
  description_->setObjectName(QStringLiteral("hint"));
  description_->setWordWrap(true);
  selected_text_->setWordWrap(true);
  selected_text_->setTextInteractionFlags(Qt::TextSelectableByKeyboard | Qt::TextSelectableByMouse);
  selected_text_->setMinimumHeight(48);
  selected_text_->setAlignment(Qt::AlignTop);
  empty_->setObjectName(QStringLiteral("hint"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  table_->setModel(links_);
  table_->setAccessibleName(tr("Links, busiest first"));
  table_->setTabKeyNavigation(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(22);
  table_->horizontalHeader()->setDefaultSectionSize(64);
  table_->setColumnWidth(LinkTableModel::kUtilisation, 54);
  table_->setColumnWidth(LinkTableModel::kQueue, 76);
  table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);

  auto* side = new QWidget;
  auto* side_layout = new QVBoxLayout(side);
  side_layout->setContentsMargins(0, 0, 0, 0);
  side_layout->addWidget(selected_text_);
  side_layout->addWidget(table_, 1);
  auto* split = new QSplitter(Qt::Horizontal);
  split->addWidget(view_);
  split->addWidget(side);
  split->setStretchFactor(0, 2);
  split->setSizes({590, 480});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(description_);
  layout->addWidget(split, 1);
  layout->addWidget(empty_, 1);
  view_->parentWidget()->hide();
  describeSelected();

  connect(view_, &TopologyView::linkClicked, this, &TopologyPage::selectLink);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (!row.isValid()) return;
            selected_ = links_->links()[static_cast<std::size_t>(row.row())].name;
            view_->select(selected_);
            describeSelected();
          });
}

void TopologyPage::setTheme(const Theme& theme) {
  Page::setTheme(theme);
  view_->setTheme(theme);
}

void TopologyPage::setTopology(const control::TopologyPicture& picture) {
  description_->setText(text(picture.description));
  view_->setTopology(picture);
  view_->setLoads({});
  links_->setLinks({});
  selected_.clear();
  describeSelected();
  view_->parentWidget()->setVisible(!picture.nodes.empty());
  empty_->setVisible(picture.nodes.empty());
}

void TopologyPage::show(const PageInput& input) {
  if (input.live == nullptr || !input.live->latest()) return;
  const std::vector<control::LiveLink>& links = input.live->latest()->links;
  view_->setLoads(links);
  links_->setLinks(links);
  describeSelected();
}

void TopologyPage::selectLink(const QString& name) {
  selected_ = name.toStdString();
  const int row = links_->rowOf(selected_);
  const QSignalBlocker quiet(table_->selectionModel());
  if (row >= 0) {
    table_->selectRow(row);
    table_->scrollTo(links_->index(row, 0));
  } else {
    table_->clearSelection();
  }
  describeSelected();
}

void TopologyPage::describeSelected() {
  if (selected_.empty()) {
    selected_text_->setText(tr("Click a link, or choose one in the table, for its counters."));
    return;
  }
  const int row = links_->rowOf(selected_);
  if (row < 0) {
    selected_text_->setText(tr("%1 has carried nothing in this trial.").arg(text(selected_)));
    return;
  }
  const control::LiveLink& link = links_->links()[static_cast<std::size_t>(row)];
  selected_text_->setText(tr("%1, %2: %3 % of the last interval; %4 packets, %5 bytes, %6 marked, "
                             "%7 dropped; queue %8 B")
                              .arg(text(link.name), rateText(static_cast<double>(link.rate_bps)),
                                   numberText(100 * link.utilisation, 3), countText(link.packets),
                                   countText(link.bytes), countText(link.marked),
                                   countText(link.dropped), countText(link.queue_bytes)));
}

}  // namespace plumbline::gui
