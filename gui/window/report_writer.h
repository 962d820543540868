// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report of a run in a results file: the one beside the file where that is of this run, or
// else one that `plumbline report` writes of it. No server is needed, and nothing waits.
#pragma once

#include <QObject>
#include <QString>

#include "gui/data/stored_run.h"

namespace plumbline::gui {

// The report.html beside `result`, if it belongs to `run`; empty if there is none.
QString reportBeside(const QString& result, const StoredRun& run);

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
