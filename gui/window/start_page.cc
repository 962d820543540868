// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace plumbline::gui {

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(22);
  grid->setVerticalSpacing(14);
  int row = 0;
  const auto add = [&](const QString& action, const QString& explanation, auto signal) {
    auto* button = new QPushButton(action);
    button->setMinimumSize(210, 44);
    auto* label = new QLabel(explanation);
    label->setWordWrap(true);
    grid->addWidget(button, row, 0);
    grid->addWidget(label, row, 1);
    connect(button, &QPushButton::clicked, this, signal);
    ++row;
  };
  add(tr("Run the &quickstart"),
      tr("Throughput and latency of a small simulated switch, in under a minute. Needs no hardware "
         "and no server: one is started on this machine."),
      &StartPage::quickstartWanted);
  add(tr("C&onnect to a tester …"), tr("On this machine or across the lab: `plumbline serve`."),
      &StartPage::connectWanted);
  add(tr("Open a &result …"),
      tr("Results JSON that `plumbline run --json` or `results export` wrote."),
      &StartPage::openResultWanted);
  add(tr("Edit a &scenario"),
      tr("Choose one of the server's in the strip above, or write your own."),
      &StartPage::editScenarioWanted);
  grid->setColumnStretch(1, 1);

  auto* headline = new QLabel(tr("Plumbline"));
  headline->setObjectName(QStringLiteral("headline"));
  auto* subtitle = new QLabel(tr("Precision tester for AI Ethernet fabrics"));
  subtitle->setObjectName(QStringLiteral("hint"));
  auto* column = new QWidget;
  column->setFixedWidth(560);
  auto* inside = new QVBoxLayout(column);
  inside->addWidget(headline);
  inside->addWidget(subtitle);
  inside->addSpacing(18);
  inside->addLayout(grid);
  auto* layout = new QVBoxLayout(this);
  layout->addStretch(1);
  layout->addWidget(column, 0, Qt::AlignHCenter);
  layout->addStretch(2);
}

}  // namespace plumbline::gui
