// SPDX-License-Identifier: GPL-3.0-or-later
// Serving systems: parts of the TTFT, time between tokens, goodput, KV cache and queues of workers,
// live over the trial's time; of stored results the same of a point's requests, and the figures of
// all points.
#pragma once

#include "gui/data/stored_served.h"
#include "gui/pages/page.h"

class QComboBox;
class QLabel;
class QTableWidget;

namespace plumbline::gui {

class ServingPage : public Page {
  Q_OBJECT
 public:
  explicit ServingPage(QWidget* parent = nullptr);

  void show(const PageInput& input) override;

  [[nodiscard]] const Plot& ttft() const { return *ttft_; }
  [[nodiscard]] const Plot& tokens() const { return *tokens_; }
  [[nodiscard]] const Plot& goodput() const { return *goodput_; }
  [[nodiscard]] const Plot& workers() const { return *workers_; }
  [[nodiscard]] const QTableWidget& figures() const { return *figures_; }
  [[nodiscard]] QString note() const;

 private:
  // Data of one trial of a stored run.
  struct StoredTrial {
    QString name;
    std::size_t run = 0;
    std::size_t test = 0;
    StoredTrialRequests trial;
  };

  void showLive(const LiveRun& live);
  void showLiveWorkers(const LiveServed& served);
  void fillLiveFigures(const std::vector<LiveServed>& systems);
  void readStored(const std::vector<ShownRun>& runs);
  void showStored();
  void showStoredWorkers(const StoredTrial* trial);
  void fillStoredFigures();
  void clearPlots();
  void setShown(bool requests, bool workers);
  void setNames(const QStringList& names);
  // The first columns are texts. Empty ones are left out.
  void setFigures(int texts, const QStringList& headings, const std::vector<QStringList>& rows);

  bool live_ = false;
  std::vector<ShownRun> runs_;
  std::vector<StoredTrial> trials_;
  QComboBox* which_;  // system, or point
  QComboBox* of_;     // figure of the workers
  QLabel* note_;
  Plot* ttft_;
  Plot* tokens_;
  Plot* goodput_;
  Plot* workers_;
  QTableWidget* figures_;
};

}  // namespace plumbline::gui
