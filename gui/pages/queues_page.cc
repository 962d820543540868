// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/queues_page.h"

#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr std::size_t kMaxLines = 8;
constexpr double kBytesPerKilobyte = 1000;

}  // namespace

QueuesPage::QueuesPage(QWidget* parent) : Page(parent), plot_(addPlot(tr("Queues"))) {
  plot_->setEmptyText(
      tr("No queues yet: a DUT that reports queue depths (the simulated one does) shows them live, "
         "and so do stored results that have them (T6.4, T6.5c, T7.2, T7.3, free workloads)."));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(plot_);
}

void QueuesPage::show(const PageInput& input) {
  Plot::Axes axes;
  axes.y_label = tr("deepest queue [kB]");
  if (input.live == nullptr) {
    KpiBars bars = kpiBars(input.runs, {"queue_max_bytes", "max_queue_bytes"});
    for (PlotSeries& one : bars.series) {
      for (double& y : one.y) y /= kBytesPerKilobyte;
    }
    axes.x_names = bars.points;
    plot_->setContent(axes, std::move(bars.series));
    return;
  }
  struct Line {
    const std::string* link;
    const TimeSeries* depth;
    double deepest;
  };
  std::vector<Line> lines;
  for (const auto& [link, depth] : input.live->queues()) {
    lines.push_back(
        {&link, &depth, *std::max_element(depth.values().begin(), depth.values().end())});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.deepest > b.deepest; });
  axes.x_label = tr("trial time [µs]");
  if (lines.size() > kMaxLines) {
    axes.x_label += tr(" – the %1 deepest of %2 queues").arg(kMaxLines).arg(lines.size());
    lines.resize(kMaxLines);
  }
  std::vector<PlotSeries> series;
  for (const Line& line : lines) {
    series.push_back(timeSeries(text(*line.link), *line.depth));
    for (double& y : series.back().y) y /= kBytesPerKilobyte;
  }
  plot_->setContent(axes, std::move(series));
}

}  // namespace plumbline::gui
