// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report of a run in a results file: the report beside the file if it is of this run,
// otherwise one written by `plumbline report`. Needs no server and never blocks.
#pragma once

#include <QObject>
#include <QString>

#include "gui/data/stored_run.h"

namespace plumbline::gui {

// The report.html beside `result`, if it belongs to `run`; empty if there is none.
QString reportNextTo(const QString& result, const StoredRun& run);

class ReportWriter : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  // `program`: see plumblineProgram(). Several may run at the same time.
  void write(const QString& program, const QString& result, const StoredRun& run);

 signals:
  // The report is in this file.
  void written(const QString& html);
  void failed(const QString& message);
};

}  // namespace plumbline::gui
