// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/fairness_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

constexpr std::size_t kMaxBars = 48;

struct Load {
  std::string name;
  double value = 0;
};

// Largest first, at most kMaxBars; `figures` mentions the others.
PlotSeries loadBars(std::vector<Load> loads, Plot::Axes& axes, QString& figures) {
  std::stable_sort(loads.begin(), loads.end(),
                   [](const Load& a, const Load& b) { return a.value > b.value; });
  if (loads.size() > kMaxBars) {
    figures += QObject::tr("The %1 largest of %2").arg(kMaxBars).arg(loads.size());
    loads.resize(kMaxBars);
  }
  PlotSeries bars{QString(), {}, {}, SeriesStyle::kBars, false, 0};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    axes.x_names.push_back(text(loads[i].name));
    bars.x.push_back(static_cast<double>(i));
    bars.y.push_back(loads[i].value);
  }
  return bars;
}

}  // namespace

FairnessPage::FairnessPage(QWidget* parent)
    : Page(parent),
      figures_(new QLabel),
      of_(new QComboBox),
      index_(addPlot(tr("Fairness"))),
      loads_(addPlot(tr("Loads"))) {
  of_->setAccessibleName(tr("Loads of"));
  of_->addItem(tr("Links between switches"));
  of_->addItem(tr("Flows"));
  index_->setEmptyText(
      tr("No fairness index yet: a running trial with several flows or paths shows it live, "
         "and so do stored results that have one (T6.3, T6.6, T8, T9, free workloads)."));
  loads_->setEmptyText(tr("No loads of links or flows yet."));
  figures_->setWordWrap(true);
  auto* top = new QHBoxLayout;
  top->addWidget(of_);
  top->addWidget(figures_, 1);
  auto* split = new QSplitter(Qt::Horizontal);
  split->addWidget(index_);
  split->addWidget(loads_);
  split->setSizes({1000, 1000});  // equal shares of the available size
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(top);
  layout->addWidget(split, 1);
}

void FairnessPage::show(const PageInput& input) {
  of_->setVisible(input.live != nullptr);
  if (input.live != nullptr) {
    showLive(*input.live);
  } else {
    showStored(input.runs);
  }
}

void FairnessPage::showLive(const LiveRun& live) {
  Plot::Axes axes;
  axes.x_label = tr("trial time [µs]");
  axes.y_label = tr("Jain's fairness index");
  axes.y_max = 1;
  index_->setContent(axes, {timeSeries(tr("flows, by rate"), live.flowJfi()),
                            timeSeries(tr("links between switches, by bytes"), live.linkJfi())});

  Plot::Axes load_axes;
  std::vector<Load> loads;
  QString figures;
  if (live.latest()) {
    const control::LiveInterval& now = *live.latest();
    if (of_->currentIndex() == 0) {
      load_axes.y_label = tr("utilisation [%]");
      for (const control::LiveLink& link : now.links) {
        if (link.between_switches) loads.push_back({link.name, 100 * link.utilisation});
      }
    } else {
      load_axes.y_label = tr("rate [Gb/s]");
      for (const control::LiveFlow& flow : now.flows)
        loads.push_back({flow.name, flow.rx_bps / 1e9});
    }
    const auto add = [&figures](const QString& name, const std::optional<double>& value) {
      if (value) figures += QStringLiteral("%1 %2    ").arg(name, numberText(*value));
    };
    add(tr("JFI of flows"), now.fairness.flow_jfi);
    add(tr("JFI of links"), now.fairness.link_jfi);
    add(tr("MMR of links"), now.fairness.link_mmr);
  }
  PlotSeries bars = loadBars(std::move(loads), load_axes, figures);
  figures_->setText(figures);
  loads_->setContent(load_axes, {std::move(bars)});
}

void FairnessPage::showStored(const std::vector<ShownRun>& runs) {
  KpiBars index = kpiBars(runs, {"link_jfi", "flow_jfi"});
  Plot::Axes axes;
  axes.y_label = tr("Jain's fairness index");
  axes.y_max = 1;
  axes.x_names = index.points;
  index_->setContent(axes, std::move(index.series));

  KpiBars ratio = kpiBars(runs, {"link_mmr"});
  Plot::Axes ratio_axes;
  ratio_axes.y_label = tr("max-mean ratio of links");
  ratio_axes.x_names = ratio.points;
  loads_->setContent(ratio_axes, std::move(ratio.series));
  figures_->setText(index.left_out > 0 ? tr("The first %1 points").arg(index.points.size())
                                       : QString());
}

}  // namespace plumbline::gui
