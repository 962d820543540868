// SPDX-License-Identifier: GPL-3.0-or-later
// The stored runs the window has read, from the server or from files, and which of them it shows.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "gui/data/stored_run.h"

namespace plumbline::gui {

// A stored run with its name in legends: "run 3, quickstart".
struct ShownRun {
  QString name;
  std::shared_ptr<const StoredRun> run;
};

class RunList : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  // Reads results JSON and keeps it under `key`, which names its source: a path, or a server and
  // its run. Returns the error in it; empty without one. A run under a known key is replaced.
  QString add(const QString& key, const QString& source, const QByteArray& json);
  QString addFile(const QString& path);

  // Shows this run alone, without others to compare with.
  void showAlone(const QString& key);
  // Adds it to the shown runs, or removes it.
  void compare(const QString& key, bool with);
  // Removes all whose key begins with the prefix; for a server that is left.
  void forget(const QString& key_prefix);

  [[nodiscard]] bool has(const QString& key) const { return runs_.find(key) != runs_.end(); }
  [[nodiscard]] bool isShown(const QString& key) const;
  // The shown runs, the reference first.
  [[nodiscard]] std::vector<ShownRun> shown() const;
  // All, by key.
  [[nodiscard]] const std::map<QString, ShownRun>& all() const { return runs_; }

 signals:
  void changed();

 private:
  std::map<QString, ShownRun> runs_;
  std::vector<QString> shown_;
};

// A key for a run of the server at `address`.
QString serverRunKey(const QString& address, std::int64_t run);

}  // namespace plumbline::gui
