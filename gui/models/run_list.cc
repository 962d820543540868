// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/run_list.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

// A result of the largest sweeps is a few tens of megabytes; more is no result.
constexpr qint64 kMaxBytes = 512LL * 1024 * 1024;

}  // namespace

QString RunList::add(const QString& key, const QString& source, const QByteArray& json) {
  StoredRunResult result =
      parseStoredRun({json.constData(), static_cast<std::size_t>(json.size())});
  if (!result.run) {
    return tr("%1 is not a result of Plumbline: %2").arg(source, text(result.error));
  }
  QString name = tr("run %1, %2").arg(result.run->run).arg(text(result.run->scenario_name));
  // Runs are numbered by their database: the same name may stand for different runs.
  const bool taken = std::any_of(runs_.begin(), runs_.end(), [&](const auto& other) {
    return other.first != key && other.second.name == name;
  });
  if (taken) name += QStringLiteral(" (%1)").arg(source);
  runs_[key] = {name, std::make_shared<const StoredRun>(std::move(*result.run))};
  emit changed();
  return {};
}

QString RunList::addFile(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    return tr("%1 could not be read: %2").arg(path, file.errorString());
  }
  if (file.size() > kMaxBytes) return tr("%1 is too large for a result").arg(path);
  return add(path, QFileInfo(path).fileName(), file.readAll());
}

void RunList::showAlone(const QString& key) {
  shown_.assign(1, key);
  emit changed();
}

void RunList::compare(const QString& key, bool with) {
  const auto found = std::find(shown_.begin(), shown_.end(), key);
  if ((found != shown_.end()) == with) return;
  if (with) {
    shown_.push_back(key);
  } else {
    shown_.erase(found);
  }
  emit changed();
}

void RunList::forget(const QString& key_prefix) {
  const auto belongs = [&key_prefix](const QString& key) { return key.startsWith(key_prefix); };
  shown_.erase(std::remove_if(shown_.begin(), shown_.end(), belongs), shown_.end());
  for (auto one = runs_.begin(); one != runs_.end();) {
    one = belongs(one->first) ? runs_.erase(one) : std::next(one);
  }
  emit changed();
}

bool RunList::isShown(const QString& key) const {
  return std::find(shown_.begin(), shown_.end(), key) != shown_.end();
}

std::vector<ShownRun> RunList::shown() const {
  std::vector<ShownRun> out;
  for (const QString& key : shown_) {
    const auto found = runs_.find(key);
    if (found != runs_.end()) out.push_back(found->second);
  }
  return out;
}

QString serverRunKey(const QString& address, std::int64_t run) {
  return QStringLiteral("server %1 run %2").arg(address).arg(run);
}

}  // namespace plumbline::gui
