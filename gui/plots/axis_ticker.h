// SPDX-License-Identifier: GPL-3.0-or-later
// Axis ticks: labels with thousands separators (1,000), and on a logarithmic axis 1-2-5 steps when
// it spans too few decades for powers of ten alone.
#pragma once

#include <qcustomplot.h>

namespace plumbline::gui {

// "12,345.6" with as many digits as `step` needs; very large and small numbers as powers.
QString tickLabel(double value, double step);

class LinearTicker : public QCPAxisTicker {
 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
  double getTickStep(const QCPRange& range) override;

 private:
  double step_ = 1;
};

class LogTicker : public QCPAxisTicker {
 protected:
  QVector<double> createTickVector(double step, const QCPRange& range) override;
  QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

}  // namespace plumbline::gui
