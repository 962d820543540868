// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/congestion_page.h"

#include <QVBoxLayout>

namespace plumbline::gui {

CongestionPage::CongestionPage(QWidget* parent) : Page(parent), plot_(addPlot(tr("ECN and CNP"))) {
  plot_->setEmptyText(
      tr("No congestion figures yet: a running trial shows them live, and so do stored results "
         "of tests that count marks (T6.1, T7.1, T7.3, T8, T9)."));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(plot_);
}

void CongestionPage::show(const PageInput& input) {
  Plot::Axes axes;
  if (input.live != nullptr) {
    const LiveRun& live = *input.live;
    axes.x_label = tr("trial time [µs]");
    axes.y_label = tr("packets per second");
    plot_->setContent(axes, {timeSeries(tr("marked by switches"), live.marked()),
                             timeSeries(tr("received with CE"), live.ceReceived()),
                             timeSeries(tr("CNPs received"), live.cnpReceived()),
                             timeSeries(tr("dropped by switches"), live.dropped())});
    return;
  }
  KpiBars bars = kpiBars(input.runs, {"ecn_percent"});
  axes.x_names = bars.points;
  axes.y_label = tr("packets marked [%]");
  plot_->setContent(axes, std::move(bars.series));
}

}  // namespace plumbline::gui
