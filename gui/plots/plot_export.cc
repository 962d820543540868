// SPDX-License-Identifier: GPL-3.0-or-later
// Plots as files.
#include <qcustomplot.h>

#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "gui/plots/plot.h"

namespace plumbline::gui {
namespace {

constexpr double kExportScale = 2.0;  // of PNG: sharp on paper and on screens of high density

QString quoted(QString text) {
  if (!text.contains(QRegularExpression(QStringLiteral("[\",\n]")))) return text;
  return QStringLiteral("\"%1\"").arg(text.replace(QLatin1Char('"'), QStringLiteral("\"\"")));
}

}  // namespace

void Plot::showMenu(const QPoint& at) {
  QMenu menu(this);
  menu.addAction(tr("Show &everything"), QKeySequence(Qt::Key_0), this, &Plot::fit);
  menu.addSeparator();
  for (const char* ending : {"png", "svg", "csv"}) {
    QAction* action = menu.addAction(tr("Save as &%1 …").arg(QString(ending).toUpper()));
    action->setEnabled(pointCount() > 0);
    connect(action, &QAction::triggered, this,
            [this, ending] { chooseFileAndExport(QString::fromLatin1(ending)); });
  }
  menu.exec(mapToGlobal(at));
}

void Plot::chooseFileAndExport(const QString& ending) {
  const QString suggested = QString(name_).toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
  const QString path = QFileDialog::getSaveFileName(this, tr("Save plot"),
                                                    QStringLiteral("%1.%2").arg(suggested, ending));
  if (path.isEmpty()) return;
  const QString error = exportTo(path);
  if (!error.isEmpty()) QMessageBox::warning(this, tr("Save plot"), error);
}

QString Plot::csv() const {
  QString text = QStringLiteral("series,%1,%2\n").arg(quoted(axes_.x_label), quoted(axes_.y_label));
  const auto named = [](const QStringList& names, double value) {
    const auto index = static_cast<qsizetype>(std::lround(value));
    return index >= 0 && index < names.size() ? quoted(names[index])
                                              : QString::number(value, 'g', 17);
  };
  for (const PlotSeries& one : series_) {
    for (std::size_t i = 0; i < std::min(one.x.size(), one.y.size()); ++i) {
      text += QStringLiteral("%1,%2,%3\n")
                  .arg(quoted(one.name), named(axes_.x_names, one.x[i]),
                       named(axes_.y_names, one.y[i]));
    }
  }
  return text;
}

QString Plot::exportTo(const QString& path) const {
  QString failure = tr("%1 could not be written").arg(path);
  if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)) {
    return plot_->savePng(path, 0, 0, kExportScale) ? QString() : failure;
  }
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return failure;
    QSvgGenerator svg;
    svg.setOutputDevice(&file);
    svg.setTitle(name_);
    svg.setSize(plot_->size());
    svg.setViewBox(QRect({0, 0}, plot_->size()));
    QCPPainter painter;
    if (!painter.begin(&svg)) return failure;
    painter.setMode(QCPPainter::pmVectorized);
    painter.fillRect(QRect({0, 0}, plot_->size()), theme_.base);
    plot_->toPainter(&painter, plot_->width(), plot_->height());
    painter.end();
    const bool flushed = !file.isOpen() || file.flush();
    return flushed && file.error() == QFileDevice::NoError ? QString() : failure;
  }
  if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return failure;
    const QByteArray bytes = csv().toUtf8();
    return file.write(bytes) == bytes.size() && file.flush() ? QString() : failure;
  }
  return tr("%1: the ending must be .png, .svg or .csv").arg(path);
}

}  // namespace plumbline::gui
