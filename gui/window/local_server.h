// SPDX-License-Identifier: GPL-3.0-or-later
// A `plumbline serve` started by the window on a free port of the loopback interface, with the
// simulated card and fabric, for users who have no tester running.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <optional>

#include "control/client.h"

namespace plumbline::gui {

// The `plumbline` to start: `chosen`, or else the one beside this program, or else the one on PATH.
// Empty if there is none.
QString plumblineProgram(const QString& chosen);

class LocalServer : public QObject {
  Q_OBJECT
 public:
  explicit LocalServer(QObject* parent = nullptr);
  // Requests the server's end after the current trial, and waits for it.
  ~LocalServer() override;

  // `program`: empty to search for it, see plumblineProgram(). `results`: directory of its results;
  // empty for its default.
  void start(const QString& program, const QString& results);
  [[nodiscard]] bool isRunning() const { return process_.state() != QProcess::NotRunning; }
  // Its address; nothing before it serves, and after its end.
  [[nodiscard]] const std::optional<control::ServerAddress>& address() const { return address_; }

 signals:
  void ready(const control::ServerAddress& address);
  // It could not be started, or ended by itself.
  void failed(const QString& message);
  void logged(const QString& line);

 private:
  void readLines();
  void ended();

  QProcess process_;
  QString last_words_;
  std::optional<control::ServerAddress> address_;
  bool ending_ = false;
};

}  // namespace plumbline::gui
