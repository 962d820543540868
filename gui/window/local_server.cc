// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/local_server.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include "base/error.h"
#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr int kEndMs = 15'000;  // for the current trial to end, and its results to be stored

}  // namespace

QString plumblineProgram(const QString& chosen) {
  if (!chosen.isEmpty()) return chosen;
  const QFileInfo beside(QDir(QCoreApplication::applicationDirPath()), QStringLiteral("plumbline"));
  if (beside.isExecutable()) return beside.absoluteFilePath();
  return QStandardPaths::findExecutable(QStringLiteral("plumbline"));
}

LocalServer::LocalServer(QObject* parent) : QObject(parent) {
  connect(&process_, &QProcess::readyReadStandardOutput, this, &LocalServer::readLines);
  connect(&process_, &QProcess::readyReadStandardError, this, [this] {
    const QStringList lines = QString::fromUtf8(process_.readAllStandardError())
                                  .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (const QString& line : lines) {
      last_words_ = line;
      emit logged(line);
    }
  });
  connect(&process_, &QProcess::finished, this, &LocalServer::ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      emit failed(
          tr("%1 could not be started: %2").arg(process_.program(), process_.errorString()));
    }
  });
}

LocalServer::~LocalServer() {
  ending_ = true;
  if (!isRunning()) return;
  process_.terminate();
  if (!process_.waitForFinished(kEndMs)) process_.kill();
}

void LocalServer::start(const QString& program, const QString& results) {
  if (isRunning()) return;
  const QString found = plumblineProgram(program);
  if (found.isEmpty()) {
    emit failed(
        tr("There is no `plumbline` beside this program or on PATH to start a server with; "
           "connect to one instead."));
    return;
  }
  address_.reset();
  last_words_.clear();
  QStringList arguments = {QStringLiteral("serve"),   QStringLiteral("--port"),
                           QStringLiteral("0"),       QStringLiteral("--end-with-stdin"),
                           QStringLiteral("--files"), QDir::currentPath()};
  if (!results.isEmpty()) arguments << QStringLiteral("--results") << results;
  emit logged(tr("Starting %1 %2").arg(found, arguments.join(QLatin1Char(' '))));
  // Open for writing, though nothing is written: the pipe ends with this process in any case, and
  // the server with the pipe.
  process_.start(found, arguments, QIODevice::ReadWrite);
}

void LocalServer::readLines() {
  static const QString kAnnouncement = QStringLiteral("serving at ");
  while (process_.canReadLine()) {
    const QString line = QString::fromUtf8(process_.readLine()).trimmed();
    emit logged(line);
    if (address_ || !line.startsWith(kAnnouncement)) continue;
    try {
      address_ = control::ServerAddress::parse(line.mid(kAnnouncement.size()).toStdString());
      emit ready(*address_);
    } catch (const Error& error) {
      emit failed(text(error.what()));
    }
  }
}

void LocalServer::ended() {
  address_.reset();
  if (ending_) return;
  emit failed(tr("The local server ended with exit code %1: %2")
                  .arg(process_.exitCode())
                  .arg(last_words_.isEmpty() ? tr("it said nothing") : last_words_));
}

}  // namespace plumbline::gui
