// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/report_writer.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include "gui/models/text.h"
#include "gui/window/local_server.h"

namespace plumbline::gui {
namespace {

constexpr qint64 kMaxReportBytes = 256LL * 1024 * 1024;  // of a report

// A directory for each path, so that reports of files of one name do not replace each other.
QDir directoryFor(const QString& result) {
  const QByteArray name = QCryptographicHash::hash(QFileInfo(result).absoluteFilePath().toUtf8(),
                                                   QCryptographicHash::Sha1);
  return {QDir(QStandardPaths::writableLocation(QStandardPaths::CacheLocation))
              .filePath(QStringLiteral("report-%1").arg(QString::fromLatin1(name.toHex())))};
}

}  // namespace

QString reportNextTo(const QString& result, const StoredRun& run) {
  QFile file(QFileInfo(result).dir().filePath(QStringLiteral("report.html")));
  if (run.created.empty() || !file.open(QIODevice::ReadOnly)) return {};
  // As every report names its run.
  const QString mark = QStringLiteral("run %1 · started %2").arg(run.run).arg(text(run.created));
  return file.read(kMaxReportBytes).contains(mark.toUtf8()) ? QFileInfo(file).absoluteFilePath()
                                                            : QString();
}

void ReportWriter::write(const QString& program, const QString& result, const StoredRun& run) {
  if (const QString there = reportNextTo(result, run); !there.isEmpty()) {
    emit written(there);
    return;
  }
  const QString found = plumblineProgram(program);
  if (found.isEmpty()) {
    emit failed(tr("There is no `plumbline` beside this program or on PATH to write the report."));
    return;
  }
  const QDir directory = directoryFor(result);
  auto* process = new QProcess(this);
  connect(process, &QProcess::finished, this, [this, process, directory, result](int code) {
    process->deleteLater();
    if (code == 0) {
      emit written(directory.filePath(QStringLiteral("report.html")));
    } else {
      emit failed(tr("The report of %1 could not be written: %2")
                      .arg(result, QString::fromUtf8(process->readAllStandardError()).trimmed()));
    }
  });
  connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    emit failed(tr("%1 could not be started: %2").arg(process->program(), process->errorString()));
    process->deleteLater();
  });
  process->start(
      found, {QStringLiteral("report"), QStringLiteral("--from"),
              QFileInfo(result).absoluteFilePath(), QStringLiteral("--report"), directory.path()});
}

}  // namespace plumbline::gui
